// What README.md shows of examples/ is what the commands print, and the logs there hold what the mappers
// make. No source of its own: it tells of cli/command_log_show.cpp and its like.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

using nlohmann::json;

const std::string top = DRYDOCK_SOURCE_DIR;
const std::string examples = top + "/examples";
const std::string review = examples + "/sessions/--srv-app--/review/session.jsonl";

base::ProcessOutcome run(std::vector<std::string> words) {
    base::ProcessOptions process;
    process.directory = top;
    process.unset = {"NO_COLOR"};
    process.environment = {
        {"DRYDOCK_MANIFESTS", top + "/manifests"}, {"DSH_VERSION", "0.1.0-rc.8"}, {"TZ", "UTC"}};
    words.insert(words.begin(), test::drydock());
    return test::run(words, process);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// The block that stands behind a sentence.
std::string block_after(const std::string& sentence) {
    const std::string text = test::read(top + "/README.md");
    const std::size_t at = text.find(sentence);
    if (at == std::string::npos) return "README.md lacks: " + sentence;
    const std::size_t begin = text.find("```\n", at) + 4;
    return text.substr(begin, text.find("```", begin) - begin);
}

TEST(Examples, TheReadmeShowsWhatLogShowPrints) {
    const base::ProcessOutcome shown = run({"log", "show", review});
    EXPECT_EQ(shown.exit_code, 0);
    EXPECT_EQ(shown.errors, "");
    const std::string block = block_after("`log show` reads a session as a console");
    EXPECT_GT(lines_of(block).size(), 10U);
    EXPECT_NE(shown.output.find(block), std::string::npos) << block << "\nis not in\n" << shown.output;
}

TEST(Examples, TheReadmeShowsWhatLogTreePrints) {
    const base::ProcessOutcome tree = run({"log", "tree", examples + "/sessions"});
    EXPECT_EQ(tree.exit_code, 0);
    EXPECT_EQ(tree.errors, "");
    EXPECT_EQ(tree.output, block_after("and `log tree` tells whose child is whose"));
}

TEST(Examples, AStoreIsWhole) {
    const base::ProcessOutcome checked = run({"log", "check", "examples/sessions"});
    EXPECT_EQ(checked.output,
              "examples/sessions/--srv-app--/count/session.jsonl: opens, 5 events\n"
              "examples/sessions/--srv-app--/review/session.jsonl: opens, 21 events\n"
              "  child 7f3a (claude-code): 6 steps\n"
              "  child k2 (acp): 4 steps\n");
    EXPECT_EQ(checked.errors, "");
    EXPECT_EQ(checked.exit_code, 0);
}

TEST(Examples, AnUnmarkedLogIsThereToBeMended) {
    EXPECT_EQ(run({"log", "check", "-q", "examples/unmarked.jsonl"}).exit_code, 1);
    const test::TemporaryDirectory folder;
    const std::string copy = folder / "mended.jsonl";
    EXPECT_EQ(run({"log", "mend", "examples/unmarked.jsonl", "-o", copy}).output,
              copy + ": marked 3 events: line 5, line 6, line 7\n");
    const base::ProcessOutcome checked = run({"log", "check", copy});
    EXPECT_EQ(checked.output, copy + ": opens, 8 events\n  child 7f3a (claude-code): 3 steps\n");
    EXPECT_EQ(checked.exit_code, 0);
}

TEST(Examples, TheStepsInTheLogAreThoseOfTheMessages) {
    std::string mapped;
    for (const auto& [source, child, file] :
         {std::tuple{"claude-code", "7f3a", "messages.jsonl"}, std::tuple{"acp", "k2", "updates.jsonl"}}) {
        const base::ProcessOutcome made =
            run({"stream", "map", "--from", source, "--child-id", child, examples + "/" + file});
        EXPECT_EQ(made.exit_code, 0) << made.errors;
        for (const std::string& line : lines_of(made.output))
            mapped += json::parse(line)["data"].dump() + "\n";
    }
    std::string logged;
    for (const std::string& line : lines_of(test::read(review))) {
        const json event = json::parse(line);
        if (event["type"] == "subagent/stream") logged += event["data"].dump() + "\n";
    }
    EXPECT_EQ(logged, mapped);
}

}  // namespace
}  // namespace drydock::cli
