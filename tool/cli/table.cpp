#include "cli/table.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace drydock::cli {
namespace {

std::string_view escape_sequence(Tone tone) {
    switch (tone) {
        case Tone::plain:
            return "";
        case Tone::bold:
            return "\x1b[1m";
        case Tone::good:
            return "\x1b[32m";
        case Tone::attention:
            return "\x1b[33m";
        case Tone::bad:
            return "\x1b[31m";
        case Tone::faint:
            return "\x1b[2m";
    }
    return "";
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<Cell>>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 0);
    for (const std::vector<Cell>& row : rows) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], display_width(row[column].text));
        }
    }
    return widths;
}

}  // namespace

std::string toned(std::string_view text, Tone tone, bool color) {
    const std::string_view start = color ? escape_sequence(tone) : std::string_view();
    if (start.empty()) return std::string(text);
    return std::string(start) + std::string(text) + "\x1b[0m";
}

std::string table_text(std::vector<std::vector<Cell>> rows, bool color) {
    for (Cell& heading : rows.front()) heading.tone = Tone::bold;
    const std::vector<std::size_t> widths = column_widths(rows);
    std::string text;
    for (const std::vector<Cell>& row : rows) {
        std::size_t missing = 0;  // blanks that are due before the next cell that has a text
        for (std::size_t column = 0; column < row.size(); ++column) {
            const Cell& cell = row[column];
            if (!cell.text.empty()) {
                text.append(missing, ' ');
                text += toned(cell.text, cell.tone, color);
                missing = 0;
            }
            missing += widths[column] - display_width(cell.text) + 2;
        }
        text += '\n';
    }
    return text;
}

}  // namespace drydock::cli
