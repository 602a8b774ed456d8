#include <utility>

#include <fmt/format.h>

#include "stream/fields.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using base::JsonKind;
using base::JsonView;

/// A scalar id as JavaScript prints it; an absent or structured one is empty.
std::string id_text(JsonView value) {
    if (value.is_number()) return base::number_text(value.number());
    if (value.kind() == JsonKind::boolean) return value.is_true() ? "true" : "false";
    return string_or(value, "");
}

/// The text of a content block; a block of another type has none.
std::optional<std::string_view> block_text(JsonView block) {
    if (block["type"].string() != "text") return std::nullopt;
    return block["text"].string();
}

/// What a content item of a tool call shows, as lines of their own.
void add_content(Lines& lines, JsonView item) {
    const std::string_view type = item["type"].string();
    if (type == "content") {
        if (const std::optional<std::string_view> text = block_text(item["content"])) lines.add(*text);
    } else if (type == "diff") {
        const std::string path = string_or(item["path"], "");
        lines.add("--- " + path);
        lines.add(item["oldText"].string());
        lines.add("+++ " + path);
        lines.add(item["newText"].string());
    } else if (type == "terminal") {
        lines.add(fmt::format("[terminal {}]", id_text(item["terminalId"])));
    }
}

Item chunk_item(Kind kind, JsonView update) {
    Item item;
    item.kind = kind;
    item.text = std::string(block_text(update["content"]).value_or(""));
    return item;
}

Item tool_call_item(JsonView update, Extent extent) {
    Item item;
    item.kind = Kind::tool_call;
    item.text = value_text(update["rawInput"], extent);
    item.name = string_or(update["title"], "tool");
    item.call_id = id_text(update["toolCallId"]);
    std::string& meta = item.meta.emplace(R"({"status":)");
    base::write_json_string(meta, string_or(update["status"], "pending"));
    write_string_or_null(meta, "toolKind", update["kind"]);
    meta += '}';
    return item;
}

/// A settled tool call, or one that shows something already; progress without text is no step.
std::optional<Item> acp_tool_result_item(JsonView update, Extent extent) {
    Lines lines;
    for (const JsonView content : with_fields(update["content"])) add_content(lines, content);
    std::string text = std::move(lines).text();
    if (text.empty()) text = value_text(update["rawOutput"], extent);
    const std::string_view status = update["status"].string();
    if (status != "completed" && status != "failed" && text.empty()) return std::nullopt;
    Item item;
    item.kind = Kind::tool_result;
    item.text = std::move(text);
    item.name = string_of(update["title"]);
    item.call_id = id_text(update["toolCallId"]);
    item.is_error = status == "failed";
    std::string& meta = item.meta.emplace();
    write_string_or_null(meta, "status", update["status"]);
    meta += '}';
    return item;
}

Item plan_item(JsonView entries) {
    Lines lines;
    for (const JsonView entry : with_fields(entries)) {
        lines.add(fmt::format("- [{}] {}", entry["status"].string(), entry["content"].string()));
    }
    Item item;
    item.kind = Kind::plan;
    item.text = std::move(lines).text();
    return item;
}

}  // namespace

std::optional<Item> map_acp_update(JsonView update, Extent extent) {
    const std::string_view type = update["sessionUpdate"].string();
    if (type == "agent_message_chunk") return chunk_item(Kind::assistant, update);
    if (type == "agent_thought_chunk") return chunk_item(Kind::thought, update);
    if (type == "user_message_chunk") return chunk_item(Kind::other, update);
    if (type == "tool_call") return tool_call_item(update, extent);
    if (type == "tool_call_update") return acp_tool_result_item(update, extent);
    if (type == "plan") return plan_item(update["entries"]);
    if (type == "plan_update") {
        return plan_item(has_fields(update["plan"]) ? update["plan"]["entries"] : update["entries"]);
    }
    return std::nullopt;
}

}  // namespace drydock::stream
