#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// How a message event is written.
enum class Form : std::uint8_t {
    current,
    bare_user,       ///< before messages had ids: the message without id and role
    bare_assistant,  ///< content and provenance instead of a message
    bare_result,     ///< callId, content and isError instead of a message
};

/// An event as the loader sees it once old forms are brought up to date.
struct Event {
    const Row* row{nullptr};
    std::string_view type;  ///< empty where the type is no text; has_text_type tells
    bool has_text_type{false};
    base::JsonView data;
    Form form{Form::current};

    [[nodiscard]] base::JsonView field(std::string_view key) const { return row->value[key]; }
    [[nodiscard]] bool is_marked() const { return field("ignorable").is_true(); }

    // Of message events that passed check_event:
    [[nodiscard]] base::JsonView content() const;
    [[nodiscard]] std::string_view call_id() const;  ///< of a tool/result
};

/// Whether the event joins what the model sees.
bool is_surface_type(std::string_view type);

/// Why the loader refuses an event's vocabulary, before anything else; empty where it does not.
std::string retired_refusal(const Row& row);

/// Brings an event up to date, and checks a message's shape. Why it is refused; empty where it is not.
std::string update_event(const Row& row, Event& event);

/// What building the session refuses in one event by itself; empty where it does not.
std::string envelope_refusal(const Event& event);

}  // namespace drydock::session
