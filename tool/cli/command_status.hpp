#pragma once

#include "cli/report.hpp"
#include "cli/selection.hpp"

namespace drydock::cli {

struct StatusOptions {
    Selection selection;
    bool check{false};
};

/// `drydock status`. Without `check` only what cannot be used counts (exit 2); with it every state that is
/// not as it should be, each with a problem that says so.
SetReport status(const StatusOptions& options, const manifest::Environment& environment);

}  // namespace drydock::cli
