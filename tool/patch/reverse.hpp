#pragma once

#include "patch/model.hpp"

namespace drydock::patch {

/// The same patch the other way: its files in the opposite order, each reversed. A copy reversed is a copy
/// from the new path to the old one, which apply_all refuses, as git does: the old one is still there. Where
/// a hunk is looked for is counted from the `-` lines alone; a stale `+` line comes out mended.
Patch reverse(const Patch& patch);
FilePatch reverse(FilePatch file);

}  // namespace drydock::patch
