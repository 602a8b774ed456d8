#include <utility>

#include <fmt/format.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

constexpr double required_level = 1;

void write_data(std::string& data, std::string_view child_id, std::string_view provider, std::size_t index,
                const BoundedItem& bounded) {
    data = R"({"childId":)";
    base::write_json_string(data, child_id);
    data += R"(,"provider":)";
    base::write_json_string(data, provider);
    data += R"(,"index":)";
    data += fmt::format_int(index).c_str();
    data += R"(,"item":)";
    write_item(data, bounded.item);
    data += bounded.truncated ? R"(,"truncated":true})" : "}";
}

}  // namespace

Sink::Sink(Log& log, std::string child_id, std::string provider,
           std::function<void(const base::Error&)> on_error)
    : log_(log),
      child_id_(std::move(child_id)),
      provider_(std::move(provider)),
      on_error_(std::move(on_error)) {}

void Sink::push(Item item) {
    if (!recording_) return;
    const std::optional<double> level = log_.ignorable_level();
    if (!level || *level < required_level) {
        base::Error error;
        error.message = "the parent session cannot mark events as ignorable";
        return stop(error);
    }
    write_data(data_, child_id_, provider_, index_, bound_item(std::move(item)));
    const base::Result<void> appended = log_.append_ignorable(event_type, data_);
    if (!appended) return stop(appended.error());
    ++index_;
}

void Sink::stop(const base::Error& reason) {
    if (!std::exchange(recording_, false)) return;
    on_error_(reason);
}

}  // namespace drydock::stream
