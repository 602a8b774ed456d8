#include "stream/generator.hpp"

#include <fmt/format.h>

namespace drydock::stream {

Generator::Generator(std::uint64_t seed, std::uint64_t kind, std::uint64_t number) {
    static constexpr std::uint64_t apart = 0xD1B54A32D192ED03U;
    static constexpr std::uint64_t kinds = 16;  // more than there are
    state_ = (seed * kinds + kind) * apart ^ (number * 0xA0761D6478BD642FU);
}

/// splitmix64
std::uint64_t Generator::next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
}

std::string Generator::word(Words words) {
    return fmt::format("\"{}\"", pick(words));
}

std::string_view Generator::piece() {
    return pick({"a", "b c", "\\n", "\\\"", "é", "€", "😀", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\u0000",
                 "\xEF\xBB\xBF", "\\u2028", "/", "\\\\", "0"});
}

std::string Generator::string() {
    std::string text = "\"";
    for (std::size_t left = chance(97) ? below(5) : below(200); left > 0; --left) text += piece();
    return text + '"';
}

std::string Generator::number() {
    return std::string(pick({"0", "-0", "1", "42", "-1.5", "0.1", "1e21", "1e-7", "1e400", "-1e400",
                             "9007199254740993", "123456.789"}));
}

std::string Generator::word_or_bool() {
    return std::string(pick({"true", "false", "null", "1", "\"true\""}));
}

std::string Generator::value(unsigned depth) {
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

std::string Generator::keyed(unsigned depth) {
    std::string text = "{";
    for (std::size_t left = below(5); left > 0; --left) {
        if (text.size() > 1) text += ',';
        text += word({"a", "b", "2", "10", "__proto__", "toJSON", "type", "text", "entries", ""});
        text += ':';
        text += value(depth);
    }
    return text + '}';
}

std::string Generator::nested(std::size_t depth) {
    return std::string(depth, '[') + number() + std::string(depth, ']');
}

}  // namespace drydock::stream
