#pragma once

#include <string>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "rebuild/rebuild.hpp"

namespace drydock::cli {

/// A regenerated set for a person: a line for each file, then what was proven. `written`: whether its files
/// were, or only held against what is there.
std::string regenerated_text(const rebuild::Regenerated& result, bool written, const Style& style);

/// The document `drydock.regenerate/1`.
std::string regenerated_document(const rebuild::Regenerated& result, ExitCode exit);

/// A bump for a person: a line for each hunk, then its files. `written` as above.
std::string bumped_text(const rebuild::Bumped& result, bool written, const Style& style);

/// The document `drydock.bump/1`.
std::string bumped_document(const rebuild::Bumped& result, ExitCode exit);

/// The report of a bump in Markdown, for a pull request.
std::string bumped_markdown(const rebuild::Bumped& result);

}  // namespace drydock::cli
