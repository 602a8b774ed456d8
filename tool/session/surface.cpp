#include "session/surface.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonMember;
using base::JsonView;

/// Writes a value so that two are written alike when the loader's deep comparison finds them equal: keys in
/// the order of their bytes, -0 as 0. Depth costs no stack.
class Canon {
  public:
    explicit Canon(std::string& target) : target_(target) {}

    void write(JsonView value) {
        open(value);
        while (!open_.empty()) step();
    }

    void key(std::string_view text) {
        base::write_json_string(target_, text);
        target_ += ':';
    }

  private:
    struct Level {
        std::vector<JsonMember> members;  ///< sorted; elements without a key
        std::size_t next{0};
        bool keyed{false};
    };

    void open(JsonView value) {
        if (!value.is_object() && !value.is_array()) {
            write_scalar(value);
            return;
        }
        Level level;
        level.keyed = value.is_object();
        for (const JsonMember member : value.members()) level.members.push_back(member);
        for (const JsonView element : value.elements()) level.members.push_back({{}, element});
        if (level.keyed) {
            std::sort(level.members.begin(), level.members.end(),
                      [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
        }
        target_ += level.keyed ? '{' : '[';
        open_.push_back(std::move(level));
    }

    void step() {
        Level& level = open_.back();
        if (level.next == level.members.size()) {
            target_ += level.keyed ? '}' : ']';
            open_.pop_back();
            return;
        }
        const JsonMember member = level.members[level.next++];
        if (level.keyed) key(member.key);
        open(member.value);
        target_ += ',';
    }

    /// Infinity is not null.
    void write_scalar(JsonView value) {
        if (value.is_number()) {
            target_ += base::number_text(value.number() + 0.0);
        } else {
            value.write(target_);
        }
    }

    std::string& target_;
    std::vector<Level> open_;
};

/// Some members of an object, written as Canon does, in the order of their keys.
std::string canon_members(JsonView object, std::initializer_list<std::string_view> without) {
    std::vector<JsonMember> members;
    for (const JsonMember member : object.members()) {
        if (std::find(without.begin(), without.end(), member.key) == without.end()) members.push_back(member);
    }
    std::sort(members.begin(), members.end(),
              [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
    std::string text;
    for (const JsonMember& member : members) {
        Canon canon(text);
        canon.key(member.key);
        canon.write(member.value);
        text += ',';
    }
    return text;
}

std::string canon_value(JsonView value) {
    std::string text;
    Canon(text).write(value);
    return text;
}

JsonView first_element(JsonView list) {
    for (const JsonView each : list.elements()) return each;
    return {};
}

/// A tool/result's data without the message's id and the block's content, each part behind its size.
std::string unchanging_part(const Event& event) {
    std::string data;
    std::string message;
    std::string block;
    if (event.form == Form::bare_result) {
        data = canon_members(event.data, {"callId", "content", "isError"});
        const std::string call = canon_value(event.data["callId"]);
        message = R"("role":"user","source":{"callId":)" + call + R"(,"kind":"tool",},)";
        block = R"("isError":)" + canon_value(event.data["isError"]) + R"(,"toolCallId":)" + call +
                R"(,"type":"tool-result",)";
    } else {
        const JsonView whole = event.data["message"];
        data = canon_members(event.data, {"message"});
        message = canon_members(whole, {"id", "content"});
        block = canon_members(first_element(whole["content"]), {"content"});
    }
    return fmt::format("{} {} {}{}{}", data.size(), message.size(), data, message, block);
}

/// Whether JavaScript finds something in its message that content is read from. Only an appended event may
/// have none.
bool has_content(const Event& event) {
    const JsonView content = event.data["message"]["content"];
    return !content.is_undefined() && !content.is_null();
}

bool is_replace(JsonView op) {
    return op.size() == 3 && is_text(op["op"], "replace") && is_count(op["start"]) && is_count(op["end"]);
}

}  // namespace

Surface::Result Surface::result_of(const Event& event) const {
    const auto print = [](std::string_view text) {
        const base::Digest digest = base::sha256(text);
        Print shortened{};
        std::copy_n(digest.bytes.begin(), shortened.size(), shortened.begin());
        return shortened;
    };
    std::string id;
    if (event.form == Form::bare_result) {
        base::write_json_string(id, fmt::format("legacy-message:{}:{}", session_id_, event.row->seq));
    } else {
        id = canon_value(event.data["message"]["id"]);
    }
    return {print(id), print(unchanging_part(event))};
}

std::string Surface::take(const Event& event) {
    const JsonView op = event.field("surfaceOp");
    const JsonView sources = event.field("sourceEventSeqs");
    if (!is_surface_type(event.type)) {
        if (op.is_undefined() && sources.is_undefined()) return {};
        return fmt::format("a {} cannot join the surface, and has {}", event.type,
                           op.is_undefined() ? "sourceEventSeqs" : "a surfaceOp");
    }
    Range range;
    const bool append = is_text(op, "append");
    if (!append) {
        if (op.is_undefined()) return fmt::format("a {} without surfaceOp", event.type);
        if (!is_replace(op)) return fmt::format("a {} with a malformed surfaceOp", event.type);
        std::string refusal = find_range(op, range);
        if (!refusal.empty()) return refusal;
    }
    std::string refusal = check_sources(event, range);
    if (refusal.empty() && !append && event.type == "tool/result") refusal = check_rewrite(event, range);
    if (!refusal.empty()) return refusal;

    const auto seq = static_cast<double>(event.row->seq);
    const auto at = [this](std::size_t index) { return nodes_.begin() + static_cast<std::ptrdiff_t>(index); };
    Result result;
    const bool is_result = event.type == "tool/result";
    if (is_result) {
        result = result_of(event);
        // A bare result takes the id of the one that it replaces.
        if (!append && event.form == Form::bare_result) result.id = results_[nodes_[range.begin]].id;
    }
    if (append) {
        nodes_.push_back(seq);
    } else {
        for (std::size_t i = range.begin; i < range.end; ++i) results_.erase(nodes_[i]);
        nodes_[range.begin] = seq;
        nodes_.erase(at(range.begin + 1), at(range.end));
    }
    if (is_result && (event.form == Form::bare_result || has_content(event))) results_[seq] = result;
    return {};
}

std::string Surface::find_range(JsonView op, Range& range) const {
    const auto start = std::find(nodes_.begin(), nodes_.end(), op["start"].number());
    const auto end = std::find(nodes_.begin(), nodes_.end(), op["end"].number());
    if (start == nodes_.end() || end == nodes_.end()) {
        return fmt::format("a replacement of seq {}, which is not on the surface",
                           base::number_text(op[start == nodes_.end() ? "start" : "end"].number()));
    }
    if (start > end) return "a replacement whose end is before its start";
    range.begin = static_cast<std::size_t>(start - nodes_.begin());
    range.end = static_cast<std::size_t>(end - nodes_.begin()) + 1;
    return {};
}

/// Every seq is an earlier one, none twice, and all that is replaced is among them.
std::string Surface::check_sources(const Event& event, const Range& range) const {
    const JsonView list = event.field("sourceEventSeqs");
    std::vector<double> sources;
    if (!list.is_undefined()) {
        if (!list.is_array()) return "an event whose sourceEventSeqs is no list";
        if (list.size() == 0 && event.type != "assistant/message")
            return fmt::format("a {} with empty sourceEventSeqs", event.type);
        for (const JsonView source : list.elements()) {
            if (!is_count(source) || source.number() >= static_cast<double>(event.row->seq))
                return "an event whose sourceEventSeqs are not seqs of earlier events";
            sources.push_back(source.number());
        }
        std::sort(sources.begin(), sources.end());
        if (std::adjacent_find(sources.begin(), sources.end()) != sources.end())
            return "an event whose sourceEventSeqs name one event twice";
    }
    for (std::size_t i = range.begin; i < range.end; ++i) {
        if (!std::binary_search(sources.begin(), sources.end(), nodes_[i]))
            return fmt::format("a replacement whose sourceEventSeqs lack seq {}",
                               base::number_text(nodes_[i]));
    }
    return {};
}

std::string Surface::check_rewrite(const Event& event, const Range& range) const {
    if (range.end - range.begin != 1) return "a tool/result in the place of more than one event";
    if (event.form == Form::current && !has_content(event)) return "a tool/result without content";
    const auto original = results_.find(nodes_[range.begin]);
    if (original == results_.end()) return "a tool/result in the place of another kind of event";
    const Result result = result_of(event);
    const bool same_id = event.form == Form::bare_result || result.id == original->second.id;
    if (!same_id || result.rest != original->second.rest)
        return "a tool/result that changes more than the content of the one that it replaces";
    return {};
}

std::size_t Surface::remembered() const {
    return nodes_.capacity() * sizeof(double) + results_.size() * (sizeof(Result) + 4 * sizeof(void*));
}

}  // namespace drydock::session
