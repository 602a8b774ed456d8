#include "session/scanner.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonView;

/// UTF-16 units of the longest string that node has.
constexpr std::size_t longest_line = 0x1FFFFFE8;

/// At most as many as there are UTF-16 units once the bytes are decoded.
std::size_t least_units(std::string_view bytes) {
    return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char each) {
        return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U;
    }));
}

std::string shown_number(JsonView value) {
    if (value.is_undefined()) return "none";
    std::string text = value.text({0, 40});
    if (text.size() > 40) text = text.substr(0, 40) + "...";
    return text;
}

}  // namespace

bool Scanner::write(std::string_view piece) {
    while (!piece.empty()) {
        const void* found = std::memchr(piece.data(), '\n', piece.size());
        if (found == nullptr) {
            keep_part(piece);
            return true;
        }
        const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - piece.data());
        std::string_view line = piece.substr(0, size);
        piece.remove_prefix(size + 1);
        if (!part_.empty() || part_too_long_) {
            keep_part(line);
            line = part_;
        }
        const bool going_on = take_line(line);
        part_.clear();
        part_units_ = 0;
        part_too_long_ = false;
        if (!going_on) return false;
    }
    return true;
}

/// A line that no node could hold is not kept.
void Scanner::keep_part(std::string_view part) {
    part_units_ += least_units(part);
    if (part_units_ > longest_line) {
        part_too_long_ = true;
        part_ = std::string();
    }
    if (!part_too_long_) part_ += part;
}

bool Scanner::refuse(std::string message) {
    refusal_ = {std::move(message), line_};
    return false;
}

bool Scanner::take_line(std::string_view text) {
    ++line_;
    if (line_ == 1) return take_header(text);
    return take_event(text);
}

bool Scanner::take_header(std::string_view text) {
    if (part_too_long_) return refuse("the header line is longer than node's longest string");
    HeaderReading reading = read_header(text);
    if (!reading.header) return refuse(std::move(reading.refusal));
    if (observer_ != nullptr) observer_->on_header(*reading.header);
    checks_.take_header(std::move(reading));
    return true;
}

void Scanner::unreadable() {
    ++dropped_;
    if (!issue_) {
        issue_ = {part_too_long_ ? "the line is longer than node's longest string" : "the line is no event",
                  line_};
    }
}

bool Scanner::take_event(std::string_view text) {
    const std::string_view bytes = text;
    std::string repaired;
    if (!part_too_long_ && !base::is_utf8(text)) text = repaired = base::repair_utf8(text);
    if (part_too_long_ || (text.size() > longest_line && base::utf16_length(text) > longest_line)) {
        unreadable();
        return true;
    }
    const auto parsed = document_.parse(text);
    if (!parsed) {
        unreadable();
        return true;
    }
    if (parsed->is_null()) return refuse("the line is null, at which the loader breaks down");
    const StoredRow row = read_row(*parsed);
    if (row.malformed) {
        unreadable();
        return true;
    }
    if (issue_ || !row.seq.is_number() || row.seq.number() != static_cast<double>(events_))
        return take_gap(row);
    Row accepted{line_, events_, row.events, row.packed, row.type.string(), *parsed, bytes};
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
