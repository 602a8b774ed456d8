#include "cli/command_stream.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/render_problems.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

class StreamMap : public testing::Test {
  protected:
    struct Run {
        ExitCode exit;
        std::string out;
        std::string err;
    };

    Run map(stream::Source source, const std::string& input) {
        test::write(folder / "in", input);
        options.source = source;
        options.file = folder / "in";
        Run run{};
        const Channels channels{[&](std::string_view bytes) -> base::Sys<void> {
                                    ++writes;
                                    if (failure != 0)
                                        return tl::unexpected<base::Errno>(base::Errno{failure});
                                    run.out += bytes;
                                    return {};
                                },
                                [&run](std::string_view bytes) { run.err += bytes; }};
        const StreamMapOutcome outcome = map_stream(options, channels);
        run.exit = outcome.exit;
        run.err += problems_text(outcome.problems);
        for (std::size_t at = run.err.find(folder.path()); at != std::string::npos;
             at = run.err.find(folder.path())) {
            run.err.replace(at, folder.path().size(), "DIR");
        }
        return run;
    }

    /// An event with this item, as Session.append writes it.
    static std::string event(std::size_t seq, std::size_t index, std::string_view item) {
        return fmt::format(
            R"({{"type":"subagent/stream","seq":{},"time":5,"data":{{"childId":"run","provider":"p",)"
            R"("index":{},"item":{}}},"ignorable":true}})"
            "\n",
            seq, index, item);
    }

    static constexpr std::string_view said =
        R"({"type":"assistant","message":{"content":[{"type":"text","text":"a"}]}})";
    static constexpr std::string_view chunk =
        R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}})";

    test::TemporaryDirectory folder;
    StreamMapOptions options{stream::Source::claude_code, "run", "p", 7, 5, ""};
    int failure{0};
    int writes{0};
};

TEST_F(StreamMap, WritesWhatTheHarnessWouldAppend) {
    const Run run = map(stream::Source::claude_code, fmt::format("{0}\n\n  \r\n{0}\r\n{{}}\n{0}", said));
    EXPECT_EQ(run.out, event(7, 0, R"({"kind":"assistant","text":"a"})") +
                           event(8, 1, R"({"kind":"assistant","text":"a"})") +
                           event(9, 2, R"({"kind":"assistant","text":"a"})"));
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, ExitCode::done);
}

TEST_F(StreamMap, TakesUpdatesBareAndWholeAndJoinsThem) {
    const Run run =
        map(stream::Source::acp,
            fmt::format(
                "{0}\n{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"update\":{0}}}}}\n"
                "{{\"method\":\"session/update\"}}\n{{\"method\":\"other\"}}\n",
                chunk));
    EXPECT_EQ(run.out, event(7, 0, R"({"kind":"assistant","text":"aa"})"));
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, ExitCode::done);
}

TEST_F(StreamMap, LeavesOutWhatIsNoJsonAndGoesOn) {
    const Run run = map(stream::Source::claude_code, fmt::format("{0}\n{{\"type\"\n\xFF\n{0}\n", said));
    EXPECT_EQ(run.out, event(7, 0, R"({"kind":"assistant","text":"a"})") +
                           event(8, 1, R"({"kind":"assistant","text":"a"})"));
    EXPECT_EQ(
        run.err,
        "drydock: DIR/in:2: no JSON: expected ':', found the end at byte 8; the line is left out\n"
        "drydock: DIR/in:3: no JSON: expected a value, found byte 0xef at byte 1; the line is left out\n");
    EXPECT_EQ(run.exit, ExitCode::check_failed);
}

TEST_F(StreamMap, ReadsBytesThatAreNoTextAsNodeDoes) {
    const Run run = map(stream::Source::claude_code,
                        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":"
                        "\"\xE2\x82|\xFF\"}]}}\n");
    EXPECT_EQ(run.out, event(7, 0, "{\"kind\":\"assistant\",\"text\":\"\xEF\xBF\xBD|\xEF\xBF\xBD\"}"));
    EXPECT_EQ(run.exit, ExitCode::done);
}

TEST_F(StreamMap, TakesTheTimeFromTheClockWhereNoneIsGiven) {
    options.time.reset();
    const std::string out = map(stream::Source::claude_code, std::string(said)).out;
    const std::string digits = out.substr(out.find("\"time\":") + 7, 13);
    EXPECT_GT(std::stoll(digits), 1'600'000'000'000) << out;
}

TEST_F(StreamMap, TellsWhatItCannotReadOrWrite) {
    options.file = folder / "none";
    const StreamMapOutcome none =
        map_stream(options, {[](std::string_view) { return base::Sys<void>(); }, {}});
    EXPECT_EQ(none.exit, ExitCode::io);
    EXPECT_EQ(problems_text(none.problems),
              "drydock: cannot open " + options.file + ": no such file or directory\n");
    failure = ENOSPC;
    const Run full = map(stream::Source::claude_code, std::string(said) + "\n");
    EXPECT_EQ(full.exit, ExitCode::io);
    EXPECT_EQ(full.err, "drydock: cannot write to standard output: no space left on device\n");
}

TEST_F(StreamMap, EndsWhenItsReaderHasGone) {
    failure = EPIPE;
    std::string lines;
    for (int i = 0; i < 20'000; ++i) (lines += said) += '\n';
    const Run run = map(stream::Source::claude_code, lines);
    EXPECT_EQ(run.exit, ExitCode::done);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(writes, 1);
}

}  // namespace
}  // namespace drydock::cli
