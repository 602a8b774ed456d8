#pragma once

#include <vector>

#include "base/result.hpp"
#include "diff/diff.hpp"
#include "patch/parse.hpp"

namespace drydock::diff {

/// Whether a patch's text does to the old sides what it should: for each pair, in order, it names the path,
/// makes the new side's bytes and mode of the old one's and the other way about, every hunk just where it
/// says. Otherwise an Error of kind check with the file's path.
base::Result<void> prove(const patch::Pieces& text, const std::vector<const FilePair*>& pairs);

}  // namespace drydock::diff
