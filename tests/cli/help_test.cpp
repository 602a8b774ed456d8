#include "cli/help.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "cli/command_line.hpp"
#include "cli/text.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

void expect_narrow(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        EXPECT_LE(display_width(line), 80U) << line;
        text.remove_prefix(line.size() + 1);
    }
}

TEST(Help, OfTheTool) {
    test::expect_golden("cli/data/help/drydock.txt", help_text());
    expect_narrow(help_text());
}

TEST(Help, OfEachCommand) {
    for (const CommandHelp& command : all_commands()) {
        std::string file(command.name);
        std::replace(file.begin(), file.end(), ' ', '-');
        test::expect_golden("cli/data/help/" + file + ".txt", help_text(command));
        expect_narrow(help_text(command));
    }
}

TEST(Help, ExamplesCanBeTyped) {
    for (const CommandHelp& command : all_commands()) {
        EXPECT_GE(command.examples.size(), 2U) << command.name;
        for (const TermHelp& example : command.examples) {
            std::string_view text = example.term;
            text.remove_prefix(text.find("drydock ") + 8);
            std::vector<std::string> words;
            while (!text.empty()) {
                words.emplace_back(text.substr(0, text.find(' ')));
                text.remove_prefix(std::min(words.back().size() + 1, text.size()));
            }
            const auto line = parse_command_line(words);
            EXPECT_TRUE(line.has_value()) << example.term << ": " << line.error().error.message;
        }
    }
}

TEST(Help, FindsCommands) {
    EXPECT_EQ(find_command("apply")->summary, "bring every selected file to its patched bytes");
    EXPECT_EQ(find_command("appl"), nullptr);
    EXPECT_EQ(find_command(""), nullptr);
}

}  // namespace
}  // namespace drydock::cli
