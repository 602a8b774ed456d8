#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/selection.hpp"
#include "session/narrator.hpp"

namespace drydock::cli {

/// Which lines of a log are shown.
struct LogFilter {
    std::set<session::Role> roles;
    std::set<std::string, std::less<>> names;  ///< kinds of steps, and types of events
    std::string child;                         ///< the beginning of a child's id
    bool all{false};                           ///< also what only few want to see

    /// `minor`: only few want to see it; shown, too, where its type is asked for.
    [[nodiscard]] bool takes(const session::Label& label, std::string_view type, bool minor) const;
};

/// Adds what was typed behind `--kind`: a role, a kind of step, or an event's type. Errors: usage.
base::Result<void> add_kind(LogFilter& filter, const std::string& typed);

/// `log show`.
struct LogShowOptions {
    Selection selection;  ///< whose stock harness is asked whether the log opens; may be none
    std::string path;     ///< `-`: standard input
    LogFilter filter;
    bool follow{false};
    bool full{false};  ///< texts are not folded
    bool raw{false};   ///< the lines as they are stored
};

struct LogShowOutcome {
    ExitCode exit{ExitCode::done};  ///< check_failed when the log is refused
    std::vector<base::Error> problems;
    std::vector<base::Error> notes;
};

/// Shows a log on `channels.out` while it is read, one event a line or, with `output.json`, one JSON a line.
/// With `follow` it goes on as the file grows, until `channels.wait` says to end.
LogShowOutcome show_log(const LogShowOptions& options, const OutputOptions& output, const Style& style,
                        const manifest::Environment& environment, const Channels& channels);

}  // namespace drydock::cli
