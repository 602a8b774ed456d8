#pragma once

#include <string>
#include <vector>

#include "source/source.hpp"

struct git_repository;
struct git_oid;
struct git_tree;

namespace drydock::source {

struct Repository::State {
    State(std::string named, git_repository* opened) : location(std::move(named)), repository(opened) {}
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    std::string location;
    git_repository* repository;

    /// An object that is not there, and the likely reason: `WHAT of LOCATION is missing: ...`.
    [[nodiscard]] base::Error missing(const std::string& what) const;

    /// An object that libgit2 could not read, by its return code; missing() for the code that says so.
    [[nodiscard]] base::Error unreadable(int code, const std::string& what) const;

    /// The top tree of a commit, which the caller frees.
    [[nodiscard]] base::Result<git_tree*> tree_of(const std::string& commit) const;
};

/// What lies beneath a tree at any depth, but directories; `prefix` is put before the paths. Sorted by path.
/// Names that no checkout could have are an Error.
base::Result<std::vector<Entry>> walk(const Repository::State& state, const std::string& commit,
                                      const git_tree& top, const std::string& prefix);

/// What lies at a path beneath a tree; nothing where nothing does. A path that is_safe_relative refuses is a
/// usage Error.
base::Result<std::optional<Entry>> find(const Repository::State& state, const git_tree& top,
                                        const std::string& path);

/// The bytes of a blob.
base::Result<std::string> blob(const Repository::State& state, const Entry& entry);

/// `no tag 'X' in LOCATION; the nearest are 'A', 'B'`.
base::Error unknown_tag(const std::string& name, const std::string& location, std::vector<std::string> all);

/// A word and its letters as they may stand in a message: control bytes are shown as `?`.
std::string printable(std::string_view text);

}  // namespace drydock::source
