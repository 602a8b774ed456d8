#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <git2.h>

#include "base/directory.hpp"
#include "base/suggest.hpp"
#include "source/library.hpp"
#include "source/location.hpp"
#include "source/source.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

using base::ErrorKind;
using base::fail;
using base::Result;

using ObjectHandle = Handle<git_object, git_object_free>;
using ReferenceHandle = Handle<git_reference, git_reference_free>;
using ConfigHandle = Handle<git_config, git_config_free>;

constexpr std::string_view tag_prefix = "refs/tags/";
constexpr std::string_view what_is_expected = "expected a work tree, its .git folder or a bare repository";

base::Error cannot_open(const std::string& location, const std::string& path) {
    const std::string words = library_words();
    base::Error error;
    const base::Sys<base::Directory> folder = base::Directory::open(path);
    if (!folder) {
        error.message = fmt::format("cannot open the git repository {}: {}; {}", location,
                                    base::errno_text(folder.error().value), what_is_expected);
    } else if (words.find("objectformat") != std::string::npos) {
        error.message = fmt::format(
            "the git repository {} has SHA-256 ids, which cannot be read here; expected one with SHA-1 ids",
            location);
    } else if (words.find("could not find repository") != std::string::npos) {
        error.message = fmt::format("{} is no git repository; {}", location, what_is_expected);
    } else {
        error.message = fmt::format(
            "cannot open the git repository {}: {}; look at it with 'git fsck', or clone it again", location,
            words);
    }
    return error;
}

bool is_partial(git_repository& repository) {
    git_config* snapshot = nullptr;
    if (git_repository_config_snapshot(&snapshot, &repository) != 0) return false;
    const ConfigHandle held(snapshot);
    bool partial = false;
    git_config_foreach_match(
        snapshot, R"(^(extensions\.partialclone|remote\..*\.promisor)$)",
        [](const git_config_entry*, void* found) {
            *static_cast<bool*>(found) = true;
            return 0;
        },
        &partial);
    return partial;
}

bool has_references(git_repository& repository) {
    git_reference_iterator* all = nullptr;
    if (git_reference_iterator_new(&all, &repository) != 0) return false;
    const Handle<git_reference_iterator, git_reference_iterator_free> held(all);
    const char* name = nullptr;
    return git_reference_next_name(&name, all) == 0;
}

/// The names of all tags, without their prefix.
std::vector<std::string> tag_names(git_repository& repository) {
    std::vector<std::string> names;
    git_tag_foreach(
        &repository,
        [](const char* name, git_oid*, void* into) {
            static_cast<std::vector<std::string>*>(into)->emplace_back(
                std::string_view(name).substr(tag_prefix.size()));
            return 0;
        },
        &names);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

Repository::State::~State() {
    git_repository_free(repository);
}

base::Error Repository::State::missing(const std::string& what) const {
    base::Error error;
    error.message = fmt::format("{} is missing in {}", what, location);
    if (is_partial(*repository))
        error.message += ", a partial clone; expected all objects: make a clone without --filter";
    else if (git_repository_is_shallow(repository) == 1)
        error.message += ", a shallow clone; expected all objects: run 'git fetch --unshallow --tags' in it";
    else
        error.message += "; run 'git fetch --tags' in it, and 'git fsck' if that does not help";
    return error;
}

base::Error Repository::State::unreadable(int code, const std::string& what) const {
    if (code == GIT_ENOTFOUND) return missing(what);
    base::Error error;
    error.message = fmt::format("{} cannot be read in {}: {}; run 'git fsck' in it, or clone it again", what,
                                location, library_words());
    return error;
}

Result<git_tree*> Repository::State::tree_of(const std::string& commit) const {
    git_oid id;
    if (commit.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, commit.c_str()) != 0) {
        return fail(ErrorKind::usage,
                    fmt::format("'{}' is not the full id of a commit; expected 40 hexadecimal digits",
                                printable(commit)));
    }
    git_object* found = nullptr;
    const int looked_up = git_object_lookup(&found, repository, &id, GIT_OBJECT_ANY);
    if (looked_up != 0) return fail(unreadable(looked_up, "commit " + commit));
    const ObjectHandle object(found);
    if (git_object_type(found) != GIT_OBJECT_COMMIT) {
        return fail(ErrorKind::usage, fmt::format("{} is a {} in {}; expected the id of a commit", commit,
                                                  git_object_type2string(git_object_type(found)), location));
    }
    git_tree* tree = nullptr;
    const int read = git_commit_tree(&tree, reinterpret_cast<git_commit*>(found));
    if (read != 0) return fail(unreadable(read, "the tree of commit " + commit));
    return tree;
}

Repository::Repository(std::unique_ptr<State> state) : state_(std::move(state)) {}
Repository::Repository(Repository&&) noexcept = default;
Repository& Repository::operator=(Repository&&) noexcept = default;
Repository::~Repository() = default;

Result<Repository> Repository::open(const std::string& location) {
    prepare_library();
    const Result<std::string> path = local_path(location);
    if (!path) return fail(path.error());
    git_repository* opened = nullptr;
    if (git_repository_open_ext(&opened, path->c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr) != 0)
        return fail(cannot_open(location, *path));
    return Repository(std::make_unique<State>(location, opened));
}

const std::string& Repository::location() const {
    return state_->location;
}

Result<std::vector<Tag>> Repository::tags() const {
    std::vector<Tag> found;
    for (const std::string& name : tag_names(*state_->repository)) {
        git_reference* reference = nullptr;
        if (git_reference_lookup(&reference, state_->repository, (std::string(tag_prefix) + name).c_str()) !=
            0)
            continue;  // gone meanwhile
        const ReferenceHandle held(reference);
        git_object* commit = nullptr;
        if (git_reference_peel(&commit, reference, GIT_OBJECT_COMMIT) != 0) continue;
        const ObjectHandle object(commit);
        found.push_back({name, git_oid_tostr_s(git_object_id(commit))});
    }
    return found;
}

Result<std::string> Repository::commit_of_tag(const std::string& name) const {
    const std::string full = std::string(tag_prefix) + name;
    git_reference* reference = nullptr;
    if (name.find('\0') != std::string::npos ||
        git_reference_lookup(&reference, state_->repository, full.c_str()) != 0) {
        if (!has_references(*state_->repository)) {
            return fail(ErrorKind::usage, fmt::format("{} has no tag '{}': it holds no commit yet",
                                                      location(), printable(name)));
        }
        return fail(unknown_tag(name, location(), tag_names(*state_->repository)));
    }
    const ReferenceHandle held(reference);
    git_object* target = nullptr;
    const int peeled = git_reference_peel(&target, reference, GIT_OBJECT_ANY);
    if (peeled != 0) return fail(state_->unreadable(peeled, fmt::format("what the tag '{}' leads to", name)));
    const ObjectHandle object(target);
    if (git_object_type(target) != GIT_OBJECT_COMMIT) {
        return fail(ErrorKind::usage,
                    fmt::format("the tag '{}' of {} leads to a {}; expected a commit", name, location(),
                                git_object_type2string(git_object_type(target))));
    }
    return git_oid_tostr_s(git_object_id(target));
}

Result<void> Repository::check_commit(const std::string& commit) const {
    const Result<git_tree*> tree = state_->tree_of(commit);
    if (!tree) return fail(tree.error());
    git_tree_free(*tree);
    return {};
}

base::Error unknown_tag(const std::string& name, const std::string& location, std::vector<std::string> all) {
    static constexpr std::size_t most = 3;
    const std::size_t count = all.size();
    std::vector<std::string> near;
    while (near.size() < most) {
        const std::optional<std::string> next = base::nearest(name, all);
        if (!next) break;
        near.push_back(fmt::format("'{}'", printable(*next)));
        all.erase(std::find(all.begin(), all.end(), *next));
    }
    base::Error error;
    error.kind = ErrorKind::usage;
    error.message = fmt::format("{} has no tag '{}'", location, printable(name));
    if (!near.empty())
        error.message +=
            fmt::format("; the nearest {} {}", near.size() == 1 ? "is" : "are", fmt::join(near, ", "));
    else if (count == 0)
        error.message += ", nor any other tag";
    else
        error.message += fmt::format(", nor one like it among its {}", count);
    return error;
}

std::string printable(std::string_view text) {
    static constexpr std::size_t longest = 200;
    std::string shown(text.substr(0, longest));
    for (char& letter : shown) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20 || byte == 0x7f) letter = '?';
    }
    return text.size() > longest ? shown + "..." : shown;
}

}  // namespace drydock::source
