#include "session/lines.hpp"

#include "base/utf.hpp"

namespace drydock::session {

ParsedLine LineParser::parse(std::string_view text) {
    std::string repaired;
    if (!base::is_utf8(text)) text = repaired = base::repair_utf8(text);
    if (text.size() > longest_line && base::utf16_length(text) > longest_line) return {};
    const auto parsed = document_.parse(text);
    if (!parsed) return {};
    ParsedLine line{true, *parsed, read_row(*parsed)};
    line.readable = !line.row.malformed;
    return line;
}

}  // namespace drydock::session
