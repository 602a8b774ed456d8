#pragma once

#include <string>

#include "cli/output.hpp"
#include "cli/report.hpp"

namespace drydock::cli {

/// What `drydock status` prints: a row for each file, then for each copy of a package where it lies, why it
/// is patched and what to do, then the sum.
std::string status_text(const SetReport& report, const Style& style);

/// What `drydock apply` and `drydock revert` print: a line for each package that changed or would, else one
/// that says that nothing did.
std::string change_text(const SetReport& report, const Style& style);

}  // namespace drydock::cli
