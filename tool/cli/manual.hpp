#pragma once

#include <string>

#include "cli/help.hpp"

namespace drydock::cli {

/// A command's page in section 1: `drydock-log-check`; the tool's own, `drydock`.
std::string page_name(const CommandHelp& command);

/// The page as troff reads it with the macros of man(7), made from the text of `--help`. `date` is shown
/// below it, as 2026-12-01.
std::string manual_page(const CommandHelp& command, std::string_view version, std::string_view date);

}  // namespace drydock::cli
