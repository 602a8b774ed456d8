#pragma once

#include <string>

#include "cli/command_log.hpp"
#include "cli/output.hpp"

namespace drydock::cli {

/// The verdict on each log, with its findings and children.
std::string log_check_text(const LogCheckOutcome& outcome, const Style& style);
std::string log_check_document(const LogCheckOutcome& outcome);

/// One line for each log, without the document around it.
std::string log_check_lines(const LogCheckOutcome& outcome);

std::string log_mend_text(const LogMendOutcome& outcome);
std::string log_mend_document(const LogMendOutcome& outcome);

}  // namespace drydock::cli
