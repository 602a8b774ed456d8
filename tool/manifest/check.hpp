#pragma once

#include "manifest/fields.hpp"
#include "manifest/manifest.hpp"

namespace drydock::manifest {

/// Holds the parts of a manifest against each other: names that must be there or be there once, files that a
/// patch must change, requirements that can be met. A package that is required by its unscoped name gets its
/// full one.
void check(Manifest& manifest, Problem& problem);

}  // namespace drydock::manifest
