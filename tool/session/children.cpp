#include "session/children.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonMember;
using base::JsonView;

constexpr std::string_view job_started = "started background subagent job ";

bool is_text_or_absent(JsonView value) {
    return value.is_undefined() || value.is_string();
}

bool are_texts_or_absent(JsonView list) {
    if (list.is_undefined()) return true;
    if (!list.is_array()) return false;
    for (const JsonView each : list.elements()) {
        if (!each.is_string()) return false;
    }
    return true;
}

bool is_tool_filter(JsonView filter) {
    return filter.is_object() && has_only_keys(filter, {}, {"allow", "deny"}) && filter.size() > 0 &&
           are_texts_or_absent(filter["allow"]) && are_texts_or_absent(filter["deny"]);
}

bool is_continuable(JsonView data) {
    return has_only_keys(data, {"version", "mode", "provider", "label"},
                         {"agentProvider", "agentModel", "persona", "toolFilter"}) &&
           is_text_or_absent(data["agentProvider"]) && is_text_or_absent(data["agentModel"]) &&
           is_text_or_absent(data["persona"]) &&
           (data["toolFilter"].is_undefined() || is_tool_filter(data["toolFilter"])) &&
           data["label"].is_string();
}

std::optional<ChildMode> catalog_mode(std::string_view name, double version) {
    if (name == "one-shot") return ChildMode::one_shot;
    if (name == "continuable") return ChildMode::continuable;
    if (name == "unknown" && version >= 1) return ChildMode::unknown;
    if (name == "external" && version >= 2) return ChildMode::external;
    return std::nullopt;
}

}  // namespace

std::string_view mode_name(ChildMode mode) {
    switch (mode) {
        case ChildMode::one_shot:
            return "one-shot";
        case ChildMode::continuable:
            return "continuable";
        case ChildMode::external:
            return "external";
        case ChildMode::unknown:
            break;
    }
    return "unknown";
}

std::string_view link_name(Link::How how) {
    switch (how) {
        case Link::How::only_open:
            return "only-open";
        case Link::How::ambiguous:
            return "ambiguous";
        case Link::How::told:
            return "told";
        case Link::How::none:
            break;
    }
    return "none";
}

std::optional<Descriptor> read_descriptor(JsonView data) {
    if (!data["version"].is_number() || data["version"].number() != 2 || !data["provider"].is_string())
        return std::nullopt;
    Descriptor descriptor;
    descriptor.provider = data["provider"].string();
    descriptor.label = text_of(data["label"]);
    if (is_text(data["mode"], "one-shot")) {
        const bool exact = has_only_keys(data, {"version", "mode", "provider"}, {"label"}) &&
                           is_text_or_absent(data["label"]);
        return exact ? std::optional(descriptor) : std::nullopt;
    }
    if (!is_text(data["mode"], "continuable") || !is_continuable(data)) return std::nullopt;
    descriptor.mode = ChildMode::continuable;
    return descriptor;
}

Catalog read_catalog(JsonView data) {
    Catalog catalog;
    const JsonView version = data["version"];
    if (!version.is_number() || (version.number() != 0 && version.number() != 1 && version.number() != 2)) {
        catalog.refusal =
            version.is_undefined()
                ? "the catalog has no version"
                : fmt::format("the catalog has version {}; expected 0, 1 or 2", version.text({0, 40}));
        return catalog;
    }
    if (!data["children"].is_array()) {
        catalog.refusal = "the catalog has no list of children";
        return catalog;
    }
    std::set<std::string_view> seen;
    for (const JsonView each : data["children"].elements()) {
        const JsonView id = each["childId"];
        const std::optional<ChildMode> mode = catalog_mode(each["mode"].string(), version.number());
        if (!is_filled_string(id) || !mode || !seen.insert(id.string()).second) {
            ++catalog.malformed;
            continue;
        }
        catalog.entries.push_back({std::string(id.string()), *mode, std::string(each["provider"].string()),
                                   text_of(each["label"]), text_of(each["callId"])});
    }
    return catalog;
}

// ---- Messages

JsonView message_of(JsonView data) {
    return data["message"].is_object() ? data["message"] : data;
}

std::string content_text(JsonView content) {
    if (content.is_string()) return std::string(content.string());
    std::string text;
    for (const JsonView block : content.elements()) {
        if (!text.empty()) text += '\n';
        const std::string_view type = block["type"].string();
        if (type == "text" || type == "reasoning") {
            base::append_wtf8(text, block["text"].string());
        } else if (type == "tool-result") {
            // One level: a result in a result is not written by anyone.
            for (const JsonView inner : block["content"].elements()) {
                if (!text.empty() && text.back() != '\n') text += '\n';
                if (is_text(inner["type"], "text")) {
                    base::append_wtf8(text, inner["text"].string());
                } else {
                    fmt::format_to(std::back_inserter(text), "[{}]", inner["type"].string());
                }
            }
        } else {
            fmt::format_to(std::back_inserter(text), "[{}]", type.empty() ? "block" : type);
        }
    }
    return text;
}

std::string_view result_call_id(JsonView data) {
    const JsonView source = data["message"]["source"]["callId"];
    return (source.is_string() ? source : data["callId"]).string();
}

bool result_is_error(JsonView data) {
    if (data["error"].is_object() || data["isError"].is_true()) return true;
    for (const JsonView block : message_of(data)["content"].elements()) {
        if (is_text(block["type"], "tool-result") && block["isError"].is_true()) return true;
    }
    return false;
}

// ---- Delegations

bool is_delegation(JsonView data) {
    const std::string_view name = data["name"].string();
    if (name == "subagent" || name.substr(0, 9) == "subagent_") return true;
    base::JsonDocument document;
    const auto arguments = document.parse(data["arguments"].string());
    return arguments && (*arguments)["description"].is_string() && (*arguments)["prompt"].is_string();
}

void Delegations::take(const Row& row) {
    if (row.packed) return;
    const JsonView data = row.value["data"];
    if (row.type == "tool/call" && data["callId"].is_string() && is_delegation(data)) {
        open_.push_back({std::string(data["callId"].string()), {}, false});
    } else if (row.type == "tool/result") {
        take_result(data);
    } else if (row.type == "user/message") {
        take_notice(message_of(data));
    } else if (row.type == "agent/inbox/spliced") {
        for (const JsonView message : data["inserted"].elements()) take_notice(message);
    }
}

void Delegations::take_result(JsonView data) {
    const std::string_view id = result_call_id(data);
    const auto call = std::find_if(open_.begin(), open_.end(),
                                   [id](const Call& each) { return each.job.empty() && each.id == id; });
    if (call == open_.end()) return;
    const std::string text = content_text(message_of(data)["content"]);
    if (text.starts_with(job_started)) {
        call->job = text.substr(job_started.size());
        call->job.erase(std::min(call->job.find_first_of(" \n"), call->job.size()));
    }
    if (call->job.empty()) open_.erase(call);
}

void Delegations::take_notice(JsonView message) {
    if (!is_text(message["source"]["plugin"], "tool-jobs")) return;
    const std::string text = content_text(message["content"]);
    std::erase_if(open_, [&text](const Call& call) {
        return !call.job.empty() && text.find("background job " + call.job + ' ') != std::string::npos &&
               text.find(" finished") != std::string::npos;
    });
}

Link Delegations::claim() {
    Link link;
    Call* only = nullptr;
    for (Call& call : open_) {
        if (call.claimed) continue;
        only = &call;
        if (link.calls.size() < Link::most_calls) {
            link.calls.push_back(call.id);
        } else {
            ++link.unlisted;
        }
    }
    if (link.calls.size() > 1) link.how = Link::How::ambiguous;
    if (link.calls.size() == 1) {
        link.how = Link::How::only_open;
        only->claimed = true;
    }
    return link;
}

}  // namespace drydock::session
