#pragma once

#include <cstdint>
#include <vector>

#include "diff/lines.hpp"

namespace drydock::diff {

/// Moves every group of marked lines of one side as late as it goes: where the line after a group equals its
/// first one, the group may as well be one line later. Groups that meet become one, and a group that comes by
/// a change of the other side stays there, so that both are one edit. The number of marks stays.
void slide(const Lines& lines, std::vector<std::uint8_t>& marks, const Lines& other_lines,
           std::vector<std::uint8_t>& other_marks);

}  // namespace drydock::diff
