#include <algorithm>
#include <array>
#include <tuple>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

constexpr std::array<std::string_view, 8> kind_names = {"system",      "assistant", "thought", "tool-call",
                                                        "tool-result", "result",    "plan",    "other"};

void write_text_field(std::string& target, std::string_view key, const std::optional<std::string>& text) {
    if (!text) return;
    target += key;
    base::write_json_string(target, *text);
}

}  // namespace

std::string_view kind_name(Kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_of(std::string_view name) {
    const auto* const found = std::find(kind_names.begin(), kind_names.end(), name);
    if (found == kind_names.end()) return std::nullopt;
    return static_cast<Kind>(found - kind_names.begin());
}

bool operator==(const Item& a, const Item& b) {
    return std::tie(a.kind, a.text, a.name, a.call_id, a.is_error, a.meta) ==
           std::tie(b.kind, b.text, b.name, b.call_id, b.is_error, b.meta);
}

void write_item(std::string& target, const Item& item) {
    target += R"({"kind":")";
    target += kind_name(item.kind);
    target += '"';
    write_text_field(target, R"(,"text":)", item.text);
    write_text_field(target, R"(,"name":)", item.name);
    write_text_field(target, R"(,"callId":)", item.call_id);
    if (item.is_error) target += *item.is_error ? R"(,"isError":true)" : R"(,"isError":false)";
    if (item.meta) (target += R"(,"meta":)") += *item.meta;
    target += '}';
}

}  // namespace drydock::stream
