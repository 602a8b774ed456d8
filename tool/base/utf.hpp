#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Strings as JavaScript has them, a sequence of UTF-16 units, kept as WTF-8: UTF-8 in which a surrogate that
/// has no partner is written as three bytes, and a pair always as the four bytes of its character. So two
/// strings are equal when their bytes are.
namespace drydock::base {

/// Bytes as node decodes UTF-8 (`buffer.toString('utf8')`): each maximal part that begins a character and
/// does not end one, and each other byte that is none, is one U+FFFD. A byte-order mark is kept.
std::string repair_utf8(std::string_view bytes);

/// Whether `repair_utf8` would give the same bytes.
bool is_utf8(std::string_view bytes);

/// How many UTF-16 units a WTF-8 text has: `text.length`.
std::size_t utf16_length(std::string_view text);

/// The first `units` UTF-16 units, which may split a pair: `text.slice(0, units)`.
std::string cut_utf16(std::string_view text, std::size_t units);

/// `target += text`: a surrogate at the end of the one and its partner at the beginning of the other become a
/// character.
void append_wtf8(std::string& target, std::string_view text);

/// UTF-8, with a lone surrogate as U+FFFD, as TextEncoder makes it; as many bytes as the WTF-8 had.
std::string encode_utf8(std::string_view text);

/// The last place at or before byte `at` where a character begins. `at` lies within the text.
std::size_t character_start(std::string_view utf8, std::size_t at);

}  // namespace drydock::base
