#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/selection.hpp"
#include "session/review.hpp"
#include "session/session.hpp"

namespace drydock::cli {

/// `log check`. The version is the one whose stock harness is asked.
struct LogCheckOptions {
    Selection selection;
    std::vector<std::string> paths;  ///< files, directories, or `-`
    bool ndjson{false};              ///< one JSON document a line, for each log
};

struct CheckedLog {
    std::string path;
    session::Judgement judgement;
    std::vector<session::Finding> findings;
    std::size_t unlisted{0};  ///< findings that are counted only
    std::vector<session::ChildSummary> children;
    std::string hint;  ///< for a person: that the name tells of another encoding than the bytes; or empty
};

struct LogCheckOutcome {
    ExitCode exit{ExitCode::done};  ///< done when every log opens whole and without a finding
    std::vector<CheckedLog> logs;   ///< in the order of the paths
    std::vector<base::Error> problems;
};

/// Judges logs, on all cores. In a directory every `*.jsonl` and `*.jsonl.zstd` below it is meant; links are
/// not followed. A log that lies as in a store must lie at its place.
LogCheckOutcome check_logs(const LogCheckOptions& options, const manifest::Environment& environment);

/// `log mend`.
struct LogMendOptions {
    Selection selection;
    std::string path;
    std::string copy;
};

struct LogMendOutcome {
    ExitCode exit{ExitCode::done};
    std::string path;
    std::string copy;                ///< empty when none was made
    std::vector<std::size_t> lines;  ///< that were marked
    bool tail_dropped{false};
    std::vector<base::Error> problems;
};

/// Writes a copy of a log that opens, to a file that is not there yet.
LogMendOutcome mend_log(const LogMendOptions& options, const manifest::Environment& environment);

}  // namespace drydock::cli
