#include "manifest/characters.hpp"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace drydock::manifest {

namespace {

/// How many bytes the well-formed UTF-8 sequence at `at` has (Unicode, table 3-7), 0 when it is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t index) {
        return at + index < text.size() ? static_cast<std::uint8_t>(text[at + index]) : std::uint8_t{0};
    };
    const std::uint8_t first = byte(0);
    std::size_t length = 0;
    std::uint8_t lowest = 0x80;
    std::uint8_t highest = 0xBF;
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        if (first == 0xE0) lowest = 0xA0;
        if (first == 0xED) highest = 0x9F;
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        if (first == 0xF0) lowest = 0x90;
        if (first == 0xF4) highest = 0x8F;
    } else {
        return 0;
    }
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (std::size_t index = 2; index < length; ++index) {
        if (byte(index) < 0x80 || byte(index) > 0xBF) return 0;
    }
    return length;
}

bool is_control(std::string_view text, std::size_t at) {
    const auto byte = static_cast<std::uint8_t>(text[at]);
    if (byte == '\t' || byte == '\n') return false;
    if (byte == '\r') return at + 1 == text.size() || text[at + 1] != '\n';
    return byte < 0x20 || byte == 0x7F;
}

/// U+0080 to U+009F, which terminals obey like escape sequences.
bool is_c1_control(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]) == 0xC2 && static_cast<std::uint8_t>(text[at + 1]) < 0xA0;
}

/// U+2028 and U+2029, at which YAML 1.1 ends a line and editors do not.
bool is_line_separator(std::string_view text, std::size_t at) {
    return text.substr(at, 2) == "\xE2\x80" && (static_cast<std::uint8_t>(text[at + 2]) & 0xFEU) == 0xA8U;
}

/// Whether the next eight bytes are all ASCII from blank to tilde.
bool is_plain(const char* bytes) {
    constexpr std::uint64_t each = 0x0101010101010101U;
    constexpr std::uint64_t top = each * 0x80U;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    // Neither a top bit, nor one that appears where less than 0x20 is taken from, or more than 0x7E added to.
    return ((word | (word + each) | ~((word | top) - each * 0x20U)) & top) == 0;
}

}  // namespace

std::optional<BadCharacter> find_bad_character(std::string_view text) {
    std::size_t at = 0;
    while (true) {
        while (at + sizeof(std::uint64_t) <= text.size() && is_plain(text.data() + at))
            at += sizeof(std::uint64_t);
        if (at >= text.size()) break;
        const std::size_t length = sequence_length(text, at);
        if (length == 0) {
            return BadCharacter{
                at, fmt::format("invalid UTF-8 (byte 0x{:02x})", static_cast<std::uint8_t>(text[at]))};
        }
        if (length == 1 && is_control(text, at)) {
            return BadCharacter{at,
                                fmt::format("control byte 0x{:02x}", static_cast<std::uint8_t>(text[at]))};
        }
        if (length == 2 && is_c1_control(text, at)) {
            return BadCharacter{
                at, fmt::format("control character U+{:04X}", static_cast<std::uint8_t>(text[at + 1]))};
        }
        if (length == 3 && is_line_separator(text, at)) {
            return BadCharacter{
                at, text[at + 2] == '\xA8' ? "line separator U+2028" : "paragraph separator U+2029"};
        }
        at += length;
    }
    return std::nullopt;
}

}  // namespace drydock::manifest
