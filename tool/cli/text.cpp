#include "cli/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace drydock::cli {
namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// What a terminal takes for control, or what makes a text look like another one: C1, soft hyphen,
// bidirectional marks, line and paragraph separators, zero width characters, tags.
constexpr std::array hidden = {
    Range{0x80, 0x9f},     Range{0xad, 0xad},     Range{0x61c, 0x61c},
    Range{0x200b, 0x200f}, Range{0x2028, 0x202e}, Range{0x2060, 0x206f},
    Range{0xfeff, 0xfeff}, Range{0xfff9, 0xfffb}, Range{0xe0000, 0xe007f},
};

constexpr std::array combining = {
    Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},   Range{0x610, 0x61a},
    Range{0x64b, 0x65f},   Range{0x900, 0x902},   Range{0x93c, 0x93c},   Range{0xe31, 0xe31},
    Range{0xe34, 0xe3a},   Range{0xe47, 0xe4e},   Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff},
    Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0xe0100, 0xe01ef},
};

constexpr std::array wide = {
    Range{0x1100, 0x115f},   Range{0x231a, 0x231b},   Range{0x23e9, 0x23ec},   Range{0x2614, 0x2615},
    Range{0x26a1, 0x26a1},   Range{0x2705, 0x2705},   Range{0x274c, 0x274c},   Range{0x2753, 0x2755},
    Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},   Range{0x3400, 0x4dbf},   Range{0x4e00, 0x9fff},
    Range{0xa000, 0xa4cf},   Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},
    Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},   Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff},
    Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd},
};

template <std::size_t Size>
bool in(const std::array<Range, Size>& ranges, char32_t character) {
    return std::any_of(ranges.begin(), ranges.end(), [character](const Range& range) {
        return range.first <= character && character <= range.last;
    });
}

struct Character {
    char32_t value{0};
    std::size_t size{0};
};

/// The UTF-8 character at the beginning of a text that is not empty; nothing for overlong forms, surrogates
/// and what is beyond Unicode.
std::optional<Character> first_character(std::string_view text) {
    const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return Character{lead, 1};
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return std::nullopt;
    char32_t value = lead & (0xffU >> (size + 1));
    for (std::size_t at = 1; at < size; ++at) {
        if ((byte(at) & 0xc0U) != 0x80U) return std::nullopt;
        value = (value << 6U) | (byte(at) & 0x3fU);
    }
    static constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < smallest[size] || surrogate || value > 0x10ffff) return std::nullopt;
    return Character{value, size};
}

std::size_t columns_of(char32_t character) {
    static constexpr char32_t first_uncommon = 0x300;
    if (character < first_uncommon) return 1;
    if (in(combining, character)) return 0;
    return in(wide, character) ? 2 : 1;
}

void append_hexadecimal(std::string& text, std::string_view before, unsigned value) {
    fmt::format_to(std::back_inserter(text), "{}{:02x}", before, value);
}

}  // namespace

std::string printable(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::optional<Character> character = first_character(bytes);
        const std::size_t size = character ? character->size : 1;
        if (!character || character->value == 0x7f) {
            append_hexadecimal(text, "\\x", static_cast<std::uint8_t>(bytes[0]));
        } else if (character->value == '\n') {
            text += "\\n";
        } else if (character->value == '\t') {
            text += "\\t";
        } else if (character->value < 0x20) {
            append_hexadecimal(text, "\\x", character->value);
        } else if (character->value >= 0x80 && in(hidden, character->value)) {
            append_hexadecimal(text, "\\u{", character->value);
            text += '}';
        } else {
            text += bytes.substr(0, size);
        }
        bytes.remove_prefix(size);
    }
    return text;
}

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const std::optional<Character> character = first_character(text);
        width += character ? columns_of(character->value) : 1;
        text.remove_prefix(character ? character->size : 1);
    }
    return width;
}

std::string padded(std::string_view text, std::size_t width) {
    const std::size_t used = display_width(text);
    return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t first_indent, std::size_t indent) {
    static constexpr std::string_view blanks = " \t\r\n";
    std::string lines;
    std::size_t column = first_indent;
    bool line_has_words = false;
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        const std::string word = printable(text.substr(at, end - at));
        const std::size_t word_width = display_width(word);
        if (line_has_words && column + 1 + word_width > width) {
            lines += '\n';
            lines.append(indent, ' ');
            column = indent;
            line_has_words = false;
        }
        if (line_has_words) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += word_width;
        line_has_words = true;
        at = text.find_first_not_of(blanks, end);
    }
    return lines;
}

std::string_view unscoped(std::string_view package) {
    const std::size_t slash = package.find('/');
    return package.starts_with('@') && slash != std::string_view::npos ? package.substr(slash + 1) : package;
}

std::string hunk_text(std::size_t hunk, std::size_t line, std::ptrdiff_t offset) {
    std::string text = fmt::format("hunk {} at line {}", hunk, line);
    if (offset == 0) return text;
    const auto distance = static_cast<std::size_t>(offset < 0 ? -offset : offset);
    return text +
           fmt::format(" ({} {})", counted(distance, "line", "lines"), offset < 0 ? "earlier" : "later");
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
    return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace drydock::cli
