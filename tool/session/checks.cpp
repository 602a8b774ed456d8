#include "session/checks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "session/values.hpp"

namespace drydock::session {

using base::JsonView;

// ---- OpenTurn

namespace {

bool reads_data(std::string_view type) {
    return type == "turn/start" || type == "step/start" || type == "tool/call";
}

}  // namespace

void OpenTurn::forget_calls() {
    calls_.clear();
    hopeless_ = false;
}

std::string OpenTurn::take_blocks(JsonView content) {
    for (const JsonView block : content.elements()) {
        if (block.is_null()) return "an assistant/message with null in its content";
        if (!is_text(block["type"], "tool-call")) continue;
        const JsonView id = block["id"];
        if (is_filled_string(id)) {
            calls_.emplace(id.string());
        } else {
            hopeless_ = true;
        }
    }
    return {};
}

std::string OpenTurn::take(const Event& event) {
    const std::string_view type = event.type;
    if (reads_data(type) && (event.data.is_undefined() || event.data.is_null()))
        return fmt::format("a {} without data", type);
    if (type == "turn/start" || type == "turn/end") {
        turn_open_ = type == "turn/start" && !event.data["turn"].is_null();
        step_open_ = false;
        forget_calls();
    } else if (type == "step/start") {
        step_open_ = !event.data["step"].is_null();
    } else if (type == "step/end") {
        step_open_ = false;
        forget_calls();
    } else if (type == "assistant/message") {
        return take_blocks(event.content());
    } else if (type == "tool/result") {
        const auto call = calls_.find(event.call_id());
        if (call != calls_.end()) calls_.erase(call);
    }
    return {};
}

std::uint64_t OpenTurn::closers() const {
    if (!turn_open_) return 0;
    return calls_.size() + (step_open_ ? 1 : 0) + 1;
}

std::size_t OpenTurn::remembered() const {
    std::size_t bytes = 0;
    for (const std::string& call : calls_) bytes += sizeof(std::string) + 4 * sizeof(void*) + call.capacity();
    return bytes;
}

// ---- LoadChecks

void LoadChecks::refuse(Check check, std::size_t line, std::string message) {
    std::optional<Opening>& refusal = refusals_[static_cast<std::size_t>(check)];
    if (!refusal) refusal = {Verdict::refused, std::move(message), line};
}

bool LoadChecks::refused(Check check) const {
    return refusals_[static_cast<std::size_t>(check)].has_value();
}

void LoadChecks::take_header(HeaderReading reading) {
    header_ = std::move(reading.header);
    surface_.begin(header_->id);
    const std::optional<std::string> place = place_of(*header_);
    if (!place) {
        refuse(Check::place, 1, "the header has an empty id or cwd, for which there is no place in a store");
    } else if (!options_.place.empty() && *place != options_.place) {
        refuse(Check::place, 1,
               fmt::format("the header's id and cwd belong into {}, and the log lies in {}", *place,
                           options_.place));
    }
    if (!reading.later.empty()) refuse(Check::session, 1, std::move(reading.later));
}

void LoadChecks::take(const Row& row) {
    if (row.packed) return;  // assistant/chunk events, which no check has anything against
    std::string refusal = retired_refusal(row);
    if (!refusal.empty()) refuse(Check::retired, row.line, std::move(refusal));
    if (refused(Check::event)) return;
    Event event;
    refusal = update_event(row, event);
    if (!refusal.empty()) return refuse(Check::event, row.line, std::move(refusal));
    check_known(event);
    if (refused(Check::closers)) return;
    refusal = open_turn_.take(event);
    if (!refusal.empty()) return refuse(Check::closers, row.line, std::move(refusal));
    check_session(event);
}

void LoadChecks::check_known(const Event& event) {
    const bool known = options_.any_type ? !options_.patched_types.contains(event.type)
                                         : options_.known_types.contains(event.type);
    if (event.is_marked() || (event.has_text_type && known)) return;
    std::string message =
        fmt::format("the event type {} is unknown to this harness, and not marked ignorable",
                    event.has_text_type ? event.type : "that is no text");
    if (!event.has_text_type || !options_.patched_types.contains(event.type))
        refuse(Check::patched_known, event.row->line, message);
    refuse(Check::known, event.row->line, std::move(message));
}

void LoadChecks::check_session(const Event& event) {
    if (refused(Check::session)) return;
    std::string refusal = envelope_refusal(event);
    if (refusal.empty()) refusal = surface_.take(event);
    if (!refusal.empty()) refuse(Check::session, event.row->line, std::move(refusal));
}

void LoadChecks::finish() {
    if (open_turn_.cannot_close())
        refuse(Check::closers, 0, "the interrupted turn cannot be closed: a tool call's id is no text");
}

const Opening* LoadChecks::refusal(bool patched) const {
    const Check other = patched ? Check::known : Check::patched_known;
    for (std::size_t i = 0; i < checks; ++i) {
        if (i != static_cast<std::size_t>(other) && refusals_[i]) return &*refusals_[i];
    }
    return nullptr;
}

std::size_t LoadChecks::remembered() const {
    return surface_.remembered() + open_turn_.remembered();
}

}  // namespace drydock::session
