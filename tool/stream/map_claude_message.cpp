#include <array>
#include <utility>

#include <fmt/format.h>

#include "stream/fields.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using base::JsonView;

Item init_item(JsonView message) {
    const JsonView model = message["model"];
    const JsonView version = message["claude_code_version"];
    Item item;
    item.kind = Kind::system;
    item.text = fmt::format("claude-code {} · {} · cwd {} · {} tools", string_or(version, ""),
                            string_or(model, "unknown model"), string_or(message["cwd"], ""),
                            message["tools"].is_array() ? message["tools"].size() : 0);
    std::string& meta = item.meta.emplace();
    write_string_or_null(meta, "model", model);
    write_string_or_null(meta, "claudeCodeVersion", version);
    meta += '}';
    return item;
}

Item permission_denied_item(JsonView message) {
    Item item;
    item.kind = Kind::system;
    item.text = string_or(message["message"], "permission denied");
    item.name = string_of(message["tool_name"]);
    item.call_id = string_of(message["tool_use_id"]);
    item.is_error = true;
    return item;
}

std::vector<Item> system_items(JsonView message) {
    const std::string_view subtype = message["subtype"].string();
    if (subtype == "init") return {init_item(message)};
    if (subtype == "permission_denied") return {permission_denied_item(message)};
    return {};
}

std::optional<Item> assistant_item(JsonView block, Extent extent) {
    const std::string_view type = block["type"].string();
    Item item;
    if (type == "text") {
        item.kind = Kind::assistant;
        item.text = string_or(block["text"], "");
    } else if (type == "thinking") {
        item.kind = Kind::thought;
        item.text = string_or(block["thinking"], "");
    } else if (type == "tool_use" || type == "server_tool_use") {
        item.kind = Kind::tool_call;
        item.text = value_text(block["input"], extent);
        item.name = string_or(block["name"], "tool");
        item.call_id = string_of(block["id"]);
    } else {
        return std::nullopt;
    }
    return item;
}

/// What a tool gave back: blocks that are neither text nor an image are shown as JSON.
std::string claude_content_text(JsonView content, Extent extent) {
    if (content.is_string()) return std::string(content.string());
    Lines lines;
    for (const JsonView block : with_fields(content)) {
        const std::string_view type = block["type"].string();
        if (type == "text") {
            lines.add(block["text"].string());
        } else if (type == "image") {
            lines.add("[image]");
        } else {
            lines.add(value_text(block, extent));
        }
    }
    return std::move(lines).text();
}

std::optional<Item> claude_tool_result_item(JsonView block, Extent extent) {
    if (block["type"].string() != "tool_result") return std::nullopt;
    Item item;
    item.kind = Kind::tool_result;
    item.text = claude_content_text(block["content"], extent);
    item.call_id = string_of(block["tool_use_id"]);
    item.is_error = block["is_error"].is_true();
    return item;
}

using BlockMapper = std::optional<Item> (*)(JsonView, Extent);

std::vector<Item> block_items(JsonView message, BlockMapper mapper, Extent extent) {
    std::vector<Item> items;
    for (const JsonView block : with_fields(message["message"]["content"])) {
        if (std::optional<Item> item = mapper(block, extent)) items.push_back(*std::move(item));
    }
    return items;
}

std::string errors_text(JsonView errors) {
    Lines lines;
    for (const JsonView error : errors.elements()) {
        if (error.is_string()) lines.add(error.string());
    }
    return std::move(lines).text();
}

Item result_item(JsonView message) {
    const std::string subtype = string_or(message["subtype"], "unknown");
    const bool succeeded = subtype == "success";
    Item item;
    item.kind = Kind::result;
    item.text = succeeded ? string_or(message["result"], "") : errors_text(message["errors"]);
    item.is_error = message["is_error"].is_true() || !succeeded;
    std::string& meta = item.meta.emplace(R"({"subtype":)");
    base::write_json_string(meta, subtype);
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> numbers = {
        {{"durationMs", "duration_ms"}, {"numTurns", "num_turns"}, {"costUsd", "total_cost_usd"}}};
    for (const auto& [key, field] : numbers) {
        meta += fmt::format(",\"{}\":", key);
        const JsonView number = message[field];
        if (number.is_number()) {
            base::write_json_number(meta, number.number());
        } else {
            meta += "null";
        }
    }
    meta += '}';
    return item;
}

}  // namespace

std::vector<Item> map_claude_message(JsonView message, Extent extent) {
    const std::string_view type = message["type"].string();
    if (type == "system") return system_items(message);
    if (type == "assistant") return block_items(message, assistant_item, extent);
    if (type == "user") return block_items(message, claude_tool_result_item, extent);
    if (type == "result") return {result_item(message)};
    return {};
}

}  // namespace drydock::stream
