#include "cli/command_log_show.hpp"

#include <csignal>
#include <regex>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/frames.hpp"
#include "tests/support/house.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

/// Writes logs line by line: the next event has the next seq, and comes half a second later.
class LogText {
  public:
    LogText& add(std::string_view type, std::string_view data, std::string_view more = {}) {
        text_ += fmt::format(R"({{"type":"{}","seq":{},"time":{},"data":{}{}}})"
                             "\n",
                             type, seq_, 1'767'225'600'000 + seq_ * 500, data, more);
        ++seq_;
        return *this;
    }
    LogText& message(std::string_view kind, std::string_view text) {
        return add(
            "user/message",
            fmt::format(R"({{"id":"u","role":"user","source":{{"kind":"{}"}},"content":[{{"type":"text",)"
                        R"("text":"{}"}}]}})",
                        kind, text),
            R"(,"surfaceOp":"append")");
    }
    LogText& call(std::string_view id, std::string_view tool, std::string_view arguments) {
        return add("tool/call",
                   fmt::format(R"({{"turn":1,"step":1,"callId":"{}","name":"{}","arguments":{}}})", id, tool,
                               nlohmann::json(arguments).dump()));
    }
    LogText& result(std::string_view id, std::string_view text, bool failed = false) {
        return add(
            "tool/result",
            fmt::format(R"({{"turn":1,"step":1,"message":{{"id":"r","role":"user","source":{{"kind":"tool",)"
                        R"("callId":"{0}"}},"content":[{{"type":"tool-result","toolCallId":"{0}","content":)"
                        R"([{{"type":"text","text":"{1}"}}],"isError":{2}}}]}}}})",
                        id, text, failed),
            R"(,"surfaceOp":"append")");
    }
    LogText& step(std::string_view child, std::size_t index, std::string_view item) {
        return add(
            "subagent/stream",
            fmt::format(R"({{"childId":"{}","provider":"acp","index":{},"item":{}}})", child, index, item),
            R"(,"ignorable":true)");
    }
    LogText& chunk(std::string_view chunk) {
        return add("assistant/chunk", fmt::format(R"({{"turn":1,"step":1,"chunk":{}}})", chunk));
    }

    [[nodiscard]] static std::string header() {
        return R"({"type":"session","version":0,"id":"s1","createdAt":1767225599000,"cwd":"/srv/x",)"
               R"("delegationDepth":0})"
               "\n";
    }
    [[nodiscard]] const std::string& body() const { return text_; }
    [[nodiscard]] std::string plain() const { return header() + text_; }
    [[nodiscard]] std::string zstd() const {
        return session::make_frame(header()).value() + session::make_frame(text_).value();
    }

  private:
    std::string text_;
    std::size_t seq_{0};
};

/// A turn with two delegations, one after the other, and a streamed answer.
LogText example() {
    LogText log;
    log.add("turn/start", R"({"turn":1})");
    log.message("user", "Review src/.\\nThen say what is wrong.");
    log.chunk(R"({"type":"reasoning-delta","index":0,"text":"Two "})");
    log.chunk(R"({"type":"reasoning-delta","index":0,"text":"reviewers."})");
    log.call("call_1", "subagent", R"({"description":"review src","prompt":"Review src/."})");
    log.step("7f3a", 0, R"({"kind":"system","text":"claude-code 2.0 opus"})");
    log.step("7f3a", 1, R"({"kind":"tool-call","name":"Bash","callId":"t1","text":"ls src"})");
    log.step("7f3a", 2, R"({"kind":"tool-result","callId":"t1","text":"a.c\nb.c\nc.c\nd.c\ne.c"})");
    log.step("7f3a", 3, R"({"kind":"result","text":"overflow in b.c","isError":true})");
    log.result("call_1", "overflow in b.c", true);
    log.call("call_2", "bash", R"({"command":"make"})");
    log.result("call_2", "\\u001b[2Jok\\r\\n\\ttab");
    log.chunk(R"({"type":"text-delta","index":1,"text":"b.c "})");
    log.chunk(R"({"type":"text-delta","index":1,"text":"overflows."})");
    log.chunk(R"({"type":"usage","usage":{"inputTokens":1200,"outputTokens":34}})");
    log.add("assistant/message",
            R"({"turn":1,"step":1,"message":{"id":"m","role":"assistant","content":[{"type":"text","text":)"
            R"("b.c overflows."}],"source":{"kind":"model","provider":"p","model":"m"}}})",
            R"(,"sourceEventSeqs":[12],"surfaceOp":"append")");
    log.add("turn/end", R"({"turn":1,"reason":{"kind":"completed"}})");
    return log;
}

class LogShow : public testing::Test {
  protected:
    struct Run {
        int exit{0};
        std::string out;
        std::string err;
    };

    LogShow() {
        process.unset = {"DRYDOCK_MANIFESTS", "DSH_VERSION", "NO_COLOR"};
        process.environment = {{"DRYDOCK_MANIFESTS", std::string(DRYDOCK_SOURCE_DIR) + "/manifests"},
                               {"TZ", "UTC"}};
    }

    /// Its outputs with LOGS for the folder.
    Run show(std::vector<std::string> words) {
        words.insert(words.begin(), {test::drydock(), "log", "show"});
        const base::ProcessOutcome outcome = test::run(words, process);
        return {outcome.exit_code, named(outcome.output), named(outcome.errors)};
    }

    /// What it shows of a log that opens.
    std::string shown(const LogText& log, std::vector<std::string> words = {}) {
        test::write(folder / "a.jsonl", log.plain());
        words.push_back(folder / "a.jsonl");
        const Run run = show(words);
        EXPECT_EQ(run.exit, 0);
        EXPECT_EQ(run.err, "");
        return run.out;
    }

    [[nodiscard]] std::string named(std::string text) const {
        for (std::size_t at = text.find(folder.path()); at != std::string::npos;
             at = text.find(folder.path()))
            text.replace(at, folder.path().size(), "LOGS");
        return text;
    }

    test::TemporaryDirectory folder;
    base::ProcessOptions process;
};

constexpr std::string_view example_shown =
    "2025-12-31\n"
    "23:59:59.000 SYS    session s1  in /srv/x\n"
    "2026-01-01\n"
    "00:00:00.000 TURN   1 begins\n"
    "00:00:00.500 USER   Review src/.\n"
    "                    Then say what is wrong.\n"
    "00:00:01.000 THINK  Two reviewers.\n"
    "00:00:02.000 CALL   subagent  description: review src\n"
    "                    prompt: Review src/.\n"
    "00:00:02.500 STREAM   child 7f3a (acp)  of call_1 (review src)\n"
    "00:00:02.500 STREAM   system  claude-code 2.0 opus\n"
    "00:00:03.000 STREAM   tool-call Bash  ls src\n"
    "00:00:03.500 STREAM   tool-result  a.c\n"
    "                        b.c\n"
    "                        c.c\n"
    "                        … 2 lines more, 7 characters\n"
    "00:00:04.000 STREAM   result  overflow in b.c\n"
    "00:00:04.500 RESULT subagent (2.5 s)  overflow in b.c\n"
    "00:00:05.000 CALL   bash  command: make\n"
    "00:00:05.500 RESULT bash (500 ms)  \\x1b[2Jok\n"
    "                        tab\n"
    "00:00:06.000 ASSIST b.c overflows.\n"
    "00:00:08.000 TURN   1 completed (8.0 s, 1200 tokens in, 34 out)\n";

TEST_F(LogShow, IsAConsole) {
    EXPECT_EQ(shown(example()), example_shown);
}

TEST_F(LogShow, ReadsFramesAndStandardInput) {
    test::write(folder / "a.jsonl.zstd", example().zstd());
    const Run run = show({folder / "a.jsonl.zstd"});
    EXPECT_EQ(run.out, example_shown);
    EXPECT_EQ(run.exit, 0);
    process.input = example().zstd();
    EXPECT_EQ(show({"-"}).out, example_shown);
}

TEST_F(LogShow, ShowsOnlyWhatIsAskedFor) {
    EXPECT_EQ(shown(example(), {"--kind", "user", "-k", "tool-call"}),
              "2026-01-01\n00:00:00.500 USER   Review src/.\n                    Then say what is wrong.\n"
              "00:00:03.000 STREAM   tool-call Bash  ls src\n");
    EXPECT_EQ(shown(example(), {"--kind=ERROR"}),
              "2026-01-01\n00:00:04.000 STREAM   result  overflow in b.c\n"
              "00:00:04.500 RESULT subagent (2.5 s)  overflow in b.c\n");
    EXPECT_EQ(shown(example(), {"--kind", "assistant/message"}),
              "2026-01-01\n00:00:07.500 ASSIST as streamed  b.c overflows.\n");
    EXPECT_EQ(shown(example(), {"--child", "7f", "--kind", "result"}),
              "2026-01-01\n00:00:04.000 STREAM   result  overflow in b.c\n");
}

TEST_F(LogShow, SaysWhichChildrenThereAre) {
    test::write(folder / "a.jsonl", example().plain());
    Run run = show({"--child", "8", folder / "a.jsonl"});
    EXPECT_EQ(run.err, "drydock: LOGS/a.jsonl: no step of the child 8; there are steps of 7f3a\n");
    EXPECT_EQ(run.exit, 1);
    test::write(folder / "b.jsonl", LogText().message("user", "x").plain());
    run = show({"--child", "8", "--raw", folder / "b.jsonl"});
    EXPECT_EQ(run.err, "drydock: LOGS/b.jsonl: no step of the child 8: no child has steps in this log\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(LogShow, FoldsLongTextsAndUnfoldsThem) {
    std::string text;
    for (int i = 1; i <= 30; ++i) text += fmt::format("{}line {}", i == 1 ? "" : "\\n", i);
    LogText log;
    log.message("user", text);
    log.message("user", std::string(2'000, 'x'));
    log.message("plugin", "one\\n\\n" + std::string(100, 'y'));
    const std::string folded = shown(log, {"--kind", "user", "--kind", "ctx"});
    const std::string gap = "\n" + std::string(20, ' ');
    std::string expected = "2026-01-01\n00:00:00.000 USER   line 1";
    for (int i = 2; i <= 12; ++i) expected += gap + fmt::format("line {}", i);
    expected += gap + "… 18 lines more, 143 characters\n00:00:00.500 USER   " + std::string(80, 'x');
    for (int i = 2; i <= 12; ++i) expected += gap + std::string(80, 'x');
    expected += gap + "… 1040 characters more\n00:00:01.000 CTX    plugin  one" + gap +
                "… 2 lines more, 101 characters\n";
    EXPECT_EQ(folded, expected);
    const std::string full = shown(log, {"--full", "--kind", "ctx"});
    EXPECT_EQ(full, "2026-01-01\n00:00:01.000 CTX    plugin  one\n" + gap + std::string(100, 'y') + "\n");
}

TEST_F(LogShow, NothingInALogActsOnATerminal) {
    LogText log;
    log.message("user", "\\u001b]0;title\\u0007\\u009b31m\\u202eabc\\ud800\\u0000");
    log.call("c", "\\u001b[1m", "\x1b");
    log.step("\\u001b", 0, R"({"kind":"\u001bx","name":"\u001b","text":"t"})");
    const std::string out = shown(log, {"--kind", "user", "-k", "call", "-k", "stream"});
    EXPECT_EQ(out,
              "2026-01-01\n00:00:00.000 USER   \\x1b]0;title\\x07\\u{9b}31m\\u{202e}abc\xEF\xBF\xBD\\x00\n"
              "00:00:00.500 CALL   \\x1b[1m  \\x1b\n"
              "00:00:01.000 STREAM   child \\x1b (acp)  no delegation is open\n"
              "00:00:01.000 STREAM   \\x1bx \\x1b  t\n");
}

TEST_F(LogShow, ColoursRolesAndErrors) {
    LogText log;
    log.message("user", "hi");
    log.result("c", "no", true);
    EXPECT_EQ(shown(log, {"--color", "always", "-k", "user", "-k", "result"}),
              "\x1b[2m2026-01-01\x1b[0m\n\x1b[2m00:00:00.000\x1b[0m \x1b[1mUSER  \x1b[0m hi\n"
              "\x1b[2m00:00:00.500\x1b[0m \x1b[31mRESULT\x1b[0m \x1b[31mc\x1b[0m  no\n");
}

TEST_F(LogShow, RawLinesAreAsTheyAreStored) {
    const LogText log = example();
    EXPECT_EQ(shown(log, {"--raw"}), log.body());
    test::write(folder / "a.jsonl.zstd", log.zstd());
    EXPECT_EQ(show({"--raw", folder / "a.jsonl.zstd"}).out, log.body());
    const std::string lines = shown(log, {"--raw", "--kind", "tool-call", "--child", "7f3a"});
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
    EXPECT_NE(lines.find(R"("index":1,"item":{"kind":"tool-call","name":"Bash")"), std::string::npos)
        << lines;
}

TEST_F(LogShow, WritesLinesOfJson) {
    LogText log;
    log.message("user", "hi\\ud800");
    log.step("k", 0, R"({"kind":"result","text":"no","isError":true})");
    EXPECT_EQ(
        shown(log, {"--json", "--kind", "user", "--kind", "stream"}),
        R"({"line":2,"seq":0,"time":1767225600000,"role":"USER","type":"user/message","text":"hi\ud800"})"
        "\n"
        R"({"line":3,"seq":1,"time":1767225600500,"role":"STREAM","type":"subagent/stream","childId":"k","provider":"acp","head":"child k","text":"no delegation is open"})"
        "\n"
        R"({"line":3,"seq":1,"time":1767225600500,"role":"STREAM","type":"subagent/stream","kind":"result","childId":"k","provider":"acp","head":"result","text":"no","isError":true})"
        "\n"
        R"({"schema":"drydock.log-show/1","exit":0,"problems":[]})"
        "\n");
    const Run run = show({"--json", folder / "none"});
    EXPECT_EQ(run.exit, 6);
    EXPECT_EQ(
        run.out,
        R"({"schema":"drydock.log-show/1","exit":6,"problems":[{"code":"io","message":"cannot open LOGS/none: no such file or directory"}]})"
        "\n");
}

TEST_F(LogShow, ARefusedLogIsShownAsFarAsItCanBeRead) {
    LogText log = example();
    test::write(folder / "a.jsonl", LogText::header() + "damaged\n" + log.body());
    Run run = show({"--kind", "turn", "--kind", "error", folder / "a.jsonl"});
    EXPECT_EQ(run.out,
              "             ERROR  line 2  the line is no event\n"
              "2026-01-01\n00:00:00.000 TURN   1 begins\n00:00:04.000 STREAM   result  overflow in b.c\n"
              "00:00:04.500 RESULT subagent (2.5 s)  overflow in b.c\n"
              "00:00:08.000 TURN   1 completed (8.0 s, 1200 tokens in, 34 out)\n");
    EXPECT_EQ(
        run.err,
        "drydock: LOGS/a.jsonl:2: ERROR: the log does not open: the line is no event; a turn/end follows "
        "at line 19, so it is damage and no cut end\n");
    EXPECT_EQ(run.exit, 1);
    test::write(folder / "b.jsonl", log.plain() + "{\"torn");
    run = show({"--kind", "turn", folder / "b.jsonl"});
    EXPECT_EQ(run.err,
              "drydock: note: LOGS/b.jsonl:19: a loader drops what is behind the last whole event: the last "
              "line is cut\n");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(LogShow, TellsLinesThatCannotBeReadOneAfterTheOtherAtOnce) {
    LogText log;
    log.message("user", "one");
    const std::size_t half = log.body().size();
    log.message("user", "two");
    std::string bad;
    for (int i = 0; i < 5'000; ++i) bad += "x\n";
    test::write(folder / "a.jsonl",
                "x\nx\nx\n" + log.body().substr(0, half) + bad + log.body().substr(half) + "x\n");
    EXPECT_EQ(show({folder / "a.jsonl"}).out,
              "             ERROR  line 1  the header line is no JSON: expected a value, found 'x'\n"
              "             ERROR  lines 2 to 3  none can be read; the first: the line is no event\n"
              "2026-01-01\n00:00:00.000 USER   one\n"
              "             ERROR  lines 5 to 5004  none can be read; the first: the line is no event\n"
              "00:00:00.500 USER   two\n"
              "             ERROR  line 5006  the line is no event\n");
    const std::string json = show({"--json", "--kind", "error", folder / "a.jsonl"}).out;
    EXPECT_EQ(
        json.substr(0, json.rfind("{\"schema")),
        R"({"line":1,"seq":0,"role":"ERROR","head":"line 1","text":"the header line is no JSON: expected a value, found 'x'","isError":true})"
        "\n"
        R"({"line":2,"lastLine":3,"seq":0,"role":"ERROR","head":"lines 2 to 3","text":"none can be read; the first: the line is no event","isError":true})"
        "\n"
        R"({"line":5,"lastLine":5004,"seq":0,"role":"ERROR","head":"lines 5 to 5004","text":"none can be read; the first: the line is no event","isError":true})"
        "\n"
        R"({"line":5006,"seq":0,"role":"ERROR","head":"line 5006","text":"the line is no event","isError":true})"
        "\n");
}

TEST_F(LogShow, SaysThatTheLogWasWrittenToMeanwhile) {
    LogText log;
    for (int i = 0; i < 3'000; ++i) log.message("user", std::string(100, 'x'));
    const std::string path = folder / "a.jsonl";
    test::write(path, log.plain());
    // The pipe is full before the end, and its reader writes first.
    const base::ProcessOutcome outcome = test::run(
        {"sh", "-c",
         R"({ "$0" log show --full "$1"; echo "exit $?" >&2; } | { read -r day; printf '{"torn' >>"$1"; cat >"$1.out"; })",
         test::drydock(), path},
        process);
    EXPECT_EQ(named(outcome.errors),
              fmt::format("drydock: note: LOGS/a.jsonl:3002: a loader drops what is behind the last whole "
                          "event: the last line is cut\n"
                          "drydock: note: LOGS/a.jsonl: another process wrote to it while it was read: {} "
                          "bytes at first, {} at the end; show it again, or with --follow\nexit 0\n",
                          log.plain().size(), log.plain().size() + 6));
}

TEST_F(LogShow, SaysWhichNameWouldDo) {
    const LogText log = LogText().message("user", "x");
    test::write(folder / "a.jsonl", log.zstd());
    Run run = show({folder / "a.jsonl"});
    EXPECT_EQ(run.err,
              "drydock: LOGS/a.jsonl:1: ERROR: the log does not open: the header line is no JSON: expected a "
              "value, found '('\n"
              "drydock: note: LOGS/a.jsonl: its bytes are zstd frames: named a.jsonl.zstd it would be read "
              "as such\n");
    test::write(folder / "b.jsonl.zstd", log.plain());
    run = show({folder / "b.jsonl.zstd"});
    EXPECT_EQ(run.err,
              "drydock: LOGS/b.jsonl.zstd: ERROR: the log does not open: no zstd frame begins at byte 0\n"
              "drydock: note: LOGS/b.jsonl.zstd: its bytes are plain lines: named b.jsonl it would be read "
              "as such\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(LogShow, TypesAreJudgedWhereAVersionIsChosen) {
    LogText log;
    log.add("team/unheard-of", "{}");
    EXPECT_EQ(shown(log, {"-k", "team/unheard-of"}), "2026-01-01\n00:00:00.000 SYS    team/unheard-of\n");
    Run run = show({"--as-version", "0.1.1-rc.2", folder / "a.jsonl"});
    EXPECT_EQ(
        run.err,
        "drydock: LOGS/a.jsonl:2: ERROR: the log does not open: the event type team/unheard-of is unknown "
        "to this harness, and not marked ignorable\n");
    EXPECT_EQ(run.exit, 1);
    test::write(folder / "b.jsonl",
                LogText().add("subagent/stream", R"({"childId":"k","item":{"kind":"plan"}})").plain());
    run = show({"-k", "plan", folder / "b.jsonl"});
    EXPECT_EQ(run.out, "2026-01-01\n00:00:00.000 STREAM   plan (not marked ignorable)\n");
    EXPECT_EQ(
        run.err,
        "drydock: LOGS/b.jsonl:2: ERROR: the log does not open: the event type subagent/stream is unknown "
        "to this harness, and not marked ignorable\n");
}

TEST_F(LogShow, RefusesWhatItCannotShow) {
    EXPECT_EQ(show({folder.path()}).err, "drydock: LOGS: not a regular file\n");
    EXPECT_EQ(
        show({"--kind", "cal", "x"}).err,
        "drydock: --kind is a role (user, ctx, think, assist, call, result, stream, sys, error, turn), a "
        "kind of a child's step, or an event's type with a slash, found 'cal' (did you mean 'call'?)\n"
        "  see 'drydock help log show'\n");
    EXPECT_EQ(show({}).err,
              "drydock: expected one log, or - for standard input\n  see 'drydock help log show'\n");
    EXPECT_EQ(
        show({"-f", "-"}).err,
        "drydock: --follow wants a file: standard input is read to its end\n  see 'drydock help log show'\n");
    EXPECT_EQ(show({"--raw", "--full", "x"}).err,
              "drydock: --raw shows lines as they are: neither --json nor --full goes with it\n"
              "  see 'drydock help log show'\n");
}

// ---- --follow, with a process that runs meanwhile

/// A drydock that follows a log.
class Follower {
  public:
    Follower(const test::TemporaryDirectory& folder, std::vector<std::string> words)
        : out_(folder / "out"), err_(folder / "err") {
        words.insert(words.begin(), {test::drydock(), "log", "show", "--follow"});
        int ends[2] = {-1, -1};
        EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
        from_ = base::FileDescriptor(ends[0]);
        test::write(out_, "");
        pid_ = fork();
        if (pid_ == 0) {
            std::vector<char*> arguments;
            for (std::string& word : words) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            setenv("TZ", "UTC", 1);
            unsetenv("DSH_VERSION");
            dup2(ends[1], STDOUT_FILENO);
            dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
            execv(arguments.front(), arguments.data());
            _exit(127);
        }
        close(ends[1]);
    }
    ~Follower() {
        if (pid_ > 0) end(SIGKILL);
    }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// Reads on until it has shown this, at most a minute.
    void wait_for(const std::string& text) {
        while (shown_.find(text) == std::string::npos && wait_for_more()) {
        }
        EXPECT_NE(shown_.find(text), std::string::npos) << "shown:\n" << shown_ << "said:\n" << said();
    }
    void wait_for_said(const std::string& text) const {
        for (int i = 0; i < 1'200 && said().find(text) == std::string::npos; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_NE(said().find(text), std::string::npos) << said();
    }

    /// Takes its reader away.
    void close_pipe() { from_ = base::FileDescriptor(); }

    /// Its exit code, or 128 and the signal, once it has got this signal (0: none).
    int end(int signal) {
        if (signal != 0) kill(pid_, signal);
        int status = 0;
        EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
        pid_ = -1;
        while (from_.valid() && wait_for_more()) {
        }
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    [[nodiscard]] const std::string& shown() const { return shown_; }
    [[nodiscard]] std::string said() const { return test::exists(err_) ? test::read(err_) : ""; }

  private:
    bool wait_for_more() {
        pollfd waiting{.fd = from_.get(), .events = POLLIN, .revents = 0};
        std::string bytes(4'096, '\0');
        if (poll(&waiting, 1, 60'000) != 1) return false;
        const ssize_t got = read(from_.get(), bytes.data(), bytes.size());
        if (got <= 0) return false;
        shown_ += bytes.substr(0, static_cast<std::size_t>(got));
        return true;
    }

    std::string out_;
    std::string err_;
    base::FileDescriptor from_;
    pid_t pid_{-1};
    std::string shown_;
};

void append(const std::string& path, std::string_view bytes) {
    const base::FileDescriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

/// Texts of many lines, so that a half of them is a half of a frame.
LogText growing(int from, int to) {
    LogText log;
    for (int i = 0; i < to; ++i) log.message("user", fmt::format("message {} of {}", i, from));
    return log;
}

/// What is shown, without dates and times.
std::string timeless(const std::string& shown) {
    static const std::regex day(R"((^|\n)\d{4}-\d\d-\d\d\n)");
    static const std::regex time(R"(\d\d:\d\d:\d\d\.\d{3} )");
    return std::regex_replace(std::regex_replace(shown, day, "$1"), time, "");
}

std::string users(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("USER   message {} of 0\n", i);
    return text;
}

TEST_F(LogShow, FollowsALogAsItGrows) {
    for (const bool zstd : {false, true}) {
        const std::string path = folder / (zstd ? "a.jsonl.zstd" : "a.jsonl");
        const std::string whole = growing(0, 4).body();
        const std::size_t half = growing(0, 2).body().size();
        const auto framed = [zstd](const std::string& text) {
            return zstd ? session::make_frame(text).value() : text;
        };
        test::write(path, framed(LogText::header()) + framed(whole.substr(0, half)));
        Follower follower(folder, {"--kind", "user", path});
        follower.wait_for("message 1 of 0\n");
        const std::string rest = framed(whole.substr(half));
        append(path, rest.substr(0, rest.size() / 2));
        append(path, rest.substr(rest.size() / 2));
        follower.wait_for("message 3 of 0\n");
        EXPECT_EQ(follower.end(SIGINT), 0);
        EXPECT_EQ(timeless(follower.shown()), users(4));
        EXPECT_EQ(follower.said(), "");
    }
}

TEST_F(LogShow, WaitsForTheRestOfALine) {
    const std::string path = folder / "a.jsonl";
    const std::string whole = growing(0, 3).plain();
    test::write(path, whole.substr(0, whole.size() - 10));
    Follower follower(folder, {"--kind", "user", path});
    follower.wait_for("message 1 of 0\n");
    append(path, whole.substr(whole.size() - 10));
    follower.wait_for("message 2 of 0\n");
    EXPECT_EQ(follower.end(SIGTERM), 0);
    EXPECT_EQ(timeless(follower.shown()), users(3));
    EXPECT_EQ(follower.said(), "");
}

/// A log of which the header is not whole yet is not refused for that.
TEST_F(LogShow, WaitsForTheHeader) {
    for (const bool zstd : {false, true}) {
        const std::string path = folder / (zstd ? "a.jsonl.zstd" : "a.jsonl");
        const std::string whole = zstd ? growing(0, 2).zstd() : growing(0, 2).plain();
        for (const std::size_t size : {0, 20}) {
            test::write(path, whole.substr(0, size));
            Follower follower(folder, {"--kind", "user", path});
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            append(path, whole.substr(size));
            follower.wait_for("message 1 of 0\n");
            EXPECT_EQ(follower.end(SIGINT), 0);
            EXPECT_EQ(timeless(follower.shown()), users(2));
            EXPECT_EQ(follower.said(), "");
        }
    }
}

TEST_F(LogShow, SaysOnceWhyALogThatHasGotAHeaderDoesNotOpen) {
    const std::string path = folder / "a.jsonl";
    test::write(path, R"({"type":"session",)");
    Follower follower(folder, {path});
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(follower.said(), "");
    append(path, "\n");
    follower.wait_for_said("does not open");
    append(path, "x\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(named(follower.said()),
              "drydock: LOGS/a.jsonl:1: ERROR: the log does not open: the header line is no JSON: expected a "
              "key, found the end\n");
}

TEST_F(LogShow, SaysOnceThatALogWasCutAndGoesOn) {
    const std::string path = folder / "a.jsonl";
    const std::string whole = growing(0, 3).plain();
    const std::size_t kept = growing(0, 2).plain().size();
    test::write(path, whole.substr(0, whole.size() - 10));
    Follower follower(folder, {"--kind", "user", path});
    follower.wait_for("message 1 of 0\n");
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(kept)), 0);
    follower.wait_for_said("going on from there\n");
    append(path, whole.substr(kept));
    follower.wait_for("message 2 of 0\n");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(timeless(follower.shown()), users(3));
    EXPECT_EQ(
        named(follower.said()),
        fmt::format("drydock: note: LOGS/a.jsonl: the log was cut to {} bytes, as a repair does; going on "
                    "from there\n",
                    kept));
}

/// A line that is no event ends what a loader accepts; a turn/end behind it makes that damage.
TEST_F(LogShow, SaysWhenAFollowedLogComesToBeRefused) {
    const std::string path = folder / "a.jsonl";
    LogText log;
    log.message("user", "one");
    test::write(path, log.plain());
    const std::size_t whole = log.plain().size();
    Follower follower(folder, {"--kind", "user", "--kind", "error", path});
    follower.wait_for("USER   one\n");
    append(path, "x\n");
    follower.wait_for("ERROR  line 3  the line is no event\n");
    follower.wait_for_said("\n");
    append(path, "x\n");
    follower.wait_for("ERROR  line 4  the line is no event\n");
    log.add("turn/end", R"({"turn":1,"reason":{}})");
    append(path, log.plain().substr(whole));
    follower.wait_for_said("no cut end\n");
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(whole)), 0);
    follower.wait_for_said("opens again\n");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(named(follower.said()),
              fmt::format(
                  "drydock: note: LOGS/a.jsonl:3: a loader drops what is behind the last whole event: the "
                  "line is no event\n"
                  "drydock: LOGS/a.jsonl:3: ERROR: the log does not open: the line is no event; a turn/end "
                  "follows at line 5, so it is damage and no cut end\n"
                  "drydock: note: LOGS/a.jsonl: the log was cut to {} bytes, as a repair does; going on from "
                  "there\n"
                  "drydock: note: LOGS/a.jsonl: the log opens again\n",
                  whole));
}

TEST_F(LogShow, SaysWhenAFollowedLogGetsABrokenFrame) {
    const std::string path = folder / "a.jsonl.zstd";
    test::write(path, growing(0, 2).zstd());
    Follower follower(folder, {"--json", "--kind", "error", path});
    const std::size_t whole = growing(0, 2).zstd().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    append(path, "no frame");
    const std::string reason = fmt::format("no zstd frame begins at byte {}", whole);
    follower.wait_for(reason);
    follower.wait_for_said("\n");
    append(path, "at all");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(follower.shown(), R"({"line":0,"seq":0,"role":"ERROR","text":")" + reason +
                                    R"(","isError":true})" + "\n" +
                                    R"({"schema":"drydock.log-show/1","exit":0,"problems":[]})" + "\n");
    EXPECT_EQ(named(follower.said()),
              "drydock: LOGS/a.jsonl.zstd: ERROR: the log does not open: " + reason + "\n");
}

TEST_F(LogShow, WaitsForANewLogWhereOneWasRemoved) {
    const std::string path = folder / "a.jsonl";
    test::write(path, growing(0, 2).plain());
    Follower follower(folder, {"--kind", "user", path});
    follower.wait_for("message 1 of 0\n");
    ASSERT_EQ(unlink(path.c_str()), 0);
    follower.wait_for_said("waiting");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    follower.wait_for_said("no regular file");
    ASSERT_EQ(rmdir(path.c_str()), 0);
    const std::string next = growing(7, 3).plain();
    test::write(path, next.substr(0, 200));
    follower.wait_for_said("beginning");
    append(path, next.substr(200));
    follower.wait_for("message 2 of 7\n");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(timeless(follower.shown()),
              users(2) + "USER   message 0 of 7\nUSER   message 1 of 7\nUSER   message 2 of 7\n");
    EXPECT_EQ(named(follower.said()),
              "drydock: note: LOGS/a.jsonl: the log was removed or renamed; waiting for a new one of this "
              "name\n"
              "drydock: note: LOGS/a.jsonl: what lies at the log's name now is no regular file; waiting for "
              "a log\n"
              "drydock: note: LOGS/a.jsonl: a new log is there; going on with that from its beginning\n");
}

/// Its end is shown although another one lies there by then.
TEST_F(LogShow, GoesOnWithTheFileThatTookALogsPlace) {
    const std::string path = folder / "a.jsonl";
    test::write(path, growing(0, 2).plain() + "x\n");
    Follower follower(folder, {"--kind", "user", path});
    follower.wait_for("message 1 of 0\n");
    follower.wait_for_said("no event\n");
    test::write(folder / "b", growing(7, 2).plain() + "x\n");
    append(path, growing(0, 3).plain().substr(growing(0, 2).plain().size()));
    ASSERT_EQ(rename((folder / "b").c_str(), path.c_str()), 0);
    follower.wait_for("message 1 of 7\n");
    follower.wait_for_said("beginning\ndrydock: note: " + path + ":4");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(timeless(follower.shown()), users(3) + "USER   message 0 of 7\nUSER   message 1 of 7\n");
    const std::string loses =
        "drydock: note: LOGS/a.jsonl:4: a loader drops what is behind the last whole event: the line is no "
        "event\n";
    EXPECT_EQ(named(follower.said()),
              loses +
                  "drydock: note: LOGS/a.jsonl: another file took the log's place; going on with that from "
                  "its beginning\n" +
                  loses);
}

TEST_F(LogShow, ALogThatIsRenamedAndBackIsGoneOnWith) {
    const std::string path = folder / "a.jsonl";
    const std::string whole = growing(0, 3).plain();
    const std::size_t half = growing(0, 2).plain().size();
    test::write(path, whole.substr(0, half));
    Follower follower(folder, {"--kind", "user", path});
    follower.wait_for("message 1 of 0\n");
    ASSERT_EQ(rename(path.c_str(), (folder / "b").c_str()), 0);
    follower.wait_for_said("waiting");
    append(folder / "b", whole.substr(half));
    follower.wait_for("message 2 of 0\n");
    ASSERT_EQ(rename((folder / "b").c_str(), path.c_str()), 0);
    follower.wait_for_said("again");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(timeless(follower.shown()), users(3));
    EXPECT_EQ(named(follower.said()),
              "drydock: note: LOGS/a.jsonl: the log was removed or renamed; waiting for a new one of this "
              "name\n"
              "drydock: note: LOGS/a.jsonl: the log is there again; going on with it\n");
}

TEST_F(LogShow, FollowsALogThroughTheHarnessesOwnRepair) {
    for (const std::string compression : {"none", "zstd"}) {
        const std::string root = folder / compression;
        const nlohmann::json meta = {{"cwd", "/srv/x"}, {"delegationDepth", 0}};
        const nlohmann::json events =
            nlohmann::json::parse(R"([["turn/start",{"turn":1}],["step/start",{"turn":1,"step":1}]])");
        test::ask_house({nlohmann::json({{"write", root},
                                         {"compression", compression},
                                         {"sessions", {{{"id", "s"}, {"meta", meta}, {"events", events}}}}})
                             .dump()});
        const std::string path = root + "/--srv-x--/s/session.jsonl" + (compression == "none" ? "" : ".zstd");
        append(path, compression == "none"
                         ? R"({"type":"ste)"
                         : session::make_frame("{\"type\":\"step/end\"}\n").value().substr(0, 12));
        Follower follower(folder, {"--kind", "turn", path});
        follower.wait_for("TURN   1 begins\n");
        test::ask_house({nlohmann::json({{"load", root}, {"compression", compression}, {"id", "s"}}).dump()});
        follower.wait_for("TURN   1 interrupted");
        EXPECT_EQ(follower.end(SIGINT), 0);
        EXPECT_EQ(std::regex_replace(timeless(follower.shown()), std::regex(R"( \(.*\))"), ""),
                  "TURN   1 begins\nTURN   1 interrupted\n");
    }
}

TEST_F(LogShow, EndsQuietlyWhenItsReaderIsGone) {
    const std::string path = folder / "a.jsonl";
    test::write(path, growing(0, 2).plain());
    Follower follower(folder, {path});
    follower.wait_for("message 1 of 0\n");
    follower.close_pipe();
    EXPECT_EQ(follower.end(0), 0);
    EXPECT_EQ(follower.said(), "");
}

TEST_F(LogShow, ShowsAStreamedTextThatStandsStill) {
    const std::string path = folder / "a.jsonl";
    LogText log;
    log.chunk(R"({"type":"text-delta","index":0,"text":"one "})");
    test::write(path, log.plain());
    Follower follower(folder, {"--kind", "assist", path});
    follower.wait_for("ASSIST one\n");
    const std::size_t before = log.plain().size();
    log.chunk(R"({"type":"text-delta","index":0,"text":"two"})").add("turn/end", R"({"turn":1,"reason":{}})");
    append(path, log.plain().substr(before));
    follower.wait_for("two\n");
    EXPECT_EQ(follower.end(SIGINT), 0);
    EXPECT_EQ(timeless(follower.shown()), "ASSIST one\nASSIST …  two\n");
}

}  // namespace
}  // namespace drydock::cli
