#include "stream/fields.hpp"

namespace drydock::stream {

std::vector<base::JsonView> with_fields(base::JsonView value) {
    std::vector<base::JsonView> result;
    for (const base::JsonView element : value.elements()) {
        if (has_fields(element)) result.push_back(element);
    }
    return result;
}

std::optional<std::string> string_of(base::JsonView value) {
    if (!value.is_string()) return std::nullopt;
    return std::string(value.string());
}

std::string value_text(base::JsonView value, Extent extent) {
    if (value.is_string()) return std::string(value.string());
    base::JsonLayout layout{2};
    if (extent == Extent::bounded) layout.enough = largest_text + 1;
    return value.text(layout);
}

void write_string_or_null(std::string& json, std::string_view key, base::JsonView value) {
    json += json.empty() ? "{\"" : ",\"";
    json += key;
    json += "\":";
    if (value.is_string()) {
        base::write_json_string(json, value.string());
    } else {
        json += "null";
    }
}

void Lines::add(std::string_view line) {
    if (any_) text_ += '\n';
    any_ = true;
    text_ += line;
}

}  // namespace drydock::stream
