#include "cli/completions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help.hpp"

namespace drydock::cli {
namespace {

using Words = std::vector<std::string>;

/// A template with a text in place of each mark, of which each must be there.
std::string filled(std::string_view text, const std::vector<std::pair<std::string, std::string>>& marks) {
    std::string result(text);
    for (const auto& [mark, value] : marks) {
        std::string trimmed = value;
        if (trimmed.ends_with('\n')) trimmed.pop_back();
        std::size_t at = result.find(mark);
        if (at == std::string::npos) throw std::runtime_error("a template lacks " + mark);
        for (; at != std::string::npos; at = result.find(mark, at + trimmed.size())) {
            result.replace(at, mark.size(), trimmed);
        }
    }
    return result;
}

/// The first words of all commands, and `help`.
Words first_words() {
    Words words;
    for (const std::string& word : command_words()) {
        std::string first = word.substr(0, word.find(' '));
        if (std::find(words.begin(), words.end(), first) == words.end()) words.push_back(std::move(first));
    }
    return words;
}

/// First words of commands that have two, each with the second ones.
std::vector<std::pair<std::string, Words>> second_words() {
    std::vector<std::pair<std::string, Words>> found;
    for (const CommandHelp& command : all_commands()) {
        const std::size_t blank = command.name.find(' ');
        if (blank == std::string_view::npos) continue;
        const std::string first(command.name.substr(0, blank));
        if (found.empty() || found.back().first != first) found.push_back({first, {}});
        found.back().second.emplace_back(command.name.substr(blank + 1));
    }
    return found;
}

Words option_names(const CommandHelp& command) {
    Words names;
    for (const OptionHelp& option : command.options) {
        if (!option.short_name.empty()) names.emplace_back(option.short_name);
        names.emplace_back(option.name);
    }
    return names;
}

/// A row of a `case`: the branch of bash and zsh.
std::string branch(std::string_view pattern, std::string_view commands) {
    return fmt::format("        {}) {} ;;\n", pattern, commands);
}

/// A text in single quotes.
std::string in_quotes(std::string_view text, std::string_view quote_inside = "'\\''") {
    std::string result = "'";
    for (const char each : text) {
        if (each == '\'') {
            result += quote_inside;
        } else {
            result += each;
        }
    }
    return result + '\'';
}

/// What zsh does for an option's value.
std::string zsh_action(std::string_view completion) {
    if (completion == "<files>") return "_files";
    if (completion == "<directories>") return "_files -/";
    if (completion == "<packages>") return "_drydock_names packages";
    if (completion == "<versions>") return "_drydock_names versions";
    if (completion == "<roots>") return "_drydock_roots";
    return completion.empty() ? " " : fmt::format("({})", completion);
}

/// The specifications for _arguments of both names of an option.
std::string zsh_option(const OptionHelp& option) {
    std::string text;
    for (const char each : option.text) {
        if (std::string_view("[]:\\").find(each) != std::string_view::npos) text += '\\';
        text += each;
    }
    const bool valued = !option.value.empty();
    const std::string rest = fmt::format(
        "[{}]{}", text,
        valued ? fmt::format(":{}:{}", option.value, zsh_action(option.completion)) : std::string());
    std::string words = in_quotes(fmt::format("*{}{}{}", option.name, valued ? "=" : "", rest));
    if (!option.short_name.empty()) {
        words += ' ' + in_quotes(fmt::format("*{}{}{}", option.short_name, valued ? "+" : "", rest));
    }
    return words;
}

/// What fish does for an option's value.
std::string fish_action(const OptionHelp& option) {
    if (option.value.empty()) return {};
    const std::string_view completion = option.completion;
    if (completion == "<files>") return " -r -F";
    if (completion == "<directories>") return " -x -a '(__fish_complete_directories)'";
    if (completion == "<packages>") return " -x -a '(__drydock_names packages)'";
    if (completion == "<versions>") return " -x -a '(__drydock_names versions)'";
    if (completion == "<roots>") return " -x -a '(__drydock_roots)'";
    return completion.empty() ? " -x" : fmt::format(" -x -a '{}'", completion);
}

/// The line of fish for what follows a command.
std::string fish_line(std::string_view command, std::string_view what) {
    return fmt::format("complete -c drydock -n '__drydock_is \"{}\"'{}\n", command, what);
}

}  // namespace

std::string bash_completion(std::string_view text) {
    std::string options = branch("''", fmt::format("echo '{}'", fmt::join(option_names(tool_help()), " ")));
    std::string values;
    std::string operands;
    std::string seconds;
    for (const CommandHelp& command : all_commands()) {
        options +=
            branch(in_quotes(command.name), fmt::format("echo '{}'", fmt::join(option_names(command), " ")));
        if (!command.operands.empty()) operands += branch(in_quotes(command.name), "return 0");
        for (const OptionHelp& option : command.options) {
            if (option.value.empty()) continue;
            std::string pattern = fmt::format("'{} {}'", command.name, option.name);
            if (!option.short_name.empty()) {
                pattern += fmt::format(" | '{} {}'", command.name, option.short_name);
            }
            values += branch(pattern, fmt::format("echo '{}'", option.completion));
        }
    }
    for (const auto& [first, words] : second_words()) {
        seconds += branch(first, fmt::format("echo '{}'", fmt::join(words, " ")));
    }
    return filled(text, {{"@OPTIONS@", options},
                         {"@VALUES@", values},
                         {"@OPERANDS@", operands},
                         {"@SECOND_WORDS@", seconds},
                         {"@FIRST_WORDS@", fmt::format("{}", fmt::join(first_words(), " "))}});
}

std::string zsh_completion(std::string_view text) {
    std::string commands;
    for (const std::string& word : first_words()) {
        const CommandHelp* command = find_command(word);
        std::string_view summary = "tell about a command";
        for (const CommandHelp& each : all_commands()) {
            if (each.name.starts_with(word + ' ')) summary = "several commands, by their second words";
        }
        if (command != nullptr) summary = command->summary;
        commands += fmt::format("            {}\n", in_quotes(fmt::format("{}:{}", word, summary)));
    }
    std::string seconds;
    for (const auto& [first, words] : second_words()) {
        seconds += branch(first, fmt::format("seconds=({})", fmt::join(words, " ")));
    }
    std::string arguments;
    for (const CommandHelp& command : all_commands()) {
        std::string call = "\n            _arguments -s";
        for (const OptionHelp& option : command.options) call += " \\\n                " + zsh_option(option);
        if (!command.operands.empty()) call += " \\\n                '*:file:_files'";
        arguments += branch(in_quotes(command.name), call + "\n           ");
    }
    return filled(text, {{"@COMMANDS@", commands},
                         {"@FIRST_WORDS@", fmt::format("{}", fmt::join(first_words(), " "))},
                         {"@SECOND_WORDS@", seconds.empty() ? "        *) ;;\n" : seconds},
                         {"@ARGUMENTS@", arguments}});
}

std::string fish_completion(std::string_view text) {
    std::string lines;
    for (const std::string& word : first_words()) {
        const CommandHelp* command = find_command(word);
        lines += fish_line("", fmt::format(" -a {}{}", word,
                                           command == nullptr ? std::string()
                                                              : " -d " + in_quotes(command->summary, "\\'")));
    }
    lines += fish_line("help", fmt::format(" -a '{}'", fmt::join(first_words(), " ")));
    Words firsts;
    for (const auto& [first, words] : second_words()) {
        firsts.push_back(first);
        lines += fish_line(first, fmt::format(" -a '{}'", fmt::join(words, " ")));
    }
    const auto add_options = [&lines](const CommandHelp& command) {
        for (const OptionHelp& option : command.options) {
            std::string what;
            if (!option.short_name.empty()) what += fmt::format(" -s {}", option.short_name.substr(1));
            what += fmt::format(" -l {}{} -d {}", option.name.substr(2), fish_action(option),
                                in_quotes(option.text, "\\'"));
            lines += fish_line(command.name, what);
        }
        if (!command.operands.empty()) lines += fish_line(command.name, " -F");
    };
    add_options(tool_help());
    for (const CommandHelp& command : all_commands()) add_options(command);
    const std::string two = firsts.empty() ? "''" : fmt::format("{}", fmt::join(firsts, " "));
    return filled(text, {{"@FIRST_OF_TWO@", two}, {"@COMPLETE@", lines}});
}

}  // namespace drydock::cli
