#include "session/review.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/values.hpp"
#include "stream/stream.hpp"

namespace drydock::session {
namespace {

using base::JsonMember;
using base::JsonView;

constexpr std::array<std::string_view, 5> data_keys = {"childId", "provider", "index", "item", "truncated"};
constexpr std::array<std::string_view, 6> item_keys = {"kind", "text", "name", "callId", "isError", "meta"};

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& keys, std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

// ---- AnswerText

void AnswerText::begin(JsonView data) {
    const double turn = data["turn"].number();
    const double step = data["step"].number();
    if (!finished_ && turn == turn_ && step == step_) return;
    blocks_.clear();
    finished_ = false;
    turn_ = turn;
    step_ = step;
}

AnswerText::Block& AnswerText::block(double index, bool is_text) {
    const auto known = std::find_if(blocks_.begin(), blocks_.end(),
                                    [index](const Block& each) { return each.index == index; });
    if (known != blocks_.end()) return *known;
    blocks_.push_back({index, is_text, false, {}});
    return blocks_.back();
}

void AnswerText::take_chunk(JsonView chunk) {
    const double index = chunk["index"].number();
    const std::string_view type = chunk["type"].string();
    if (type == "block-start") {
        block(index, is_text(chunk["blockType"], "text"));
    } else if (type == "text-delta") {
        Block& target = block(index, true);
        if (!target.complete) base::append_wtf8(target.text, chunk["text"].string());
    } else if (type == "reasoning-delta" || type == "tool-call-delta") {
        block(index, false);
    } else if (type == "block-end") {
        const JsonView whole = chunk["block"];
        Block& target = block(index, false);
        if (target.complete) return;
        target.complete = true;
        target.is_text = is_text(whole["type"], "text");
        target.text = whole["text"].string();
    } else if (type == "finish") {
        finished_ = true;
    }
}

void AnswerText::take_chunks(const Row& row) {
    const JsonView data = row.value["data"];
    begin(data);
    if (!row.packed) return take_chunk(data["chunk"]);
    Block& target = block(data["index"].number(), row.type == "text-chunks");
    if (row.type != "text-chunks" || target.complete) return;
    for (const JsonView text : data["texts"].elements()) base::append_wtf8(target.text, text.string());
}

bool AnswerText::take_message(JsonView data) {
    const bool same_step = data["turn"].number() == turn_ && data["step"].number() == step_;
    if (blocks_.empty() || !same_step) return true;
    std::string streamed;
    for (const Block& each : blocks_) {
        if (each.is_text) base::append_wtf8(streamed, each.text);
    }
    std::string stored;
    const JsonView message = data["message"];  // of old logs: none, and its content here
    for (const JsonView each : (message.is_undefined() ? data : message)["content"].elements()) {
        if (is_text(each["type"], "text")) base::append_wtf8(stored, each["text"].string());
    }
    blocks_.clear();
    finished_ = true;
    return streamed == stored;
}

std::size_t AnswerText::remembered() const {
    std::size_t bytes = blocks_.capacity() * sizeof(Block);
    for (const Block& each : blocks_) bytes += each.text.capacity();
    return bytes;
}

// ---- Review

void Review::find(const Row& row, std::string_view code, std::string message) {
    if (findings_.size() == most_findings) {
        ++unlisted_;
        return;
    }
    findings_.push_back({row.line, row.seq, std::string(code), std::move(message)});
}

void Review::on_row(const Row& row) {
    if (row.packed || row.type == "assistant/chunk") return answer_.take_chunks(row);
    if (row.type == stream::event_type) return take_step(row);
    if (row.type == "assistant/message" && row.value["sourceEventSeqs"].size() > 0 &&
        !answer_.take_message(row.value["data"])) {
        find(row, "assembled-text", "the assistant/message has another text than the chunks before it");
    }
}

void Review::take_step(const Row& row) {
    if (!row.value["ignorable"].is_true()) {
        find(row, "unmarked",
             "not marked ignorable: a stock harness refuses this log; drydock log mend makes a copy that "
             "opens");
    }
    const JsonView data = row.value["data"];
    if (!data.is_object()) return find(row, "malformed", "the event's data is no object");
    check_data(row, data);
    check_item(row, data["item"]);
    count_step(row, data);
}

void Review::check_data(const Row& row, JsonView data) {
    for (const JsonMember member : data.members()) {
        if (!is_one_of(data_keys, member.key))
            find(row, "unknown-key", fmt::format("data has the key {}", member.key));
    }
    if (!data["childId"].is_string()) find(row, "malformed", "childId is no text");
    if (!data["provider"].is_string()) find(row, "malformed", "provider is no text");
    const JsonView truncated = data["truncated"];
    if (!truncated.is_undefined() && !truncated.is_true())
        find(row, "truncated", "truncated is there, and not true");
}

void Review::check_item(const Row& row, JsonView item) {
    if (!item.is_object()) return find(row, "malformed", "item is no object");
    for (const JsonMember member : item.members()) {
        if (!is_one_of(item_keys, member.key))
            find(row, "unknown-key", fmt::format("item has the key {}", member.key));
    }
    const JsonView kind = item["kind"];
    if (!kind.is_string()) {
        find(row, "malformed", "kind is no text");
    } else if (!stream::kind_of(kind.string())) {
        find(row, "unknown-kind", fmt::format("the kind {}", kind.text({0, stream::largest_label})));
    }
    for (const std::string_view key : {"text", "name", "callId"}) {
        const JsonView value = item[key];
        if (!value.is_undefined() && !value.is_string())
            find(row, "malformed", fmt::format("{} is no text", key));
    }
    if (item["text"].string().size() > stream::largest_text) {
        find(row, "too-long",
             fmt::format("text has {} bytes, at most {} are allowed", item["text"].string().size(),
                         stream::largest_text));
    }
    for (const std::string_view key : {"name", "callId"}) {
        if (base::utf16_length(item[key].string()) > stream::largest_label)
            find(row, "too-long", fmt::format("{} has more than {} units", key, stream::largest_label));
    }
    const JsonView is_error = item["isError"];
    if (!is_error.is_undefined() && !is_error.is_true() && !is_error.is_false())
        find(row, "malformed", "isError is neither true nor false");
    const JsonView meta = item["meta"];
    if (!meta.is_undefined() && meta.text({0, stream::largest_meta + 1}).size() > stream::largest_meta)
        find(row, "too-long", fmt::format("meta has more than {} bytes", stream::largest_meta));
}

/// Indices count from 0 without a gap, for each child in a log by itself.
void Review::count_step(const Row& row, JsonView data) {
    if (!data["childId"].is_string()) return;
    const std::string_view id = data["childId"].string();
    auto place = places_.find(id);
    if (place == places_.end()) {
        place = places_.emplace(id, children_.size()).first;
        children_.push_back({std::string(id), std::string(data["provider"].string()), 0, 0, 0});
    }
    ChildSummary& child = children_[place->second];
    ++child.steps;
    if (!data["truncated"].is_undefined()) ++child.truncated;
    const JsonView index = data["index"];
    if (!is_count(index)) return find(row, "malformed", "index is no count");
    const auto found = static_cast<std::uint64_t>(index.number());
    if (found != child.next_index) {
        find(row, found > child.next_index ? "gap" : "repeat",
             fmt::format("child {}: expected index {}, found {}", id, child.next_index, found));
    }
    child.next_index = std::max(child.next_index, found + 1);
}

}  // namespace drydock::session
