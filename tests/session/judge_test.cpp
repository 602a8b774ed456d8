// session/judge.cpp, session/scanner.cpp and the checks, against the published loader.
#include <map>

#include <gtest/gtest.h>

#include "tests/session/loader.hpp"

namespace drydock::test {
namespace {

/// Both answers for each log that has two; how many of each there are.
std::map<std::string, std::size_t> compare(const std::vector<LogFile>& logs) {
    const std::vector<nlohmann::json> answers = ask_loader(logs);
    std::map<std::string, std::size_t> counts;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const session::Judgement ours = judge_log(logs[i]);
        const std::string expected = in_short(answers[i]);
        EXPECT_EQ(in_short(ours), expected)
            << logs[i].name << " (" << logs[i].suffix << ")\nours: " << ours.stock.reason
            << "\nloader: " << answers[i].dump();
        ++counts[expected.substr(0, expected.find(':'))];
    }
    return counts;
}

TEST(Verdict, AgreesWithTheLoaderOnTheTable) {
    const std::vector<LogFile> logs = table_of_logs();
    std::map<std::string, std::size_t> counts = compare(logs);
    RecordProperty("logs", static_cast<int>(logs.size()));
    EXPECT_GE(logs.size(), 800U);
    EXPECT_GE(counts["opens"], 250U);
    EXPECT_GE(counts["truncated"], 100U);
    EXPECT_GE(counts["refused"], 400U);
}

TEST(Verdict, AgreesWithTheLoaderOnMutatedLogs) {
    constexpr std::size_t rounds = 20'000;
    std::map<std::string, std::size_t> counts = compare(mutated_logs(rounds, 1));
    EXPECT_GE(counts["opens"], rounds / 10);
    EXPECT_GE(counts["truncated"], rounds / 10);
    EXPECT_GE(counts["refused"], rounds / 10);
}

}  // namespace
}  // namespace drydock::test
