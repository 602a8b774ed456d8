#include <algorithm>

#include <fmt/format.h>
#include <git2.h>

#include "base/directory.hpp"
#include "source/library.hpp"
#include "source/source.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

using base::ErrorKind;
using base::fail;
using base::Result;

using TreeHandle = Handle<git_tree, git_tree_free>;
using OdbHandle = Handle<git_odb, git_odb_free>;
using OdbObjectHandle = Handle<git_odb_object, git_odb_object_free>;

constexpr std::size_t most_entries = 500'000;  // a tree of trees that share can have more than all disks hold
constexpr std::size_t longest_path = 4095;     // PATH_MAX without its NUL

std::optional<EntryKind> kind_of(const git_tree_entry& entry) {
    switch (git_tree_entry_filemode(&entry)) {
        case GIT_FILEMODE_BLOB:
            return EntryKind::file;
        case GIT_FILEMODE_BLOB_EXECUTABLE:
            return EntryKind::executable;
        case GIT_FILEMODE_LINK:
            return EntryKind::link;
        case GIT_FILEMODE_TREE:
            return EntryKind::directory;
        case GIT_FILEMODE_COMMIT:
            return EntryKind::submodule;
        default:
            return std::nullopt;
    }
}

bool is_dot_git(std::string_view name) {
    return name.size() == 4 && name[0] == '.' && (name[1] | 0x20) == 'g' && (name[2] | 0x20) == 'i' &&
           (name[3] | 0x20) == 't';
}

/// Why a name can be no file's in a checkout; nothing where it can.
std::optional<std::string> fault_of(std::string_view name) {
    if (name.empty()) return "an empty name";
    if (name == "." || name == "..") return fmt::format("the name '{}'", name);
    if (name.find('/') != std::string_view::npos) return "a '/' in a name";
    if (is_dot_git(name)) return fmt::format("the name '{}', which is git's own", name);
    return std::nullopt;
}

/// The caller frees it.
Result<git_tree*> read_tree(const Repository::State& state, const Entry& entry) {
    git_oid id;
    git_oid_fromstr(&id, entry.id.c_str());
    git_tree* tree = nullptr;
    const int code = git_tree_lookup(&tree, state.repository, &id);
    if (code != 0)
        return fail(
            state.unreadable(code, fmt::format("the tree {} ('{}')", entry.id, printable(entry.path))));
    return tree;
}

struct Walk {
    const Repository::State& state;
    const std::string& commit;
    std::vector<Entry> found;
    std::vector<Entry> folders;  ///< still to be read
    std::size_t seen{0};

    [[nodiscard]] base::Error refused(const std::string& path, const std::string& why) const {
        base::Error error;
        error.kind = ErrorKind::usage;
        error.message = fmt::format(
            "commit {} of {} cannot be checked out: '{}' {}; expected a tree that git "
            "itself would check out ('git fsck' tells more)",
            commit, state.location, printable(path), why);
        return error;
    }

    Result<void> take(const git_tree& tree, const std::string& folder) {
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < git_tree_entrycount(&tree); ++i) {
            const git_tree_entry& entry = *git_tree_entry_byindex(&tree, i);
            const std::string_view name = git_tree_entry_name(&entry);
            names.push_back(name);
            const std::string path = folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name);
            if (const std::optional<std::string> fault = fault_of(name))
                return fail(refused(path, "holds " + *fault));
            if (path.size() > longest_path) return fail(refused(path, "is longer than 4,095 bytes"));
            if (++seen > most_entries) return fail(refused(path, "is entry 500,001 of its tree"));
            const std::optional<EntryKind> kind = kind_of(entry);
            if (!kind) return fail(refused(path, "has a mode that is no file's"));
            (*kind == EntryKind::directory ? folders : found)
                .push_back({path, *kind, git_oid_tostr_s(git_tree_entry_id(&entry))});
        }
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        if (twice != names.end())
            return fail(refused(folder.empty() ? std::string(*twice) : fmt::format("{}/{}", folder, *twice),
                                "stands there twice"));
        return {};
    }
};

}  // namespace

Result<std::vector<Entry>> walk(const Repository::State& state, const std::string& commit,
                                const git_tree& top, const std::string& prefix) {
    Walk work{state, commit, {}, {}};
    if (Result<void> taken = work.take(top, prefix); !taken) return fail(taken.error());
    while (!work.folders.empty()) {
        const Entry folder = std::move(work.folders.back());
        work.folders.pop_back();
        const Result<git_tree*> tree = read_tree(state, folder);
        if (!tree) return fail(tree.error());
        const TreeHandle held(*tree);
        if (Result<void> taken = work.take(**tree, folder.path); !taken) return fail(taken.error());
    }
    std::sort(work.found.begin(), work.found.end(),
              [](const Entry& a, const Entry& b) { return a.path < b.path; });
    return std::move(work.found);
}

Result<std::string> blob(const Repository::State& state, const Entry& entry) {
    const std::string what = fmt::format("the blob {} ('{}')", entry.id, printable(entry.path));
    git_odb* odb = nullptr;
    git_odb_object* object = nullptr;
    git_oid id;
    git_oid_fromstr(&id, entry.id.c_str());
    if (const int code = git_repository_odb(&odb, state.repository); code != 0)
        return fail(state.unreadable(code, what));
    const OdbHandle held_odb(odb);
    if (const int code = git_odb_read(&object, odb, &id); code != 0)
        return fail(state.unreadable(code, what));
    const OdbObjectHandle held(object);
    if (git_odb_object_type(object) != GIT_OBJECT_BLOB) {
        return fail(ErrorKind::io,
                    fmt::format("{} of {} is a {}; expected a blob: run 'git fsck' in it", what,
                                state.location, git_object_type2string(git_odb_object_type(object))));
    }
    return std::string(static_cast<const char*>(git_odb_object_data(object)), git_odb_object_size(object));
}

Result<std::optional<Entry>> find(const Repository::State& state, const git_tree& top,
                                  const std::string& path) {
    if (!base::is_safe_relative(path)) {
        return fail(ErrorKind::usage, fmt::format("'{}' is no path in a tree; expected one without '..', '.' "
                                                  "and empty parts, from the top of the tree",
                                                  printable(path)));
    }
    const git_tree* tree = &top;
    TreeHandle held;
    for (std::size_t begin = 0;;) {
        const std::size_t slash = path.find('/', begin);
        const std::string name = path.substr(begin, slash == std::string::npos ? slash : slash - begin);
        const git_tree_entry* entry = git_tree_entry_byname(tree, name.c_str());
        if (entry == nullptr) return std::nullopt;
        const git_oid* id = git_tree_entry_id(entry);
        if (slash == std::string::npos)
            return Entry{path, kind_of(*entry).value_or(EntryKind::file), git_oid_tostr_s(id)};
        if (git_tree_entry_type(entry) != GIT_OBJECT_TREE) return std::nullopt;
        Result<git_tree*> next =
            read_tree(state, {path.substr(0, slash), EntryKind::directory, git_oid_tostr_s(id)});
        if (!next) return fail(next.error());
        held.reset(*next);
        tree = *next;
        begin = slash + 1;
    }
}

Result<std::optional<Content>> Repository::content(const std::string& commit, const std::string& path) const {
    const Result<git_tree*> tree = state_->tree_of(commit);
    if (!tree) return fail(tree.error());
    const TreeHandle held(*tree);
    if (path.empty()) return Content{EntryKind::directory, {}};
    const Result<std::optional<Entry>> found = find(*state_, **tree, path);
    if (!found) return fail(found.error());
    if (!*found) return std::nullopt;
    const EntryKind kind = (*found)->kind;
    if (kind == EntryKind::directory || kind == EntryKind::submodule) return Content{kind, {}};
    Result<std::string> bytes = blob(*state_, **found);
    if (!bytes) return fail(bytes.error());
    return Content{kind, *std::move(bytes)};
}

Result<std::vector<Entry>> Repository::list(const std::string& commit, const std::string& folder) const {
    const Result<git_tree*> top = state_->tree_of(commit);
    if (!top) return fail(top.error());
    const TreeHandle held_top(*top);
    if (folder.empty()) return walk(*state_, commit, **top, {});
    const Result<std::optional<Entry>> found = find(*state_, **top, folder);
    if (!found) return fail(found.error());
    if (!*found || (*found)->kind != EntryKind::directory) return std::vector<Entry>();
    const Result<git_tree*> tree = read_tree(*state_, **found);
    if (!tree) return fail(tree.error());
    const TreeHandle held(*tree);
    return walk(*state_, commit, **tree, folder);
}

}  // namespace drydock::source
