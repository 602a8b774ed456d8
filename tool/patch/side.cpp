#include "patch/side.hpp"

#include <cstring>

#include "patch/lines.hpp"

namespace drydock::patch {
namespace {

/// The ending at `offset`, as far as one can be told there.
Ending ending_at(std::string_view text, std::size_t offset) {
    if (offset < text.size() && text[offset] == '\n') return Ending::lf;
    return text.substr(offset).starts_with("\r\n") ? Ending::crlf : Ending::none;
}

}  // namespace

Side Side::old_of(const Hunk& hunk, std::size_t front, std::size_t back) {
    const std::span<const Line> all(hunk.lines);
    return {all.subspan(front, all.size() - front - back), LineKind::added, hunk.old_count - front - back};
}

Side Side::new_of(const Hunk& hunk) {
    return {hunk.lines, LineKind::removed, hunk.new_count};
}

std::optional<std::size_t> match_line(const Line& line, std::string_view text, std::size_t offset,
                                      Compare compare) {
    const std::size_t rest = text.size() - offset;
    if (rest == 0 || line.text.size() > rest ||
        std::memcmp(text.data() + offset, line.text.data(), line.text.size()) != 0) {
        return std::nullopt;
    }
    const std::size_t end = offset + line.text.size();
    const Ending found = ending_at(text, end);
    if (found == Ending::none) {
        return line.ending == Ending::none && end == text.size() ? std::optional(end) : std::nullopt;
    }
    const bool same = found == line.ending || (compare == Compare::loose && line.ending != Ending::none);
    return same ? std::optional(end + bytes_of(found).size()) : std::nullopt;
}

std::optional<std::size_t> Side::match(std::string_view text, std::size_t offset, Compare compare) const {
    const bool all = each([&](const Line& line) {
        const std::optional<std::size_t> end = match_line(line, text, offset, compare);
        if (end) offset = *end;
        return end.has_value();
    });
    return all ? std::optional(offset) : std::nullopt;
}

}  // namespace drydock::patch
