#pragma once

#include <string>

#include "cli/command_log_tree.hpp"
#include "cli/output.hpp"

namespace drydock::cli {

/// The tree, a line for each session and each child, and below it the sum.
std::string log_tree_text(const LogTreeOutcome& outcome, const Style& style);

std::string log_tree_document(const LogTreeOutcome& outcome);

}  // namespace drydock::cli
