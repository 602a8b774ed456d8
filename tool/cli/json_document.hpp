#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "cli/exit_code.hpp"

namespace drydock::cli {

/// The fields that every document begins with: schema, exit, problems.
nlohmann::ordered_json document_head(std::string_view command, ExitCode exit,
                                     const std::vector<base::Error>& problems);

/// Errors as documents have them: code, message, and where they apply package, file, line and details.
nlohmann::ordered_json problems_json(const std::vector<base::Error>& problems);

/// A document as it is printed.
std::string printed(const nlohmann::ordered_json& document);

}  // namespace drydock::cli
