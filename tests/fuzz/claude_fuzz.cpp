// Any lines as messages of the Claude Agent SDK: their items hold the bounds, and what is recorded opens.

#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/stream_checks.hpp"

namespace drydock::fuzz {

void try_one(std::string_view input) {
    std::vector<stream::Item> items;
    each_message(input, [&items](base::JsonView message) {
        const std::vector<stream::Item> whole = stream::map_claude_message(message);
        const std::vector<stream::Item> bounded =
            stream::map_claude_message(message, stream::Extent::bounded);
        require(whole.size() == bounded.size(), "the bounds change the number of items");
        items.insert(items.end(), whole.begin(), whole.end());
        for (std::size_t i = 0; i < whole.size(); ++i) {
            check_item(whole[i]);
            check_extents(whole[i], bounded[i]);
        }
    });
    check_recording(stream::Source::claude_code, input, items);
}

std::uint64_t fixed_inputs() {
    return edge_messages;
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    return make_messages(stream::Source::claude_code, seed, number);
}

std::vector<std::string_view> words() {
    return {"\n",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\ud83d",
            "\\ude00",
            "null",
            "true",
            "-0",
            "1e400",
            "\"type\":",
            "\"subtype\":",
            "\"message\":{\"content\":[",
            "\"content\":",
            "\"text\":",
            "\"thinking\":",
            "\"name\":",
            "\"input\":",
            "\"id\":",
            "\"tool_use_id\":",
            "\"is_error\":",
            "\"result\":",
            "\"errors\":[",
            "\"system\"",
            "\"assistant\"",
            "\"user\"",
            "\"result\"",
            "\"init\"",
            "\"permission_denied\"",
            "\"tool_use\"",
            "\"server_tool_use\"",
            "\"tool_result\"",
            "\"image\"",
            "\"success\"",
            "\"claude_code_version\":",
            "\"model\":",
            "\"cwd\":",
            "\"tools\":[",
            "\"tool_name\":",
            "\"duration_ms\":",
            "\"num_turns\":",
            "\"total_cost_usd\":"};
}

}  // namespace drydock::fuzz
