#pragma once

#include "base/result.hpp"
#include "patch/locate.hpp"
#include "patch/model.hpp"

namespace drydock::patch {

/// The Error for a hunk (counted from 0) that has no place: file, hunk number, nearest place, a short
/// comparison there, and whether it seems applied already.
base::Error explain(const FilePatch& file, std::size_t hunk, const Refusal& refusal, Locator& locator);

}  // namespace drydock::patch
