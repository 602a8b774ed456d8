#pragma once

#include "cli/report.hpp"
#include "cli/selection.hpp"

namespace drydock::cli {

struct SbomOptions {
    Selection selection;
};

/// `drydock sbom`: what `status` without `check` finds, which goes into the document of render_sbom.hpp.
SetReport sbom(const SbomOptions& options, const manifest::Environment& environment);

}  // namespace drydock::cli
