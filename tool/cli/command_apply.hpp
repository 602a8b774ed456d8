#pragma once

#include "cli/report.hpp"
#include "cli/selection.hpp"

namespace drydock::cli {

struct ApplyOptions {
    Selection selection;
    bool dry_run{false};
};

/// `drydock apply`. A boot that has no usable set takes back what is unsafe, and does not fail unless it is
/// strict.
SetReport apply(const ApplyOptions& options, const manifest::Environment& environment);

}  // namespace drydock::cli
