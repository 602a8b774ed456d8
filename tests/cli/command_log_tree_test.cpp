#include "cli/command_log_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "session/frames.hpp"
#include "tests/support/house.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

using nlohmann::json;

class LogTree : public testing::Test {
  protected:
    struct Run {
        int exit{0};
        std::string out;
        std::string err;
    };

    LogTree() {
        process.unset = {"DRYDOCK_MANIFESTS", "DSH_VERSION", "NO_COLOR"};
        process.environment = {{"DRYDOCK_MANIFESTS", std::string(DRYDOCK_SOURCE_DIR) + "/manifests"}};
    }

    /// Writes a log into a store; its events get their seqs, and each is 100 ms after the one before.
    void write_log(const std::string& id, const std::string& header_more,
                   const std::vector<std::pair<std::string, std::string>>& events,
                   const std::string& file = {}) {
        std::string text = fmt::format(
            R"({{"type":"session","version":0,"id":"{}","createdAt":1,"cwd":"/srv/x","delegationDepth":0{}}})"
            "\n",
            id, header_more);
        std::size_t seq = 0;
        for (const auto& [type, data] : events) {
            const bool marked = type == "subagent/stream" || type == "subagent/catalog";
            text += fmt::format(R"({{"type":"{}","seq":{},"time":{},"data":{}{}{}}})"
                                "\n",
                                type, seq, seq * 100, data, marked ? R"(,"ignorable":true)" : "",
                                type == "tool/result" ? R"(,"surfaceOp":"append")" : "");
            ++seq;
        }
        test::write(file.empty() ? folder / ("s/--srv-x--/" + id + "/session.jsonl") : file, text);
    }

    /// Its outputs with LOGS for the folder.
    Run tree(std::vector<std::string> words) {
        words.insert(words.begin(), {test::drydock(), "log", "tree"});
        words.insert(words.begin(), before.begin(), before.end());
        const base::ProcessOutcome outcome = test::run(words, process);
        return {outcome.exit_code, named(outcome.output), named(outcome.errors)};
    }

    [[nodiscard]] std::string named(std::string text) const {
        for (std::size_t at = text.find(folder.path()); at != std::string::npos;
             at = text.find(folder.path()))
            text.replace(at, folder.path().size(), "LOGS");
        return text;
    }

    static std::string call(const std::string& id) {
        return fmt::format(R"({{"turn":1,"step":1,"callId":"{}","name":"subagent","arguments":"{{}}"}})", id);
    }
    static std::string result(const std::string& id, bool failed) {
        return fmt::format(
            R"({{"turn":1,"step":1,"message":{{"id":"r","role":"user","source":{{"kind":"tool","callId":"{0}"}},)"
            R"("content":[{{"type":"tool-result","toolCallId":"{0}","content":[],"isError":{1}}}]}}}})",
            id, failed);
    }
    static std::string step(const std::string& child, std::size_t index, const std::string& more = {}) {
        return fmt::format(R"({{"childId":"{}","provider":"acp","index":{},"item":{{"kind":"plan"{}}}}})",
                           child, index, more);
    }

    /// A parent with children of each sort, and a child of one of them.
    void write_family() {
        write_log("p", "",
                  {{"turn/start", R"({"turn":1})"},
                   {"session/title", R"({"title":"review","messageSeqs":[],"source":{"kind":"fallback"}})"},
                   {"tool/call", call("c1")},
                   {"subagent/stream", step("k1", 0)},
                   {"subagent/stream", step("k1", 1, R"(,"isError":true)")},
                   {"tool/result", result("c1", true)},
                   {"tool/call", call("c2")},
                   {"tool/call", call("c3")},
                   {"subagent/stream", step("k2", 0)},
                   {"tool/result", result("c2", false)},
                   {"tool/result", result("c3", false)},
                   {"tool-workflow/run-start", R"({"runId":"w","name":"audit"})"},
                   {"tool-workflow/agent-start", R"({"runId":"w","seq":0,"label":"one","childId":"gone"})"},
                   {"turn/end", R"({"turn":1,"reason":{"kind":"completed"}})"}});
        const std::string child = R"(,"parentSession":"p","origin":"subagent")";
        write_log(
            "c", child,
            {{"subagent/descriptor", R"({"version":2,"mode":"one-shot","provider":"spawn","label":"reads"})"},
             {"turn/start", R"({"turn":1})"}});
        write_log("d", child, {{"turn/start", R"({"turn":1})"}});
        write_log("f", R"(,"parentSession":"c")", {{"turn/start", R"({"turn":1})"}});
    }

    test::TemporaryDirectory folder;
    base::ProcessOptions process;
    std::vector<std::string> before;  ///< what runs it
};

constexpr std::string_view family_tree =
    "p \"review\": 14 events, 1.3 s in 1 turn, 1 error\n"
    "  c one-shot by spawn \"reads\": 2 events, interrupted, 0 ms in 1 turn\n"
    "    f fork: 1 event, interrupted, 0 ms in 1 turn\n"
    "  d corrupt: 1 event, interrupted, 0 ms in 1 turn\n"
    "  k1 external by acp: 2 steps, 100 ms, 1 error, of call c1\n"
    "  k2 external by acp: 1 step, 0 ms, of one of 2 open calls, and the log does not say which (c2, c3)\n"
    "  gone no log here \"one\", of the workflow audit\n"
    "4 sessions, 3 children without a session\n";

TEST_F(LogTree, ShowsSessionsAndTheirChildren) {
    write_family();
    const Run run = tree({folder / "s"});
    EXPECT_EQ(run.out, family_tree);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(tree({folder / "s/--srv-x--"}).out, family_tree);
}

TEST_F(LogTree, WritesADocument) {
    write_family();
    const Run run = tree({"--json", folder / "s"});
    EXPECT_EQ(run.exit, 0);
    const json document = json::parse(run.out);
    EXPECT_EQ(document["schema"], "drydock.log-tree/1");
    EXPECT_EQ(document["store"], true);
    EXPECT_EQ(document["problems"], json::array());
    ASSERT_EQ(document["nodes"].size(), 7U);
    EXPECT_EQ(
        document["nodes"][0].dump(),
        R"({"closers":0,"createdAt":1,"cwd":"/srv/x","depth":0,"durationMs":1300,"errors":1,"events":14,"id":"p","lost":0,"path":"LOGS/s/--srv-x--/p/session.jsonl","reason":"","relation":"root","title":"review","turns":1,"verdict":"opens"})");
    EXPECT_EQ(
        document["nodes"][1].dump(),
        R"({"closers":1,"createdAt":1,"cwd":"/srv/x","depth":1,"durationMs":0,"errors":0,"events":2,"id":"c","label":"reads","lost":0,"mode":"one-shot","parent":"p","path":"LOGS/s/--srv-x--/c/session.jsonl","provider":"spawn","reason":"","relation":"subagent","turns":1,"verdict":"opens"})");
    EXPECT_EQ(document["nodes"][2]["relation"], "fork");
    EXPECT_EQ(document["nodes"][3]["diagnostic"], "corrupt");
    EXPECT_EQ(
        document["nodes"][4].dump(),
        R"({"depth":1,"durationMs":100,"errors":1,"id":"k1","link":{"calls":["c1"],"how":"only-open"},"parent":"p","provider":"acp","relation":"external","steps":2,"truncated":0})");
    EXPECT_EQ(document["nodes"][5]["link"].dump(), R"({"calls":["c2","c3"],"how":"ambiguous"})");
    EXPECT_EQ(
        document["nodes"][6].dump(),
        R"({"depth":1,"durationMs":0,"errors":0,"id":"gone","label":"one","link":{"calls":[],"how":"told"},"parent":"p","provider":"","relation":"unseen","steps":0,"truncated":0,"workflow":"audit"})");
}

TEST_F(LogTree, TellsWhatACatalogTells) {
    write_log(
        "p", "",
        {{"subagent/catalog",
          R"({"version":2,"children":[{"childId":"x","mode":"external","provider":"acp","label":"out","callId":"c9"},{"childId":"lost","mode":"continuable"},{"childId":"q","mode":"unknown"},{}]})"}});
    write_log("q", "", {{"session/title", R"({"title":""})"}});
    const Run run = tree({folder / "s"});
    EXPECT_EQ(run.out,
              "p: 1 event, 0 ms in 0 turns\n"
              "  x external by acp \"out\", of call c9\n"
              "  lost no log here, continuable\n"
              "  q elsewhere in this tree\n"
              "q: 1 event, 0 ms in 0 turns\n"
              "2 sessions, 2 children without a session\n");
    EXPECT_EQ(
        run.err,
        "drydock: note: LOGS/s/--srv-x--/p/session.jsonl: line 2: an entry in the catalog cannot be read\n"
        "drydock: note: LOGS/s/--srv-x--/q/session.jsonl: the session q is told of as a child of p, which "
        "its own header does not say\n");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(LogTree, TellsWhatTheHarnessWouldRefuse) {
    write_log("a", R"(,"parentSession":"b","origin":"subagent")", {{"unheard/of", "{}"}});
    write_log("b", R"(,"parentSession":"a")", {});
    write_log("e", R"(,"parentSession":"none")", {});
    write_log("b", "", {}, folder / "s/--srv-y--/b/session.jsonl");
    test::write(folder / "s/--srv-x--/g/session.jsonl", "x\n");
    const Run run = tree({"--as-version", "0.1.0-rc.8", folder / "s"});
    EXPECT_EQ(run.out,
              "b: does not open, 0 ms in 0 turns\n"
              "e fork of none, which is not here: 0 events, 0 ms in 0 turns\n"
              "a among its own ancestors unavailable: does not open, 0 ms in 0 turns\n"
              "  b fork: 0 events, 0 ms in 0 turns\n"
              "4 sessions, 0 children without a session\n");
    EXPECT_EQ(
        run.err,
        "drydock: LOGS/s/--srv-y--/b/session.jsonl: the header's id and cwd belong into --srv-x--/b, and the "
        "log "
        "lies in --srv-y--/b; the harness lists no session of this store (identity)\n"
        "drydock: LOGS/s/--srv-y--/b/session.jsonl: has the id b, as LOGS/s/--srv-x--/b/session.jsonl has; "
        "the "
        "harness lists no session of this store (duplicate-id)\n"
        "drydock: LOGS/s/--srv-x--/a/session.jsonl:2: the log does not open: the event type unheard/of is "
        "unknown to this harness, and not marked ignorable\n"
        "drydock: LOGS/s/--srv-y--/b/session.jsonl:1: the log does not open: the header's id and cwd belong "
        "into "
        "--srv-x--/b, and the log lies in --srv-y--/b\n"
        "drydock: LOGS/s/--srv-x--/a/session.jsonl: the session a is among its own ancestors\n"
        "drydock: note: LOGS/s/--srv-x--/g/session.jsonl: its first line is no header, and the harness's "
        "listing "
        "passes it over\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(LogTree, ReadsAnyFolderOfLogs) {
    write_log("a", "", {}, folder / "x/1.jsonl");
    write_log("b", R"(,"parentSession":"a","origin":"subagent")", {}, folder / "x/deep/2.jsonl");
    write_log("a", "", {}, folder / "x/deep/3.jsonl");
    test::write(folder / "x/4.jsonl", "damaged\n");
    const Run run = tree({folder / "x"});
    EXPECT_EQ(run.out,
              "a: 0 events, 0 ms in 0 turns\n"
              "  b corrupt: 0 events, 0 ms in 0 turns\n"
              "a: 0 events, 0 ms in 0 turns\n"
              "3 sessions, 0 children without a session\n");
    EXPECT_EQ(
        run.err,
        "drydock: LOGS/x/4.jsonl:1: the log does not open: the header line is no JSON: expected a value, "
        "found 'd'\n"
        "drydock: LOGS/x/deep/3.jsonl: has the id a, as LOGS/x/1.jsonl has; children are shown with the "
        "first of them\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(LogTree, SaysWhatItCannotRead) {
    Run run = tree({folder / "none"});
    EXPECT_EQ(run.err, "drydock: cannot open LOGS/none: no such file or directory\n");
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.exit, 6);
    run = tree({});
    EXPECT_EQ(run.err,
              "drydock: expected one directory: a store, or any that has logs below it\n"
              "  see 'drydock help log tree'\n");
    EXPECT_EQ(run.exit, 2);
}

/// What cannot be read is named beside the tree of all that can.
TEST_F(LogTree, ShowsAllThatCanBeRead) {
    before = test::without_privileges();
    write_family();
    const test::Mode project(folder / "s/--srv-a--", 0);
    const test::Mode session(folder / "s/--srv-x--/0", 0);
    write_log("z", "", {});
    const test::Mode log(folder / "s/--srv-x--/z/session.jsonl", 0);
    Run run = tree({folder / "s/"});
    EXPECT_EQ(run.out, family_tree);
    EXPECT_EQ(run.err,
              "drydock: cannot read LOGS/s/--srv-a--: permission denied\n"
              "drydock: cannot read LOGS/s/--srv-x--/0: permission denied\n"
              "drydock: cannot read LOGS/s/--srv-x--/z/session.jsonl: permission denied\n");
    EXPECT_EQ(run.exit, 6);
    run = tree({folder / "s/--srv-x--"});
    EXPECT_EQ(run.out, family_tree);
    EXPECT_EQ(run.err,
              "drydock: cannot read LOGS/s/--srv-x--/0: permission denied\n"
              "drydock: cannot open LOGS/s/--srv-x--/z/session.jsonl: permission denied\n");
    EXPECT_EQ(run.exit, 6);
}

/// The store that the published packages write, with a patched core, in the encoding that is the default.
TEST_F(LogTree, ShowsWhatThePackagesWrote) {
    const json meta = {{"cwd", "/srv/x"}, {"createdAt", 1}, {"delegationDepth", 0}};
    const json child = {{"cwd", "/srv/x"},
                        {"createdAt", 2},
                        {"delegationDepth", 1},
                        {"parentSession", "p"},
                        {"origin", "subagent"}};
    const json events = json::parse(
        R"([["tool/call",{"turn":1,"step":1,"callId":"c1","name":"subagent","arguments":"{}"}],
            ["subagent/stream",{"childId":"k","provider":"claude-code","index":0,"item":{"kind":"system","text":"t"}},
             {"ignorable":true}]])");
    const json descriptor =
        json::parse(R"([["subagent/descriptor",{"version":2,"mode":"one-shot","provider":"spawn"}]])");
    test::ask_house({json({{"write", folder / "s"},
                           {"compression", "zstd"},
                           {"sessions",
                            {{{"id", "p"}, {"meta", meta}, {"events", events}},
                             {{"id", "c"}, {"meta", child}, {"events", descriptor}}}}})
                         .dump()});
    const Run run = tree({"--as-version", "0.1.0-rc.8", folder / "s"});
    EXPECT_EQ(run.out,
              "p: 2 events, 0 ms in 0 turns\n"
              "  c one-shot by spawn: 1 event, 0 ms in 0 turns\n"
              "  k external by claude-code: 1 step, 0 ms, of call c1\n"
              "2 sessions, 1 child without a session\n");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
}

}  // namespace
}  // namespace drydock::cli
