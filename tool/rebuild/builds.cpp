#include "rebuild/builds.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "base/scratch.hpp"
#include "base/transaction.hpp"
#include "rebuild/steps.hpp"
#include "rebuild/stopwatch.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Sys;
using Problems = std::vector<Error>;
namespace fs = std::filesystem;

tl::unexpected<Problems> stop(Error error) {
    return tl::unexpected(Problems{std::move(error)});
}

/// A file of the checkout that a build may have made.
Result<BuiltFile> built_file(const base::Directory& checkout, const std::string& path) {
    const auto failed = [&](base::Errno reason) {
        return base::fail(base::io_error(reason, "the build's " + path + " cannot be read"));
    };
    const Sys<std::optional<base::FileInfo>> info = checkout.info(path);
    if (!info) {
        if (info.error().value == ENOTDIR) return BuiltFile();
        return failed(info.error());
    }
    if (!*info) return BuiltFile();
    if ((*info)->type != base::FileType::regular) {
        return base::fail(ErrorKind::build, fmt::format("the build's {} is no regular file", path));
    }
    const Sys<base::FileDescriptor> file = checkout.open_file(path);
    if (!file) return failed(file.error());
    Sys<std::string> bytes = base::read_all(*file, patch::largest_file);
    if (!bytes) return failed(bytes.error());
    return BuiltFile{*std::move(bytes), ((*info)->mode & S_IXUSR) != 0};
}

std::string top_folder(const std::string& path) {
    return path.substr(0, path.find('/'));
}

/// The hashes of all files in the folders that a package's files lie in, by path in the package.
std::map<std::string, base::Digest> hashes_of(const std::string& checkout, const manifest::Package& package) {
    std::set<std::string> folders;
    for (const manifest::File& file : package.files) {
        if (file.path.find('/') != std::string::npos) folders.insert(top_folder(file.path));
    }
    std::map<std::string, base::Digest> hashes;
    const fs::path directory = fs::path(checkout) / package.source_directory;
    for (const std::string& folder : folders) {
        std::error_code ignored;
        for (fs::recursive_directory_iterator entry(directory / folder, ignored), end; entry != end;
             entry.increment(ignored)) {
            if (!entry->is_regular_file(ignored) || entry->is_symlink(ignored)) continue;
            const Result<std::string> bytes = base::read_file(entry->path(), patch::largest_file);
            if (bytes) hashes[entry->path().lexically_relative(directory)] = base::sha256(*bytes);
        }
    }
    return hashes;
}

class Builder {
  public:
    Builder(const Plan& plan, BuildReport& report) : plan_(plan), report_(report) {
        builds_.packages.resize(plan.manifest.packages.size());
    }

    tl::expected<Builds, Problems> run(const StockCheck& check) {
        Result<base::Scratch> scratch =
            base::Scratch::make(plan_.settings.scratch, plan_.settings.keep_scratch);
        if (!scratch) return stop(scratch.error());
        tl::expected<Builds, Problems> builds = build_in(*scratch, check);
        const Stopwatch time(report_.checkout);
        scratch->remove();
        return builds;
    }

  private:
    tl::expected<Builds, Problems> build_in(const base::Scratch& scratch, const StockCheck& check) {
        const Result<std::string> folder = scratch.directory("checkout");
        if (!folder) return stop(folder.error());
        checkout_ = *folder;
        if (plan_.settings.keep_scratch) {
            report_.notes.push_back(
                base::error_at(ErrorKind::check, checkout_, 0, "the checkout is kept, as it was asked for"));
        }
        for (const auto part : {&Builder::check_out, &Builder::build_stock}) {
            if (const Result<void> done = (this->*part)(); !done) return stop(done.error());
        }
        if (Problems problems = check(builds_.packages); !problems.empty())
            return tl::unexpected(std::move(problems));
        if (Problems problems = patch_sources(); !problems.empty())
            return tl::unexpected(std::move(problems));
        if (const Result<void> done = build_patched(); !done) return stop(done.error());
        return std::move(builds_);
    }

    Result<void> check_out() {
        const Stopwatch time(report_.checkout);
        const Result<void> done =
            plan_.repository.check_out(plan_.manifest.source->commit, checkout_, *plan_.settings.progress);
        if (!done) return base::fail(done.error());
        const Sys<base::Directory> directory = base::Directory::open(checkout_);
        if (!directory) return base::fail(base::io_error(directory.error(), "cannot open " + checkout_));
        Sys<base::Directory> handle = directory->duplicate();
        if (!handle) return base::fail(base::io_error(handle.error(), "cannot open " + checkout_));
        directory_ = *std::move(handle);
        return {};
    }

    Result<void> build_stock() {
        if (Result<void> ran = run_build(BuildSide::stock); !ran) return ran;
        for (std::size_t at = 0; at < builds_.packages.size(); ++at) {
            const manifest::Package& package = plan_.manifest.packages[at];
            if (Result<void> read = read_files(package, builds_.packages[at].stock); !read) return read;
            before_.push_back(hashes_of(checkout_, package));
        }
        return {};
    }

    Result<void> build_patched() {
        if (Result<void> ran = run_build(BuildSide::patched); !ran) return ran;
        for (std::size_t at = 0; at < builds_.packages.size(); ++at) {
            const manifest::Package& package = plan_.manifest.packages[at];
            if (Result<void> read = read_files(package, builds_.packages[at].patched); !read) return read;
            builds_.packages[at].also_changed = changed_beside(package, before_[at]);
        }
        return {};
    }

    Result<void> run_build(BuildSide side) {
        return run_steps(plan_.manifest, checkout_, side, plan_.settings, report_.building);
    }

    Result<void> read_files(const manifest::Package& package, std::vector<BuiltFile>& files) {
        for (const manifest::File& file : package.files) {
            Result<BuiltFile> built = built_file(directory_, package.source_directory + "/" + file.path);
            if (!built) return base::fail(built.error());
            files.push_back(*std::move(built));
        }
        return {};
    }

    std::vector<std::string> changed_beside(const manifest::Package& package,
                                            const std::map<std::string, base::Digest>& before) const {
        std::vector<std::string> changed;
        for (const auto& built : hashes_of(checkout_, package)) {
            const std::string& path = built.first;
            const auto old = before.find(path);
            const bool own = std::any_of(package.files.begin(), package.files.end(),
                                         [&](const manifest::File& file) { return file.path == path; });
            if (!own && old != before.end() && old->second != built.second) changed.push_back(path);
        }
        return changed;
    }

    Problems patch_sources() {
        plan_.settings.progress->update("applying source.patch", 0, 0);
        auto changes = patch::apply_all(plan_.source_patch.patch,
                                        [this](const std::string& path) { return source_file(path); });
        if (!changes) return std::move(changes.error());
        if (changes->empty()) {
            return {base::error_at(ErrorKind::usage, plan_.manifest.file, plan_.manifest.source->patch->line,
                                   fmt::format("{} changes nothing at {}", plan_.manifest.source->patch->path,
                                               plan_.manifest.source->tag))};
        }
        base::Transaction transaction;
        std::set<std::string> made;
        for (patch::Change& change : *changes) add(std::move(change), made, transaction);
        if (const Result<void> staged = transaction.stage(); !staged) return {staged.error()};
        if (const auto left = transaction.commit(); !left) return {left.error()};
        return {};
    }

    Result<std::optional<patch::SourceFile>> source_file(const std::string& path) {
        Result<std::optional<source::Content>> content =
            plan_.repository.content(plan_.manifest.source->commit, path);
        if (!content) return base::fail(content.error());
        if (!*content) return std::nullopt;
        if ((*content)->kind != source::EntryKind::file &&
            (*content)->kind != source::EntryKind::executable) {
            return base::fail(base::error_at(ErrorKind::usage, path, 0,
                                             "is no regular file at " + plan_.manifest.source->tag +
                                                 "; source.patch can change regular files only"));
        }
        return patch::SourceFile{std::move((*content)->bytes),
                                 (*content)->kind == source::EntryKind::executable};
    }

    void add(patch::Change change, std::set<std::string>& made, base::Transaction& transaction) const {
        const auto target = [&](const std::string& path) {
            return base::Target{&directory_, path, path, std::nullopt};
        };
        const Sys<std::optional<base::FileInfo>> there = directory_.info(change.path);
        base::Target file = target(change.path);
        if (there && *there) file.expected = (*there)->identity;
        if (!change.bytes) return transaction.remove(std::move(file));
        for (std::size_t slash = change.path.find('/'); slash != std::string::npos;
             slash = change.path.find('/', slash + 1)) {
            const std::string folder = change.path.substr(0, slash);
            const Sys<std::optional<base::FileInfo>> info = directory_.info(folder);
            if ((!info || !*info) && made.insert(folder).second) transaction.make_directory(target(folder));
        }
        base::Attributes attributes;
        const bool was_executable = there && *there && ((*there)->mode & S_IXUSR) != 0;
        attributes.mode = change.executable.value_or(was_executable) ? 0755 : 0644;
        attributes.uid = geteuid();
        attributes.gid = getegid();
        transaction.write(std::move(file), *std::move(change.bytes), std::move(attributes));
    }

    const Plan& plan_;
    BuildReport& report_;
    Builds builds_;
    std::string checkout_;
    base::Directory directory_;
    std::vector<std::map<std::string, base::Digest>> before_;
};

}  // namespace

tl::expected<Builds, Problems> build_both(const Plan& plan, const StockCheck& check, BuildReport& report) {
    return Builder(plan, report).run(check);
}

}  // namespace drydock::rebuild
