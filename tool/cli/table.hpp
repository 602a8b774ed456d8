#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::cli {

enum class Tone : std::uint8_t { plain, bold, good, attention, bad, faint };

/// The text in a tone's colour; as it is without colour.
std::string toned(std::string_view text, Tone tone, bool color);

struct Cell {
    std::string text;  ///< printable
    Tone tone{Tone::plain};
};

/// Rows of equally many cells in columns, two blanks between them, aligned by what a terminal shows; no
/// blanks at a line's end. The first row is the headings, in bold.
std::string table_text(std::vector<std::vector<Cell>> rows, bool color);

}  // namespace drydock::cli
