#include <utility>

#include "base/utf.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

bool is_fragment(const Item& item) {
    const bool streams = item.kind == Kind::assistant || item.kind == Kind::thought;
    return streams && item.text && !item.name && !item.call_id && !item.is_error && !item.meta;
}

}  // namespace

void Coalescer::push(Item item) {
    if (!is_fragment(item)) {
        flush();
        emit_(std::move(item));
        return;
    }
    if (pending_ && pending_->kind != item.kind) flush();
    pending_units_ += base::utf16_length(*item.text);
    if (pending_) {
        base::append_wtf8(*pending_->text, *item.text);
    } else {
        pending_ = std::move(item);
    }
    if (pending_units_ >= coalesce_units) flush();
}

void Coalescer::flush() {
    if (!pending_) return;
    pending_units_ = 0;
    emit_(*std::exchange(pending_, std::nullopt));
}

}  // namespace drydock::stream
