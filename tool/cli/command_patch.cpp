#include "cli/command_patch.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "base/transaction.hpp"
#include "cli/input.hpp"
#include "cli/patch_journal.hpp"
#include "install/lock.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Sys;

constexpr std::uint64_t largest_patch = std::uint64_t{1} << 30U;
constexpr mode_t set_id_bits = S_ISUID | S_ISGID;
constexpr mode_t all_execute_bits = 0111;

Error problem(ErrorKind kind, const std::string& file, std::string message) {
    Error error;
    error.kind = kind;
    error.file = file;
    error.message = std::move(message);
    return error;
}

/// The patches' texts, and all of them as one patch. The texts stay where they are: the patch points into
/// them.
struct Patches {
    std::vector<std::unique_ptr<std::string>> texts;
    patch::Patch all;
};

/// What is put on, in which directory.
struct Target {
    install::OpenRoot root;
    std::string file;  ///< the only file; empty: the whole directory
};

Result<Target> open_target(const std::string& path) {
    Target target;
    target.root.path = path;
    Sys<base::Directory> directory = base::Directory::open(path);
    if (!directory && directory.error().value == ENOTDIR) {
        const std::size_t slash = path.rfind('/');
        target.root.path = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        target.file = slash == std::string::npos ? path : path.substr(slash + 1);
        directory = base::Directory::open(target.root.path);
    }
    const Sys<base::FileInfo> info =
        directory ? directory->info() : tl::unexpected<base::Errno>(directory.error());
    if (!info) return base::fail(base::io_error(info.error(), "cannot open " + path));
    if (!target.file.empty() && !base::is_safe_relative(target.file)) {
        return base::fail(base::io_error(base::Errno{ENOTDIR}, "cannot open " + path));
    }
    target.root.directory = *std::move(directory);
    target.root.identity = info->identity;
    return target;
}

/// Reads and plans, then writes.
class Run {
  public:
    explicit Run(const PatchOptions& options) : options_(options) { outcome_.dry_run = options.dry_run; }

    PatchOutcome run() {
        work();
        outcome_.exit = exit_code(outcome_.problems);
        if (!outcome_.problems.empty()) outcome_.files.clear();
        return std::move(outcome_);
    }

  private:
    /// A file of the tree as it was read.
    struct Known {
        base::Attributes attributes;
        base::FileInfo info;
    };

    void work();
    void read_patches();
    void refuse_own_names(const patch::Patch& patch);
    void aim_at_one_file();
    Result<std::optional<patch::SourceFile>> read(const std::string& path);
    void tell_if_done();
    void report(std::vector<patch::Change>& changes);
    void plan(std::vector<patch::Change> changes);
    void plan_file(patch::Change change);
    void refuse_frozen_directory(const std::string& path);
    [[nodiscard]] bool goes_below(const std::string& directory) const;
    void plan_directories(const std::string& path);
    std::optional<base::Attributes> attributes_for(const patch::Change& change);
    base::Attributes attributes_for_created(const std::string& path, bool executable);
    void tidy_directories();
    bool settle();
    [[nodiscard]] base::Digest work_digest() const;
    void write();
    void note_journal() {
        outcome_.notes.push_back(problem(ErrorKind::io, std::string(base::patch_journal_name),
                                         "could not be removed; the next run does it"));
    }

    base::Target target(const std::string& path,
                        const std::optional<base::FileInfo>& as_read = std::nullopt) const {
        const auto expected = as_read ? std::optional(as_read->identity) : std::nullopt;
        return {&target_.root.directory, path, path, expected, as_read};
    }
    void refuse(Error error) { outcome_.problems.push_back(std::move(error)); }
    [[nodiscard]] bool refused() const { return !outcome_.problems.empty(); }

    const PatchOptions& options_;
    PatchOutcome outcome_;
    Patches patches_;
    Target target_;
    std::map<std::string, Known> known_;
    std::set<std::string> directories_;  ///< in which temporaries may lie: all above the changed files
    std::set<std::string> made_;         ///< directories to be made
    std::set<std::string> emptied_;      ///< directories that files go from
    std::optional<base::Transaction> transaction_;  ///< from when all is read: it holds signals back
};

void Run::work() {
    Result<Target> target = open_target(options_.directory);
    if (target) {
        target_ = *std::move(target);
    } else {
        refuse(std::move(target.error()));
    }
    read_patches();
    if (refused()) return;
    std::optional<Result<install::Locks>> locks;
    if (!options_.dry_run) locks = install::Locks::take({&target_.root}, options_.wait);
    if (locks && !*locks) return refuse(std::move(locks->error()));
    if (!settle()) return;
    auto changes = patch::apply_all(patches_.all, [this](const std::string& path) { return read(path); },
                                    {options_.fuzz});
    if (!changes) {
        outcome_.problems = std::move(changes.error());
        tell_if_done();
        return;
    }
    if (changes->empty()) {
        outcome_.notes.push_back(problem(ErrorKind::conflict, {}, "nothing to change: all of it is there"));
    }
    report(*changes);
    plan(*std::move(changes));
    if (!refused() && !options_.dry_run) write();
}

void Run::read_patches() {
    if (options_.patches.empty()) {
        return refuse(
            problem(ErrorKind::usage, {}, "no patch is given; name a file, or - for standard input"));
    }
    std::size_t commits = 0;
    for (const std::string& file : options_.patches) {
        Result<std::string> text = read_input(file, largest_patch);
        if (!text) {
            refuse(std::move(text.error()));
            continue;
        }
        patches_.texts.push_back(std::make_unique<std::string>(*std::move(text)));
        patch::ParseOptions parsing;
        parsing.strip = options_.strip;
        parsing.name = file == "-" ? "standard input" : file;
        parsing.use_names = target_.file.empty();
        Result<patch::Patch> parsed = patch::parse(*patches_.texts.back(), parsing);
        if (!parsed) {
            refuse(std::move(parsed.error()));
            continue;
        }
        refuse_own_names(*parsed);
        // Each patch is a commit of its own at least: what it renames is there only after the one before it.
        for (patch::FilePatch& part : parsed->files) {
            part.commit += commits;
            patches_.all.files.push_back(std::move(part));
        }
        commits = patches_.all.files.back().commit + 1;
    }
    if (refused()) return;
    if (!target_.file.empty()) aim_at_one_file();
    if (options_.reverse) patches_.all = patch::reverse(patches_.all);
}

/// A patch must not get between drydock and its temporaries, its journal or its receipts.
void Run::refuse_own_names(const patch::Patch& patch) {
    if (!target_.file.empty()) return;
    for (const patch::FilePatch& part : patch.files) {
        for (const std::string& path : {part.old_path, part.new_path}) {
            if (("/" + path).find("/.drydock-") == std::string::npos) continue;
            Error error =
                problem(ErrorKind::usage, part.patch_name,
                        fmt::format("the name '{}' has a part that begins with '.drydock-'; drydock "
                                    "keeps such names for itself",
                                    path));
            error.line = part.line;
            refuse(std::move(error));
            break;
        }
    }
}

/// The names in the patches don't matter then, but they must be one.
void Run::aim_at_one_file() {
    const std::string name = patches_.all.files.front().old_path;
    for (patch::FilePatch& part : patches_.all.files) {
        const bool change = part.operation == patch::Operation::modify;
        if (!change || part.old_path != name) {
            Error error = problem(
                ErrorKind::usage, part.patch_name,
                change ? fmt::format("the patches change several files, and {} is one", options_.directory)
                       : fmt::format("the patch has a {}, and {} is a file; only changes can be put on one",
                                     patch::operation_name(part.operation), options_.directory));
            error.line = part.line;
            return refuse(std::move(error));
        }
        part.new_path = target_.file;
    }
    for (patch::FilePatch& part : patches_.all.files) part.old_path = target_.file;
}

std::string_view kind_of(base::FileType type) {
    switch (type) {
        case base::FileType::directory:
            return "is a directory";
        case base::FileType::link:
            return "is a symbolic link";
        case base::FileType::regular:
        case base::FileType::other:
            break;
    }
    return "is no regular file";
}

bool takes_away(const patch::FilePatch& part) {
    return part.operation == patch::Operation::remove || part.operation == patch::Operation::rename;
}

/// Whether the patch takes files out of a directory.
bool Run::goes_below(const std::string& directory) const {
    return std::any_of(patches_.all.files.begin(), patches_.all.files.end(), [&](const auto& part) {
        return takes_away(part) && part.old_path.starts_with(directory + "/");
    });
}

Result<std::optional<patch::SourceFile>> Run::read(const std::string& path) {
    const auto refusal = [&path](std::string message) {
        return base::fail(problem(ErrorKind::io, path, std::move(message)));
    };
    const auto failure = [&](base::Errno reason) {
        if (reason.value == ELOOP)
            return refusal("is a symbolic link, or lies behind one; links are not followed");
        return refusal("cannot be read: " + base::errno_text(reason.value));
    };
    const Sys<std::optional<base::FileInfo>> there = target_.root.directory.info(path);
    if (!there && there.error().value == ENOTDIR) {
        for (const patch::FilePatch& part : patches_.all.files) {
            if (!takes_away(part) || !path.starts_with(part.old_path + "/")) continue;
            return base::fail(problem(ErrorKind::usage, part.old_path,
                                      "is a file that the patch makes a directory of; put on what removes "
                                      "it first, alone"));
        }
    }
    if (!there) return failure(there.error());
    if (!*there) return std::nullopt;
    if ((*there)->type == base::FileType::directory && goes_below(path)) {
        return base::fail(problem(
            ErrorKind::usage, path,
            "is a directory that the patch makes a file of; put on what removes its files first, alone"));
    }
    if ((*there)->type != base::FileType::regular) {
        return refusal(fmt::format("{}; only regular files are patched", kind_of((*there)->type)));
    }
    const Sys<base::FileDescriptor> file = target_.root.directory.open_file(path);
    if (!file) return failure(file.error());
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info) return failure(info.error());
    if (info->identity != (*there)->identity) return refusal("changed while we worked; run again");
    if ((info->mode & set_id_bits) != 0)
        return refusal("is set-user-ID or set-group-ID; such files are not patched");
    if (info->frozen) return refusal("is immutable or append-only; see chattr");
    const Sys<base::Attributes> attributes = base::attributes_of(*file);
    if (!attributes) return failure(attributes.error());
    Sys<std::string> bytes = base::read_all(*file, patch::largest_file);
    if (!bytes) return failure(bytes.error());
    known_[path] = {*attributes, *info};
    return patch::SourceFile{*std::move(bytes), (info->mode & S_IXUSR) != 0};
}

/// A patch that fits as a whole when it is turned round has most likely been put on before.
void Run::tell_if_done() {
    const bool done = patch::apply_all(patch::reverse(patches_.all),
                                       [this](const std::string& path) { return read(path); }, {})
                          .has_value();
    if (!done) return;
    outcome_.notes.push_back(problem(ErrorKind::conflict, {},
                                     options_.reverse ? "all of it seems taken back already"
                                                      : "all of it seems applied already; -R takes it back"));
}

void Run::report(std::vector<patch::Change>& changes) {
    // Its file lies there no more: nothing does, or another file.
    const auto goes = [&](const std::string& path) {
        return std::any_of(changes.begin(), changes.end(), [&](const patch::Change& change) {
            return change.path == path && (!change.bytes || change.attributes_from != path);
        });
    };
    std::set<std::string> moved;
    for (patch::Change& change : changes) {
        if (!change.bytes) continue;
        PatchedFile file{change.path, patch::Operation::modify, {}, std::move(change.placements)};
        if (change.attributes_from.empty()) {
            file.operation = patch::Operation::create;
        } else if (change.attributes_from != change.path) {
            const bool renamed = goes(change.attributes_from) && moved.insert(change.attributes_from).second;
            file.operation = renamed ? patch::Operation::rename : patch::Operation::copy;
            file.from = change.attributes_from;
        }
        outcome_.files.push_back(std::move(file));
    }
    for (patch::Change& change : changes) {
        if (change.bytes || moved.contains(change.path)) continue;
        outcome_.files.push_back({change.path, patch::Operation::remove, {}, std::move(change.placements)});
    }
}

void Run::plan(std::vector<patch::Change> changes) {
    transaction_.emplace();
    for (patch::Change& change : changes) plan_file(std::move(change));
    tidy_directories();
}

/// Names must come and go in it, or in the nearest one above it that is there.
void Run::refuse_frozen_directory(const std::string& path) {
    std::string directory = base::split_path(path).first;
    Sys<base::Directory> handle = target_.root.directory.open_directory(directory);
    while (!handle && handle.error().value == ENOENT && !directory.empty()) {
        directory = base::split_path(directory).first;
        handle = target_.root.directory.open_directory(directory);
    }
    const Sys<base::FileInfo> info = handle ? handle->info() : tl::unexpected<base::Errno>(handle.error());
    if (info && info->frozen)
        refuse(problem(ErrorKind::io, path, "its directory is immutable or append-only; see chattr"));
}

void Run::plan_file(patch::Change change) {
    refuse_frozen_directory(change.path);
    const std::string directory = base::split_path(change.path).first;
    for (std::string above = directory; directories_.insert(above).second;) {
        above = base::split_path(above).first;
    }
    const auto known = known_.find(change.path);
    const std::optional<base::FileInfo> there =
        known == known_.end() ? std::nullopt : std::optional(known->second.info);
    if (!change.bytes) {
        transaction_->remove(target(change.path, there));
        emptied_.insert(directory);
        return;
    }
    plan_directories(change.path);
    const std::optional<base::Attributes> attributes = attributes_for(change);
    if (!attributes) return;
    transaction_->write(target(change.path, there), *std::move(change.bytes), *attributes);
}

mode_t file_mode_mask() {
    const mode_t mask = umask(0);
    umask(mask);
    return mask;
}

/// The directories that lead to a file, the missing ones to be made.
void Run::plan_directories(const std::string& path) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string directory = path.substr(0, slash);
        if (made_.contains(directory)) continue;
        const Sys<std::optional<base::FileInfo>> info = target_.root.directory.info(directory);
        if (!info)
            return refuse(
                problem(ErrorKind::io, path, "cannot be made: " + base::errno_text(info.error().value)));
        if (!*info) {
            made_.insert(directory);
            transaction_->make_directory(target(directory), 0777U & ~file_mode_mask());
        } else if ((*info)->type != base::FileType::directory) {
            return refuse(
                problem(ErrorKind::io, path, fmt::format("cannot be made: {} is no directory", directory)));
        }
    }
}

std::optional<base::Attributes> Run::attributes_for(const patch::Change& change) {
    if (change.attributes_from.empty()) {
        return attributes_for_created(change.path, change.executable.value_or(false));
    }
    base::Attributes attributes = known_.at(change.attributes_from).attributes;
    if (change.executable) {
        const mode_t readers = (attributes.mode & 0444U) >> 2U;
        attributes.mode =
            *change.executable ? attributes.mode | readers : attributes.mode & ~all_execute_bits;
    }
    if (const std::optional<std::string> lost = base::cannot_keep(attributes)) {
        refuse(problem(ErrorKind::io, change.path,
                       fmt::format("its {} could not be kept; nothing is written", *lost)));
        return std::nullopt;
    }
    return attributes;
}

/// The owner of the nearest directory that is there, if this process can give it.
base::Attributes Run::attributes_for_created(const std::string& path, bool executable) {
    base::Attributes attributes;
    attributes.mode = (executable ? 0777U : 0666U) & ~file_mode_mask();
    attributes.uid = geteuid();
    attributes.gid = getegid();
    std::string directory = base::split_path(path).first;
    while (made_.contains(directory)) directory = base::split_path(directory).first;
    const Sys<base::Directory> handle = target_.root.directory.open_directory(directory);
    const Sys<base::FileInfo> info = handle ? handle->info() : tl::unexpected<base::Errno>(handle.error());
    if (!info) return attributes;
    const base::Attributes wanted{attributes.mode, info->uid, info->gid, {}};
    return base::cannot_keep(wanted) ? attributes : wanted;
}

/// Directories that files went from, deepest first, up to where something is left.
void Run::tidy_directories() {
    std::set<std::string, std::greater<>> candidates;
    for (std::string directory : emptied_) {
        for (; !directory.empty(); directory = base::split_path(directory).first)
            candidates.insert(directory);
    }
    for (const std::string& directory : candidates) transaction_->remove_directory(target(directory));
}

/// Ends what an earlier run began. False: there is nothing left to do, or no way on.
bool Run::settle() {
    if (options_.dry_run) {
        if (!journal_is_there(target_.root.directory)) return true;
        refuse(problem(ErrorKind::io, std::string(base::patch_journal_name),
                       "a run of drydock patch is under way here, or was cut short; run it without "
                       "--dry-run, which settles that first"));
        return false;
    }
    Result<std::optional<SettledPatch>> settled = settle_patch(target_.root.directory, work_digest());
    if (!settled) {
        refuse(std::move(settled.error()));
        return false;
    }
    if (!*settled) return true;
    outcome_.notes.push_back(problem(ErrorKind::io, {}, std::move((*settled)->message)));
    for (SettledPatch::File& file : (*settled)->files) {
        outcome_.files.push_back({std::move(file.path), file.operation, {}, {}});
    }
    return !(*settled)->same_work_done;
}

/// What a run's work is known by.
base::Digest Run::work_digest() const {
    std::string text =
        fmt::format("{} {} {} {}\n", target_.file, options_.strip, options_.reverse, options_.fuzz);
    for (const std::unique_ptr<std::string>& patch : patches_.texts) {
        text += base::to_hex(base::sha256(*patch)) + "\n";
    }
    return base::sha256(text);
}

void Run::write() {
    if (transaction_->empty()) return;
    Result<PatchJournal> journal = PatchJournal::begin(target_.root.directory, directories_, work_digest());
    if (!journal) return refuse(std::move(journal.error()));
    Result<void> done = transaction_->stage();
    if (done) done = journal->add_steps(*transaction_);
    if (done) done = transaction_->run();
    if (!done) {
        if (!transaction_->stuck() && !journal->end()) note_journal();
        return refuse(std::move(done.error()));
    }
    for (const std::string& path : transaction_->tidy()) {
        outcome_.notes.push_back(problem(ErrorKind::io, path, "could not be removed"));
    }
    if (!journal->end()) note_journal();
}

}  // namespace

PatchOutcome patch_files(const PatchOptions& options) {
    return Run(options).run();
}

}  // namespace drydock::cli
