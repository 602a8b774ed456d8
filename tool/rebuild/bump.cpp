#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "diff/diff.hpp"
#include "rebuild/carry.hpp"
#include "rebuild/compose.hpp"
#include "rebuild/manifest_text.hpp"
#include "rebuild/obtain.hpp"
#include "rebuild/published.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using manifest::Manifest;

/// The source.patch of what was carried.
Result<std::string> source_patch_of(const std::vector<CarriedFile>& files) {
    std::vector<diff::FilePair> pairs;
    for (const CarriedFile& file : files) {
        const auto side = [&](const std::optional<std::string>& bytes,
                              bool executable) -> std::optional<diff::FileSide> {
            if (!bytes) return std::nullopt;
            return diff::FileSide{*bytes, executable ? 0100755U : 0100644U};
        };
        pairs.push_back(
            {file.path, side(file.before, file.executable_before), side(file.after, file.executable_after)});
    }
    return diff::make_patch_text(pairs);
}

class Bump {
  public:
    Bump(const Manifest& from, const Target& target, const Settings& settings)
        : from_(from), target_(target), settings_(settings) {}

    Bumped run() {
        const auto begin = std::chrono::steady_clock::now();
        if (const Result<void> done = work(); !done) result_.problems.push_back(done.error());
        if (!result_.problems.empty() || !result_.conflicts.empty()) result_.files.clear();
        result_.build.count_own(std::chrono::steady_clock::now() - begin);
        return std::move(result_);
    }

  private:
    Result<void> work();
    Result<void> find_folders(const source::Repository& repository);
    [[nodiscard]] Error gone(const manifest::Package& package) const;
    Result<void> tell_version(const source::Repository& repository, const manifest::Package& package,
                              const std::string& folder);
    static Result<std::string> name_in(const source::Repository& repository, const std::string& commit,
                                       const std::string& folder);
    static Result<std::string> field_in(const source::Repository& repository, const std::string& commit,
                                        const std::string& folder, std::string_view field);
    [[nodiscard]] Result<std::string> folder_of(const source::Repository& repository,
                                                const std::string& name) const;
    Result<std::string> manifest_text(bool adopted) const;
    [[nodiscard]] bool lie_there(const Manifest& next) const;
    Result<Manifest> next_manifest(const std::string& text) const;
    Result<void> adopt();
    Result<void> compose_set(const source::Repository& repository, const std::vector<CarriedFile>& files);
    Result<void> keep_old_set(const Manifest& next) const;
    [[nodiscard]] std::string new_path() const;

    const Manifest& from_;
    const Target& target_;
    const Settings& settings_;
    std::vector<std::pair<std::string, std::string>> folders_;  ///< old and new, for every package
    Bumped result_;
};

Result<void> Bump::work() {
    if (const std::optional<Error> error = cannot_rebuild(from_)) return base::fail(*error);
    result_.from = from_.version;
    result_.to = target_.version;
    result_.from_tag = from_.source->tag;
    result_.to_tag = target_.tag;
    if (from_.version == target_.version) {
        return base::fail(
            ErrorKind::usage,
            fmt::format("the set for {} is there already; name another version", target_.version));
    }
    Result<std::string> text = manifest::read_patch(from_, *from_.source->patch);
    if (!text) return base::fail(text.error());
    const Result<SourcePatch> source = read_source_patch(*std::move(text), from_.source->patch->path);
    if (!source) return base::fail(source.error());
    const Result<Obtained> obtained = obtain_commits(settings_, {from_.source->tag, target_.tag});
    if (!obtained) return base::fail(obtained.error());
    if (const std::optional<Error> moved = moved_tag(from_, obtained->commits[0])) return base::fail(*moved);
    result_.from_commit = obtained->commits[0];
    result_.to_commit = obtained->commits[1];
    if (Result<void> found = find_folders(obtained->repository); !found) return found;

    settings_.progress->update("carrying source.patch", 0, 0);
    const Route route{obtained->repository, result_.from_commit, result_.to_commit, result_.from_tag,
                      result_.to_tag,       target_.resolved,    folders_};
    Carry carried = carry(source->patch, route);
    result_.hunks = std::move(carried.hunks);
    result_.conflicts = std::move(carried.conflicts);
    result_.problems.insert(result_.problems.end(), carried.problems.begin(), carried.problems.end());
    for (const ConflictFile& conflict : result_.conflicts) {
        result_.problems.push_back(base::error_at(ErrorKind::conflict, conflict.path, 0, conflict.note));
    }
    if (!result_.problems.empty()) return {};
    if (carried.files.empty()) return adopt();
    return compose_set(obtained->repository, carried.files);
}

/// Where each package's folder is at the new tag: there, or where the package.json with its name is. How
/// alike two files are tells nothing here: many a package.json is like another.
Result<void> Bump::find_folders(const source::Repository& repository) {
    for (const manifest::Package& package : from_.packages) {
        const std::string& old_folder = package.source_directory;
        std::string folder = old_folder;
        const Result<std::string> before = name_in(repository, result_.from_commit, old_folder);
        if (!before) return base::fail(before.error());
        const Result<std::string> after = name_in(repository, result_.to_commit, old_folder);
        if (!after) return base::fail(after.error());
        if (*before == package.name && *after != package.name) {
            const Result<std::string> found = folder_of(repository, package.name);
            if (!found) return base::fail(found.error());
            if (found->empty()) {
                result_.problems.push_back(gone(package));
            } else {
                folder = *found;
            }
        }
        if (Result<void> told = tell_version(repository, package, folder); !told) return told;
        folders_.emplace_back(old_folder, folder);
    }
    return {};
}

/// A tag that is another version's gives a set that nobody can use; only a note, since a monorepo may put its
/// versions in when it publishes.
Result<void> Bump::tell_version(const source::Repository& repository, const manifest::Package& package,
                                const std::string& folder) {
    const Result<std::string> version = field_in(repository, result_.to_commit, folder, "version");
    if (!version) return base::fail(version.error());
    if (version->empty() || *version == target_.version) return {};
    Error note;
    note.kind = ErrorKind::check;
    note.package = package.name;
    note.message = fmt::format("is {} at {}, and the set is for {}; check --to and --tag", *version,
                               target_.tag, target_.version);
    result_.build.notes.push_back(std::move(note));
    return {};
}

Error Bump::gone(const manifest::Package& package) const {
    Error error;
    error.kind = ErrorKind::conflict;
    error.package = package.name;
    error.message = fmt::format(
        "no package of this name is at {}; write the new manifest by hand, without it", target_.tag);
    return error;
}

/// The name in a folder's package.json; empty where there is none.
Result<std::string> Bump::name_in(const source::Repository& repository, const std::string& commit,
                                  const std::string& folder) {
    return field_in(repository, commit, folder, "name");
}

Result<std::string> Bump::field_in(const source::Repository& repository, const std::string& commit,
                                   const std::string& folder, std::string_view field) {
    const auto content = repository.content(commit, folder + "/package.json");
    if (!content) return base::fail(content.error());
    return *content ? field_of_package((*content)->bytes, field) : std::string();
}

/// The folder at the new tag in which a package has this name; empty where none has.
Result<std::string> Bump::folder_of(const source::Repository& repository, const std::string& name) const {
    const auto entries = repository.list(result_.to_commit, "");
    if (!entries) return base::fail(entries.error());
    for (const source::Entry& entry : *entries) {
        if (!entry.path.ends_with("/package.json")) continue;
        const std::string folder = base::split_path(entry.path).first;
        const Result<std::string> found = name_in(repository, result_.to_commit, folder);
        if (!found || *found == name) return found ? Result<std::string>(folder) : found;
    }
    return std::string();
}

std::string Bump::new_path() const {
    const std::string& folder = target_.folder.empty() ? from_.folder : target_.folder;
    return (std::filesystem::path(folder) / (target_.version + ".yaml")).lexically_normal();
}

/// The old manifest, with everything in it that a version, a tag or a commit decides put right; hashes are
/// not.
Result<std::string> Bump::manifest_text(bool adopted) const {
    Result<std::string> old_text = base::read_file(from_.file, manifest::largest_manifest);
    if (!old_text) return old_text;
    ManifestText text(*std::move(old_text));
    for (const std::string_view key : {"revisions", "predecessors", "variants"})
        text.remove_blocks(key, false);
    if (adopted) {
        for (const std::string_view key : {"packages", "build"}) text.remove_blocks(key, true);
    }
    text.rename_version(from_.version, target_.version);
    ManifestText tag(from_.source->tag);  // as it stands there now
    tag.rename_version(from_.version, target_.version);
    if (tag.text() != target_.tag) text.set(1, "tag", tag.text(), target_.tag);
    text.set(1, "commit", from_.source->commit, result_.to_commit);
    text.set(1, "revision", fmt::format("{}", from_.revision), "1");
    for (const auto& [old_folder, folder] : folders_) {
        if (old_folder == folder) continue;
        text.rename_folder("build", old_folder, folder);  // first: its steps have directories too
        text.set(1, "directory", old_folder, folder);
    }
    return text.text();
}

/// Whether a new manifest's packages are where the new tag has them.
bool Bump::lie_there(const Manifest& next) const {
    return std::all_of(next.packages.begin(), next.packages.end(), [&](const manifest::Package& package) {
        return std::any_of(folders_.begin(), folders_.end(),
                           [&](const auto& folder) { return folder.second == package.source_directory; });
    });
}

Result<Manifest> Bump::next_manifest(const std::string& text) const {
    Result<Manifest> next = manifest::parse(text, new_path());
    const bool right =
        next && next->version == target_.version && next->revision == 1 && next->source &&
        next->source->tag == target_.tag && next->source->commit == result_.to_commit && lie_there(*next) &&
        std::all_of(next->packages.begin(), next->packages.end(), [](const manifest::Package& package) {
            return package.others.empty() &&
                   std::all_of(package.files.begin(), package.files.end(),
                               [](const manifest::File& file) { return file.variants.empty(); });
        });
    if (right) return next;
    Error error =
        base::error_at(ErrorKind::usage, from_.file, 0,
                       fmt::format("cannot be rewritten for {}; write the new manifest by hand, and "
                                   "'drydock regenerate' fills in its hashes",
                                   target_.version));
    if (!next) error.details.push_back(base::describe(next.error()));
    return base::fail(std::move(error));
}

/// A set whose patch files' names do not hold its version would be written over the old one.
Result<void> Bump::keep_old_set(const Manifest& next) const {
    std::vector<std::string> old_paths{path_of(from_, *from_.source->patch)};
    for (const manifest::Package& package : from_.packages)
        old_paths.push_back(path_of(from_, package.patch));
    std::vector<std::pair<std::string, std::size_t>> new_paths{
        {path_of(next, *next.source->patch), next.source->patch->line}};
    for (const manifest::Package& package : next.packages) {
        new_paths.emplace_back(path_of(next, package.patch), package.patch.line);
    }
    for (const auto& [path, line] : new_paths) {
        if (std::find(old_paths.begin(), old_paths.end(), path) == old_paths.end()) continue;
        return base::fail(base::error_at(
            ErrorKind::usage, from_.file, line,
            fmt::format("patch file {} would be written over: its path does not name the version {}", path,
                        from_.version)));
    }
    return {};
}

Result<void> Bump::adopt() {
    Result<std::string> text = manifest_text(true);
    if (!text) return base::fail(text.error());
    ManifestText adopted(*std::move(text));
    if (!adopted.set(1, "status", "active", "adopted")) {
        // The status is active where none is given.
        adopted.set(1, "version", target_.version, target_.version + "\n  status: adopted");
    }
    adopted.remove_blocks("patch", false);
    const Result<Manifest> next = next_manifest(adopted.text());
    if (!next) return base::fail(next.error());
    result_.adopted = true;
    result_.files.push_back(set_file(new_path(), adopted.text()));
    return {};
}

Result<void> Bump::compose_set(const source::Repository& repository, const std::vector<CarriedFile>& files) {
    Result<std::string> patch_text = source_patch_of(files);
    if (!patch_text) return base::fail(patch_text.error());
    Result<std::string> text = manifest_text(false);
    if (!text) return base::fail(text.error());
    Result<Manifest> next = next_manifest(*text);
    if (!next) return base::fail(next.error());
    if (Result<void> kept = keep_old_set(*next); !kept) return kept;
    result_.source_patch = *patch_text;
    SetFile source_file = set_file(path_of(*next, *next->source->patch), *patch_text);
    Result<SourcePatch> source = read_source_patch(*std::move(patch_text), next->source->patch->path);
    if (!source) return base::fail(source.error());
    const Draft draft{*std::move(next), *std::move(text), *std::move(source), true};
    Composed composed = compose(draft, repository, settings_);
    composed.report.notes.insert(composed.report.notes.begin(), result_.build.notes.begin(),
                                 result_.build.notes.end());
    result_.build = std::move(composed.report);
    result_.problems = std::move(composed.problems);
    result_.files = std::move(composed.files);
    result_.files.insert(result_.files.begin(), std::move(source_file));
    return {};
}

}  // namespace

std::string_view class_name(HunkClass hunk_class) {
    switch (hunk_class) {
        case HunkClass::carried:
            return "carried";
        case HunkClass::moved:
            return "moved";
        case HunkClass::upstream:
            return "upstream";
        case HunkClass::conflict:
            break;
    }
    return "conflict";
}

Bumped bump(const Manifest& from, const Target& target, const Settings& settings) {
    return Bump(from, target, settings).run();
}

}  // namespace drydock::rebuild
