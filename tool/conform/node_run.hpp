#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drydock::conform {

inline constexpr std::string_view core_package = "@deepseek-ai/dsh-session";
inline constexpr std::string_view sink_package = "@deepseek-ai/dsh-subagent";
inline constexpr std::string_view claude_package = "@deepseek-ai/dsh-subagent-claude-code";
inline constexpr std::string_view acp_package = "@deepseek-ai/dsh-subagent-acp";
inline constexpr std::string_view loader_package = "@deepseek-ai/dsh-session-persistence-jsonl";

/// An Error about a package.
base::Error about(std::string_view package, base::ErrorKind kind, std::string message);

/// Writes the scripts into a folder. Errors: io.
base::Result<void> write_scripts(const std::string& folder);

/// Writes a file of ours. Errors: io.
base::Result<void> write_file(const std::string& path, std::string_view bytes);

/// How a script ended.
struct NodeRun {
    enum class End {
        done,
        cannot_load,  ///< a package cannot be loaded; the script says why
        gave_up,      ///< it gave up on what it found there; it says why
        failed,       ///< it did not get so far
        stopped,      ///< we ended it; the reason says why
        no_answer,    ///< it ended well and wrote no answer; likewise
    };
    End end{End::done};
    int exit_code{0};
    std::string reason;  ///< empty for done
    std::string answer;  ///< for done: what the script wrote into its last word, a file
};

/// Runs a script in the folder that write_scripts filled, for at most ten minutes, with `words` and a file
/// for its answer. Errors: io, when node cannot be run, or is not node, or we were interrupted.
base::Result<NodeRun> run_node(const std::string& node, const std::string& folder, std::string_view script,
                               const std::vector<std::string>& words);

}  // namespace drydock::conform
