#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "cli/command_apply.hpp"
#include "cli/command_diff.hpp"
#include "cli/command_log.hpp"
#include "cli/command_log_show.hpp"
#include "cli/command_log_tree.hpp"
#include "cli/command_patch.hpp"
#include "cli/command_rebuild.hpp"
#include "cli/command_revert.hpp"
#include "cli/command_sbom.hpp"
#include "cli/command_status.hpp"
#include "cli/command_stream.hpp"
#include "cli/command_verify.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"

namespace drydock::cli {

struct HelpRequest {
    const CommandHelp* command{nullptr};  ///< null: drydock itself
};

struct VersionRequest {};

/// `drydock __names KIND`, which completions ask; in no help.
struct NamesRequest {
    std::string kind;
    Selection selection;
};

using Request =
    std::variant<HelpRequest, VersionRequest, NamesRequest, ApplyOptions, StatusOptions, RevertOptions,
                 SbomOptions, PatchOptions, DiffOptions, RegenerateOptions, BumpOptions, VerifyOptions,
                 StreamMapOptions, LogCheckOptions, LogMendOptions, LogShowOptions, LogTreeOptions>;

/// What was asked for on the command line.
struct CommandLine {
    std::string_view command;  ///< its name, for documents; empty for drydock itself
    Request request;
    OutputOptions output;
};

/// Why a command line cannot be understood, and how that is to be told.
struct CommandLineError {
    std::string_view command;  ///< empty: it is not known which one was meant
    bool json{false};
    base::Error error;
};

/// Reads the words behind the program's name.
tl::expected<CommandLine, CommandLineError> parse_command_line(std::span<const std::string> words);

}  // namespace drydock::cli
