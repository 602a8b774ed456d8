// `log check`, `log tree` and `log mend` of a log that another process writes to meanwhile.

#include <functional>
#include <random>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/frames.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t pieces = 60;
constexpr std::size_t events_in_piece = 100;
constexpr int runs = 15;

/// A log as it is written: the header line, then batches of events.
std::vector<std::string> log_pieces(bool zstd, std::uint32_t seed, bool marked = true) {
    std::mt19937 random(seed);
    std::vector<std::string> log = {
        R"({"type":"session","version":0,"id":"a","createdAt":1,"delegationDepth":0})"
        "\n"};
    for (std::size_t seq = 0; seq < pieces * events_in_piece; ++seq) {
        if (seq % events_in_piece == 0) log.emplace_back();
        std::string text;
        for (int i = 0; i < 20; ++i) text += fmt::format("{:08x}", random());  // that zstd cannot make small
        log.back() += fmt::format(
            R"({{"type":"subagent/stream","seq":{0},"time":1,"data":{{"childId":"k","provider":"acp","index":{0},"item":{{"kind":"plan","text":"{1}"}}}}{2}}})"
            "\n",
            seq, text, marked ? R"(,"ignorable":true)" : "");
    }
    if (!zstd) return log;
    for (std::string& piece : log) piece = session::make_frame(piece).value();
    return log;
}

std::string joined(const std::vector<std::string>& log, std::size_t count = pieces + 1) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += log[i];
    return bytes;
}

/// A process that does something again and again, until this goes.
class Other {
  public:
    using Act = std::function<void(std::mt19937&)>;

    Other(std::uint32_t seed, const Act& act) : process_(fork()) {
        if (process_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (std::mt19937 random(seed);; pause(random)) act(random);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }

    static void pause(std::mt19937& random) { usleep(static_cast<useconds_t>(random() % 3'000)); }

  private:
    pid_t process_;
};

void append(const std::string& path, std::string_view bytes) {
    const base::FileDescriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) _exit(1);
}

void cut(const std::string& path, std::size_t size) {
    if (truncate(path.c_str(), static_cast<off_t>(size)) != 0) _exit(1);
}

class ChangingLog : public testing::TestWithParam<bool> {
  protected:
    ChangingLog() {
        process.time_limit = std::chrono::seconds(30);
        process.environment = {{"DRYDOCK_MANIFESTS", std::string(DRYDOCK_SOURCE_DIR) + "/manifests"},
                               {"DSH_VERSION", "0.1.1-rc.2"}};
    }

    base::ProcessOutcome log_command(std::vector<std::string> words) {
        words.insert(words.begin(), {test::drydock(), "log"});
        base::ProcessOutcome outcome = test::run(words, process);
        EXPECT_FALSE(outcome.timed_out);
        return outcome;
    }

    /// What is said of the log, `REASON`s of a verdict that is not that it opens, while `act` goes on. A log
    /// of neither state is said to have been written to.
    void check_while(const Other::Act& act, bool standard_input = false) {
        for (std::uint32_t seed = 1; seed <= runs; ++seed) {
            test::write(path, joined(log));
            const Other other(seed, act);
            usleep(seed * 300);
            const base::ProcessOutcome outcome =
                standard_input
                    ? test::run({"sh", "-c", R"("$0" log check --json - < "$1")", test::drydock(), path},
                                process)
                    : log_command({"check", "--json", path});
            const Json document = Json::parse(outcome.output, nullptr, false);
            ASSERT_FALSE(document.is_discarded()) << outcome.exit_code << outcome.output << outcome.errors;
            EXPECT_EQ(outcome.errors, "");
            ASSERT_EQ(document["logs"].size(), 1U) << outcome.output;
            take(document["logs"][0], outcome.exit_code);
        }
#ifndef __SANITIZE_ADDRESS__  // which needs more memory than the tool
        rusage usage{};
        getrusage(RUSAGE_CHILDREN, &usage);
        EXPECT_LT(usage.ru_maxrss, 256 * 1024);
#endif
    }

    void take(const Json& said, int exit) {
        const bool opens = said["verdict"] == "opens";
        EXPECT_EQ(exit, opens && said["findings"].empty() ? 0 : 1) << said;
        const bool written = !said["findings"].empty() && said["findings"][0]["code"] == "written";
        if (written) {
            ++told;
            EXPECT_THAT(
                said["findings"][0]["message"].get<std::string>(),
                testing::MatchesRegex("another process wrote to it while it was read: [0-9]+ bytes at "
                                      "first, [0-9]+ at the end; check it again"));
        } else {
            EXPECT_TRUE(said["findings"].empty()) << said;
            states.insert(opens ? "opens" : said["reason"].get<std::string>());
        }
    }

    bool zstd() const {
        return GetParam();
    }

    test::TemporaryDirectory folder;
    const std::vector<std::string> log = log_pieces(zstd(), 1);
    const std::string path = folder / (zstd() ? "s.jsonl.zstd" : "s.jsonl");
    base::ProcessOptions process;
    int told{0};                   ///< how often, that it was written to
    std::set<std::string> states;  ///< what was said without that
};

/// As a harness appends, but in two halves.
TEST_P(ChangingLog, ThatGrows) {
    std::size_t next = pieces + 1;
    check_while([&](std::mt19937& random) {
        if (next == pieces + 1) {
            next = pieces / 3;
            cut(path, joined(log, next).size());
        }
        const std::string_view piece = log[next++];
        append(path, piece.substr(0, piece.size() / 2));
        Other::pause(random);
        append(path, piece.substr(piece.size() / 2));
    });
    EXPECT_GT(told, 0);
    const std::string torn = zstd() ? "the last zstd frame is cut" : "the last line is cut";
    EXPECT_THAT(states, testing::IsSubsetOf({std::string("opens"), torn}));
}

/// As a loader's repair cuts it, and harnesses go on.
TEST_P(ChangingLog, ThatIsCut) {
    check_while([&](std::mt19937& random) {
        const std::size_t kept = 1 + random() % pieces;
        cut(path, joined(log, kept).size());
        Other::pause(random);
        append(path, joined(log).substr(joined(log, kept).size()));
    });
    EXPECT_GT(told, 0);
    const std::string torn = zstd() ? "the last zstd frame is cut" : "the last line is cut";
    EXPECT_THAT(states, testing::IsSubsetOf({std::string("opens"), torn}));
}

TEST_P(ChangingLog, ThatIsCutOnStandardInput) {
    check_while(
        [&](std::mt19937& random) {
            const std::size_t kept = 1 + random() % pieces;
            cut(path, joined(log, kept).size());
            Other::pause(random);
            append(path, joined(log).substr(joined(log, kept).size()));
        },
        true);
    EXPECT_GT(told, 0);
    const std::string torn = zstd() ? "the last zstd frame is cut" : "the last line is cut";
    EXPECT_THAT(states, testing::IsSubsetOf({std::string("opens"), torn}));
}

/// By another log, of other bytes at each place.
TEST_P(ChangingLog, ThatIsWrittenAnew) {
    const std::vector<std::vector<std::string>> logs = {log, log_pieces(zstd(), 2), log_pieces(zstd(), 3)};
    check_while([&](std::mt19937& random) {
        cut(path, 0);
        append(path, joined(logs[random() % logs.size()], 2 + random() % pieces));
    });
    EXPECT_GT(told, 0);
    const std::vector<std::string> empty = {"opens", "the last line is cut", "the last zstd frame is cut",
                                            "there is no header line",
                                            "there is no complete zstd frame, so no header line"};
    EXPECT_THAT(states, testing::IsSubsetOf(empty));
}

/// What is said is of the one or the other.
TEST_P(ChangingLog, ThatIsReplaced) {
    const std::string ready = folder / "ready";
    check_while([&](std::mt19937& random) {
        const base::FileDescriptor file(open(ready.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        append(ready, joined(log, 2 + random() % pieces));
        if (rename(ready.c_str(), path.c_str()) != 0) _exit(1);
    });
    EXPECT_EQ(told, 0);
    EXPECT_EQ(states, std::set<std::string>{"opens"});
}

/// That it was written to is a note there: a store is looked at while harnesses run.
TEST_P(ChangingLog, ThatGrowsIsToldWithTheTree) {
    for (std::uint32_t seed = 1; seed <= runs; ++seed) {
        test::write(path, joined(log, 1));
        std::size_t next = 1;
        const Other other(seed, [&](std::mt19937&) {
            if (next < log.size()) append(path, log[next++]);
        });
        usleep(seed * 300);
        const base::ProcessOutcome outcome = log_command({"tree", "--json", path});
        const Json document = Json::parse(outcome.output, nullptr, false);
        ASSERT_FALSE(document.is_discarded()) << outcome.exit_code << outcome.output << outcome.errors;
        EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
        if (document["notes"].empty()) continue;
        ++told;
        EXPECT_THAT(document["notes"][0]["message"].get<std::string>(),
                    testing::MatchesRegex("another process wrote to it while it was read: [0-9]+ bytes at "
                                          "first, [0-9]+ at the end; look at the tree again"));
    }
    EXPECT_GT(told, 0);
}

/// A copy that is made opens; else it is said why none is.
TEST_P(ChangingLog, ThatIsMended) {
    const std::vector<std::vector<std::string>> logs = {log_pieces(zstd(), 1, false),
                                                        log_pieces(zstd(), 2, false)};
    const std::string copy = folder / (zstd() ? "copy.jsonl.zstd" : "copy.jsonl");
    for (std::uint32_t seed = 1; seed <= runs; ++seed) {
        test::write(path, joined(logs[0]));
        const Other other(seed, [&](std::mt19937& random) {
            cut(path, random() % joined(logs[0], 2).size());
            append(path, joined(logs[random() % 2], 2 + random() % pieces));
            usleep(10'000);
        });
        usleep(seed * 300);
        const base::ProcessOutcome outcome = log_command({"mend", path, "-o", copy});
        EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 1)) << outcome.errors;
        if (outcome.exit_code == 1) {
            EXPECT_NE(outcome.errors, "");
            EXPECT_FALSE(test::exists(copy));
        }
        if (!test::exists(copy)) continue;
        const Json said = Json::parse(log_command({"check", "--json", copy}).output);
        EXPECT_NE(said["logs"][0]["verdict"], "refused") << said;
        unlink(copy.c_str());
    }
}

INSTANTIATE_TEST_SUITE_P(InBothEncodings, ChangingLog, testing::Bool(),
                         [](const auto& each) { return each.param ? "zstd" : "plain"; });

}  // namespace
}  // namespace drydock::cli
