#pragma once

#include "cli/report.hpp"
#include "cli/selection.hpp"

namespace drydock::cli {

struct RevertOptions {
    Selection selection;
    bool all{false};  ///< from the receipts alone; then no packages are selected
    bool dry_run{false};
};

/// `drydock revert`.
SetReport revert(const RevertOptions& options, const manifest::Environment& environment);

}  // namespace drydock::cli
