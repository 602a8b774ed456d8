#include "cli/command_log.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "session/session.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

constexpr std::string_view header =
    R"({"type":"session","version":0,"id":"a","createdAt":1,"cwd":"/srv/x","delegationDepth":0})"
    "\n";
constexpr std::string_view begin = R"({"type":"turn/start","seq":0,"time":1,"data":{"turn":1}})"
                                   "\n";
constexpr std::string_view step =
    R"({"type":"subagent/stream","seq":1,"time":1,"data":{"childId":"k","provider":"acp","index":0,"item":{"kind":"plan"}}})"
    "\n";
constexpr std::string_view end =
    R"({"type":"turn/end","seq":2,"time":1,"data":{"turn":1,"reason":{"kind":"completed"}}})"
    "\n";

class LogCommands : public testing::Test {
  protected:
    LogCommands() {
        write("a.jsonl", std::string(header) + std::string(begin) + std::string(step) + std::string(end));
        write("b/b.jsonl", std::string(header) + std::string(begin) + "x\n{");
        process.unset = {"DRYDOCK_MANIFESTS", "DSH_VERSION", "NO_COLOR"};
        process.environment = {{"DRYDOCK_MANIFESTS", std::string(DRYDOCK_SOURCE_DIR) + "/manifests"},
                               {"DSH_VERSION", "0.1.1-rc.2"}};
    }

    void write(const std::string& name, const std::string& text) { test::write(folder / name, text); }

    /// Its output with LOGS for the folder.
    std::string run(std::vector<std::string> words, int exit) {
        words.insert(words.begin(), {test::drydock(), "log"});
        words.insert(words.begin(), before.begin(), before.end());
        const base::ProcessOutcome outcome = test::run(words, process);
        EXPECT_EQ(outcome.exit_code, exit) << outcome.errors;
        std::string text = outcome.output + outcome.errors;
        for (std::size_t at = text.find(folder.path()); at != std::string::npos;
             at = text.find(folder.path()))
            text.replace(at, folder.path().size(), "LOGS");
        return text;
    }

    test::TemporaryDirectory folder;
    base::ProcessOptions process;
    std::vector<std::string> before;  ///< what runs it
};

TEST_F(LogCommands, CheckTellsOfEachLogBelowADirectory) {
    EXPECT_EQ(
        run({"check", folder.path()}, 1),
        "LOGS/a.jsonl: refused: line 3: the event type subagent/stream is unknown to this harness, and not "
        "marked "
        "ignorable\n"
        "  on a patched harness: opens, 3 events\n"
        "  line 3 (seq 1): unmarked: not marked ignorable: a stock harness refuses this log; drydock log "
        "mend makes "
        "a copy that opens\n"
        "  child k (acp): 1 step\n"
        "LOGS/b/b.jsonl: opens with 1 event and 2 lost: line 3: the line is no event; 1 event would end its "
        "interrupted turn\n");
}

TEST_F(LogCommands, CheckWritesADocument) {
    const nlohmann::json document = nlohmann::json::parse(run({"check", "--json", folder / "b/b.jsonl"}, 1));
    EXPECT_EQ(
        document.dump(),
        R"({"exit":1,"logs":[{"children":[],"closers":1,"events":1,"findings":[],"line":3,"lost":2,"path":"LOGS/b/b.jsonl","reason":"the line is no event","remembered":0,"verdict":"truncated"}],"problems":[],)"
        R"("schema":"drydock.log-check/1"})");
}

TEST_F(LogCommands, CheckKnowsALogsPlaceInAStore) {
    write("--srv-x--/a/session.jsonl", std::string(header));
    write("--srv-y--/a/session.jsonl", std::string(header));
    EXPECT_EQ(run({"check", folder / "--srv-x--"}, 0), "LOGS/--srv-x--/a/session.jsonl: opens, 0 events\n");
    EXPECT_EQ(run({"check", folder / "--srv-y--"}, 1),
              "LOGS/--srv-y--/a/session.jsonl: refused: line 1: the header's id and cwd belong into "
              "--srv-x--/a, and the "
              "log lies in --srv-y--/a\n");
}

TEST_F(LogCommands, CheckTellsWhatFailsAListingOfTheStore) {
    write("s/--srv-x--/a/session.jsonl", std::string(header));
    write("s/--srv-x--/old.jsonl", std::string(header));
    EXPECT_EQ(
        run({"check", folder / "s"}, 1),
        "LOGS/s/--srv-x--/a/session.jsonl: opens, 0 events\n"
        "LOGS/s/--srv-x--/old.jsonl: opens, 0 events\n"
        "drydock: LOGS/s/--srv-x--/old.jsonl: lies in a project's folder, as in old stores; a log has a "
        "folder of its own there; the harness lists no session of this store (flat-layout)\n");
}

TEST_F(LogCommands, CheckSaysWhatItCannotRead) {
    EXPECT_EQ(run({"check", folder / "none.jsonl"}, 6),
              "drydock: cannot open LOGS/none.jsonl: no such file or directory\n");
    write("empty/x.txt", "");
    EXPECT_EQ(run({"check", folder / "empty"}, 2),
              "drydock: LOGS/empty: no session log below it; expected *.jsonl or *.jsonl.zstd\n");
}

/// Each folder and log that cannot be read is named once, and all others are checked.
TEST_F(LogCommands, CheckReadsAllThatCanBeRead) {
    before = test::without_privileges();
    const test::Mode a(folder / "pr/a", 0);
    const test::Mode c(folder / "pr/c/deep", 0444);
    write("pr/b/b.jsonl", std::string(header));
    write("pr/d.jsonl", std::string(header));
    const test::Mode log(folder / "pr/d.jsonl", 0);
    write("pr/e.jsonl", std::string(header));
    EXPECT_EQ(run({"check", folder / "pr//"}, 6),
              "LOGS/pr/b/b.jsonl: opens, 0 events\n"
              "LOGS/pr/e.jsonl: opens, 0 events\n"
              "drydock: cannot read LOGS/pr/a: permission denied\n"
              "drydock: cannot read LOGS/pr/c/deep: permission denied\n"
              "drydock: cannot open LOGS/pr/d.jsonl: permission denied\n");
    EXPECT_EQ(run({"check", folder / "pr/a"}, 6), "drydock: cannot read LOGS/pr/a: permission denied\n");
}

TEST_F(LogCommands, CheckReadsAllOfAStoreThatCanBeRead) {
    before = test::without_privileges();
    const test::Mode project(folder / "s/--srv-a--", 0);
    const test::Mode session(folder / "s/--srv-x--/0", 0);
    write("s/--srv-x--/a/session.jsonl", std::string(header));
    write("s/--srv-x--/b/session.jsonl", std::string(header));
    const test::Mode log(folder / "s/--srv-x--/b/session.jsonl", 0);
    EXPECT_EQ(run({"check", folder / "s"}, 6),
              "LOGS/s/--srv-x--/a/session.jsonl: opens, 0 events\n"
              "drydock: cannot read LOGS/s/--srv-a--: permission denied\n"
              "drydock: cannot read LOGS/s/--srv-x--/0: permission denied\n"
              "drydock: cannot open LOGS/s/--srv-x--/b/session.jsonl: permission denied\n");
}

/// The loader goes by the name, and so does the verdict.
TEST_F(LogCommands, CheckSaysWhichNameWouldDo) {
    const std::string frames = session::make_log(header, begin).value();
    write("n/a.jsonl", frames);
    write("n/b.jsonl.zstd", std::string(header));
    write("n/c.jsonl.zstd", frames.substr(1));
    write("n/d.jsonl", "");
    EXPECT_EQ(run({"check", folder / "n/a.jsonl"}, 1),
              "LOGS/n/a.jsonl: refused: line 1: the header line is no JSON: expected a value, found '('\n"
              "  its bytes are zstd frames: named a.jsonl.zstd it would be read as such\n");
    EXPECT_EQ(run({"check", folder / "n/b.jsonl.zstd", folder / "n/c.jsonl.zstd", folder / "n/d.jsonl"}, 1),
              "LOGS/n/b.jsonl.zstd: refused: no zstd frame begins at byte 0\n"
              "  its bytes are plain lines: named b.jsonl it would be read as such\n"
              "LOGS/n/c.jsonl.zstd: refused: no zstd frame begins at byte 0\n"
              "LOGS/n/d.jsonl: refused: there is no header line\n");
    EXPECT_EQ(nlohmann::json::parse(run({"check", "--json", folder / "n/b.jsonl.zstd"}, 1))["logs"].dump(),
              R"([{"children":[],"closers":0,"events":0,"findings":[],"lost":0,"path":"LOGS/n/b.jsonl.zstd",)"
              R"("reason":"no zstd frame begins at byte 0","remembered":0,"verdict":"refused"}])");
}

TEST_F(LogCommands, CheckReadsStandardInputOnce) {
    process.input = std::string(header);
    EXPECT_EQ(run({"check", "-"}, 0), "-: opens, 0 events\n");
    EXPECT_EQ(run({"check", "-", folder / "a.jsonl", "-"}, 2),
              "drydock: - is given twice: standard input is read to its end once\n"
              "  see 'drydock help log check'\n");
}

/// A file there is read from its beginning, a rest of one from where it stands.
TEST_F(LogCommands, CheckReadsAFileOnStandardInput) {
    write("c.jsonl", std::string(header) + std::string(begin));
    write("d.jsonl", "skip\n" + std::string(header));
    write("--srv-y--/a/session.jsonl", std::string(header));
    const auto check = [this](const std::string& script, const std::string& file, int exit) {
        before = {"sh", "-c", script, "sh", folder / file};
        return run({"check", "-"}, exit);
    };
    const std::string whole = R"(file=$1; shift; exec "$@" < "$file")";
    EXPECT_EQ(check(whole, "c.jsonl", 0), "-: opens, 1 event; 1 event would end its interrupted turn\n");
    EXPECT_EQ(check(R"(exec < "$1"; shift; read line; exec "$@")", "d.jsonl", 0), "-: opens, 0 events\n");
    EXPECT_EQ(check(whole, "--srv-y--/a/session.jsonl", 1),
              "-: refused: line 1: the header's id and cwd belong into --srv-x--/a, and the log lies in "
              "--srv-y--/a\n");
}

TEST_F(LogCommands, AClosedStandardInputIsNotEmpty) {
    before = {"sh", "-c", R"(exec "$@" <&-)", "sh"};
    const std::string error = "drydock: cannot read standard input: bad file descriptor\n";
    EXPECT_EQ(run({"check", "-"}, 6), error);
    EXPECT_EQ(run({"mend", "-", "-o", folder / "copy.jsonl"}, 6), error);
    EXPECT_EQ(run({"show", "-"}, 6), error);
    std::vector<std::string> words = before;
    words.insert(words.end(), {test::drydock(), "stream", "map", "--from", "acp"});
    const base::ProcessOutcome map = test::run(words, process);
    EXPECT_EQ(map.output + map.errors, error);
    EXPECT_EQ(map.exit_code, 6);
}

TEST_F(LogCommands, MendWritesACopyThatOpens) {
    EXPECT_EQ(run({"mend", folder / "a.jsonl", "-o", folder / "copy.jsonl"}, 0),
              "LOGS/copy.jsonl: marked 1 event: line 3\n");
    EXPECT_EQ(run({"check", folder / "copy.jsonl"}, 0),
              "LOGS/copy.jsonl: opens, 3 events\n  child k (acp): 1 step\n");
    EXPECT_EQ(run({"mend", folder / "a.jsonl", "-o", folder / "copy.jsonl"}, 6),
              "drydock: cannot create LOGS/copy.jsonl: file exists\n");
    EXPECT_EQ(run({"mend", folder / "b/b.jsonl", "-o", folder / "c.jsonl"}, 0),
              "LOGS/b/b.jsonl: opens as it is; no copy was made\n");
    EXPECT_FALSE(test::exists(folder / "c.jsonl"));
}

/// By its name a loader takes a copy for what it is not.
TEST_F(LogCommands, MendRefusesANameOfTheOtherEncoding) {
    EXPECT_EQ(run({"mend", folder / "a.jsonl", "-o", folder / "copy.jsonl.zstd"}, 2),
              "drydock: LOGS/copy.jsonl.zstd: the name says zstd frames, and the log is plain; end it in "
              ".jsonl\n");
    EXPECT_FALSE(test::exists(folder / "copy.jsonl.zstd"));
    write("a.jsonl.zstd", session::make_log(header, std::string(begin) + std::string(step)).value());
    EXPECT_EQ(run({"mend", folder / "a.jsonl.zstd", "-o", folder / "copy.jsonl"}, 2),
              "drydock: LOGS/copy.jsonl: the name says plain lines, and the log is zstd frames; end it in "
              ".jsonl.zstd\n");
    EXPECT_FALSE(test::exists(folder / "copy.jsonl"));
    EXPECT_EQ(run({"mend", folder / "a.jsonl.zstd", "-o", folder / "copy"}, 0),
              "LOGS/copy: marked 1 event: line 3\n");
    EXPECT_EQ(run({"check", folder / "copy"}, 0),
              "LOGS/copy: opens, 2 events; 1 event would end its interrupted turn\n"
              "  child k (acp): 1 step\n");
}

TEST_F(LogCommands, MendWritesNoStandardOutput) {
    process.directory = folder.path();
    EXPECT_EQ(run({"mend", "a.jsonl", "-o", "-"}, 2),
              "drydock: -o wants a file: the copy is read again before it is said to open\n"
              "  see 'drydock help log mend'\n");
    EXPECT_FALSE(test::exists(folder / "-"));
}

}  // namespace
}  // namespace drydock::cli
