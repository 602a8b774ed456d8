#include "install/change.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Sys;

constexpr mode_t set_id_bits = 06000;
constexpr mode_t execute_bits = 0111;
constexpr mode_t read_bits = 0444;

/// As git and chmod do it: whoever may read may execute.
mode_t with_executable(mode_t mode, bool executable) {
    if (!executable) return mode & ~execute_bits;
    return mode | ((mode & read_bits) >> 2U);
}

std::vector<std::string> parents_of(const std::string& path) {
    std::vector<std::string> parents;
    for (std::string parent = base::split_path(path).first; !parent.empty();
         parent = base::split_path(parent).first) {
        parents.insert(parents.begin(), parent);
    }
    return parents;
}

/// A planner for one copy.
class Planner {
  public:
    Planner(const Session& session, const Copy& copy, Goal goal, Unknown unknown)
        : session_(session), copy_(copy), unknown_(unknown) {
        change_.copy = &copy;
        change_.goal = goal;
    }

    tl::expected<PackageChange, std::vector<Error>> plan() {
        if (!make_trees()) return refused();
        for (const Rule& rule : copy_.recipe->rules) plan_file(rule);
        // What appears comes before what disappears: at every moment one of a renamed file's names is there.
        std::stable_partition(change_.files.begin(), change_.files.end(),
                              [](const FileChange& file) { return file.version.has_value(); });
        plan_receipt();
        check_directories();
        if (!problems_.empty()) return refused();
        return std::move(change_);
    }

  private:
    tl::unexpected<std::vector<Error>> refused() {
        for (Error& error : problems_) {
            if (error.package.empty()) error.package = copy_.name;
            const std::string where = "in " + copy_.location.directory;
            if (std::find(error.details.begin(), error.details.end(), where) == error.details.end()) {
                error.details.push_back(where);
            }
        }
        return tl::unexpected<std::vector<Error>>(std::move(problems_));
    }

    void refuse(const std::string& path, std::string message) {
        problems_.push_back(about(copy_, ErrorKind::io, std::move(message), path));
    }

    bool make_trees() {
        Result<Tree> now = copy_.tree();
        if (!now) {
            problems_.push_back(now.error());
            return false;
        }
        now_ = *std::move(now);
        Result<Tree> stock = to_stock(*copy_.recipe, now_, unknown_);
        if (!stock) {
            problems_.push_back(stock.error());
            return false;
        }
        stock_ = *stock;
        if (change_.goal == Goal::stock) {
            target_ = stock_;
            return true;
        }
        Result<PatchedTree> patched = to_patched(*copy_.recipe, stock_);
        if (!patched) {
            problems_.push_back(patched.error());
            return false;
        }
        target_ = patched->tree;
        plan_hunks(*patched);
        return keeps_its_name();
    }

    /// A package is known by the name and version in its package.json: a patch that changes them could not be
    /// taken back.
    bool keeps_its_name() {
        const std::string path = "package.json";
        const auto target = target_.find(path);
        if (target == target_.end()) return true;
        const std::optional<PackageJson> json =
            target->second ? parse_package_json(target->second->bytes) : std::nullopt;
        if (json && json->name == copy_.name && json->version == copy_.version) return true;
        problems_.push_back(about(copy_, ErrorKind::conflict,
                                  "the patch changes name or version, by which the package is known; leave "
                                  "those lines out of it",
                                  path));
        return false;
    }

    void plan_hunks(const PatchedTree& patched) {
        for (const Rule& rule : copy_.recipe->rules) {
            const KnownBytes* from = copy_.find(rule.path)->match;
            if (from == nullptr || from->knowledge != Knowledge::other) continue;
            change_.hunks.push_back(
                {copy_.name, copy_.location.directory, rule.path, 0, 0, 0, from->note + " backwards"});
        }
        for (const auto& [path, placements] : patched.placements) {
            if (now_.at(path) == target_.at(path)) continue;
            for (const patch::Placement& placement : placements) {
                change_.hunks.push_back({copy_.name, copy_.location.directory, path, placement.hunk,
                                         placement.line, placement.offset,
                                         copy_.recipe->patches.front()->label});
            }
        }
    }

    /// The name under which a renamed file's bytes lie now.
    [[nodiscard]] std::optional<std::string> counterpart(const std::string& path) const {
        for (const auto& known : copy_.recipe->patches) {
            for (const patch::FilePatch& file : known->patch.files) {
                if (file.operation != patch::Operation::rename) continue;
                if (file.old_path != path && file.new_path != path) continue;
                const std::string& other = file.old_path == path ? file.new_path : file.old_path;
                if (now_.at(other) && !target_.at(other)) return other;
            }
        }
        return std::nullopt;
    }

    /// Mode, owner and attributes of a file that lies there; a problem where they can't be read, or the file
    /// is no longer the one that was hashed.
    std::optional<base::Attributes> attributes_at(const std::string& path) {
        const Sys<base::FileDescriptor> file = copy_.location.handle.open_file(path);
        Sys<base::Attributes> attributes =
            file ? base::attributes_of(*file) : tl::unexpected<base::Errno>(file.error());
        if (!attributes) {
            refuse(path, "its attributes cannot be read: " + base::errno_text(attributes.error().value));
            return std::nullopt;
        }
        const Sys<base::FileInfo> info = base::info_of(*file);
        const FoundFile* found = copy_.find(path);
        if (!info || !found->info || info->identity != found->info->identity) {
            refuse(path, "changed while we worked; run again");
            return std::nullopt;
        }
        if ((attributes->mode & set_id_bits) != 0) {
            refuse(path,
                   fmt::format("has mode {:04o}, and files that run with another's rights are not patched; "
                               "take that off (chmod ug-s) first",
                               attributes->mode));
        }
        if (info->frozen)
            refuse(path, "is immutable or append-only; take that attribute off (chattr -i -a) first");
        if (const std::optional<std::string> lost = base::cannot_keep(*attributes)) {
            refuse(path,
                   fmt::format("its {} cannot be kept by this user; run as root, or as its owner", *lost));
        }
        return *std::move(attributes);
    }

    /// Of a directory in the package, or the nearest one above it that is there.
    std::pair<uid_t, gid_t> owner_of_directory(std::string path) const {
        while (true) {
            const Sys<base::Directory> directory = copy_.location.handle.open_directory(path);
            const Sys<base::FileInfo> info =
                directory ? directory->info() : tl::unexpected<base::Errno>(directory.error());
            if (info) {
                const base::Attributes wanted{0644, info->uid, info->gid, {}};
                if (!base::cannot_keep(wanted)) return {info->uid, info->gid};
                return {geteuid(), getegid()};
            }
            if (path.empty()) return {geteuid(), getegid()};
            path = base::split_path(path).first;
        }
    }

    base::Attributes attributes_for_created(const std::string& path, bool executable) const {
        base::Attributes attributes;
        std::tie(attributes.uid, attributes.gid) = owner_of_directory(base::split_path(path).first);
        attributes.mode = executable ? 0755 : 0644;
        if (!receipt_fits(copy_)) return attributes;
        for (const ReceiptFile& file : copy_.receipt->files) {
            if (file.path != path || !file.restore) continue;
            attributes.mode = file.restore->mode;
            attributes.extended = file.restore->extended;
        }
        return attributes;
    }

    void plan_file(const Rule& rule) {
        const std::string& path = rule.path;
        const std::optional<FileVersion>& now = now_.at(path);
        const std::optional<FileVersion>& target = target_.at(path);
        if (now == target) return;
        FileChange file{path, target, {}, std::nullopt};
        std::optional<base::Attributes> there;
        if (now) {
            there = attributes_at(path);
            if (!there) return;
            file.expected = copy_.find(path)->info;
        }
        if (!target) {
            check_restorable(path, *there);
        } else if (now) {
            file.attributes = *there;
            if (now->executable != target->executable) {
                file.attributes.mode = with_executable(there->mode, target->executable);
            }
        } else if (const std::optional<std::string> other = counterpart(path)) {
            const std::optional<base::Attributes> from = attributes_at(*other);
            if (!from) return;
            file.attributes = *from;
            if (now_.at(*other)->executable != target->executable) {
                file.attributes.mode = with_executable(from->mode, target->executable);
            }
        } else {
            file.attributes = attributes_for_created(path, target->executable);
        }
        if (target && !now) plan_directories(path);
        change_.files.push_back(std::move(file));
    }

    /// A file that the patch deletes must be one that revert can bring back as it was.
    void check_restorable(const std::string& path, const base::Attributes& attributes) {
        if (change_.goal == Goal::stock || counterpart_of_removed(path)) return;
        if (base::cannot_keep(attributes)) return;  // refused already
        const std::pair<uid_t, gid_t> owner = owner_of_directory(base::split_path(path).first);
        if (attributes.uid != owner.first || attributes.gid != owner.second) {
            refuse(path, fmt::format(
                             "is to be deleted, and its owner {}:{} is not its directory's: revert could not "
                             "give it back; make them the same first",
                             attributes.uid, attributes.gid));
        }
        for (const auto& [name, value] : attributes.extended) {
            if (is_restorable(name)) continue;
            refuse(path,
                   fmt::format("is to be deleted, and its attribute {} could not be given back by revert; "
                               "take it off first",
                               name));
        }
        restore_[path] = Restore{attributes.mode & 0777U, attributes.extended};
    }

    /// A renamed file's attributes live on under its other name.
    [[nodiscard]] bool counterpart_of_removed(const std::string& path) const {
        for (const patch::FilePatch& file : copy_.recipe->patches.front()->patch.files) {
            if (file.operation == patch::Operation::rename && file.old_path == path) return true;
        }
        return false;
    }

    void plan_directories(const std::string& path) {
        for (const std::string& parent : parents_of(path)) {
            const Sys<std::optional<base::FileInfo>> info = copy_.location.handle.info(parent);
            if (!info) {
                refuse(path, "its directory cannot be read: " + base::errno_text(info.error().value));
                return;
            }
            if (*info) continue;
            auto& directories = change_.new_directories;
            if (std::find(directories.begin(), directories.end(), parent) == directories.end()) {
                directories.push_back(parent);
            }
        }
    }

    /// Whether new names can be put where they must be.
    void check_directories() {
        std::set<std::string> checked;
        const auto check = [&](const std::string& path) {
            std::string parent = base::split_path(path).first;
            Sys<base::Directory> directory = copy_.location.handle.open_directory(parent);
            while (!directory && directory.error().value == ENOENT && !parent.empty()) {
                parent = base::split_path(parent).first;
                directory = copy_.location.handle.open_directory(parent);
            }
            if (!checked.insert(parent).second) return;
            const Sys<base::FileInfo> info =
                directory ? directory->info() : tl::unexpected<base::Errno>(directory.error());
            if (info && info->frozen) {
                refuse(path,
                       "its directory is immutable or append-only; take that attribute off (chattr -i -a) "
                       "first");
                return;
            }
            const bool writable = directory && faccessat(directory->fd(), ".", W_OK | X_OK, AT_EACCESS) == 0;
            if (writable) return;
            const int reason = directory ? errno : directory.error().value;
            refuse(path,
                   fmt::format("its directory cannot be written to: {}; {}", base::errno_text(reason),
                               reason == EROFS ? "mount it writable first" : "run as root, or as its owner"));
        };
        for (const FileChange& file : change_.files) check(file.path);
        if (change_.intent || change_.remove_receipt) check(std::string(receipt_name));
    }

    void plan_receipt() {
        const Sys<std::optional<base::FileInfo>> there = copy_.location.handle.info(receipt_name);
        if (!there || (*there && (*there)->type != base::FileType::regular)) {
            refuse(std::string(receipt_name),
                   "is in the receipt's place and is no regular file; move it away");
            return;
        }
        if (*there) change_.receipt_expected = (*there)->identity;
        if (change_.goal == Goal::stock) {
            change_.remove_receipt = there->has_value();
            if (receipt_fits(copy_)) {
                change_.old_directories.assign(copy_.receipt->created_directories.rbegin(),
                                               copy_.receipt->created_directories.rend());
            }
            return;
        }
        if (change_.files.empty() && !copy_.receipt) return;
        Receipt receipt = make_receipt();
        std::string record = print(receipt);
        receipt.from = origins();
        plan_old_directories(receipt);
        std::string intent = print(receipt);
        const bool same = copy_.receipt && print(*copy_.receipt) == record;
        if (same && intent == record) return;
        if (intent.size() > largest_receipt) {
            refuse(
                std::string(receipt_name),
                fmt::format("would have {} bytes, and at most {} MiB are read back; make the patch smaller",
                            intent.size(), largest_receipt >> 20U));
            return;
        }
        std::tie(change_.receipt_attributes.uid, change_.receipt_attributes.gid) = owner_of_directory({});
        if (intent != record) change_.record = std::move(record);
        change_.intent = std::move(intent);
    }

    static manifest::FileHash hash_of(const std::optional<FileVersion>& file) {
        if (!file) return std::nullopt;
        return base::sha256(file->bytes);
    }

    /// What a file of one of the recipe's patches is before and after it.
    [[nodiscard]] ReceiptFile receipt_file(const std::string& path, std::size_t patch) const {
        ReceiptFile file;
        file.path = path;
        const std::optional<FileVersion>& stock = stock_.at(path);
        file.stock = hash_of(stock);
        const KnownBytes* from = nullptr;
        for (const KnownBytes& known : copy_.recipe->find(path)->known) {
            if (known.knowledge == Knowledge::stock && known.hash == file.stock && from == nullptr)
                from = &known;
        }
        for (const KnownBytes& known : copy_.recipe->find(path)->known) {
            const bool made = known.knowledge == (patch == 0 ? Knowledge::patched : Knowledge::other) &&
                              known.patch == patch && (patch != 0 || known.variant == from->variant);
            if (!made) continue;
            file.patched = known.hash;
            file.patched_executable = known.executable;
            file.stock_executable = from->executable;
            break;
        }
        return file;
    }

    [[nodiscard]] std::vector<ReceiptFile> receipt_files(std::size_t patch) const {
        std::vector<ReceiptFile> files;
        for (const patch::FilePatch& file : copy_.recipe->patches[patch]->patch.files) {
            for (const std::string& path : {file.old_path, file.new_path}) {
                if (path.empty() || (!files.empty() && files.back().path == path)) continue;
                files.push_back(receipt_file(path, patch));
            }
        }
        return files;
    }

    /// What an earlier patch made and this one has nothing in goes; until it has gone, the intent knows of
    /// it.
    void plan_old_directories(Receipt& intent) {
        if (!receipt_fits(copy_)) return;
        for (const std::string& path : copy_.receipt->created_directories) {
            if (is_needed(path)) continue;
            intent.created_directories.push_back(path);
            change_.old_directories.insert(change_.old_directories.begin(), path);
        }
        std::sort(intent.created_directories.begin(), intent.created_directories.end());
    }

    [[nodiscard]] bool is_needed(const std::string& directory) const {
        return std::any_of(target_.begin(), target_.end(), [&directory](const auto& file) {
            return file.second && file.first.rfind(directory + "/", 0) == 0;
        });
    }

    [[nodiscard]] Receipt make_receipt() const {
        Receipt receipt;
        receipt.set = session_.manifest == nullptr ? copy_.receipt->set : session_.manifest->name;
        receipt.package = copy_.name;
        receipt.version = copy_.version;
        receipt.revision = copy_.recipe->patches.front()->revision;
        receipt.provides = copy_.recipe->patches.front()->provides;
        receipt.requirements = copy_.requirements();
        receipt.patch = copy_.recipe->patches.front()->text;
        receipt.files = receipt_files(0);
        receipt.created_directories = change_.new_directories;
        if (receipt_fits(copy_)) {
            for (const std::string& path : copy_.receipt->created_directories) {
                auto& directories = receipt.created_directories;
                const bool listed =
                    std::find(directories.begin(), directories.end(), path) != directories.end();
                if (!listed && is_needed(path)) directories.push_back(path);
            }
            std::sort(receipt.created_directories.begin(), receipt.created_directories.end());
        }
        for (ReceiptFile& file : receipt.files) {
            const auto found = restore_.find(file.path);
            if (found != restore_.end()) {
                file.restore = found->second;
            } else if (receipt_fits(copy_) && !file.patched) {
                for (const ReceiptFile& before : copy_.receipt->files) {
                    if (before.path == file.path) file.restore = before.restore;
                }
            }
        }
        return receipt;
    }

    /// The other patches whose bytes lie there now.
    [[nodiscard]] std::vector<ReceiptOrigin> origins() const {
        std::set<std::size_t> patches;
        for (const FoundFile& file : copy_.files) {
            if (file.match != nullptr && file.match->knowledge == Knowledge::other)
                patches.insert(file.match->patch);
        }
        std::vector<ReceiptOrigin> origins;
        for (const std::size_t patch : patches) {
            const KnownPatch& known = *copy_.recipe->patches[patch];
            origins.push_back({known.label, known.revision, receipt_files(patch), known.text});
        }
        return origins;
    }

    const Session& session_;
    const Copy& copy_;
    Unknown unknown_;
    Tree now_;
    Tree stock_;
    Tree target_;
    std::map<std::string, Restore> restore_;
    PackageChange change_;
    std::vector<Error> problems_;
};

base::Target target_of(const PackageChange& change, const std::string& path,
                       std::optional<base::Identity> expected) {
    return {&change.copy->location.handle,
            path,
            short_name(change.copy->name) + ": " + path,
            expected,
            {},
            about(*change.copy, ErrorKind::io, {}, path)};
}

base::Target target_of(const PackageChange& change, const FileChange& file) {
    if (!file.expected) return target_of(change, file.path, std::nullopt);
    base::Target target = target_of(change, file.path, file.expected->identity);
    target.as_read = file.expected;
    return target;
}

/// Of temporaries that stay, whichever of the copies they lie in.
void note_left(const std::vector<PackageChange>& changes, const std::vector<std::string>& names,
               std::vector<Error>& notes) {
    for (const std::string& name : names) {
        Error note = about(*changes.front().copy, ErrorKind::io,
                           fmt::format("done, but {} could not be removed; the next run does it", name));
        if (changes.size() > 1) {
            note.package.clear();
            note.details.clear();
            for (const PackageChange& change : changes)
                note.details.push_back("in " + change.copy->location.directory);
        }
        notes.push_back(std::move(note));
    }
}

/// The receipts lose what only a cut-short run would have needed.
Result<void> write_records(const std::vector<PackageChange>& changes, base::Transaction& records) {
    for (const PackageChange& change : changes) {
        if (!change.record) continue;
        const Sys<std::optional<base::FileInfo>> there = change.copy->location.handle.info(receipt_name);
        if (!there || !*there) continue;
        records.write(target_of(change, std::string(receipt_name), (*there)->identity), *change.record,
                      change.receipt_attributes);
    }
    if (Result<void> staged = records.stage(); !staged) return staged;
    return records.run();
}

/// False when it stays.
bool remove_receipt(const PackageChange& change) {
    const base::Directory& package = change.copy->location.handle;
    const std::string receipt(receipt_name);
    const Sys<std::optional<base::FileInfo>> there = package.info(receipt);
    if (!there || (*there && (*there)->identity != change.receipt_expected)) return false;
    if (*there && unlinkat(package.fd(), receipt.c_str(), 0) != 0) return false;
    fsync(package.fd());  // a receipt that comes back with a power cut says what is true all the same
    return true;
}

}  // namespace

tl::expected<PackageChange, std::vector<Error>> plan_change(const Session& session, const Copy& copy,
                                                            Goal goal, Unknown unknown) {
    return Planner(session, copy, goal, unknown).plan();
}

Result<void> run_changes(const std::vector<PackageChange>& changes, std::vector<Error>& notes) {
    const std::string receipt(receipt_name);
    base::Transaction transaction;
    for (const PackageChange& change : changes) {
        if (!change.intent) continue;
        transaction.write(target_of(change, receipt, change.receipt_expected), *change.intent,
                          change.receipt_attributes);
    }
    for (const PackageChange& change : changes) {
        for (const std::string& path : change.new_directories) {
            transaction.make_directory(target_of(change, path, std::nullopt));
        }
        for (const FileChange& file : change.files) {
            if (file.version) {
                transaction.write(target_of(change, file), file.version->bytes, file.attributes);
            } else {
                transaction.remove(target_of(change, file));
            }
        }
    }
    for (const PackageChange& change : changes) {
        for (const std::string& path : change.old_directories) {
            transaction.remove_directory(target_of(change, path, std::nullopt));
        }
    }
    if (Result<void> staged = transaction.stage(); !staged) return staged;
    if (Result<void> done = transaction.run(); !done) return done;
    // The temporaries stay until the records are written: by them the next run sees that something was begun.
    base::Transaction records;
    if (const Result<void> recorded = write_records(changes, records); !recorded) {
        notes.push_back(recorded.error());
    } else {
        note_left(changes, records.tidy(), notes);
    }
    const std::vector<std::string> left = transaction.tidy();
    note_left(changes, left, notes);
    if (!left.empty()) return {};
    // Last of all: they know which directories were made.
    for (const PackageChange& change : changes) {
        if (change.remove_receipt && !remove_receipt(change)) note_left({change}, {receipt}, notes);
    }
    return {};
}

}  // namespace drydock::install
