#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "session/session.hpp"

/// What logs tell of a session's children: those that are sessions of their own, and those that ran outside.
namespace drydock::session {

enum class ChildMode : std::uint8_t {
    one_shot,
    continuable,
    unknown,   ///< a session of which the catalog does not know more
    external,  ///< no session: an execution outside the harness
};

/// `one-shot`, `continuable`, `unknown`, `external`.
std::string_view mode_name(ChildMode mode);

/// What `subagent/descriptor`, in a child's own log, says of it.
struct Descriptor {
    ChildMode mode{ChildMode::one_shot};  ///< or continuable
    std::string provider;
    std::optional<std::string> label;
};

/// Reads the event's data as the harness does: nothing for another version than 2, and for data that is not
/// exactly what version 2 has.
std::optional<Descriptor> read_descriptor(base::JsonView data);

/// One child in `subagent/catalog`.
struct CatalogEntry {
    std::string child_id;
    ChildMode mode{ChildMode::unknown};
    std::string provider;  ///< empty: not told
    std::optional<std::string> label;
    std::optional<std::string> call_id;  ///< of the delegation
};

struct Catalog {
    std::vector<CatalogEntry> entries;
    std::size_t malformed{0};  ///< entries that were passed over
    std::string refusal;       ///< why none of it can be read
};

/// Reads the data of a `subagent/catalog` event, in the parent's log: its direct children in their order.
/// No published harness writes it yet; this is the shape that is read:
///
///     {"version": 0 | 1 | 2, "children": [
///       {"childId": text, "mode": text, "provider"?: text, "label"?: text, "callId"?: text}, ...]}
///
/// `mode` is `one-shot` or `continuable`, from version 1 on also `unknown`, in version 2 also `external`.
/// Other keys are passed over, since a later writer may add some. An entry without a childId, with one that
/// came before, or with a mode that its version does not have is counted as malformed; a key that is
/// optional and no text is taken for absent. Another version, or no list, is a refusal.
Catalog read_catalog(base::JsonView data);

/// How a child's steps are linked to the tool call that delegated to it.
struct Link {
    enum class How : std::uint8_t {
        none,       ///< no delegation was open
        only_open,  ///< one was: by position
        ambiguous,  ///< several were: it is one of these
        told,       ///< the log says it: a catalog, or a workflow
    };
    How how{How::none};
    std::vector<std::string> calls;  ///< ids of the calls; at most `most_calls`
    std::size_t unlisted{0};         ///< more that are not in `calls`
    static constexpr std::size_t most_calls = 16;
};

/// `none`, `only-open`, `ambiguous`, `told`.
std::string_view link_name(Link::How how);

/// Whether a `tool/call` delegates: its tool is called subagent or subagent_something, or its arguments have
/// both a description and a prompt, as the delegation tool's have whatever it is called.
bool is_delegation(base::JsonView data);

/// The delegations that are open while a log is read. A call in the foreground is open until its result, one
/// in the background until the notice that its job is finished. Nothing in a log links a child that ran
/// outside to its call: only if exactly one that no other child has can be meant is it known.
class Delegations {
  public:
    /// Any event of the log, in order.
    void take(const Row& row);

    /// At a child's first step: which call it belongs to.
    Link claim();

    /// How many are open.
    [[nodiscard]] std::size_t open() const { return open_.size(); }

  private:
    struct Call {
        std::string id;
        std::string job;  ///< in the background: its job's id
        bool claimed{false};
    };
    void take_result(base::JsonView data);
    void take_notice(base::JsonView message);

    std::vector<Call> open_;
};

/// The text of content blocks, one below the other: of text blocks and, for tool results, of what is in them.
/// An image reads `[image]`, another block its type in brackets.
std::string content_text(base::JsonView content);

/// The message in an event's data: in old logs the data itself.
base::JsonView message_of(base::JsonView data);

/// The call id of a `tool/result`, empty where there is none, and whether it says that the call failed.
std::string_view result_call_id(base::JsonView data);
bool result_is_error(base::JsonView data);

}  // namespace drydock::session
