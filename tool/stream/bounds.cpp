#include "base/utf.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

/// Whether the text was cut. WTF-8 has as many bytes as UTF-8 with U+FFFD for each lone surrogate.
bool bound_text(std::string& text) {
    if (text.size() <= largest_text) return false;
    const std::size_t end = base::character_start(text, largest_text - truncation_marker.size());
    text = base::encode_utf8(std::string_view(text).substr(0, end));
    text += truncation_marker;
    return true;
}

void bound_label(std::optional<std::string>& label) {
    // A text has at most as many units as bytes.
    if (label && label->size() > largest_label) label = base::cut_utf16(*label, largest_label);
}

}  // namespace

BoundedItem bound_item(Item item) {
    bool truncated = item.text && bound_text(*item.text);
    bound_label(item.name);
    bound_label(item.call_id);
    if (item.meta && item.meta->size() > largest_meta) {
        item.meta.reset();
        truncated = true;
    }
    return {std::move(item), truncated};
}

}  // namespace drydock::stream
