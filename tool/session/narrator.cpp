#include "session/narrator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/family.hpp"
#include "session/values.hpp"
#include "stream/stream.hpp"

namespace drydock::session {
namespace {

using base::JsonMember;
using base::JsonView;

constexpr std::size_t most_streamed_calls = 64;
constexpr std::size_t longest_arguments = std::size_t{64} * 1024;

constexpr std::array<std::string_view, 10> role_names = {"USER",   "CTX",    "THINK", "ASSIST", "CALL",
                                                         "RESULT", "STREAM", "SYS",   "ERROR",  "TURN"};

/// Events that hold nothing a person has not seen by then, or will.
constexpr std::array<std::string_view, 8> minor_types = {
    "agent/inbox/spliced",       "llm/retry-started", "request/context", "session/end-seed",
    "session/title-llm-request", "step/end",          "step/start",      "web/deepseek-search-llm-request"};

bool has(const std::vector<double>& indices, double index) {
    return std::find(indices.begin(), indices.end(), index) != indices.end();
}

Role role_of_block(std::string_view type) {
    if (type == "reasoning") return Role::thought;
    return type == "tool-call" ? Role::call : Role::assistant;
}

Role role_of_chunk(JsonView chunk) {
    const std::string_view type = chunk["type"].string();
    if (type == "reasoning-delta") return Role::thought;
    if (type == "tool-call-delta") return Role::call;
    if (type == "block-start") return role_of_block(chunk["blockType"].string());
    if (type == "block-end") return role_of_block(chunk["block"]["type"].string());
    return Role::assistant;
}

bool is_from_user(JsonView message) {
    const JsonView source = message["source"].is_object() ? message["source"] : message["provenance"];
    return source.is_undefined() || is_text(source["kind"], "user");
}

/// `340 ms`, `1.2 s`, `3 min 5 s`.
std::string time_text(std::optional<std::int64_t> from, std::optional<std::int64_t> to) {
    if (!from || !to || *to < *from) return {};
    const std::int64_t milliseconds = *to - *from;
    if (milliseconds < 1'000) return fmt::format("{} ms", milliseconds);
    if (milliseconds < 60'000)
        return fmt::format("{}.{} s", milliseconds / 1'000, milliseconds % 1'000 / 100);
    return fmt::format("{} min {} s", milliseconds / 60'000, milliseconds % 60'000 / 1'000);
}

void add_note(std::string& note, std::string_view more) {
    if (more.empty()) return;
    if (!note.empty()) note += ", ";
    note += more;
}

/// An object's members, one below the other.
std::string members_text(JsonView object) {
    std::string text;
    for (const JsonMember member : object.members()) {
        if (!text.empty()) text += '\n';
        text += member.key;
        text += ": ";
        if (member.value.is_string()) {
            text += member.value.string();
        } else {
            member.value.write(text);
        }
    }
    return text;
}

/// A call's arguments as they were sent, or, where they are an object, its members.
std::string arguments_text(std::string_view arguments) {
    base::JsonDocument document;
    const auto parsed = document.parse(arguments);
    return parsed && parsed->is_object() ? members_text(*parsed) : std::string(arguments);
}

std::string failure_text(JsonView failure) {
    const std::string_view code = failure["code"].string();
    std::string text(failure["message"].string());
    if (text.empty()) text = failure.text();
    return code.empty() ? text : fmt::format("{} ({})", text, code);
}

std::string todo_text(JsonView todos) {
    std::string text;
    for (const JsonView todo : todos.elements()) {
        fmt::format_to(std::back_inserter(text), "{}[{}] {}", text.empty() ? "" : "\n",
                       todo["status"].string(), todo["content"].string());
    }
    return text;
}

/// What is told of an event that has no role of its own.
void tell_system(std::string_view type, JsonView data, ConsoleLine& entry) {
    entry.head = type;
    if (type == "request/header") {
        const JsonView config = data["header"]["config"];
        entry.head = "model";
        entry.text = fmt::format("{}/{}", config["provider"].string(), config["model"].string());
        entry.note = data["reason"].string();
    } else if (type == "session/title") {
        entry.head = "title";
        entry.text = data["title"].string();
    } else if (type == "subagent/descriptor") {
        const std::optional<Descriptor> descriptor = read_descriptor(data);
        entry.head = "subagent";
        if (!descriptor) {
            entry.text = data.text();
            entry.note = "cannot be read";
        } else {
            entry.text = fmt::format("{} by {}{}", mode_name(descriptor->mode), descriptor->provider,
                                     descriptor->label ? ": " + *descriptor->label : "");
        }
    } else if (type == "subagent/catalog") {
        const Catalog catalog = read_catalog(data);
        entry.head = "children";
        entry.text = catalog.refusal;
        for (const CatalogEntry& child : catalog.entries) {
            fmt::format_to(std::back_inserter(entry.text), "{}{} {} {}", entry.text.empty() ? "" : "\n",
                           child.child_id, mode_name(child.mode), child.label.value_or(child.provider));
        }
    } else if (type == "todo/write") {
        entry.head = "todo";
        entry.text = todo_text(data["todos"]);
    } else if (type == "compaction/summary") {
        entry.head = "compaction";
        entry.text = content_text(data["summary"]);
    } else if (type == "llm/retry") {
        entry.head = "retry";
        entry.text = failure_text(data["failure"]);
        entry.note = fmt::format("in {} ms", base::number_text(data["delayMs"].number()));
    } else {
        entry.text = data.is_object() && data.size() == 0 ? "" : data.text();
    }
}

}  // namespace

std::string_view role_name(Role role) {
    return role_names[static_cast<std::size_t>(role)];
}

std::optional<Role> role_of(std::string_view name) {
    for (std::size_t i = 0; i < role_names.size(); ++i) {
        const bool same = std::equal(name.begin(), name.end(), role_names[i].begin(), role_names[i].end(),
                                     [](char a, char b) { return a == b || (a ^ 0x20) == b; });
        if (same) return static_cast<Role>(i);
    }
    return std::nullopt;
}

Label label_of(const Row& row) {
    const JsonView data = row.value["data"];
    if (row.type == "text-chunks") return {Role::assistant, {}, {}, false};
    if (row.type == "reasoning-chunks") return {Role::thought, {}, {}, false};
    if (row.type == "tool-call-chunks") return {Role::call, {}, {}, false};
    if (row.type == "assistant/chunk") return {role_of_chunk(data["chunk"]), {}, {}, false};
    if (row.type == "assistant/message") return {Role::assistant, {}, {}, false};
    if (row.type == "user/message")
        return {is_from_user(message_of(data)) ? Role::user : Role::context, {}, {}, false};
    if (row.type == "tool/call") return {Role::call, {}, {}, false};
    if (row.type == "tool/result") return {Role::result, {}, {}, result_is_error(data)};
    if (row.type == "turn/start") return {Role::turn, {}, {}, false};
    if (row.type == "turn/end") return {Role::turn, {}, {}, is_text(data["reason"]["kind"], "error")};
    if (row.type == "llm/retry") return {Role::system, {}, {}, true};
    if (row.type != stream::event_type) return {};
    return {Role::stream, data["item"]["kind"].string(), data["childId"].string(),
            data["item"]["isError"].is_true()};
}

void Narrator::on_header(const Header& header) {
    settle();
    ConsoleLine entry;
    entry.type = "session";
    entry.line = 1;
    entry.time = static_cast<std::int64_t>(header.created_at);
    entry.head = "session " + header.id;
    if (header.cwd) entry.text = "in " + *header.cwd;
    if (header.parent)
        add_note(entry.note,
                 fmt::format("{} of {}", header.is_subagent ? "subagent" : "fork", *header.parent));
    if (header.seed_length.value_or(0) > 0)
        add_note(entry.note, fmt::format("the first {} events are the parent's", *header.seed_length));
    give_(entry);
}

void Narrator::on_unreadable(std::size_t line, std::string_view why) {
    const bool goes_on = unread_ && unread_->last > 1 && line == unread_->last + 1;
    if (goes_on) {
        unread_->last = line;
        return;
    }
    settle();
    pause();
    unread_ = {line, line, std::string(why)};
}

void Narrator::settle() {
    if (!unread_) return;
    const Unread unread = *std::exchange(unread_, std::nullopt);
    ConsoleLine entry;
    entry.label = {Role::error, {}, {}, true};
    entry.line = unread.first;
    entry.text = unread.why;
    if (unread.first > 0) entry.head = fmt::format("line {}", unread.first);
    if (unread.last > unread.first) {
        entry.last_line = unread.last;
        entry.head = fmt::format("lines {} to {}", unread.first, unread.last);
        entry.text = "none can be read; the first: " + unread.why;
    }
    give_(entry);
}

void Narrator::on_row(const Row& row) {
    settle();
    if (row.packed || row.type == "assistant/chunk") return take_chunks(row);
    pause();
    ConsoleLine entry;
    entry.label = label_of(row);
    entry.type = row.type;
    entry.line = row.line;
    entry.seq = row.seq;
    entry.time = time_of(row);
    const JsonView data = row.value["data"];
    entry.minor = std::find(minor_types.begin(), minor_types.end(), row.type) != minor_types.end();
    delegations_.take(row);
    if (row.type == "assistant/message") return take_message(row, entry);
    if (row.type == "turn/start" || row.type == "turn/end") return take_turn(row, entry);
    if (row.type == "step/end") give_streamed_calls();
    if (row.type == "tool/call") return take_call(row, entry);
    if (row.type == "tool/result") return take_result(row, entry);
    if (row.type == stream::event_type) return take_step(row, entry);
    if (row.type == "user/message") {
        const JsonView message = message_of(data);
        const JsonView source = message["source"];
        if (!is_from_user(message))
            entry.head = source[source["plugin"].is_string() ? "plugin" : "kind"].string();
        entry.text = content_text(message["content"]);
    } else {
        tell_system(row.type, data, entry);
    }
    give_(entry);
}

// ---- Streamed answers

void Narrator::begin_answer(JsonView data) {
    const double turn = data["turn"].number();
    const double step = data["step"].number();
    if (!answer_finished_ && turn == turn_ && step == step_) return;
    drop_joined();
    give_streamed_calls();
    turn_ = turn;
    step_ = step;
    answer_finished_ = text_told_ = thoughts_told_ = false;
    begun_.clear();
    ended_.clear();
}

void Narrator::take_chunks(const Row& row) {
    const JsonView data = row.value["data"];
    begin_answer(data);
    answer_.take_chunks(row);
    if (!row.packed) return take_chunk(row, data["chunk"]);
    const double index = data["index"].number();
    if (row.type != "tool-call-chunks") {
        const Role role = row.type == "text-chunks" ? Role::assistant : Role::thought;
        for (const JsonView text : data["texts"].elements()) join(row, role, index, text.string());
    } else if (StreamedCall* call = streamed_call(row, index)) {
        if (data["name"].is_string()) call->name = data["name"].string();
        for (const JsonView text : data["args"].elements()) {
            if (call->arguments.size() < longest_arguments) base::append_wtf8(call->arguments, text.string());
        }
    }
}

void Narrator::take_chunk(const Row& row, JsonView chunk) {
    const double index = chunk["index"].number();
    const std::string_view type = chunk["type"].string();
    if (type == "text-delta") return join(row, Role::assistant, index, chunk["text"].string());
    if (type == "reasoning-delta") return join(row, Role::thought, index, chunk["text"].string());
    if (type == "block-end") return take_block(row, index, chunk["block"]);
    if (type == "usage") return take_usage(chunk["usage"]);
    if (type == "finish") return take_finish(row, chunk["reason"]);
    if (type != "tool-call-delta") return;
    StreamedCall* call = streamed_call(row, index);
    if (call == nullptr) return;
    if (chunk["name"].is_string()) call->name = chunk["name"].string();
    if (call->arguments.size() < longest_arguments)
        base::append_wtf8(call->arguments, chunk["argumentsDelta"].string());
}

/// The first end of a block is its last word: what was not told by pieces is told now.
void Narrator::take_block(const Row& row, double index, JsonView block) {
    if (has(ended_, index)) return;
    const Role role = role_of_block(block["type"].string());
    if (role == Role::call) {
        if (StreamedCall* call = streamed_call(row, index)) {
            call->name = block["name"].string();
            call->arguments = block["arguments"].string().substr(0, longest_arguments);
        }
    } else if (!has(begun_, index)) {
        join(row, role, index, block["text"].string());
    }
    drop_joined();
    ended_.push_back(index);
}

void Narrator::take_finish(const Row& row, JsonView reason) {
    drop_joined();
    answer_finished_ = true;
    const std::string_view kind = reason["kind"].string();
    if (kind != "error" && kind != "aborted") return;
    ConsoleLine entry;
    entry.label = {Role::error, {}, {}, true};
    entry.type = row.type;
    entry.line = row.line;
    entry.seq = row.seq;
    entry.time = time_of(row);
    entry.head = fmt::format("answer {}", kind == "error" ? "failed" : "aborted");
    entry.text = failure_text(reason["failure"]);
    give_(entry);
}

void Narrator::join(const Row& row, Role role, double index, std::string_view text) {
    if (has(ended_, index)) return;
    if (!has(begun_, index)) begun_.push_back(index);
    if (joined_ && (joined_->role != role || joined_->index != index)) drop_joined();
    if (!joined_) joined_ = Joined{role, index, row.line, row.seq, time_of(row), {}, false};
    if (joined_->text.empty() && joined_->continued) {
        joined_->line = row.line;
        joined_->seq = row.seq;
        joined_->time = time_of(row);
    }
    base::append_wtf8(joined_->text, text);
    if (joined_->text.size() >= longest_piece) pause();
}

void Narrator::pause() {
    if (!joined_ || joined_->text.empty()) return;
    ConsoleLine entry;
    entry.label.role = joined_->role;
    entry.type = "assistant/chunk";
    entry.line = joined_->line;
    entry.seq = joined_->seq;
    entry.time = joined_->time;
    entry.text = std::exchange(joined_->text, {});
    entry.continued = std::exchange(joined_->continued, true);
    (joined_->role == Role::thought ? thoughts_told_ : text_told_) = true;
    give_(entry);
}

void Narrator::drop_joined() {
    pause();
    joined_.reset();
}

Narrator::StreamedCall* Narrator::streamed_call(const Row& row, double index) {
    drop_joined();
    for (StreamedCall& call : streamed_calls_) {
        if (call.index == index) return &call;
    }
    if (streamed_calls_.size() == most_streamed_calls) return nullptr;
    streamed_calls_.push_back({index, row.line, row.seq, time_of(row), {}, {}});
    return &streamed_calls_.back();
}

/// Those that no message came for.
void Narrator::give_streamed_calls() {
    for (const StreamedCall& call : std::exchange(streamed_calls_, {})) {
        ConsoleLine entry;
        entry.label.role = Role::call;
        entry.type = "assistant/chunk";
        entry.line = call.line;
        entry.seq = call.seq;
        entry.time = call.time;
        entry.head = call.name;
        entry.note = "streamed, never made";
        entry.text = arguments_text(call.arguments);
        give_(entry);
    }
}

void Narrator::take_message(const Row& row, ConsoleLine& entry) {
    const JsonView data = row.value["data"];
    const JsonView message = message_of(data);
    drop_joined();
    streamed_calls_.clear();
    const bool streamed = row.value["sourceEventSeqs"].size() > 0 && data["turn"].number() == turn_ &&
                          data["step"].number() == step_;
    const bool same_text = !streamed || answer_.take_message(data);
    std::string text;
    std::string thoughts;
    for (const JsonView block : message["content"].elements()) {
        const std::string_view type = block["type"].string();
        if (type == "text" || type == "reasoning")
            base::append_wtf8(type == "text" ? text : thoughts, block["text"].string());
        if (type == "tool-call" && block["id"].is_string())
            open_calls_[std::string(block["id"].string())] = {std::string(block["name"].string()), {}, {}};
    }
    if (!thoughts.empty() && !(streamed && thoughts_told_)) {
        ConsoleLine thought = entry;
        thought.label.role = Role::thought;
        thought.text = std::move(thoughts);
        give_(thought);
    }
    const bool told = streamed && text_told_ && same_text;
    if (streamed && text_told_ && !same_text) add_note(entry.note, "other than what was streamed");
    if (data["interrupted"].is_true()) add_note(entry.note, "interrupted");
    entry.text = std::move(text);
    entry.minor = (told || entry.text.empty()) && entry.note.empty();
    if (told) entry.head = "as streamed";
    if (entry.text.empty()) entry.head = "without text";
    if (!streamed) take_usage(data["usage"]);
    answer_finished_ = true;
    text_told_ = thoughts_told_ = false;
    give_(entry);
}

void Narrator::take_usage(JsonView usage) {
    tokens_in_ += usage["inputTokens"].number();
    tokens_out_ += usage["outputTokens"].number();
}

// ---- Calls and children

void Narrator::take_call(const Row& row, ConsoleLine& entry) {
    const JsonView data = row.value["data"];
    entry.head = data["name"].string();
    entry.text = arguments_text(data["arguments"].string());
    if (data["callId"].is_string()) {
        base::JsonDocument document;
        const auto arguments = document.parse(data["arguments"].string());
        open_calls_[std::string(data["callId"].string())] = {
            entry.head, arguments ? std::string((*arguments)["description"].string()) : "", entry.time};
    }
    give_(entry);
}

void Narrator::take_result(const Row& row, ConsoleLine& entry) {
    const JsonView data = row.value["data"];
    const auto call = open_calls_.find(result_call_id(data));
    entry.head = call == open_calls_.end() ? std::string(result_call_id(data)) : call->second.name;
    entry.text = content_text(message_of(data)["content"]);
    add_note(entry.note, data["error"]["code"].string());
    if (call != open_calls_.end()) {
        add_note(entry.note, time_text(call->second.time, entry.time));
        open_calls_.erase(call);
    }
    give_(entry);
}

std::string Narrator::call_text(const std::string& id) const {
    const auto call = open_calls_.find(id);
    if (call == open_calls_.end() || call->second.description.empty()) return id;
    return fmt::format("{} ({})", id, call->second.description);
}

void Narrator::take_step(const Row& row, ConsoleLine& entry) {
    const JsonView data = row.value["data"];
    const JsonView item = data["item"];
    entry.provider = data["provider"].string();
    const std::string_view id = entry.label.child;
    if (children_.emplace(id).second) introduce(row, entry);
    entry.head = item["kind"].string();
    if (item["name"].is_string()) entry.head += ' ' + std::string(item["name"].string());
    entry.text = item["text"].string();
    if (data["truncated"].is_true()) add_note(entry.note, "cut");
    if (!row.value["ignorable"].is_true()) add_note(entry.note, "not marked ignorable");
    give_(entry);
}

/// Above a child's first step: who it is, and whose.
void Narrator::introduce(const Row& row, const ConsoleLine& entry) {
    const Link link = delegations_.claim();
    ConsoleLine first = entry;
    first.label.kind = {};
    first.label.is_error = false;
    first.head = fmt::format("child {}", entry.label.child);
    if (link.how == Link::How::only_open) {
        first.text = "of " + call_text(link.calls.front());
    } else if (link.how == Link::How::none) {
        first.text = "no delegation is open";
    } else {
        first.text = fmt::format("of one of {} open delegations, and the log does not say which:",
                                 link.calls.size() + link.unlisted);
        for (const std::string& call : link.calls) first.text += '\n' + call_text(call);
    }
    first.seq = row.seq;
    give_(first);
}

// ---- Turns

void Narrator::take_turn(const Row& row, ConsoleLine& entry) {
    const JsonView data = row.value["data"];
    drop_joined();
    give_streamed_calls();
    entry.head = base::number_text(data["turn"].number());
    if (row.type == "turn/start") {
        open_calls_.clear();
        turn_begin_ = entry.time;
        tokens_in_ = tokens_out_ = 0;
        entry.head += " begins";
        return give_(entry);
    }
    const JsonView reason = data["reason"];
    entry.head += fmt::format(" {}", reason["kind"].string());
    if (reason["reason"]["kind"].is_string())
        entry.head += fmt::format(" by {}", reason["reason"]["kind"].string());
    if (reason["error"].is_object()) entry.text = failure_text(reason["error"]);
    add_note(entry.note, time_text(turn_begin_, entry.time));
    if (tokens_in_ + tokens_out_ > 0)
        add_note(entry.note, fmt::format("{} tokens in, {} out", tokens_in_, tokens_out_));
    turn_begin_.reset();
    give_(entry);
}

void Narrator::finish() {
    settle();
    drop_joined();
    give_streamed_calls();
}

}  // namespace drydock::session
