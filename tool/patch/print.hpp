#pragma once

#include <string>

#include "patch/model.hpp"

namespace drydock::patch {

/// The text of a patch, `a/` and `b/` before names; parse(print(p)) is p, but for where things stand in the
/// text. A file that only changes gets a plain header, any other git's.
std::string print(const Patch& patch);

}  // namespace drydock::patch
