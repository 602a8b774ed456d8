#pragma once

#include <cstdint>
#include <vector>

#include "diff/lines.hpp"

namespace drydock::diff {

/// For each line of a side whether it has no counterpart on the other one (1) or has one (0). Lines with a
/// counterpart come in the same order on both sides, and are as many.
struct Marks {
    std::vector<std::uint8_t> removed;
    std::vector<std::uint8_t> added;
};

/// Marks few lines, though not always the fewest that there can be: that would cost the square of the length.
Marks compare(const Lines& old_lines, const Lines& new_lines);

}  // namespace drydock::diff
