#pragma once

#include <string>

#include "cli/command_patch.hpp"
#include "cli/output.hpp"

namespace drydock::cli {

/// What `drydock patch` prints: a line for each file, and below it the hunks that are not where they said, in
/// a dry run all of them.
std::string patch_text(const PatchOutcome& outcome, const Style& style);

/// The document `drydock.patch/1`: beside what every document has notes, dryRun and files[] with path,
/// operation, from (of a rename or copy) and hunks[] with hunk, line, offset, fuzz.
std::string patch_document(const PatchOutcome& outcome);

}  // namespace drydock::cli
