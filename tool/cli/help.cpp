#include "cli/help.hpp"

#include <algorithm>

#include "cli/text.hpp"

namespace drydock::cli {
namespace {

constexpr std::size_t help_width = 80;
constexpr std::size_t text_column = 26;

/// A term and its text beside it, or below it where the term is long.
void append_term(std::string& help, std::string_view term, std::string_view text) {
    std::string left = "  " + std::string(term);
    if (display_width(left) + 2 > text_column) {
        left += '\n' + std::string(text_column, ' ');
    } else {
        left = padded(left, text_column);
    }
    help += left + wrapped(text, help_width, text_column, text_column) + '\n';
}

void append_terms(std::string& help, std::string_view title, std::span<const TermHelp> terms) {
    if (terms.empty()) return;
    help += '\n' + std::string(title) + ":\n";
    for (const TermHelp& term : terms) append_term(help, term.term, term.text);
}

std::string names_of(const OptionHelp& option) {
    std::string names = option.short_name.empty() ? "    " : std::string(option.short_name) + ", ";
    names += option.name;
    if (!option.value.empty()) names += ' ' + std::string(option.value);
    return names;
}

void append_options(std::string& help, std::span<const OptionHelp> options) {
    help += "\nOptions:\n";
    for (const OptionHelp& option : options) append_term(help, names_of(option), option.text);
}

void append_examples(std::string& help, std::span<const TermHelp> examples) {
    if (examples.empty()) return;
    help += "\nExamples:\n";
    for (const TermHelp& example : examples) {
        help +=
            "  " + std::string(example.term) + "\n      " + wrapped(example.text, help_width, 6, 6) + '\n';
    }
}

}  // namespace

const CommandHelp* find_command(std::string_view name) {
    const std::span<const CommandHelp> commands = all_commands();
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [name](const CommandHelp& help) { return help.name == name; });
    return found == commands.end() ? nullptr : &*found;
}

std::vector<std::string> command_words() {
    std::vector<std::string> words;
    for (const CommandHelp& command : all_commands()) words.emplace_back(command.name);
    words.emplace_back("help");
    return words;
}

std::string help_text() {
    const CommandHelp& tool = tool_help();
    std::string help = "Usage: drydock COMMAND [OPTION…]\n";
    for (const std::string_view paragraph : tool.description) {
        help += '\n' + wrapped(paragraph, help_width, 0, 0) + '\n';
    }
    help += "\nCommands:\n";
    for (const CommandHelp& command : all_commands()) append_term(help, command.name, command.summary);
    append_term(help, "help [COMMAND]", "this text, or a command's");
    append_options(help, tool.options);
    append_terms(help, "Exit codes", tool.exit_codes);
    append_terms(help, "Environment", tool.environment);
    append_examples(help, tool.examples);
    return help;
}

std::string help_text(const CommandHelp& command) {
    std::string help = "Usage: drydock " + std::string(command.name) + " [OPTION…]";
    if (!command.operands.empty()) help += ' ' + std::string(command.operands);
    help += '\n';
    for (const std::string_view paragraph : command.description) {
        help += '\n' + wrapped(paragraph, help_width, 0, 0) + '\n';
    }
    append_options(help, command.options);
    append_examples(help, command.examples);
    append_terms(help, "Exit codes", command.exit_codes);
    append_terms(help, "Environment", command.environment);
    return help;
}

}  // namespace drydock::cli
