#include <fmt/format.h>

#include "stream/cases.hpp"
#include "stream/edge_cases.hpp"
#include "stream/generator.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

/// Cases as JSON text. Where a call has two random parts, they are made in order before it.
class CaseMaker : private Generator {
  public:
    using Generator::Generator;

    std::string item_case() {
        const bool edge = chance(5);
        return item(edge ? text_at_edge() : short_text());
    }

    std::string sink_case() {
        const std::string child = string();
        const std::string provider = string();
        std::string text = fmt::format(R"({{"childId":{},"provider":{},"append":{})", child, provider,
                                       chance(95) ? "true" : "false");
        if (chance(95)) text += fmt::format(R"(,"level":{})", level());
        if (chance(40)) {
            const std::size_t at = below(6);
            text += fmt::format(R"(,"fails":{{"at":{},{}}})", at, thrown());
        }
        text += R"(,"steps":)" + list(8, [this] {
                    if (chance(10)) return fmt::format(R"({{"stop":{{{}}}}})", thrown());
                    return fmt::format(R"({{"push":{}}})", item(chance(2) ? text_at_edge() : short_text()));
                });
        return text + "}";
    }

    std::string coalescer_case() {
        return list(14, [this]() -> std::string {
            if (chance(10)) return "\"flush\"";
            if (chance(20)) return item(fragment_text());
            const bool assistant = chance(70);
            return fmt::format(R"({{"kind":"{}","text":{}}})", assistant ? "assistant" : "thought",
                               fragment_text());
        });
    }

    std::string claude_case() {
        switch (below(12)) {
            case 0:
                return value(3);
            case 1:
            case 2:
                return object({{"type", word({"system"})},
                               {"subtype", word({"init", "permission_denied", "status"})},
                               {"model", string()},
                               {"claude_code_version", string()},
                               {"cwd", string()},
                               {"tools", list(4, [this] { return string(); })},
                               {"message", string()},
                               {"tool_name", string()},
                               {"tool_use_id", string()}});
            case 3:
            case 4:
                return object({{"type", word({"result"})},
                               {"subtype", word({"success", "success", "error_max_turns", "unknown", ""})},
                               {"result", string()},
                               {"is_error", word_or_bool()},
                               {"errors", list(4, [this] { return chance(80) ? string() : value(1); })},
                               {"duration_ms", number()},
                               {"num_turns", number()},
                               {"total_cost_usd", number()}});
            case 5:
            case 6:
            case 7:
                return object(
                    {{"type", word({"user"})}, {"message", message([this] { return tool_result(); })}});
            default:
                return object(
                    {{"type", word({"assistant"})}, {"message", message([this] { return block(); })}});
        }
    }

    std::string acp_case() {
        if (chance(5)) return value(3);
        const std::string type = word({"agent_message_chunk", "agent_thought_chunk", "user_message_chunk",
                                       "tool_call", "tool_call", "tool_call_update", "tool_call_update",
                                       "tool_call_update", "plan", "plan_update", "usage_update"});
        return object({{"sessionUpdate", type},
                       {"content", chance(50) ? content_block() : list(4, [this] { return tool_content(); })},
                       {"toolCallId", chance(80) ? string() : value(1)},
                       {"title", string()},
                       {"status", word({"pending", "in_progress", "completed", "failed", "failed"})},
                       {"kind", word({"read", "execute"})},
                       {"rawInput", value(3)},
                       {"rawOutput", value(3)},
                       {"entries", entries()},
                       {"plan", chance(70) ? object({{"entries", entries()}}) : value(1)}});
    }

  private:
    struct Field {
        std::string_view key;
        std::string value;
    };

    std::string level() {
        return std::string(pick({"1", "1", "1", "1", "2", "1.5", "0", "0.9", "-1", "\"1\"", "null", "true"}));
    }

    std::string thrown() {
        const std::string with = chance(80) ? string() : number();
        return fmt::format(R"("with":{},"raw":{})", with, chance(30) ? "true" : "false");
    }

    /// Without it there is nothing to map.
    static bool is_telling(std::string_view key) {
        return key == "type" || key == "message" || key == "content" || key == "sessionUpdate";
    }

    /// An object with most of the fields, some of another type, in any order, one perhaps twice.
    std::string object(std::vector<Field> fields) {
        std::string text = "{";
        for (std::size_t left = fields.size() + (chance(10) ? 1 : 0); left > 0; --left) {
            const std::size_t end = std::min(left, fields.size());
            Field& field = fields[below(end)];
            const bool telling = is_telling(field.key);
            if (!chance(telling ? 2 : 12)) {
                if (text.size() > 1) text += ',';
                text += fmt::format("\"{}\":{}", field.key, chance(telling ? 2 : 8) ? value(2) : field.value);
            }
            std::swap(field, fields[end - 1]);
        }
        return text + '}';
    }

    /// A repeated piece whose bytes or units come near a bound, with something odd around it.
    std::string repeated(std::size_t size) {
        const std::string_view unit = pick({"a", "é", "€", "😀", "\\ud83d", "ab€"});
        const std::size_t width = unit[0] == '\\' ? 3 : unit.size();
        const std::string_view before = piece();
        const std::size_t so_often = below(3);
        const std::string_view behind = piece();
        return fmt::format(R"([["{}",{}],["{}",{}],["{}",{}]])", before, so_often, unit, size / width, behind,
                           below(4));
    }

    std::string short_text() { return chance(90) ? string() : repeated(below(400)); }
    std::string text_at_edge() { return repeated(largest_text - 40 + below(60)); }
    std::string label() {
        if (chance(85)) return string();
        const std::size_t bound = largest_label * (1 + below(4));
        return repeated(bound - 6 + below(10));
    }

    std::string fragment_text() {
        if (chance(85)) return string();
        if (chance(50)) return repeated(below(700));
        const std::size_t bound = coalesce_units * (1 + below(3));
        return repeated(bound - 6 + below(10));
    }

    std::string meta() {
        if (chance(80)) return keyed(2);
        const std::string_view unit = pick({"a", "é", "\\ud83d", "\\n", "😀"});
        std::string text = fmt::format(R"({{"k{}":")", below(1000));
        const std::size_t end = largest_meta - 30 + below(40);
        while (text.size() < end) text += unit;
        return text + "\"}";
    }

    std::string item(const std::string& text_of_item) {
        std::string text = fmt::format(R"({{"kind":"{}")", kind_name(static_cast<Kind>(below(8))));
        if (chance(85)) text += R"(,"text":)" + text_of_item;
        if (chance(30)) text += R"(,"name":)" + label();
        if (chance(30)) text += R"(,"callId":)" + label();
        if (chance(30)) text += fmt::format(R"(,"isError":{})", chance(50) ? "true" : "false");
        if (chance(30)) text += R"(,"meta":)" + meta();
        return text + '}';
    }

    template <class Block>
    std::string message(Block make_block) {
        return object(
            {{"role", string()}, {"content", list(4, [&] { return chance(92) ? make_block() : value(2); })}});
    }

    std::string content_block() {
        return object(
            {{"type", word({"text", "text", "text", "image"})}, {"text", string()}, {"data", string()}});
    }

    std::string block() {
        return object(
            {{"type", word({"text", "thinking", "tool_use", "server_tool_use", "redacted_thinking"})},
             {"text", string()},
             {"thinking", string()},
             {"name", string()},
             {"id", string()},
             {"input", value(3)}});
    }

    std::string tool_result() {
        return object({{"type", word({"tool_result", "tool_result", "tool_result", "text"})},
                       {"tool_use_id", string()},
                       {"is_error", word_or_bool()},
                       {"content", chance(30) ? string() : list(4, [this] {
                            return chance(90) ? content_block() : value(2);
                        })}});
    }

    std::string tool_content() {
        if (chance(8)) return value(2);
        return object({{"type", word({"content", "diff", "terminal", "other"})},
                       {"content", content_block()},
                       {"path", string()},
                       {"oldText", string()},
                       {"newText", string()},
                       {"terminalId", chance(70) ? string() : value(1)}});
    }

    std::string entries() {
        return list(4, [this] {
            return chance(90) ? object({{"content", string()}, {"status", word({"pending", "completed"})}})
                              : value(1);
        });
    }
};

}  // namespace

std::uint64_t fixed_cases(Function function) {
    return edge_cases(function).size();
}

std::string make_case(Function function, std::uint64_t seed, std::uint64_t number) {
    const std::vector<std::string>& edges = edge_cases(function);
    if (number < edges.size()) return edges[number];
    CaseMaker maker(seed, static_cast<std::uint64_t>(function), number - edges.size());
    switch (function) {
        case Function::bounds:
            return maker.item_case();
        case Function::sink:
            return maker.sink_case();
        case Function::coalescer:
            return maker.coalescer_case();
        case Function::claude:
            return maker.claude_case();
        case Function::acp:
            return maker.acp_case();
    }
    return {};
}

}  // namespace drydock::stream
