#include "cli/render_log_show.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/utf.hpp"
#include "cli/json_document.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using session::ConsoleLine;
using session::Role;

constexpr std::size_t role_width = 6;
constexpr std::size_t time_width = 12;
constexpr std::size_t step_indent = 2;
constexpr std::size_t narrowest = 20;  ///< that a text is set in

/// How many rows of a text are shown.
std::size_t rows_of(const ConsoleLine& entry) {
    switch (entry.label.role) {
        case Role::user:
        case Role::assistant:
        case Role::error:
            return 12;
        case Role::context:
            return 1;
        case Role::stream:
            return entry.label.kind == "assistant" || entry.label.kind == "result" ? 6 : 3;
        default:
            return 3;
    }
}

Tone tone_of(const ConsoleLine& entry) {
    if (entry.label.is_error) return Tone::bad;
    switch (entry.label.role) {
        case Role::user:
        case Role::turn:
            return Tone::bold;
        case Role::assistant:
            return Tone::good;
        case Role::call:
        case Role::stream:
            return Tone::attention;
        case Role::error:
            return Tone::bad;
        case Role::context:
        case Role::thought:
        case Role::system:
            return Tone::faint;
        case Role::result:
            break;
    }
    return Tone::plain;
}

bool is_faint(Role role) {
    return role == Role::context || role == Role::thought || role == Role::system;
}

/// A day and a time of day, by the local clock.
std::pair<std::string, std::string> local_time(std::int64_t milliseconds) {
    const std::int64_t thousandths = ((milliseconds % 1000) + 1000) % 1000;
    const auto seconds = static_cast<std::time_t>((milliseconds - thousandths) / 1000);
    std::tm parts{};
    if (localtime_r(&seconds, &parts) == nullptr) return {"", ""};
    return {fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday),
            fmt::format("{:02}:{:02}:{:02}.{:03}", parts.tm_hour, parts.tm_min, parts.tm_sec, thousandths)};
}

/// A text as it may stand on a terminal, in lines, without blank space at its end.
std::string shown_text(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    std::string shown;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line = base::encode_utf8(text.substr(0, end));
        if (line.ends_with('\r')) line.pop_back();
        for (std::size_t at = line.find('\t'); at != std::string::npos; at = line.find('\t', at))
            line.replace(at, 1, "    ");
        shown += printable(line);
        if (end < text.size()) shown += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return shown;
}

/// The longest beginning of a printable text that fits, at least one character; it ends with a word, unless
/// that is a long one.
std::size_t fitting(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    std::size_t used = 0;
    while (end < text.size()) {
        std::size_t next = end + 1;
        while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0U) == 0x80U) ++next;
        used += display_width(text.substr(end, next - end));
        if (used > columns && end > 0) {
            const std::size_t blank = text.substr(0, end).rfind(' ');
            return blank != std::string_view::npos && end - blank < columns / 3 ? blank + 1 : end;
        }
        end = next;
    }
    return end;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char each) {
        return (static_cast<unsigned char>(each) & 0xc0U) != 0x80U;
    }));
}

/// `… 12 lines more, 340 characters`.
std::string rest_text(std::string_view rest) {
    const auto lines = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '\n')) + 1;
    const std::string amount = counted(characters(rest), "character", "characters");
    return lines == 1 ? fmt::format("… {} more", amount) : fmt::format("… {} lines more, {}", lines, amount);
}

void add_field(std::string& line, std::string_view key, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(line), ",\"{}\":", key);
    base::write_json_string(line, value);
}

}  // namespace

/// `column`: where the first row begins; `indent`: where the others do.
std::string LogConsole::body(const ConsoleLine& entry, std::size_t column, std::size_t indent) const {
    const Tone tone = is_faint(entry.label.role) ? Tone::faint : Tone::plain;
    const std::size_t most = rows_of(entry);
    const std::string shown = shown_text(entry.text);
    std::string text;
    std::string_view rest = shown;
    for (std::size_t row = 0; !rest.empty(); ++row) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::size_t begin = row == 0 ? column : indent;
        const std::size_t room = begin + narrowest < style_.width ? style_.width - begin : narrowest;
        const std::size_t cut = full_ ? end : fitting(rest.substr(0, end), room);
        std::string_view shown_row = rest.substr(0, cut);
        shown_row = shown_row.substr(0, shown_row.find_last_not_of(' ') + 1);
        const bool folded = !full_ && row >= most && cut < rest.size();
        if (row > 0) text += '\n';
        if (row > 0 && (folded || !shown_row.empty())) text.append(indent, ' ');
        if (folded) return text + toned(rest_text(rest), Tone::faint, style_.color);
        if (!shown_row.empty()) text += toned(shown_row, tone, style_.color);
        rest.remove_prefix(cut == end ? std::min(end + 1, rest.size()) : cut);
    }
    return text;
}

std::string LogConsole::text(const ConsoleLine& entry) {
    std::string text;
    const auto [day, time] = entry.time ? local_time(*entry.time) : std::pair<std::string, std::string>();
    if (!day.empty() && day != day_) {
        text += toned(day, Tone::faint, style_.color) + '\n';
        day_ = day;
    }
    text += toned(padded(time, time_width), Tone::faint, style_.color) + ' ';
    text += toned(padded(session::role_name(entry.label.role), role_width), tone_of(entry), style_.color);
    std::size_t column = time_width + 1 + role_width;
    std::string head;
    if (entry.label.role == Role::stream) head.append(step_indent, ' ');
    head += printable(base::encode_utf8(entry.head));
    if (entry.label.role == Role::stream && entry.label.kind.empty())
        head += fmt::format(" ({})", printable(base::encode_utf8(entry.provider)));
    if (entry.continued) head += "…";
    if (!entry.note.empty())
        head += fmt::format("{}({})", head.empty() ? "" : " ", printable(base::encode_utf8(entry.note)));
    const std::size_t indent = column + 1 + (entry.label.role == Role::stream ? step_indent + 2 : 0);
    if (!head.empty()) {
        text += ' ' + toned(head, entry.label.is_error ? Tone::bad : Tone::bold, style_.color);
        column += 1 + display_width(head);
    }
    const std::string_view gap = head.empty() ? " " : "  ";
    const std::string below = body(entry, column + gap.size(), indent);
    if (!below.empty()) text += std::string(gap) + below;
    return text + '\n';
}

std::string log_entry_line(const ConsoleLine& entry) {
    std::string line = fmt::format(R"({{"line":{})", entry.line);
    if (entry.last_line > 0) fmt::format_to(std::back_inserter(line), ",\"lastLine\":{}", entry.last_line);
    fmt::format_to(std::back_inserter(line), ",\"seq\":{}", entry.seq);
    if (entry.time) fmt::format_to(std::back_inserter(line), ",\"time\":{}", *entry.time);
    add_field(line, "role", session::role_name(entry.label.role));
    add_field(line, "type", entry.type);
    add_field(line, "kind", entry.label.kind);
    add_field(line, "childId", entry.label.child);
    add_field(line, "provider", entry.provider);
    add_field(line, "head", entry.head);
    add_field(line, "note", entry.note);
    add_field(line, "text", entry.text);
    if (entry.label.is_error) line += ",\"isError\":true";
    if (entry.continued) line += ",\"continued\":true";
    return line + "}\n";
}

std::string log_show_last_line(const LogShowOutcome& outcome) {
    return document_head("log show", outcome.exit, outcome.problems)
               .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           '\n';
}

}  // namespace drydock::cli
