#include "session/event.hpp"

#include <fmt/format.h>

#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonKind;
using base::JsonMember;
using base::JsonView;

bool is_nothing(JsonView value) {
    return value.is_undefined() || value.is_null();
}

bool has(JsonView object, std::string_view key) {
    return !object[key].is_undefined();
}

/// A whole number from 1 on.
bool is_turn_number(JsonView value) {
    return is_safe_integer(value) && value.number() >= 1;
}

bool has_provider_and_model(JsonView value) {
    return is_filled_string(value["provider"]) && is_filled_string(value["model"]);
}

// ---- Old forms

std::string old_form(std::string_view type) {
    return fmt::format("a malformed {} of the form before react loops", type);
}

std::string check_turn_start(JsonView data) {
    if (!has(data, "trigger")) return {};
    const bool fine = is_turn_number(data["turn"]) && has_only_keys(data, {"turn", "trigger"}) &&
                      is_filled_string(data["trigger"]["kind"]);
    return fine ? std::string() : old_form("turn/start");
}

bool is_absent_or(JsonView value, JsonKind kind) {
    return value.is_undefined() || value.kind() == kind;
}

bool is_old_failure(JsonView reason) {
    const JsonView failure = reason["failure"];
    return failure.is_object() && has_only_keys(reason, {"kind", "step", "failure"}) &&
           has_only_keys(failure, {"message", "code"}, {"status", "providerRetryAfterMs", "requestId"}) &&
           failure["message"].is_string() && failure["code"].is_string() &&
           is_absent_or(failure["status"], JsonKind::number) &&
           is_absent_or(failure["providerRetryAfterMs"], JsonKind::number) &&
           is_absent_or(failure["requestId"], JsonKind::string);
}

bool is_old_error(JsonView reason) {
    if (!is_count(reason["step"])) return false;
    return is_old_failure(reason) ||
           (has_only_keys(reason, {"kind", "step", "message"}, {"code"}) && reason["message"].is_string() &&
            is_absent_or(reason["code"], JsonKind::string));
}

bool is_turn_end(JsonView data) {
    const JsonView reason = data["reason"];
    const JsonView kind = reason["kind"];
    if (!is_turn_number(data["turn"]) || !has_only_keys(data, {"turn", "reason"}) || !kind.is_string())
        return false;
    const std::string_view name = kind.string();
    if (name == "aborted") return has(reason, "reason") || has_only_keys(reason, {"kind"});
    if (name == "error") return has(reason, "error") || is_old_error(reason);
    const bool bare = name == "completed" || name == "blocked" || name == "max-tokens" ||
                      name == "interrupted" || name == "disposed";
    return !bare || has_only_keys(reason, {"kind"});
}

/// Turns a steering/message into the user/message that it became.
std::string update_steering(Event& event) {
    const JsonView data = event.data;
    if (!data.is_object() || !is_safe_integer(data["turn"])) return old_form("steering/message");
    event.type = "user/message";
    if (data["message"].is_object() && has_only_keys(data, {"turn", "message"})) {
        event.data = data["message"];
        return {};
    }
    if (!has_only_keys(data, {"turn", "content", "source"})) return old_form("steering/message");
    event.form = Form::bare_user;
    return {};
}

Form form_of(std::string_view type, JsonView data) {
    if (type == "user/message") {
        const bool bare = !has(data, "id") && !has(data, "role") && !has(data, "message") &&
                          has(data, "content") && has(data, "source");
        return bare ? Form::bare_user : Form::current;
    }
    if (has(data, "message") || !has(data, "content")) return Form::current;
    if (type == "assistant/message" && has(data, "provenance")) return Form::bare_assistant;
    if (type == "tool/result" && has(data, "callId") && has(data, "isError")) return Form::bare_result;
    return Form::current;
}

// ---- Messages

std::string check_result(const Event& event) {
    const bool bare = event.form == Form::bare_result;
    const JsonView source = bare ? JsonView() : event.data["message"]["source"];
    const JsonView call = bare ? event.data["callId"] : source["callId"];
    if ((!bare && !is_text(source["kind"], "tool")) || !is_filled_string(call))
        return "a tool/result whose source is no tool call";
    if (bare) return event.data["content"].is_array() ? "" : "a tool/result without content";
    const JsonView content = event.data["message"]["content"];
    JsonView block;
    for (const JsonView each : content.elements()) block = each;
    if (content.size() != 1 || !is_text(block["type"], "tool-result") || !block["content"].is_array())
        return "a tool/result that is not one tool-result block";
    if (!is_same(block["toolCallId"], call)) return "a tool/result with two different call ids";
    return {};
}

std::string check_message(const Event& event) {
    const bool assistant = event.type == "assistant/message";
    if (event.form == Form::bare_result) return check_result(event);
    if (event.form == Form::bare_assistant) {
        if (!event.data["content"].is_array()) return "an assistant/message without content";
        return has_provider_and_model(event.data["provenance"])
                   ? ""
                   : "an assistant/message whose source is no model";
    }
    const JsonView message = event.type == "user/message" ? event.data : event.data["message"];
    if (event.form == Form::current) {
        if (!is_filled_string(message["id"])) return fmt::format("a {} without an id", event.type);
        if (!is_text(message["role"], assistant ? "assistant" : "user"))
            return fmt::format("a {} with another role", event.type);
    }
    const JsonView source = message["source"];
    if (!is_filled_string(source["kind"])) return fmt::format("a {} without a source", event.type);
    if (!message["content"].is_array()) return fmt::format("a {} without content", event.type);
    if (assistant && (!is_text(source["kind"], "model") || !has_provider_and_model(source)))
        return "an assistant/message whose source is no model";
    return event.type == "tool/result" ? check_result(event) : "";
}

// ---- Request headers

bool are_adapter_defaults(JsonView defaults, JsonView config) {
    if (defaults.is_undefined()) return true;
    if (!defaults.is_object() || !has_only_keys(defaults, {}, {"reasoningEffort", "maxTokens"})) return false;
    for (const JsonMember member : defaults.members()) {
        if (!member.value.is_true() || !has(config, member.key)) return false;
    }
    return true;
}

std::string check_request_header(JsonView data) {
    const JsonView header = data["header"];
    const JsonView config = header["config"];
    if (!has_provider_and_model(config)) return "a request/header without provider and model";
    const JsonView effort = config["reasoningEffort"];
    if (!effort.is_undefined() && !is_filled_string(effort))
        return "a request/header whose reasoningEffort is no text";
    if (!are_adapter_defaults(header["adapterDefaults"], config))
        return "a request/header with malformed adapterDefaults";
    return {};
}

bool is_envelope_key(std::string_view key) {
    return key == "type" || key == "seq" || key == "time" || key == "data" || key == "surfaceOp" ||
           key == "sourceEventSeqs" || key == "ignorable";
}

}  // namespace

bool is_surface_type(std::string_view type) {
    return type == "user/message" || type == "assistant/message" || type == "tool/result";
}

JsonView Event::content() const {
    if (form == Form::bare_assistant || form == Form::bare_result || type == "user/message")
        return data["content"];
    return data["message"]["content"];
}

std::string_view Event::call_id() const {
    return form == Form::bare_result ? data["callId"].string() : data["message"]["source"]["callId"].string();
}

std::string retired_refusal(const Row& row) {
    if (row.type == "request/header-delta" || row.type == "mode/set")
        return fmt::format("the retired event type {}", row.type);
    if (row.type != "request/header") return {};
    const JsonView data = row.value["data"];
    if (is_nothing(data)) return "a request/header without data";
    return is_text(data["reason"], "fallback") ? "a request/header with the retired reason fallback" : "";
}

std::string update_event(const Row& row, Event& event) {
    event.row = &row;
    event.type = row.type;
    event.has_text_type = row.value["type"].is_string();
    event.data = row.value["data"];
    if (event.type == "steering/message") {
        std::string refusal = update_steering(event);
        if (!refusal.empty()) return refusal;
    } else if (!event.data.is_object()) {
        return is_surface_type(event.type) ? fmt::format("a {} without an id", event.type) : "";
    }
    if (event.type == "turn/start") return check_turn_start(event.data);
    if (event.type == "turn/end") return is_turn_end(event.data) ? "" : old_form("turn/end");
    if (!is_surface_type(event.type)) return {};
    if (event.form == Form::current) event.form = form_of(event.type, event.data);
    return check_message(event);
}

std::string envelope_refusal(const Event& event) {
    for (const JsonMember member : event.row->value.members()) {
        if (!is_envelope_key(member.key)) return fmt::format("an event with the key {}", member.key);
    }
    const JsonView marker = event.field("ignorable");
    if (!event.has_text_type) return "an event whose type is no text";
    if (!is_safe_integer(event.field("time"))) return "an event whose time is no whole number";
    if (event.data.is_undefined()) return "an event without data";
    if (!marker.is_undefined() && !marker.is_true()) return "an event whose ignorable is not true";
    return event.type == "request/header" ? check_request_header(event.data) : "";
}

}  // namespace drydock::session
