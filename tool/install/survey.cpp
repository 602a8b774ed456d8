#include "install/survey.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/transaction.hpp"

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Sys;

constexpr std::uint64_t largest_file = 32U << 20U;  // far above any bundle; a bound on memory and time
/// Of all files that only receipts tell of: anybody who writes to a profile can list more.
constexpr std::uint64_t most_by_receipts = 64U << 20U;

std::string trouble_text(int reason) {
    if (reason == ELOOP) return "is a link, or lies behind one, where a regular file is expected";
    if (reason == ESTALE) return "was written to while it was read";
    if (reason == EFBIG) return fmt::format("is larger than {} MiB", largest_file >> 20U);
    return "cannot be read: " + base::errno_text(reason);
}

/// Whether this set's patch made these bytes. They are hashed and not kept: nothing is to be done to them,
/// but where they are taken back.
bool is_patched(const Rule& rule, const base::Digest& hash, bool executable) {
    const KnownBytes* known = recognise(rule, hash, executable);
    return known != nullptr && known->knowledge == Knowledge::patched;
}

/// The bytes that a file was hashed from.
Sys<std::string> read_again(const base::FileDescriptor& file, const base::Digest& hash) {
    if (lseek(file.get(), 0, SEEK_SET) != 0) return base::errno_now();
    Sys<std::string> bytes = base::read_all(file, largest_file);
    if (bytes && base::sha256(*bytes) != hash) return tl::unexpected<base::Errno>(base::Errno{ESTALE});
    return bytes;
}

FoundFile read_file(const base::Directory& package, const Rule& rule) {
    const std::string& path = rule.path;
    FoundFile found;
    const auto unreadable = [&found](std::string trouble) {
        found.state = State::unreadable;
        found.trouble = std::move(trouble);
        return found;
    };
    const Sys<base::FileDescriptor> file = package.open_file(path);
    if (!file && file.error().value == ENOENT) return found;
    if (!file) return unreadable(trouble_text(file.error().value));
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info) return unreadable(trouble_text(info.error().value));
    if (info->type == base::FileType::directory) {
        return unreadable("is a directory where a regular file is expected");
    }
    if (info->type != base::FileType::regular) {
        return unreadable("is a device, a FIFO or a socket where a regular file is expected");
    }
    if (info->size > largest_file) return unreadable(trouble_text(EFBIG));
    const Sys<base::Digest> hash = base::hash_all(*file, *info, largest_file);
    if (!hash) return unreadable(trouble_text(hash.error().value));
    const bool executable = (info->mode & 0100U) != 0;
    found.info = *info;
    found.hash = *hash;
    found.version = FileVersion{{}, executable};
    found.kept = !is_patched(rule, *hash, executable);
    if (!found.kept) return found;
    Sys<std::string> bytes = read_again(*file, *hash);
    if (!bytes) return unreadable(trouble_text(bytes.error().value));
    found.version->bytes = *std::move(bytes);
    return found;
}

State state_of(Knowledge knowledge) {
    switch (knowledge) {
        case Knowledge::stock:
            return State::stock;
        case Knowledge::patched:
            return State::patched;
        case Knowledge::other:
            return State::other_revision;
    }
    return State::drifted;
}

bool is_neutral(const Rule& rule, const FoundFile& file) {
    const bool executable = file.version && file.version->executable;
    bool stock = false;
    bool patched = false;
    for (const KnownBytes& known : rule.known) {
        if (known.hash != file.hash || (known.executable && file.hash && *known.executable != executable))
            continue;
        stock = stock || known.knowledge == Knowledge::stock;
        patched = patched || known.knowledge == Knowledge::patched;
    }
    return stock && patched;
}

void recognise_file(const Rule& rule, FoundFile& file) {
    if (file.state == State::unreadable) return;
    file.match = recognise(rule, file.hash, file.version && file.version->executable);
    file.neutral = is_neutral(rule, file);
    if (file.match != nullptr) {
        file.state = state_of(file.match->knowledge);
    } else {
        file.state = file.hash ? State::drifted : State::absent;
    }
}

State package_state(const std::vector<FoundFile>& files) {
    bool absent = false;
    bool drifted = false;
    std::set<std::pair<State, std::size_t>> seen;
    for (const FoundFile& file : files) {
        if (file.state == State::unreadable) return State::unreadable;
        drifted = drifted || file.state == State::drifted;
        absent = absent || (file.state == State::absent && file.match == nullptr);
        if (file.match != nullptr && !file.neutral) {
            seen.emplace(file.state, file.state == State::other_revision ? file.match->patch : 0);
        }
    }
    if (drifted) return State::drifted;
    if (absent) return State::absent;
    if (seen.size() > 1) return State::partial;
    return seen.empty() ? State::patched : seen.begin()->first;
}

/// The directories in a package that may hold temporaries of ours: those of its files, and all above them.
std::set<std::string> working_directories(const Recipe& recipe) {
    std::set<std::string> directories{std::string()};
    for (const Rule& rule : recipe.rules) {
        for (std::string path = base::split_path(rule.path).first; !path.empty();
             path = base::split_path(path).first) {
            directories.insert(path);
        }
    }
    return directories;
}

bool starts_with_any(const std::string& path, const std::vector<std::string>& directories) {
    return std::any_of(directories.begin(), directories.end(), [&path](const std::string& directory) {
        return directory.empty() || path == directory || path.starts_with(directory + "/");
    });
}

/// What lies beneath a journal of `drydock patch` is that command's, which needs it to end what it began.
void find_litter(Copy& copy) {
    copy.littered.clear();
    std::vector<std::string> under_patch;
    for (const std::string& path : working_directories(*copy.recipe)) {
        if (starts_with_any(path, under_patch)) continue;
        const auto listed = copy.location.handle.list(path);
        if (!listed) continue;
        const std::vector<std::string>& names = listed->second;
        if (base::holds(names, base::patch_journal_name)) {
            under_patch.push_back(path);
        } else if (base::holds(names, base::temporary_prefix)) {
            copy.littered.push_back(path);
        }
    }
}

void recognise_files(Copy& copy) {
    for (std::size_t i = 0; i < copy.files.size(); ++i) recognise_file(copy.recipe->rules[i], copy.files[i]);
    copy.state = package_state(copy.files);
}

void hash_files(Copy& copy) {
    copy.files.clear();
    for (const Rule& rule : copy.recipe->rules) copy.files.push_back(read_file(copy.location.handle, rule));
    recognise_files(copy);
}

void read_files(Copy& copy) {
    hash_files(copy);
    find_litter(copy);
}

/// The sizes of the files that a recipe tells of, in bytes; those that can't be looked at count nothing, and
/// are not read.
std::uint64_t size_of(const Copy& copy, const Recipe& recipe) {
    std::uint64_t size = 0;
    for (const Rule& rule : recipe.rules) {
        const Sys<std::optional<base::FileInfo>> info = copy.location.handle.info(rule.path);
        if (info && *info) size += (*info)->size;
    }
    return size;
}

void take_receipt(Copy& copy) {
    Result<std::optional<Receipt>> receipt = read_receipt(copy.location.handle);
    if (!receipt) {
        copy.receipt_trouble = receipt.error().message;
    } else {
        copy.receipt = *std::move(receipt);
    }
}

const KnownBytes* known_as(const Rule& rule, Knowledge knowledge, std::size_t variant) {
    const auto found = std::find_if(rule.known.begin(), rule.known.end(), [&](const KnownBytes& known) {
        return known.knowledge == knowledge && known.variant == variant && known.patch == 0;
    });
    return found == rule.known.end() ? nullptr : &*found;
}

/// The receipt that a run leaves in a copy that is patched, where it made no directory and deleted no file;
/// without the patch.
std::optional<Receipt> usual_receipt(const Copy& copy, const manifest::Manifest& manifest) {
    const KnownPatch& patch = *copy.recipe->patches.front();
    Receipt receipt;
    receipt.set = manifest.name;
    receipt.package = copy.name;
    receipt.version = copy.version;
    receipt.revision = patch.revision;
    receipt.provides = patch.provides;
    receipt.requirements = copy.requirements();
    for (const patch::FilePatch& file : patch.patch.files) {
        if (file.operation != patch::Operation::modify) return std::nullopt;
        const FoundFile* found = copy.find(file.new_path);
        if (found == nullptr || found->match == nullptr) return std::nullopt;
        const Rule& rule = *copy.recipe->find(file.new_path);
        const KnownBytes* stock = known_as(rule, Knowledge::stock, found->match->variant);
        const KnownBytes* patched = known_as(rule, Knowledge::patched, found->match->variant);
        if (stock == nullptr || patched == nullptr) return std::nullopt;
        receipt.files.push_back({file.new_path, stock->hash, patched->hash, stock->executable,
                                 patched->executable, std::nullopt});
    }
    return receipt;
}

/// Takes the receipt of a patched copy where it is, byte for byte, the usual one: reading that costs a tenth
/// of reading any other.
bool take_usual_receipt(Copy& copy, const manifest::Manifest& manifest) {
    if (copy.state != State::patched) return false;
    std::optional<Receipt> receipt = usual_receipt(copy, manifest);
    const std::string& patch = copy.recipe->patches.front()->text;
    if (!receipt || !is_receipt(copy.location.handle, *receipt, patch, copy.package->patch.sha256))
        return false;
    receipt->patch = patch;
    copy.receipt = std::move(receipt);
    return true;
}

/// Whether a patched copy carries the receipt of another revision, which may have changed more files.
bool has_other_receipt(Copy& copy, const manifest::Manifest& manifest) {
    Receipt ours;
    ours.set = manifest.name;
    ours.package = copy.name;
    ours.version = copy.version;
    ours.revision = manifest.revision;
    const Glance glance = glance_at_receipt(copy.location.handle, ours);
    copy.has_our_receipt = glance == Glance::ours;
    return glance == Glance::other;
}

/// Files that only the receipt tells of are read too.
void extend_by_receipt(Copy& copy) {
    if (!copy.receipt || !receipt_fits(copy)) return;
    std::shared_ptr<const Recipe> extended = with_receipt(copy.recipe, *copy.receipt);
    if (extended == copy.recipe) return;
    if (size_of(copy, *extended) > size_of(copy, *copy.recipe) + most_by_receipts) return;
    copy.recipe = std::move(extended);
    for (std::size_t i = copy.files.size(); i < copy.recipe->rules.size(); ++i) {
        copy.files.push_back(read_file(copy.location.handle, copy.recipe->rules[i]));
    }
    recognise_files(copy);
}

/// Name and version of what lies at a copy's place; false where that settles its state.
bool identify(Copy& copy, const std::string& wanted_version) {
    if (!copy.present()) {
        copy.state = copy.location.missing ? State::absent : State::unreadable;
        copy.trouble = copy.location.trouble;
        return false;
    }
    const Result<std::optional<PackageJson>> json = read_package_json(copy.location.handle);
    if (!json) {
        copy.state = State::unreadable;
        copy.trouble = base::describe(json.error());
        return false;
    }
    if (!*json) {
        copy.state = State::absent;
        copy.trouble = "package.json: is missing";
        return false;
    }
    copy.version = (*json)->version;
    if ((*json)->name != copy.name) {
        copy.found_name = (*json)->name;
        copy.state = State::wrong_version;
        copy.trouble = fmt::format("{} {} is installed in its place; install {} {}", (*json)->name,
                                   (*json)->version, copy.name, wanted_version);
        return false;
    }
    if (copy.version != wanted_version) {
        copy.state = State::wrong_version;
        return false;
    }
    return true;
}

Copy copy_at(const Session& session, const manifest::Package& package, const OpenRoot& root,
             Location location) {
    Copy copy;
    copy.package = &package;
    copy.name = package.name;
    copy.root = root.name;
    copy.location = std::move(location);
    copy.recipe = session.recipes.at(&package);
    return copy;
}

/// Two paths may lead to one directory.
void add_new(std::vector<Copy>& copies, Copy copy) {
    const bool twice = std::any_of(copies.begin(), copies.end(), [&copy](const Copy& other) {
        return copy.present() && other.present() && other.package == copy.package &&
               other.location.identity == copy.location.identity;
    });
    if (!twice) copies.push_back(std::move(copy));
}

OpenRoot open_root(std::string name, std::string path,
                   Sys<base::Directory> (*open)(const std::string&) = base::Directory::open) {
    OpenRoot root;
    root.name = std::move(name);
    root.path = std::move(path);
    Sys<base::Directory> directory = open(root.path);
    if (!directory) {
        root.missing = directory.error().value == ENOENT;
        if (!root.missing) root.trouble = base::errno_text(directory.error().value);
        return root;
    }
    root.directory = *std::move(directory);
    const Sys<base::FileInfo> info = root.directory.info();
    if (info) {
        root.identity = info->identity;
    } else {
        root.trouble = base::errno_text(info.error().value);
    }
    return root;
}

bool may_be_missing(const manifest::Root& root, const Options& options) {
    const std::string stage(options.stage.empty() ? manifest::stage_image : std::string_view(options.stage));
    return std::find(root.may_be_missing.begin(), root.may_be_missing.end(), stage) !=
           root.may_be_missing.end();
}

void open_manifest_root(Session& session, const manifest::Root& root, std::vector<Error>& problems) {
    const Options& options = *session.options;
    const auto given = std::find_if(options.roots.begin(), options.roots.end(),
                                    [&root](const auto& named) { return named.first == root.name; });
    std::vector<std::string> paths;
    std::string variable;
    if (given != options.roots.end()) {
        paths = given->second;
    } else {
        const Result<std::string> path = manifest::expand(root.path, options.environment);
        if (path) {
            paths.push_back(*path);
        } else {
            variable = path.error().message;
        }
    }
    const bool allowed = may_be_missing(root, options);
    if (!variable.empty()) {
        auto unknown = std::make_unique<OpenRoot>();
        unknown->name = root.name;
        unknown->path = root.path;
        unknown->missing = true;
        unknown->variable = variable;
        session.roots.push_back(std::move(unknown));
        if (allowed) return;
        Error error;
        error.kind = ErrorKind::usage;
        error.file = session.manifest->file;
        error.line = root.line;
        error.message = fmt::format("root '{}': {}", root.name, variable);
        problems.push_back(std::move(error));
        return;
    }
    for (const std::string& path : paths) {
        auto opened = std::make_unique<OpenRoot>(open_root(root.name, path));
        if (opened->missing && !allowed) {
            problems.push_back(
                base::fail(ErrorKind::io,
                           fmt::format("root '{}': there is no {}; give its directory with --root {}=DIR",
                                       root.name, path, root.name))
                    .value());
        }
        if (!opened->trouble.empty()) {
            problems.push_back(
                base::fail(
                    ErrorKind::io,
                    fmt::format("root '{}': {} cannot be opened: {}; give its directory with --root {}=DIR",
                                root.name, path, opened->trouble, root.name))
                    .value());
        }
        session.roots.push_back(std::move(opened));
    }
}

/// Packages in `requires` order: each after all that it requires.
void add_in_order(const manifest::Manifest& manifest, const manifest::Package& package,
                  std::vector<const manifest::Package*>& order, std::set<const manifest::Package*>& seen) {
    if (!seen.insert(&package).second) return;
    for (const manifest::Requirement& requirement : package.requirements) {
        for (const manifest::Package& other : manifest.packages) {
            if (other.name == requirement.package) add_in_order(manifest, other, order, seen);
        }
    }
    order.push_back(&package);
}

Copy absent_copy(const manifest::Package& package, const OpenRoot& root) {
    Copy copy;
    copy.package = &package;
    copy.name = package.name;
    copy.root = root.name;
    copy.location.directory = root.path + (root.path.ends_with('/') ? "" : "/") + package.at.front();
    copy.location.missing = true;
    copy.root_missing = true;
    copy.trouble = root.variable.empty() ? fmt::format("there is no {}", root.path)
                                         : root.variable.substr(0, root.variable.find(';'));
    copy.trouble = fmt::format("its root '{}' is not there: {}", root.name, copy.trouble);
    return copy;
}

std::string real_directory(const Copy& copy) {
    if (!copy.location.real.empty()) return copy.location.real;
    const Sys<std::string> real = base::real_path(copy.location.directory);
    return real ? *real : copy.location.directory;
}

/// The level that the files of a copy provide, as they are.
FoundLevel level_of(const Copy& copy, unsigned provides) {
    if (copy.state == State::patched) return {provides, "patched"};
    if (copy.state == State::other_revision) {
        for (const FoundFile& file : copy.files) {
            if (file.state == State::other_revision) {
                const KnownPatch& known = *copy.recipe->patches[file.match->patch];
                return {known.provides, known.label};
            }
        }
    }
    return {0, std::string(state_name(copy.state))};
}

/// Of whatever package lies in a directory, by the manifest, or, where that knows nothing, by its receipt.
FoundLevel read_level(const Session& session, OpenRoot root, const std::string& package) {
    Copy copy;
    copy.name = package;
    copy.location.directory = root.path;
    copy.location.identity = root.identity;
    copy.location.handle = std::move(root.directory);
    const Result<std::optional<PackageJson>> json = read_package_json(copy.location.handle);
    if (!json || !*json) return {0, "unreadable"};
    copy.version = (*json)->version;
    const manifest::Manifest* manifest = session.manifest;
    if (manifest != nullptr && copy.version == manifest->version) {
        for (const manifest::Package& known : manifest->packages) {
            if (known.name != package) continue;
            const auto recipe = session.recipes.find(&known);
            if (recipe == session.recipes.end()) continue;
            copy.recipe = recipe->second;
            hash_files(copy);
            if (copy.state != State::patched) {
                take_receipt(copy);
                extend_by_receipt(copy);
            }
            return level_of(copy, known.provides);
        }
    }
    take_receipt(copy);
    const std::string version = "version " + copy.version;
    if (!copy.receipt || !receipt_fits(copy)) return {0, version};
    Result<std::shared_ptr<const Recipe>> recipe = recipe_of(*copy.receipt);
    if (!recipe) return {0, version};
    copy.recipe = *std::move(recipe);
    if (size_of(copy, *copy.recipe) > most_by_receipts) return {0, version};
    hash_files(copy);
    FoundLevel found = level_of(copy, copy.receipt->provides);
    found.state = version + ", " + found.state;
    return found;
}

struct Level {
    unsigned level{0};
    std::string state;  ///< in words
    bool refused{false};
};

/// As it will be after what is planned, or else as it lies there.
Level level_at(const Session& session, const std::string& directory, const std::string& package,
               const PlannedLevel& planned, Lookups& found) {
    OpenRoot root;
    const auto [identity, is_first] = found.identities.try_emplace(directory);
    if (is_first) {
        root = open_root({}, directory, base::Directory::open_for_lookups);
        if (!root.missing && root.trouble.empty()) identity->second = root.identity;
    }
    if (!identity->second) return {0, "unreadable", false};
    const auto [level, refused] = planned(*identity->second);
    if (level) return {*level, *level > 0 ? "patched" : "not patched", refused};
    const auto [there, is_new] = found.levels.try_emplace({*identity->second, package});
    if (is_new) {
        if (!is_first) root = open_root({}, directory, base::Directory::open_for_lookups);
        there->second = read_level(session, std::move(root), package);
    }
    return {there->second.level, there->second.state, refused};
}

/// The same place, with the files of a recipe as they are now, and nothing of what was known.
std::optional<Copy> read_by(const Copy& copy, std::shared_ptr<const Recipe> recipe) {
    Sys<base::Directory> handle = copy.location.handle.duplicate();
    if (!handle) return std::nullopt;
    Copy again;
    again.name = copy.name;
    again.root = copy.root;
    again.version = copy.version;
    again.recipe = std::move(recipe);
    again.location.directory = copy.location.directory;
    again.location.real = copy.location.real;
    again.location.identity = copy.location.identity;
    again.location.handle = *std::move(handle);
    read_files(again);
    return again;
}

bool is_among(const std::vector<Copy>& copies, const base::Identity& identity) {
    return std::any_of(copies.begin(), copies.end(), [&identity](const Copy& copy) {
        return copy.present() && copy.location.identity == identity;
    });
}

}  // namespace

std::string_view state_name(State state) {
    switch (state) {
        case State::stock:
            return "stock";
        case State::patched:
            return "patched";
        case State::other_revision:
            return "other-revision";
        case State::partial:
            return "partial";
        case State::drifted:
            return "drifted";
        case State::wrong_version:
            return "wrong-version";
        case State::absent:
            return "absent";
        case State::unreadable:
            return "unreadable";
        case State::unsafe:
            return "unsafe";
    }
    return "unknown";
}

std::string short_name(const std::string& package) {
    const std::size_t slash = package.find('/');
    return slash == std::string::npos ? package : package.substr(slash + 1);
}

Result<Tree> Copy::tree() const {
    Tree tree;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string& path = recipe->rules[i].path;
        std::optional<FileVersion>& content = tree[path];
        content = files[i].version;
        if (!content || files[i].kept) continue;
        const Sys<base::FileDescriptor> file = location.handle.open_file(path);
        Sys<std::string> bytes =
            file ? read_again(*file, *files[i].hash) : tl::unexpected<base::Errno>(file.error());
        if (!bytes) {
            return base::fail(
                about(*this, ErrorKind::io, trouble_text(bytes.error().value) + "; run again", path));
        }
        content->bytes = *std::move(bytes);
    }
    return tree;
}

const FoundFile* Copy::find(std::string_view path) const {
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (recipe->rules[i].path == path) return &files[i];
    }
    return nullptr;
}

std::map<std::string, unsigned> Copy::requirements() const {
    if (package == nullptr) return receipt ? receipt->requirements : std::map<std::string, unsigned>();
    std::map<std::string, unsigned> levels;
    for (const manifest::Requirement& requirement : package->requirements) {
        levels[requirement.package] = requirement.level;
    }
    return levels;
}

std::vector<const OpenRoot*> Session::roots_named(const std::string& name) const {
    std::vector<const OpenRoot*> found;
    for (const std::unique_ptr<OpenRoot>& root : roots) {
        if (root->name == name) found.push_back(root.get());
    }
    return found;
}

std::optional<std::string> Session::copy_for_links(const std::string& package) const {
    for (const OpenRoot* root : roots_named(options->fallback_root)) {
        if (root->missing || !root->trouble.empty()) continue;
        const manifest::Package* known = manifest == nullptr ? nullptr : manifest->find_package(package);
        const std::vector<std::string> at = known != nullptr && known->root == root->name
                                                ? known->at
                                                : std::vector<std::string>{"node_modules/" + package};
        Listings listings;
        for (const std::string& place : at) {
            for (const Location& location : locate(*root, {place}, listings)) {
                if (!location.missing && location.trouble.empty()) return location.directory;
            }
        }
    }
    return std::nullopt;
}

FallbackFolders Session::fallback() const {
    FallbackFolders fallback;
    const std::set<std::string> folders(options->fallback_folders.begin(), options->fallback_folders.end());
    for (const std::string& folder : folders) fallback.folders.insert(real_folder(folder));
    fallback.copy_of = [this, known = std::map<std::string, std::optional<std::string>>()](
                           const std::string& package) mutable {
        const auto [real, is_new] = known.try_emplace(package);
        if (!is_new) return real->second;
        if (const std::optional<std::string> copy = copy_for_links(package))
            real->second = real_directory(*copy);
        return real->second;
    };
    return fallback;
}

bool selected(const manifest::Package& package, const Options& options) {
    const bool stage = options.stage.empty() || std::find(package.stages.begin(), package.stages.end(),
                                                          options.stage) != package.stages.end();
    const bool named = options.packages.empty() || std::find(options.packages.begin(), options.packages.end(),
                                                             package.name) != options.packages.end();
    return stage && named;
}

Session open_session(const manifest::Manifest& manifest, const Options& options, bool every_package,
                     std::vector<Error>& problems, Patches patches) {
    Session session;
    session.manifest = &manifest;
    session.options = &options;
    std::vector<const manifest::Package*> order;
    std::set<const manifest::Package*> seen;
    for (const manifest::Package& package : manifest.packages) add_in_order(manifest, package, order, seen);
    std::set<std::string> roots{options.fallback_root};
    for (const manifest::Package* package : order) {
        // Also the patches of packages that are only required: their files are held against the same hashes.
        auto recipe = recipe_of(manifest, *package, patches);
        if (recipe) {
            session.recipes[package] = *std::move(recipe);
        } else {
            problems.insert(problems.end(), recipe.error().begin(), recipe.error().end());
        }
        if (!every_package && !selected(*package, options)) continue;
        session.packages.push_back(package);
        roots.insert(package->root);
    }
    for (const manifest::Root& root : manifest.roots) {
        // At boot also where packages of an earlier set may lie: their receipts can ask to be taken back.
        if (roots.count(root.name) == 0 && options.stage != manifest::stage_boot) continue;
        // A root that only the fallback folder's links lead to may be missing: then they lead nowhere.
        const bool needed = std::any_of(session.packages.begin(), session.packages.end(),
                                        [&root](const auto* package) { return package->root == root.name; });
        std::vector<Error> ignored;
        open_manifest_root(session, root, needed ? problems : ignored);
    }
    return session;
}

Session open_session(const Options& options, std::vector<Error>& problems) {
    Session session;
    session.options = &options;
    for (const auto& [name, paths] : options.roots) {
        for (const std::string& path : paths) {
            auto root = std::make_unique<OpenRoot>(open_root(name, path));
            if (root->missing) root->trouble = base::errno_text(ENOENT);
            if (!root->trouble.empty()) {
                Error error;
                error.message = fmt::format("root '{}': {}: {}", name, path, root->trouble);
                problems.push_back(std::move(error));
            }
            session.roots.push_back(std::move(root));
        }
    }
    return session;
}

std::vector<Copy> survey(const Session& session, bool receipts) {
    std::vector<Copy> copies;
    Listings listings;
    for (const manifest::Package* package : session.packages) {
        const manifest::Root* root_entry = session.manifest->find_root(package->root);
        for (const OpenRoot* root : session.roots_named(package->root)) {
            if (root->missing || !root->trouble.empty()) {
                copies.push_back(absent_copy(*package, *root));
                copies.back().may_be_missing = may_be_missing(*root_entry, *session.options);
                if (!root->trouble.empty()) copies.back().trouble.clear();  // told for the root
                continue;
            }
            for (Location& location : locate(*root, package->at, listings)) {
                Copy copy = copy_at(session, *package, *root, std::move(location));
                copy.may_be_missing = may_be_missing(*root_entry, *session.options);
                if (identify(copy, session.manifest->version)) {
                    read_files(copy);
                    const bool asked = receipts || copy.state != State::patched || !copy.littered.empty() ||
                                       has_other_receipt(copy, *session.manifest);
                    if (asked && !take_usual_receipt(copy, *session.manifest)) {
                        take_receipt(copy);
                        extend_by_receipt(copy);
                    }
                } else if (copy.present()) {
                    take_receipt(copy);
                }
                add_new(copies, std::move(copy));
            }
        }
    }
    return copies;
}

std::optional<std::vector<Copy>> settled_copies(const Session& session) {
    std::vector<Copy> copies;
    Listings listings;
    for (const manifest::Package* package : session.packages) {
        for (const OpenRoot* root : session.roots_named(package->root)) {
            if (root->missing || !root->trouble.empty()) return std::nullopt;
            for (Location& location : locate(*root, package->at, listings)) {
                Copy copy = copy_at(session, *package, *root, std::move(location));
                if (!identify(copy, session.manifest->version)) return std::nullopt;
                read_files(copy);
                if (copy.state != State::patched || !copy.littered.empty() ||
                    has_other_receipt(copy, *session.manifest)) {
                    return std::nullopt;
                }
                add_new(copies, std::move(copy));
            }
        }
    }
    return copies;
}

std::vector<Copy> survey_receipts(const Session& session, std::vector<Location>* begun,
                                  std::vector<Error>& problems) {
    std::vector<Copy> found;
    std::uint64_t budget = most_by_receipts;
    for (const std::unique_ptr<OpenRoot>& root : session.roots) {
        if (root->missing || !root->trouble.empty()) continue;
        for (Location& location : find_receipts(*root, begun != nullptr)) {
            if (!location.trouble.empty()) {
                Error error;
                error.message = fmt::format(
                    "{}: cannot be looked into: {}; what is patched in it is not known; put it right, or run "
                    "as root",
                    location.directory, location.trouble);
                problems.push_back(std::move(error));
                continue;
            }
            if (location.no_receipt) {
                begun->push_back(std::move(location));
                continue;
            }
            if (is_among(found, location.identity)) continue;
            Copy copy;
            copy.root = root->name;
            copy.location = std::move(location);
            take_receipt(copy);
            const Result<std::optional<PackageJson>> json = read_package_json(copy.location.handle);
            if (json && *json) {
                copy.name = (*json)->name;
                copy.version = (*json)->version;
            }
            if (copy.receipt && !receipt_fits(copy)) {
                copy.receipt_trouble =
                    fmt::format("it is for {} {}", copy.receipt->package, copy.receipt->version);
            }
            if (copy.receipt_trouble.empty() && copy.receipt) {
                Result<std::shared_ptr<const Recipe>> recipe = recipe_of(*copy.receipt);
                if (recipe) {
                    copy.recipe = *std::move(recipe);
                    const std::uint64_t size = size_of(copy, *copy.recipe);
                    if (size <= budget) {
                        budget -= size;
                        read_files(copy);
                    } else {
                        copy.recipe.reset();
                        copy.receipt_trouble = fmt::format(
                            "it tells of {} bytes, and of what only receipts tell of {} MiB are read", size,
                            most_by_receipts >> 20U);
                    }
                } else {
                    copy.receipt_trouble = base::describe(recipe.error());
                }
            }
            found.push_back(std::move(copy));
        }
    }
    // Few packages carry receipts: a pass per level of requirement is quick enough.
    std::vector<Copy> ordered;
    while (!found.empty()) {
        const auto waits = [&found](const Copy& copy) {
            const std::map<std::string, unsigned> required = copy.requirements();
            return std::any_of(found.begin(), found.end(), [&](const Copy& other) {
                return other.name != copy.name && required.count(other.name) > 0;
            });
        };
        auto next = std::find_if_not(found.begin(), found.end(), waits);
        if (next == found.end())
            next = found.begin();  // receipts that require each other in a circle: any order
        ordered.push_back(std::move(*next));
        found.erase(next);
    }
    return ordered;
}

bool receipt_fits(const Copy& copy) {
    return copy.receipt && copy.receipt->package == copy.name && copy.receipt->version == copy.version;
}

bool is_begun(const Copy& copy) {
    if (!copy.littered.empty()) return true;
    if (!receipt_fits(copy)) return false;
    const Result<std::shared_ptr<const Recipe>> intent = recipe_of(*copy.receipt);
    if (!intent) return false;
    return std::any_of((*intent)->rules.begin(), (*intent)->rules.end(), [&copy](const Rule& rule) {
        const FoundFile* file = copy.find(rule.path);
        if (file == nullptr || file->state == State::unreadable) return false;
        const KnownBytes* known = recognise(rule, file->hash, file->version && file->version->executable);
        return known != nullptr && known->knowledge != Knowledge::patched;
    });
}

void add_taken_back(const std::vector<Copy>& before, std::vector<Copy>& now) {
    for (const Copy& copy : before) {
        if (copy.package != nullptr || copy.recipe == nullptr || is_among(now, copy.location.identity))
            continue;
        std::optional<Copy> again = read_by(copy, copy.recipe);
        if (again) now.push_back(*std::move(again));
    }
}

std::optional<Copy> by_receipt(const Copy& copy) {
    if (!receipt_fits(copy)) return std::nullopt;
    Result<std::shared_ptr<const Recipe>> recipe = recipe_of(*copy.receipt);
    if (!recipe || size_of(copy, **recipe) > most_by_receipts) return std::nullopt;
    std::optional<Copy> told = read_by(copy, *std::move(recipe));
    if (told) told->receipt = copy.receipt;
    return told;
}

Lookups looked_up(const std::vector<Copy>& copies) {
    Lookups found;
    for (const Copy& copy : copies) {
        if (copy.package == nullptr || copy.recipe == nullptr || copy.files.empty()) continue;
        found.levels[{copy.location.identity, copy.name}] = level_of(copy, copy.package->provides);
    }
    return found;
}

Planned as_it_lies(const base::Identity& /*directory*/) {
    return {};
}

std::vector<Error> unmet_requirements(const Session& session, const Copy& copy, const PlannedLevel& planned,
                                      Lookups& found) {
    std::vector<Error> unmet;
    const std::map<std::string, unsigned> required = copy.requirements();
    if (required.empty()) return unmet;
    const std::string from = real_directory(copy);
    if (!found.fallback) found.fallback = session.fallback();
    for (const auto& [package, level] : required) {
        const std::optional<std::string> directory =
            node_resolve(from, package, *found.fallback, found.folders);
        if (!directory) {
            unmet.push_back(about(
                copy, ErrorKind::conflict,
                fmt::format("requires {} at level {}, and Node finds no copy of it from here; install it",
                            short_name(package), level)));
            continue;
        }
        const Level there = level_at(session, *directory, package, planned, found);
        if (there.level >= level) continue;
        if (there.refused) {
            unmet.push_back(about(
                copy, ErrorKind::conflict,
                fmt::format("requires {} at level {}, which is refused itself", short_name(package), level)));
            continue;
        }
        unmet.push_back(
            about(copy, ErrorKind::conflict,
                  fmt::format("requires {} at level {}, and {}, which Node loads from here, is at "
                              "level {} ({}); patch that copy first",
                              short_name(package), level, *directory, there.level, there.state)));
    }
    return unmet;
}

Error about(const Copy& copy, ErrorKind kind, std::string message, std::string file) {
    Error error;
    error.kind = kind;
    error.message = std::move(message);
    error.package = copy.name;
    error.file = std::move(file);
    error.details.push_back("in " + copy.location.directory);
    return error;
}

std::vector<Error> refusals(const Session& session, const Copy& copy) {
    const std::string& wanted = session.manifest == nullptr ? copy.version : session.manifest->version;
    if (copy.root_missing) return {};  // told once, for the root
    if (copy.location.missing) {
        std::string message = "is not installed";
        if (!copy.location.no_package.empty()) {
            message += fmt::format(" ({} has no package.json)", copy.location.no_package);
        }
        return {about(copy, ErrorKind::io, fmt::format("{}; install {}", message, wanted))};
    }
    if (!copy.location.trouble.empty()) {
        const bool permission = copy.location.trouble == base::errno_text(EACCES);
        return {about(copy, ErrorKind::io,
                      fmt::format("cannot be opened: {}; {}", copy.location.trouble,
                                  permission ? "run as root, or as its owner" : "reinstall " + wanted))};
    }
    // Only a manifest knows of wrong versions.
    if (session.manifest != nullptr && copy.state == State::wrong_version && copy.trouble.empty()) {
        const std::vector<std::string> sets = manifest::versions_in(session.manifest->folder);
        Error error =
            about(copy, ErrorKind::wrong_version,
                  fmt::format("wrong version: {} is installed, and the set is for {}; there are sets for {}",
                              copy.version, wanted, fmt::join(sets, ", ")));
        return {error};
    }
    if (copy.state == State::wrong_version) return {about(copy, ErrorKind::wrong_version, copy.trouble)};
    if (copy.files.empty()) {
        return {about(copy, ErrorKind::io, fmt::format("{}; reinstall {}", copy.trouble, wanted))};
    }
    std::vector<Error> problems;
    for (std::size_t i = 0; i < copy.files.size(); ++i) {
        const FoundFile& file = copy.files[i];
        const std::string& path = copy.recipe->rules[i].path;
        if (file.state == State::drifted) {
            problems.push_back(
                about(copy, ErrorKind::drifted,
                      fmt::format("drifted: neither stock nor patched (sha256 {}); reinstall {}",
                                  base::short_hex(*file.hash), wanted),
                      path));
        } else if (file.state == State::absent && file.match == nullptr) {
            problems.push_back(about(copy, ErrorKind::io, "is missing; reinstall " + wanted, path));
        } else if (file.state == State::unreadable) {
            problems.push_back(about(copy, ErrorKind::io,
                                     fmt::format("{}; put it right, or reinstall {}", file.trouble, wanted),
                                     path));
        }
    }
    return problems;
}

namespace {

/// The stock bytes of the contents that a file was recognised as.
manifest::FileHash stock_of(const Rule& rule, const KnownBytes& match) {
    const auto stock = std::find_if(rule.known.begin(), rule.known.end(), [&match](const KnownBytes& known) {
        return known.knowledge == Knowledge::stock && known.variant == match.variant;
    });
    return stock == rule.known.end() ? manifest::FileHash() : stock->hash;
}

std::vector<HeldPatch> held_patches(const Copy& copy) {
    std::vector<HeldPatch> held;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < copy.files.size(); ++i) {
        const KnownBytes* match = copy.files[i].match;
        if (match == nullptr || match->knowledge == Knowledge::stock || copy.files[i].neutral) continue;
        const auto known = std::find(numbers.begin(), numbers.end(), match->patch);
        const auto at = static_cast<std::size_t>(known - numbers.begin());
        if (known == numbers.end()) {
            const std::shared_ptr<const KnownPatch>& patch = copy.recipe->patches[match->patch];
            numbers.push_back(match->patch);
            held.push_back({patch->label, patch->revision, {}, {patch, &patch->text}});
        }
        held[at].files.push_back(copy.recipe->rules[i].path);
    }
    return held;
}

}  // namespace

PackageReport report(const Session& session, const Copy& copy) {
    PackageReport report;
    report.name = copy.name;
    report.root = copy.root;
    report.directory = copy.location.directory;
    report.version = copy.version;
    report.found_name = copy.found_name;
    report.state = copy.state;
    report.receipt = receipt_fits(copy) || copy.has_our_receipt;
    report.missing_is_fine = copy.state == State::absent && copy.location.missing && copy.may_be_missing;
    if (copy.package != nullptr) {
        report.patch_sha256 = base::to_hex(copy.package->patch.sha256);
        report.why = copy.package->why;
        report.resolves = copy.package->resolves;
    } else if (copy.receipt) {
        report.patch_sha256 = base::to_hex(base::sha256(copy.receipt->patch));
    }
    const std::string wanted = session.manifest == nullptr ? copy.version : session.manifest->version;
    switch (copy.state) {
        case State::stock:
        case State::other_revision:
        case State::partial:
            report.advice = advice_to_apply;
            break;
        case State::drifted:
            report.advice = "reinstall " + wanted;
            break;
        case State::wrong_version:
            report.advice = "install " + wanted;
            break;
        case State::absent:
            report.advice = report.missing_is_fine ? "" : "install " + wanted;
            break;
        case State::unreadable:
            report.advice = "put it right, or reinstall " + wanted;
            break;
        case State::unsafe:
            report.advice = "patch what it requires";
            break;
        case State::patched:
            break;
    }
    for (const auto& [package, level] : copy.requirements()) report.requirements.push_back(package);
    report.patches = held_patches(copy);
    for (std::size_t i = 0; i < copy.files.size(); ++i) {
        const FoundFile& file = copy.files[i];
        const Rule& rule = copy.recipe->rules[i];
        report.files.push_back({rule.path, file.state, file.hash,
                                file.match == nullptr ? manifest::FileHash() : stock_of(rule, *file.match),
                                rule.origin, file.match == nullptr ? std::string() : file.match->note,
                                rule.second_copies});
    }
    return report;
}

}  // namespace drydock::install
