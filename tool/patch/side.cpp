#include "patch/side.hpp"

#include "patch/lines.hpp"

namespace drydock::patch {

Side Side::old_of(const Hunk& hunk, std::size_t front, std::size_t back) {
    const std::span<const Line> all(hunk.lines);
    return {all.subspan(front, all.size() - front - back), LineKind::added, hunk.old_count - front - back};
}

Side Side::new_of(const Hunk& hunk) {
    return {hunk.lines, LineKind::removed, hunk.new_count};
}

std::optional<std::size_t> match_line(const Line& line, std::string_view text, std::size_t offset,
                                      Compare compare) {
    const std::string_view here = text.substr(offset);
    if (here.empty() || !here.starts_with(line.text)) return std::nullopt;
    const std::string_view after = here.substr(line.text.size());
    const std::size_t end = offset + line.text.size();
    if (line.ending == Ending::none) return after.empty() ? std::optional(end) : std::nullopt;
    for (const Ending ending : {Ending::lf, Ending::crlf}) {
        const bool wanted = compare == Compare::loose || ending == line.ending;
        if (wanted && after.starts_with(bytes_of(ending))) return end + bytes_of(ending).size();
    }
    return std::nullopt;
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
