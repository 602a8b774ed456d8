#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

/// Questions that the loader's JavaScript asks of a value.
namespace drydock::session {

inline constexpr double largest_safe = 9007199254740991;  ///< 2^53 - 1

/// Number.isSafeInteger; true for -0.
bool is_safe_integer(base::JsonView value);
bool is_safe_integer(double value);

/// The same, and not below 0.
bool is_count(base::JsonView value);

/// A count that is not -0.
bool is_written_count(base::JsonView value);

/// A string with at least one character.
bool is_filled_string(base::JsonView value);

/// Exactly this string.
bool is_text(base::JsonView value, std::string_view text);

/// The string; nothing for any other kind.
std::optional<std::string> text_of(base::JsonView value);

/// Whether every key is one of `required` and `optional`, and all of `required` are there.
bool has_only_keys(base::JsonView object, std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional = {});

/// `===`. Containers are equal to nothing, since no two of one text are the same object.
bool is_same(base::JsonView a, base::JsonView b);

}  // namespace drydock::session
