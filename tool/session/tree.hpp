#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "session/family.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// A session, for its place in the tree.
struct TreeSession {
    const Header* header{nullptr};
    const Family* family{nullptr};
};

enum class Relation : std::uint8_t {
    root,      ///< has no parent
    orphan,    ///< its parent's log is not here
    looped,    ///< its ancestors go round
    subagent,  ///< a session that a parent delegated to
    fork,      ///< a session that a user made from another one
    external,  ///< a child outside the harness: a leaf
    unseen,    ///< a child that is told of, and whose log is not here
    foreign,   ///< a session that a catalog names, while its own header names another parent, or none
};

/// `root`, ...
std::string_view relation_name(Relation relation);

/// A line of the tree: a session, or a child that a session's log tells of and that is none.
struct TreeRow {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    Relation relation{Relation::root};
    std::size_t depth{0};
    std::size_t session{none};         ///< which one it is, for those that are
    std::size_t parent{none};          ///< the session above it
    const ChildFacts* child{nullptr};  ///< what the log above tells of it, if it does
};

/// The tree of all sessions, parents before their children, each session once, whatever their headers say.
/// Children stand in the order of the parent's catalog, then sessions by the time they were made and by id,
/// as the harness lists them, then those that are no session as they came. Of sessions with one id the first
/// has the children.
std::vector<TreeRow> tree_of(const std::vector<TreeSession>& sessions);

}  // namespace drydock::session
