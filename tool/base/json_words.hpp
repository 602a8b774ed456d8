#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// What json*.cpp share: how a document's words are laid out, and the search for what a string cannot hold.
namespace drydock::base::json {

/// Word by word:
/// - null, yes, no: itself;
/// - number: itself; the double's bits;
/// - string: the place in strings_;
/// - array, object: where it ends; how many elements or keys; then these, a key as a string before its value;
/// - ordered: as an object, but with the place in orders_ instead of the number of keys.
enum class Tag : std::uint8_t { null, yes, no, number, string, array, object, ordered };

constexpr unsigned tag_shift = 56;
constexpr std::uint64_t payload_mask = (std::uint64_t{1} << tag_shift) - 1;
constexpr std::size_t container_words = 2;
constexpr std::uint64_t every_byte = 0x0101010101010101U;
constexpr std::uint64_t top_bits = 0x8080808080808080U;

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

constexpr std::uint64_t word_of(Tag tag, std::size_t payload = 0) {
    return (static_cast<std::uint64_t>(tag) << tag_shift) | payload;
}

constexpr Tag tag_of(std::uint64_t word) {
    return static_cast<Tag>(word >> tag_shift);
}

constexpr std::size_t payload_of(std::uint64_t word) {
    return word & payload_mask;
}

/// A word's bytes that are zero, by their top bits; above the lowest one there may be false ones.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
    return (word - every_byte) & ~word & top_bits;
}

/// The same for bytes below 0x20, quotes and backslashes: those that a string cannot hold as they are.
constexpr std::uint64_t special_bytes(std::uint64_t word) {
    return ((word - every_byte * 0x20U) & ~word & top_bits) | zero_bytes(word ^ (every_byte * '"')) |
           zero_bytes(word ^ (every_byte * '\\'));
}

inline bool is_special(char each) {
    return static_cast<unsigned char>(each) < 0x20 || each == '"' || each == '\\';
}

}  // namespace drydock::base::json
