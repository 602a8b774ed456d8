#include <initializer_list>

#include <fmt/format.h>

#include "stream/cases.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using Words = std::initializer_list<std::string_view>;

/// Cases as JSON text, from one sequence of numbers.
class Generator {
  public:
    explicit Generator(std::uint64_t state) : state_(state) {}

    std::string item_case() {
        const bool edge = chance(5);
        return item(edge ? text_at_edge() : short_text());
    }

    std::string sink_case() {
        std::string text = fmt::format(R"({{"childId":{},"provider":{},"append":{})", string(), string(),
                                       chance(95) ? "true" : "false");
        if (chance(95)) text += fmt::format(R"(,"level":{})", level());
        if (chance(40)) text += fmt::format(R"(,"fails":{{"at":{},{}}})", below(6), thrown());
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
            return fmt::format(R"({{"kind":"{}","text":{}}})", chance(70) ? "assistant" : "thought",
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

    /// splitmix64
    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
        return mixed ^ (mixed >> 31U);
    }

    std::size_t below(std::size_t end) { return next() % end; }
    bool chance(unsigned percent) { return below(100) < percent; }
    std::string_view pick(Words words) { return words.begin()[below(words.size())]; }
    std::string word(Words words) { return fmt::format("\"{}\"", pick(words)); }

    /// What stands in a string, escapes among it.
    std::string_view piece() {
        return pick({"a", "b c", "\\n", "\\\"", "é", "€", "😀", "\\ud83d", "\\ude00", "\\ud83d\\ude00",
                     "\\u0000", "\xEF\xBB\xBF", "\\u2028", "/", "\\\\", "0"});
    }

    std::string string() {
        std::string text = "\"";
        for (std::size_t left = chance(97) ? below(5) : below(200); left > 0; --left) text += piece();
        return text + '"';
    }

    std::string number() {
        return std::string(pick({"0", "-0", "1", "42", "-1.5", "0.1", "1e21", "1e-7", "1e400", "-1e400",
                                 "9007199254740993", "123456.789"}));
    }

    std::string word_or_bool() { return std::string(pick({"true", "false", "null", "1", "\"true\""})); }

    std::string level() {
        return std::string(pick({"1", "1", "1", "1", "2", "1.5", "0", "0.9", "-1", "\"1\"", "null", "true"}));
    }

    std::string thrown() {
        return fmt::format(R"("with":{},"raw":{})", chance(80) ? string() : number(),
                           chance(30) ? "true" : "false");
    }

    template <class Element>
    std::string list(std::size_t end, Element element) {
        std::string text = "[";
        for (std::size_t left = below(end + 1); left > 0; --left) {
            if (text.size() > 1) text += ',';
            text += element();
        }
        return text + ']';
    }

    std::string value(unsigned depth) {
        switch (below(depth == 0 ? 5 : 8)) {
            case 0:
                return number();
            case 1:
                return word_or_bool();
            case 2:
                return "null";
            case 3:
            case 4:
                return string();
            case 5:
                return list(4, [&] { return value(depth - 1); });
            case 6:
                if (chance(3)) return nested(below(200));
                [[fallthrough]];
            default:
                return keyed(depth - 1);
        }
    }

    std::string keyed(unsigned depth) {
        std::string text = "{";
        for (std::size_t left = below(5); left > 0; --left) {
            if (text.size() > 1) text += ',';
            text += word({"a", "b", "2", "10", "__proto__", "toJSON", "type", "text", "entries", ""}) + ':' +
                    value(depth);
        }
        return text + '}';
    }

    std::string nested(std::size_t depth) {
        return std::string(depth, '[') + number() + std::string(depth, ']');
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
        return fmt::format(R"([["{}",{}],["{}",{}],["{}",{}]])", piece(), below(3), unit, size / width,
                           piece(), below(4));
    }

    std::string short_text() { return chance(90) ? string() : repeated(below(400)); }
    std::string text_at_edge() { return repeated(largest_text - 40 + below(60)); }
    std::string label() {
        return chance(85) ? string() : repeated(largest_label * (1 + below(4)) - 6 + below(10));
    }

    std::string fragment_text() {
        if (chance(85)) return string();
        return repeated(chance(50) ? below(700) : coalesce_units * (1 + below(3)) - 6 + below(10));
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

    std::uint64_t state_;
};

}  // namespace

std::string generate_case(Function function, std::uint64_t seed, std::uint64_t number) {
    static constexpr std::uint64_t apart = 0xD1B54A32D192ED03U;
    Generator generator((seed * all_functions.size() + static_cast<std::uint64_t>(function)) * apart ^
                        (number * 0xA0761D6478BD642FU));
    switch (function) {
        case Function::bounds:
            return generator.item_case();
        case Function::sink:
            return generator.sink_case();
        case Function::coalescer:
            return generator.coalescer_case();
        case Function::claude:
            return generator.claude_case();
        case Function::acp:
            return generator.acp_case();
    }
    return {};
}

}  // namespace drydock::stream
