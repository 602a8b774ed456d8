#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "stream/stream.hpp"

/// How both mappers read a message's fields.
namespace drydock::stream {

/// Objects and arrays: what has fields, though an array has none that is looked for.
inline bool has_fields(base::JsonView value) {
    return value.is_object() || value.is_array();
}

/// The elements of an array that have fields; none of anything else.
std::vector<base::JsonView> with_fields(base::JsonView value);

std::optional<std::string> string_of(base::JsonView value);

inline std::string string_or(base::JsonView value, std::string_view fallback) {
    return std::string(value.is_string() ? value.string() : fallback);
}

/// A tool's input or output as a person reads it: a string as it is, other JSON with an indent of two spaces,
/// nothing for undefined.
std::string value_text(base::JsonView value, Extent extent);

/// `,"key":` and a string, or null where the value is none.
void write_string_or_null(std::string& json, std::string_view key, base::JsonView value);

/// Lines below one another.
class Lines {
  public:
    void add(std::string_view line);
    [[nodiscard]] std::string text() && { return std::move(text_); }

  private:
    bool any_{false};
    std::string text_;
};

}  // namespace drydock::stream
