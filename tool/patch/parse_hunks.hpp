#pragma once

#include <vector>

#include "patch/model.hpp"
#include "patch/parse.hpp"
#include "patch/patch_reader.hpp"

namespace drydock::patch {

/// Reads the hunks of one file, up to the first line that is none of them. `converted`: the patch's text has
/// CRLF at the end of every line, and the CR is no part of the patch. Refuses what looks like more of a hunk
/// after its end. With a visitor, their lines are told to it and not kept.
base::Result<std::vector<Hunk>> parse_hunks(PatchReader& reader, bool converted, HunkVisitor* visitor);

}  // namespace drydock::patch
