#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/selection.hpp"
#include "session/family.hpp"
#include "session/session.hpp"
#include "session/tree.hpp"

namespace drydock::cli {

/// `log tree`.
struct LogTreeOptions {
    Selection selection;  ///< whose stock harness is asked whether the logs open; may be none
    std::string path;     ///< a store, or any directory or file
};

/// A session of the tree.
struct TreeLog {
    std::string path;
    session::Header header;
    session::Judgement judgement;
    std::unique_ptr<session::Family> family;
};

struct LogTreeOutcome {
    ExitCode exit{ExitCode::done};  ///< check_failed when a log is refused, or the store cannot be listed
    bool store{false};              ///< the path is a store, and what the harness's listing has is shown
    std::vector<TreeLog> logs;
    std::vector<session::TreeRow> rows;  ///< about `logs`
    std::vector<base::Error> problems;
    std::vector<base::Error> notes;
};

/// Reads all logs of a store, on all cores, and puts their sessions and their children into a tree. Memory:
/// what each log tells of its children.
LogTreeOutcome grow_tree(const LogTreeOptions& options, const manifest::Environment& environment);

/// Why the harness's listing of children has no name for a subagent: `unavailable`, its log does not open;
/// `corrupt`, it has no descriptor that can be used; empty where it has one.
std::string_view diagnostic_of(const TreeLog& log);

}  // namespace drydock::cli
