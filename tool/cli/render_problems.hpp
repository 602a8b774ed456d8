#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace drydock::cli {

/// Problems for standard error, each `drydock: dsh-session: lib/index.js:3: message`, its details indented
/// below.
std::string problems_text(const std::vector<base::Error>& problems);

/// Notes for standard error, one line each: `drydock: note: ...`; with `details` theirs too.
std::string notes_text(const std::vector<base::Error>& notes, bool details);

}  // namespace drydock::cli
