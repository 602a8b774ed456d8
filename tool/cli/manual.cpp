#include "cli/manual.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace drydock::cli {
namespace {

/// Text as troff prints it: no character of it is an escape, a request or another dash than was meant.
std::string troff(std::string_view text) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char each = text[at];
        if (text.substr(at).starts_with("…")) {
            result += "\\[u2026]";
            at += std::string_view("…").size() - 1;
        } else if (each == '\\') {
            result += "\\e";
        } else if (each == '-') {
            result += "\\-";
        } else if (each == '\'') {
            result += "\\(aq";
        } else if (each == '^' || each == '~' || each == '`') {
            result += fmt::format("\\({}", each == '^' ? "ha" : each == '~' ? "ti" : "ga");
        } else if (each == '.' && result.empty()) {
            result += "\\&.";
        } else {
            result += each;
        }
    }
    return result;
}

std::string bold(std::string_view text) {
    return "\\fB" + troff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + troff(text) + "\\fR";
}

void append_entry(std::string& page, const std::string& term, std::string_view text) {
    page += ".TP\n" + term + '\n' + troff(text) + '\n';
}

void append_terms(std::string& page, std::string_view title, std::span<const TermHelp> terms) {
    if (terms.empty()) return;
    page += fmt::format(".SH {}\n", title);
    for (const TermHelp& term : terms) append_entry(page, bold(term.term), term.text);
}

std::string option_term(const OptionHelp& option) {
    std::string term = option.short_name.empty() ? std::string() : bold(option.short_name) + ", ";
    term += bold(option.name);
    if (!option.value.empty()) term += ' ' + italic(option.value);
    return term;
}

bool is_tool(const CommandHelp& command) {
    return command.name.empty();
}

void append_synopsis(std::string& page, const CommandHelp& command) {
    page += ".SH SYNOPSIS\n";
    if (is_tool(command)) {
        page += bold("drydock") + ' ' + italic("COMMAND") + " [" + italic("OPTION") + "\\[u2026]]\n";
        return;
    }
    page += bold("drydock " + std::string(command.name)) + " [" + italic("OPTION") + "\\[u2026]]";
    if (!command.operands.empty()) page += ' ' + italic(command.operands);
    page += '\n';
}

void append_see_also(std::string& page, const CommandHelp& command) {
    std::vector<std::string> pages;
    if (!is_tool(command)) pages.emplace_back("drydock");
    for (const CommandHelp& other : all_commands()) {
        if (&other != &command) pages.push_back(page_name(other));
    }
    page += ".SH SEE ALSO\n";
    for (std::size_t i = 0; i < pages.size(); ++i) {
        page += fmt::format(".BR {} (1){}\n", troff(pages[i]), i + 1 < pages.size() ? "," : "");
    }
}

}  // namespace

std::string page_name(const CommandHelp& command) {
    if (is_tool(command)) return "drydock";
    std::string name = "drydock-" + std::string(command.name);
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string manual_page(const CommandHelp& command, std::string_view version, std::string_view date) {
    const std::string name = page_name(command);
    std::string title = name;
    std::transform(title.begin(), title.end(), title.begin(), [](char each) {
        return each >= 'a' && each <= 'z' ? static_cast<char>(each - 32) : each;
    });
    const std::string_view summary =
        is_tool(command) ? "keep patches on packages installed in container images" : command.summary;
    std::string page =
        fmt::format(".TH {} 1 {} \"drydock {}\" \"User Commands\"\n", troff(title), date, version);
    page += fmt::format(".SH NAME\n{} \\- {}\n", troff(name), troff(summary));
    append_synopsis(page, command);
    page += ".SH DESCRIPTION\n";
    for (std::size_t i = 0; i < command.description.size(); ++i) {
        page += (i > 0 ? ".PP\n" : "") + troff(command.description[i]) + '\n';
    }
    if (is_tool(command)) {
        page += ".SH COMMANDS\n";
        for (const CommandHelp& each : all_commands()) append_entry(page, bold(each.name), each.summary);
        append_entry(page, bold("help") + " [" + italic("COMMAND") + "]",
                     "a summary, or the text on a command");
    }
    page += ".SH OPTIONS\n";
    for (const OptionHelp& option : command.options) append_entry(page, option_term(option), option.text);
    append_terms(page, "EXIT STATUS", command.exit_codes);
    append_terms(page, "ENVIRONMENT", command.environment);
    append_terms(page, "EXAMPLES", command.examples);
    append_see_also(page, command);
    return page;
}

}  // namespace drydock::cli
