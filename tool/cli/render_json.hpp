#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/report.hpp"

namespace drydock::cli {

/// The document `drydock.apply/1`, `drydock.status/1` or `drydock.revert/1`, indented, with a line end. What
/// is not known is null; bytes that are not UTF-8 become U+FFFD.
std::string set_document(const SetReport& report);

/// The document `drydock.version/1`.
std::string version_document(std::string_view version);

/// The document `drydock.<command>/1` of a command that did not come to its work: schema, exit and problems.
std::string error_document(std::string_view command, ExitCode exit, const std::vector<base::Error>& problems);

}  // namespace drydock::cli
