#include "session/values.hpp"

#include <algorithm>
#include <cmath>

namespace drydock::session {

using base::JsonKind;
using base::JsonMember;
using base::JsonView;

bool is_safe_integer(double value) {
    return std::abs(value) <= largest_safe && std::trunc(value) == value;
}

bool is_safe_integer(JsonView value) {
    return value.is_number() && is_safe_integer(value.number());
}

bool is_count(JsonView value) {
    return is_safe_integer(value) && value.number() >= 0;
}

bool is_written_count(JsonView value) {
    return is_count(value) && !std::signbit(value.number());
}

bool is_filled_string(JsonView value) {
    return value.is_string() && !value.string().empty();
}

bool is_text(JsonView value, std::string_view text) {
    return value.is_string() && value.string() == text;
}

std::optional<std::string> text_of(JsonView value) {
    if (!value.is_string()) return std::nullopt;
    return std::string(value.string());
}

bool has_only_keys(JsonView object, std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional) {
    const auto has = [](std::initializer_list<std::string_view> keys, std::string_view key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    std::size_t found = 0;
    for (const JsonMember member : object.members()) {
        if (has(required, member.key)) {
            ++found;
        } else if (!has(optional, member.key)) {
            return false;
        }
    }
    return found == required.size();
}

bool is_same(JsonView a, JsonView b) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case JsonKind::undefined:
        case JsonKind::null:
            return true;
        case JsonKind::boolean:
            return a.is_true() == b.is_true();
        case JsonKind::number:
            return a.number() == b.number();
        case JsonKind::string:
            return a.string() == b.string();
        default:
            return false;
    }
}

}  // namespace drydock::session
