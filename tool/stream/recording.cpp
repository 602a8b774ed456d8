#include <utility>

#include "stream/stream.hpp"

namespace drydock::stream {

Recording::Recording(Source source, Sink& sink)
    : source_(source), sink_(sink), coalescer_([&sink](Item item) { sink.push(std::move(item)); }) {}

void Recording::record(base::JsonView message) {
    if (!open_) return;
    if (source_ == Source::claude_code) {
        for (Item& item : map_claude_message(message, Extent::bounded)) sink_.push(std::move(item));
    } else if (std::optional<Item> item = map_acp_update(message, Extent::bounded)) {
        coalescer_.push(*std::move(item));
    }
}

void Recording::close() {
    open_ = false;
    coalescer_.flush();
}

}  // namespace drydock::stream
