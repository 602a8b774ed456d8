#include "session/lines.hpp"

#include <functional>

#include "base/utf.hpp"

namespace drydock::session {
namespace {

/// What is kept of a line takes several hundred bytes. An event's line has more than thirty: in a batch there
/// are no more of them.
constexpr std::size_t most_ahead = 1U << 12U;

}  // namespace

ParsedLine LineParser::parse(std::string_view text) {
    forget();
    return add(text);
}

ParsedLine LineParser::add(std::string_view text) {
    std::string repaired;
    if (!base::is_utf8(text)) text = repaired = base::repair_utf8(text);
    if (text.size() > longest_line && base::utf16_length(text) > longest_line) return {};
    const auto parsed = document_.add(text);
    if (!parsed) return {};
    ParsedLine line{true, *parsed, read_row(*parsed)};
    line.readable = !line.row.malformed;
    return line;
}

void LineParser::forget() {
    document_.clear();
}

void LinesAhead::read(std::string_view text) {
    std::size_t at = text.find('\n');
    while (at != std::string_view::npos && lines_.size() < most_ahead) {
        const std::size_t begin = at + 1;
        at = text.find('\n', begin);
        if (at != std::string_view::npos)
            lines_.push_back({text.data() + begin, parser_.add(text.substr(begin, at - begin))});
    }
}

void LinesAhead::clear() {
    lines_.clear();
    parser_.forget();
    next_ = 0;
}

const ParsedLine* LinesAhead::find(std::string_view line) {
    // A line that was put together from two pieces lies elsewhere, before or behind all of these.
    if (next_ == lines_.size() || std::less<>()(lines_.back().begin, line.data())) return nullptr;
    std::size_t next = next_;
    while (std::less<>()(lines_[next].begin, line.data())) ++next;
    if (lines_[next].begin != line.data()) return nullptr;
    next_ = next + 1;
    return &lines_[next].line;
}

}  // namespace drydock::session
