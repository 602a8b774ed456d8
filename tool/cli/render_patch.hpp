#pragma once

#include <string>
#include <vector>

#include "cli/command_patch.hpp"
#include "cli/output.hpp"

namespace drydock::cli {

/// What `drydock patch` prints: a line for each file, and below it the hunks that are not where they said, in
/// a dry run all of them.
std::string patch_text(const PatchOutcome& outcome, const Style& style);

/// Its problems for standard error. Of a file with many hunks that do not fit the first ones are told, and
/// how many more there are.
std::string patch_problems_text(const std::vector<base::Error>& problems);

/// The document `drydock.patch/1`: beside what every document has notes, dryRun and files[] with path,
/// operation, from (of a rename or copy) and hunks[] with hunk, line, offset, fuzz.
std::string patch_document(const PatchOutcome& outcome);

}  // namespace drydock::cli
