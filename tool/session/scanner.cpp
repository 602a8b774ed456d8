#include "session/scanner.hpp"

#include <fmt/format.h>

#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonView;

std::string shown_number(JsonView value) {
    if (value.is_undefined()) return "none";
    std::string text = value.text({0, 40});
    if (text.size() > 40) text = text.substr(0, 40) + "...";
    return text;
}

}  // namespace

bool Scanner::write(std::string_view piece, LinesAhead* ahead) {
    ahead_ = ahead;
    return lines_.write(piece,
                        [this](std::string_view text, bool too_long) { return take_line(text, too_long); });
}

bool Scanner::refuse(std::string message) {
    refusal_ = {std::move(message), line_};
    return false;
}

bool Scanner::take_line(std::string_view text, bool too_long) {
    ++line_;
    if (line_ > 1)
        return too_long ? unreadable("the line is longer than node's longest string") : take_event(text);
    return too_long ? refuse("the header line is longer than node's longest string") : take_header(text);
}

bool Scanner::take_header(std::string_view text) {
    HeaderReading reading = read_header(text);
    if (!reading.header) return refuse(std::move(reading.refusal));
    if (observer_ != nullptr) observer_->on_header(*reading.header);
    checks_.take_header(std::move(reading));
    return true;
}

bool Scanner::unreadable(std::string_view why) {
    ++dropped_;
    if (!issue_) issue_ = {std::string(why), line_};
    return true;
}

ParsedLine Scanner::read(std::string_view text) {
    const ParsedLine* known = ahead_ == nullptr ? nullptr : ahead_->find(text);
    return known != nullptr ? *known : parser_.parse(text);
}

bool Scanner::take_event(std::string_view text) {
    const ParsedLine parsed = read(text);
    if (parsed.value.is_null()) return refuse("the line is null, at which the loader breaks down");
    if (!parsed.readable) return unreadable("the line is no event");
    const StoredRow& row = parsed.row;
    if (issue_ || !row.seq.is_number() || row.seq.number() != static_cast<double>(events_))
        return take_gap(row);
    const Row accepted{line_, events_, row.events, row.packed, row.type.string(), parsed.value, text};
    events_ += row.events;
    checks_.take(accepted);
    if (observer_ != nullptr) observer_->on_row(accepted);
    return true;
}

/// A line that does not continue the accepted part.
bool Scanner::take_gap(const StoredRow& row) {
    dropped_ += row.events;
    if (!issue_) {
        issue_ = {fmt::format("expected the event with seq {}, found {}", events_, shown_number(row.seq)),
                  line_};
    }
    if (!is_text(row.type, "turn/end")) return true;
    refusal_ = {issue_->message +
                    fmt::format("; a turn/end follows at line {}, so it is damage and no cut end", line_),
                issue_->line};
    return false;
}

}  // namespace drydock::session
