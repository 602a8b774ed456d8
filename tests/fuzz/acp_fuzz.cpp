// Any lines as updates of ACP: their items hold the bounds, and what is recorded of them, joined, opens.

#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/stream_checks.hpp"

namespace drydock::fuzz {

void try_one(std::string_view input) {
    std::vector<stream::Item> items;
    each_message(input, [&items](base::JsonView update) {
        const std::optional<stream::Item> whole = stream::map_acp_update(update);
        const std::optional<stream::Item> bounded = stream::map_acp_update(update, stream::Extent::bounded);
        require(whole.has_value() == bounded.has_value(), "the bounds change whether there is an item");
        if (!whole) return;
        check_item(*whole);
        check_extents(*whole, *bounded);
        items.push_back(*whole);
    });
    check_recording(stream::Source::acp, input, items);
}

std::uint64_t fixed_inputs() {
    return edge_messages;
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    return make_messages(stream::Source::acp, seed, number);
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
            "\"sessionUpdate\":",
            "\"agent_message_chunk\"",
            "\"agent_thought_chunk\"",
            "\"user_message_chunk\"",
            "\"tool_call\"",
            "\"tool_call_update\"",
            "\"plan\"",
            "\"plan_update\"",
            "\"content\":",
            "\"type\":",
            "\"text\"",
            "\"text\":",
            "\"diff\"",
            "\"terminal\"",
            "\"path\":",
            "\"oldText\":",
            "\"newText\":",
            "\"terminalId\":",
            "\"title\":",
            "\"toolCallId\":",
            "\"rawInput\":",
            "\"rawOutput\":",
            "\"status\":",
            "\"completed\"",
            "\"failed\"",
            "\"kind\":",
            "\"entries\":["};
}

}  // namespace drydock::fuzz
