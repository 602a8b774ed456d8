#include "base/utf.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace drydock::base {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::size_t surrogate_size = 3;

unsigned char byte_at(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

bool continues(std::string_view bytes, std::size_t at) {
    return (byte_at(bytes, at) & 0xC0U) == 0x80U;
}

/// How many bytes from `at` on are ASCII, eight at a time.
std::size_t ascii_run(std::string_view bytes, std::size_t at) {
    const std::size_t begin = at;
    std::uint64_t word = 0;
    for (; at + sizeof word <= bytes.size(); at += sizeof word) {
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if ((word & 0x8080808080808080U) != 0) break;
    }
    while (at < bytes.size() && byte_at(bytes, at) < 0x80) ++at;
    return at - begin;
}

/// What begins at a byte that is not ASCII: a whole character, or the longest part of one.
struct Piece {
    std::size_t size;
    bool whole;
};

/// Table 3-7 of the Unicode standard: the second byte's range depends on the first.
Piece piece_at(std::string_view bytes, std::size_t at) {
    const unsigned char first = byte_at(bytes, at);
    std::size_t length = 0;
    if (first >= 0xC2 && first <= 0xDF) length = 2;
    if (first >= 0xE0 && first <= 0xEF) length = 3;
    if (first >= 0xF0 && first <= 0xF4) length = 4;
    if (length == 0) return {1, false};
    unsigned char lowest = 0x80;
    unsigned char highest = 0xBF;
    if (first == 0xE0) lowest = 0xA0;
    if (first == 0xED) highest = 0x9F;
    if (first == 0xF0) lowest = 0x90;
    if (first == 0xF4) highest = 0x8F;
    std::size_t size = 1;
    while (size < length && at + size < bytes.size()) {
        const unsigned char next = byte_at(bytes, at + size);
        if (next < lowest || next > highest) break;
        lowest = 0x80;
        highest = 0xBF;
        ++size;
    }
    return {size, size == length};
}

/// How long the UTF-8 from `at` on is.
std::size_t good_run(std::string_view bytes, std::size_t at) {
    const std::size_t begin = at;
    while (at < bytes.size()) {
        at += ascii_run(bytes, at);
        if (at == bytes.size()) break;
        const Piece piece = piece_at(bytes, at);
        if (!piece.whole) break;
        at += piece.size;
    }
    return at - begin;
}

bool is_surrogate(std::string_view text, std::size_t at) {
    return byte_at(text, at) == 0xED && at + 1 < text.size() && byte_at(text, at + 1) >= 0xA0;
}

/// The second byte of a high surrogate is below 0xB0, of a low one not.
bool ends_high(std::string_view text) {
    if (text.size() < surrogate_size) return false;
    const std::size_t at = text.size() - surrogate_size;
    return is_surrogate(text, at) && byte_at(text, at + 1) < 0xB0;
}

bool begins_low(std::string_view text) {
    return text.size() >= surrogate_size && is_surrogate(text, 0) && byte_at(text, 1) >= 0xB0;
}

/// The ten bits that a surrogate stands for.
std::uint32_t surrogate_bits(std::string_view text, std::size_t at) {
    return ((byte_at(text, at + 1) & 0x0FU) << 6U) | (byte_at(text, at + 2) & 0x3FU);
}

std::array<char, 4> four_bytes(std::uint32_t character) {
    const auto part = [character](unsigned shift, unsigned lead, unsigned mask) {
        return static_cast<char>(lead | ((character >> shift) & mask));
    };
    return {part(18, 0xF0, 0x07), part(12, 0x80, 0x3F), part(6, 0x80, 0x3F), part(0, 0x80, 0x3F)};
}

/// The high surrogate of the character whose four bytes begin at `at`.
std::array<char, surrogate_size> high_surrogate(std::string_view text, std::size_t at) {
    const std::uint32_t character = ((byte_at(text, at) & 0x07U) << 18U) |
                                    ((byte_at(text, at + 1) & 0x3FU) << 12U) |
                                    ((byte_at(text, at + 2) & 0x3FU) << 6U);
    const std::uint32_t bits = (character - 0x10000U) >> 10U;
    return {static_cast<char>(0xED), static_cast<char>(0xA0U | (bits >> 6U)),
            static_cast<char>(0x80U | (bits & 0x3FU))};
}

}  // namespace

std::string repair_utf8(std::string_view bytes) {
    std::string result;
    result.reserve(bytes.size());
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::size_t good = good_run(bytes, at);
        result += bytes.substr(at, good);
        at += good;
        if (at == bytes.size()) break;
        result += replacement;
        at += piece_at(bytes, at).size;
    }
    return result;
}

bool is_utf8(std::string_view bytes) {
    return good_run(bytes, 0) == bytes.size();
}

std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if ((byte & 0xC0U) != 0x80U) ++units;
        if (byte >= 0xF0) ++units;
    }
    return units;
}

std::string cut_utf16(std::string_view text, std::size_t units) {
    std::size_t at = 0;
    while (at < text.size() && units > 0) {
        const bool pair = byte_at(text, at) >= 0xF0;
        if (pair && units == 1 && at + 2 < text.size()) {
            std::string result(text.substr(0, at));
            const auto half = high_surrogate(text, at);
            return result.append(half.data(), half.size());
        }
        units -= pair && units > 1 ? 2 : 1;
        ++at;
        while (at < text.size() && continues(text, at)) ++at;
    }
    return std::string(text.substr(0, at));
}

void append_wtf8(std::string& target, std::string_view text) {
    if (text.starts_with('\xED') && begins_low(text) && ends_high(target)) {
        const std::size_t at = target.size() - surrogate_size;
        const auto bytes =
            four_bytes(0x10000U + (surrogate_bits(target, at) << 10U) + surrogate_bits(text, 0));
        target.resize(at);
        target.append(bytes.data(), bytes.size());
        text.remove_prefix(surrogate_size);
    }
    target += text;
}

std::string encode_utf8(std::string_view text) {
    std::string result(text);
    for (std::size_t at = result.find('\xED'); at != std::string::npos; at = result.find('\xED', at + 1)) {
        if (is_surrogate(result, at)) result.replace(at, surrogate_size, replacement);
    }
    return result;
}

std::size_t character_start(std::string_view utf8, std::size_t at) {
    while (at > 0 && at < utf8.size() && continues(utf8, at)) --at;
    return at;
}

}  // namespace drydock::base
