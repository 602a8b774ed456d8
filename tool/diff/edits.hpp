#pragma once

#include <vector>

#include "diff/diff.hpp"
#include "diff/lines.hpp"

namespace drydock::diff {

/// find_edits of texts whose lines are known.
std::vector<Edit> find_edits(const Lines& old_lines, const Lines& new_lines);

}  // namespace drydock::diff
