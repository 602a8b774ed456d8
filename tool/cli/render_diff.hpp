#pragma once

#include <string>

#include "cli/command_diff.hpp"

namespace drydock::cli {

/// What `drydock diff` prints behind the patch: a line for each difference that no patch holds.
std::string unpatched_text(const DiffOutcome& outcome);

/// The document `drydock.diff/1`: beside what every document has files[] with path, operation, oldMode and
/// newMode (of a change of mode), hunks, removed and added (lines), and unpatched[] with path and message.
std::string diff_document(const DiffOutcome& outcome);

}  // namespace drydock::cli
