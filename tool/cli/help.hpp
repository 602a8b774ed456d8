#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::cli {

/// One option, for the parser of the command line and for every text about it.
struct OptionHelp {
    std::string_view short_name;  ///< `-n`, or empty
    std::string_view name;        ///< `--dry-run`
    std::string_view value;       ///< what its value is called, `PATH`; empty: it takes none
    std::string_view text;
    std::string_view completion{};  ///< its possible values in words, or one of `<files>`, `<directories>`,
                                    ///< `<packages>`, `<roots>`, `<versions>`; empty: none can be told
};

/// A word and what it means: an example, an exit code, an environment variable.
struct TermHelp {
    std::string_view term;
    std::string_view text;
};

/// All that is said about one command; the parser of the command line reads it too, so that they cannot
/// disagree. Texts are sentences without line ends; whoever prints them wraps them.
struct CommandHelp {
    std::string_view name;
    std::string_view summary;   ///< lower case, no full stop
    std::string_view operands;  ///< `FILE…`; empty: it takes none
    std::span<const std::string_view> description;
    std::span<const OptionHelp> options;
    std::span<const TermHelp> examples;
    std::span<const TermHelp> exit_codes;
    std::span<const TermHelp> environment;
};

/// Every command, in the order in which help lists them.
std::span<const CommandHelp> all_commands();

/// The command of that name, or null.
const CommandHelp* find_command(std::string_view name);

/// What `drydock` itself is and takes: its name is empty, its exit codes are those of all commands.
const CommandHelp& tool_help();

/// What can be typed where a command is expected.
std::vector<std::string> command_words();

/// The text of `drydock help`, at most 80 columns wide.
std::string help_text();

/// The text of `drydock help COMMAND`, at most 80 columns wide.
std::string help_text(const CommandHelp& command);

}  // namespace drydock::cli
