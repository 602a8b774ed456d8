// session/judge.cpp, session/scanner.cpp and the checks, against the published loader.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/frames.hpp"
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

/// Two mebibytes of events, which zstd hardly makes smaller: a thread of its own reads such a log.
std::vector<std::string> many_events() {
    std::mt19937_64 random(1);
    std::vector<std::string> lines;
    for (std::size_t seq = 0; seq < 8000; ++seq) {
        std::string noise;
        for (int i = 0; i < 10; ++i) noise += std::to_string(random());
        lines.push_back(fmt::format(R"({{"type":"step/start","seq":{},"time":1,"data":{{"turn":1,"step":1,)"
                                    R"("noise":"{}"}}}})"
                                    "\n",
                                    seq, noise));
    }
    return lines;
}

/// The log plain, and in frames of a thousand lines.
void add_both(std::vector<LogFile>& logs, const std::string& name, const std::vector<std::string>& lines) {
    std::string plain = usual_header() + "\n";
    std::string framed = session::make_frame(plain).value();
    for (std::size_t at = 0; at < lines.size(); at += 1000) {
        std::string batch;
        for (std::size_t i = at; i < std::min(at + 1000, lines.size()); ++i) batch += lines[i];
        plain += batch;
        framed += session::make_frame(batch).value();
    }
    ASSERT_GT(framed.size(), 1U << 18U);
    logs.push_back({name, ".jsonl", plain});
    logs.push_back({name, ".jsonl.zstd", framed});
    for (std::size_t cut : {1U, 3U, 5000U}) {
        logs.push_back({name + ", cut", ".jsonl", plain.substr(0, plain.size() - cut)});
        logs.push_back({name + ", cut", ".jsonl.zstd", framed.substr(0, framed.size() - cut)});
    }
    std::string damaged = framed;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    logs.push_back({name + ", a byte of a frame changed", ".jsonl.zstd", damaged});
    logs.push_back({name + ", lines in the first frame", ".jsonl.zstd", session::make_frame(plain).value()});
}

TEST(Verdict, AgreesWithTheLoaderOnLargeLogs) {
    const std::vector<std::string> good = many_events();
    std::vector<LogFile> logs;
    add_both(logs, "good", good);
    std::vector<std::string> lines = good;
    lines[4000] = "no JSON\n";
    add_both(logs, "a line in the middle that cannot be read", lines);
    lines.push_back(
        R"({"type":"turn/end","seq":8000,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}})"
        "\n");
    add_both(logs, "that, and an end behind it", lines);
    lines = good;
    lines.erase(lines.begin() + 2500);
    add_both(logs, "a gap", lines);
    lines = good;
    lines[7000] = "null\n";
    add_both(logs, "a null line", lines);
    lines = good;
    lines[5500] = R"({"type":"made/up","seq":5500,"time":1,"data":{}})"
                  "\n";
    add_both(logs, "an unknown type", lines);
    std::map<std::string, std::size_t> counts = compare(logs);
    EXPECT_GE(counts["opens"], 2U);
    EXPECT_GE(counts["truncated"], 6U);
    EXPECT_GE(counts["refused"], 15U);
}

}  // namespace
}  // namespace drydock::test
