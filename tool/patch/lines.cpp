#include "patch/lines.hpp"

namespace drydock::patch {

std::string_view without_cr(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

std::string_view bytes_of(Ending ending) {
    switch (ending) {
        case Ending::lf:
            return "\n";
        case Ending::crlf:
            return "\r\n";
        case Ending::none:
            break;
    }
    return {};
}

FileLine line_at(std::string_view text, std::size_t offset) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) return {text.substr(offset), Ending::none, text.size()};
    const std::string_view line = text.substr(offset, end - offset);
    if (line.ends_with('\r')) return {without_cr(line), Ending::crlf, end + 1};
    return {line, Ending::lf, end + 1};
}

void LineTable::read_to(std::size_t line) {
    while (read_line_ < line && read_offset_ < text_.size()) {
        const std::size_t end = text_.find('\n', read_offset_);
        read_offset_ = end == std::string_view::npos ? text_.size() : end + 1;
        ++read_line_;
        if (read_line_ % spacing == 0) marks_.push_back(static_cast<std::uint32_t>(read_offset_));
    }
}

std::size_t LineTable::count() {
    read_to(text_.size());
    return read_line_;
}

std::optional<std::size_t> LineTable::offset(std::size_t line) {
    read_to(line);
    if (line > read_line_) return std::nullopt;
    if (line == read_line_) return read_offset_;
    const bool from_last = last_line_ <= line && last_line_ / spacing == line / spacing;
    std::size_t at = from_last ? last_line_ : line / spacing * spacing;
    std::size_t offset = from_last ? last_offset_ : marks_[line / spacing];
    for (; at < line; ++at) offset = text_.find('\n', offset) + 1;
    last_line_ = line;
    last_offset_ = offset;
    return offset;
}

std::vector<std::size_t> LineTable::offsets(std::size_t first, std::size_t end) {
    std::vector<std::size_t> result;
    std::optional<std::size_t> start = offset(first);
    for (std::size_t line = first; start && *start < text_.size() && line < end; ++line) {
        result.push_back(*start);
        start = line_at(text_, *start).next;
    }
    return result;
}

}  // namespace drydock::patch
