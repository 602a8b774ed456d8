// conform/verify_sessions.cpp: what the patched packages write opens, and what a bad set writes does not and
// is told.
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "stream/cases.hpp"
#include "stream/stream.hpp"
#include "tests/conform/installed.hpp"
#include "tests/session/loader.hpp"

namespace drydock::conform {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view guard = "\t\t\t\tassertMarksIgnorableEvents(session);\n";
constexpr std::string_view unknown_type =
    "the event type subagent/stream is unknown to this harness, and not marked ignorable";

class VerifySessions : public test::Installed {
  protected:
    static manifest::Manifest set() {
        const base::Result<manifest::Manifest> loaded =
            manifest::load(test::in_sources("manifests"), "0.1.0-rc.8");
        EXPECT_TRUE(loaded);
        return loaded ? *loaded : manifest::Manifest();
    }

    static SessionOptions with_loader() {
        SessionOptions options;
        options.node = test::loader_node();
        options.loader = test::loader_folder();
        return options;
    }

    /// The core of an image, dsh-session as published, dsh-subagent patched.
    static void put_stock_core(const test::TemporaryDirectory& image) {
        test::put_core(image.path());
        test::put_patch(image / "node_modules/@deepseek-ai/dsh-subagent");
    }

    /// The loader with what only it needs, beside a core.
    static void put_loader(const std::string& modules) {
        for (const std::string name : {"@deepseek-ai/dsh-session-persistence-jsonl", "koffi", "@koromix"})
            test::copy_tree(test::loader_folder() + "/node_modules/" + name, modules + "/" + name);
    }
};

/// How many events the native code makes of a child's messages, which are generated.
std::uint64_t native_steps(stream::Source source, stream::Function function, std::uint64_t seed) {
    class Counter final : public stream::Log {
      public:
        [[nodiscard]] std::optional<double> ignorable_level() const override { return 1; }
        base::Result<void> append_ignorable(std::string_view, std::string_view) override {
            ++count;
            return {};
        }
        std::uint64_t count{0};
    };
    Counter counter;
    stream::Sink sink(counter, "c", "p", [](const base::Error&) {});
    stream::Recording recording(source, sink);
    base::JsonDocument document;
    for (std::uint64_t number = 0; number < 200; ++number) {
        const auto message =
            document.parse(stream::make_case(function, seed, stream::fixed_cases(function) + number));
        if (message) recording.record(*message);
    }
    recording.close();
    return counter.count;
}

TEST_F(VerifySessions, StreamsOfBothProvidersOpenOnTheStockLoader) {
    SessionOptions options = with_loader();
    options.seed = 5;
    const SessionVerdict verdict = verify_sessions(all(), set(), options);
    EXPECT_THAT(told(verdict.problems), IsEmpty());
    EXPECT_THAT(told(verdict.notes), IsEmpty());
    ASSERT_EQ(verdict.sessions.size(), 1U);
    const WrittenSession& session = verdict.sessions.front();
    EXPECT_EQ(session.core, directory_of("dsh-session"));
    EXPECT_EQ(session.sink, directory_of("dsh-subagent"));
    EXPECT_THAT(session.warnings, IsEmpty());
    std::map<std::string, std::uint64_t> steps;
    for (const Stream& stream : session.streams) steps[stream.provider] = stream.steps;
    EXPECT_EQ(steps,
              (std::map<std::string, std::uint64_t>{
                  {"claude-code", native_steps(stream::Source::claude_code, stream::Function::claude, 5)},
                  {"acp", native_steps(stream::Source::acp, stream::Function::acp, 5)}}));
    EXPECT_GT(steps["claude-code"], 100U);
    EXPECT_GT(steps["acp"], 50U);
    // The turn around them: its beginning and end, two messages, two steps, and a call and a result of each.
    EXPECT_EQ(session.events, steps["claude-code"] + steps["acp"] + 10);
    EXPECT_EQ(session.stock.verdict, session::Verdict::opens) << session.stock.reason;
    EXPECT_EQ(session.patched.verdict, session::Verdict::opens) << session.patched.reason;
    ASSERT_TRUE(session.loader);
    EXPECT_TRUE(session.loader->opens) << session.loader->reason;
    EXPECT_EQ(session.loader->events, session.events);
    EXPECT_EQ(session.loader->directory,
              test::loader_folder() + "/node_modules/@deepseek-ai/dsh-session-persistence-jsonl");
}

TEST_F(VerifySessions, ALoaderBesideThePatchedCoreIsAsStock) {
    const test::TemporaryDirectory image;
    test::copy_tree(*installed / "node_modules", image / "node_modules");
    put_loader(image / "node_modules");
    const std::string scope = image / "node_modules/@deepseek-ai/";
    const std::vector<Package> packages{{"@deepseek-ai/dsh-session", scope + "dsh-session"},
                                        {"@deepseek-ai/dsh-subagent", scope + "dsh-subagent"}};
    SessionOptions options;
    options.node = test::loader_node();
    const SessionVerdict good = verify_sessions(packages, set(), options);
    EXPECT_THAT(told(good.problems), IsEmpty());
    EXPECT_THAT(told(good.notes), IsEmpty());
    ASSERT_EQ(good.sessions.size(), 1U);
    ASSERT_TRUE(good.sessions.front().loader);
    EXPECT_TRUE(good.sessions.front().loader->opens);
    EXPECT_EQ(good.sessions.front().loader->directory, scope + "dsh-session-persistence-jsonl");

    // It knows the event by its own bytes, and must not open what a stock one would refuse.
    test::plant(scope + "dsh-subagent/lib/index.js", "}, { ignorable: true });\n\t\t\t\tindex",
                "}, {});\n\t\t\t\tindex");
    const SessionVerdict bad = verify_sessions(packages, set(), options);
    ASSERT_EQ(bad.sessions.size(), 1U);
    EXPECT_EQ(bad.sessions.front().stock.verdict, session::Verdict::refused);
    EXPECT_EQ(bad.sessions.front().patched.verdict, session::Verdict::opens);
    ASSERT_TRUE(bad.sessions.front().loader);
    EXPECT_THAT(
        told(bad.problems),
        ElementsAre(
            fmt::format("@deepseek-ai/dsh-subagent: the session that it writes over {0}dsh-session "
                        "does not open on a stock harness: line 7: {1}",
                        scope, unknown_type),
            fmt::format("@deepseek-ai/dsh-subagent: the session that it writes over {0}dsh-session is "
                        "refused by the loader in {0}dsh-session-persistence-jsonl: {1}",
                        scope, bad.sessions.front().loader->reason)));
    EXPECT_THAT(bad.sessions.front().loader->reason, testing::HasSubstr("subagent/stream"));
}

TEST_F(VerifySessions, OverAStockCoreNothingIsWrittenAndOneWarningSaysSo) {
    const test::TemporaryDirectory image;
    put_stock_core(image);
    const std::string scope = image / "node_modules/@deepseek-ai/";
    const SessionVerdict verdict =
        verify_sessions({{"@deepseek-ai/dsh-subagent", scope + "dsh-subagent"}}, set(), with_loader());
    EXPECT_THAT(told(verdict.problems), IsEmpty());
    EXPECT_THAT(
        told(verdict.notes),
        ElementsAre(fmt::format("@deepseek-ai/dsh-subagent: nothing is recorded over {}dsh-session: the "
                                "parent session cannot mark events as ignorable",
                                scope)));
    ASSERT_EQ(verdict.sessions.size(), 1U);
    const WrittenSession& session = verdict.sessions.front();
    EXPECT_THAT(session.warnings, ElementsAre("the parent session cannot mark events as ignorable"));
    EXPECT_THAT(session.streams, IsEmpty());
    EXPECT_EQ(session.events, 8U);
    ASSERT_TRUE(session.loader);
    EXPECT_TRUE(session.loader->opens) << session.loader->reason;
    EXPECT_EQ(session.loader->events, 8U);
}

TEST_F(VerifySessions, APatchedCoreByItselfIsWrittenTo) {
    const SessionVerdict verdict = verify_sessions({package("dsh-session")}, set(), with_loader());
    EXPECT_THAT(told(verdict.problems), IsEmpty());
    ASSERT_EQ(verdict.sessions.size(), 1U);
    EXPECT_EQ(verdict.sessions.front().sink, "");
    ASSERT_EQ(verdict.sessions.front().streams.size(), 1U);
    EXPECT_EQ(verdict.sessions.front().streams.front().steps, 8U);
    ASSERT_TRUE(verdict.sessions.front().loader);
    EXPECT_TRUE(verdict.sessions.front().loader->opens);
}

TEST_F(VerifySessions, SaysWhatCannotBeTried) {
    SessionOptions options = with_loader();
    options.loader.clear();
    EXPECT_THAT(
        told(verify_sessions({package("dsh-session")}, set(), options).notes),
        ElementsAre(fmt::format(
            "@deepseek-ai/dsh-session-persistence-jsonl: not installed where Node would look from {}, "
            "so no loader opened the session; --loader names a folder with one",
            directory_of("dsh-session"))));

    const test::TemporaryDirectory other;
    options.loader = other.path();
    const SessionVerdict without = verify_sessions({package("dsh-session")}, set(), options);
    EXPECT_THAT(told(without.problems),
                ElementsAre(fmt::format("no @deepseek-ai/dsh-session-persistence-jsonl in {}/node_modules; "
                                        "expected a stock one there, by which the session is opened",
                                        other.path())));
    EXPECT_EQ(without.problems.front().kind, base::ErrorKind::usage);

    test::copy_tree(test::loader_folder() + "/node_modules", other / "node_modules");
    const std::string scope = other / "node_modules/@deepseek-ai/";
    const std::string file = scope + "dsh-session/lib/index.js";
    const std::string good =
        test::plant(file, "\tget seq() {", "\tget ignorableAppendLevel() { return 9 }\n\tget seq() {");
    EXPECT_THAT(told(verify_sessions({package("dsh-session")}, set(), options).problems),
                ElementsAre(fmt::format("@deepseek-ai/dsh-session-persistence-jsonl: the loader in "
                                        "{0}dsh-session-persistence-jsonl is not stock: the dsh-session in "
                                        "{0}dsh-session marks events, by bytes that the set does not know",
                                        scope)));
    test::write(file, good);
    test::write(scope + "dsh-session-persistence-jsonl/lib/index.js", "import 'not-there'\n");
    const SessionVerdict broken = verify_sessions({package("dsh-session")}, set(), options);
    EXPECT_THAT(
        told(broken.problems),
        ElementsAre(fmt::format(
            "@deepseek-ai/dsh-session-persistence-jsonl: the loader in "
            "{0}dsh-session-persistence-jsonl cannot be run: Cannot find package 'not-there' imported "
            "from {0}dsh-session-persistence-jsonl/lib/index.js; it needs node 22.19 or later, which "
            "--node can name",
            scope)));
    EXPECT_EQ(broken.problems.front().kind, base::ErrorKind::io);

    manifest::Manifest bare = set();
    bare.harness.reset();
    const SessionVerdict unjudged = verify_sessions({package("dsh-session")}, bare, with_loader());
    EXPECT_THAT(unjudged.sessions, IsEmpty());
    EXPECT_THAT(told(unjudged.notes),
                ElementsAre(test::in_sources("manifests/0.1.0-rc.8.yaml: no harness section with "
                                             "known-event-types, so no session was written and judged")));
}

TEST_F(VerifySessions, AreNotTriedWithoutANode) {
    const base::ProcessOutcome outcome =
        test::run({test::drydock(), "verify", "--json", "--node", "no-such-node", "--manifest",
                   test::in_sources("manifests"), "--dsh-version", "0.1.0-rc.8", "--package", "dsh-session",
                   "--package", "dsh-subagent", "--root", "image=" + installed->path()});
    EXPECT_EQ(outcome.exit_code, 6);
    const nlohmann::json document = nlohmann::json::parse(outcome.output);
    ASSERT_EQ(document["problems"].size(), 1U) << document["problems"];
    EXPECT_EQ(document["problems"][0]["message"],
              "cannot run no-such-node: no such file or directory; verify needs node, from 20.6 on: install "
              "it, or name it with --node");
    EXPECT_EQ(document["sessions"], nlohmann::json::array());
}

/// No node is asked for then.
TEST_F(VerifySessions, ALoaderThatIsNotThereIsToldBeforeAnythingRuns) {
    const test::TemporaryDirectory other;
    const auto errors = [&](const std::string& loader, int exit) {
        const base::ProcessOutcome outcome =
            test::run({test::drydock(), "verify", "--node", "no-such-node", "--loader", loader, "--manifest",
                       test::in_sources("manifests"), "--dsh-version", "0.1.0-rc.8", "--package",
                       "dsh-session", "--root", "image=" + installed->path()});
        EXPECT_EQ(outcome.exit_code, exit);
        EXPECT_EQ(outcome.output, "");
        return outcome.errors.substr(0, outcome.errors.find("drydock: note: "));
    };
    EXPECT_EQ(errors(other / "none", 2),
              fmt::format("drydock: {} is no folder; expected one with a stock "
                          "@deepseek-ai/dsh-session-persistence-jsonl in its node_modules\n",
                          other / "none"));
    EXPECT_EQ(
        errors(other.path(), 2),
        fmt::format("drydock: no @deepseek-ai/dsh-session-persistence-jsonl in {}/node_modules; expected "
                    "a stock one there, by which the session is opened\n",
                    other.path()));
    test::write(other / "node_modules/@deepseek-ai/dsh-session-persistence-jsonl/package.json", "{}");
    EXPECT_EQ(
        errors(other.path(), 1),
        fmt::format("drydock: dsh-session-persistence-jsonl: no @deepseek-ai/dsh-session where Node would "
                    "look from {}/node_modules/@deepseek-ai/dsh-session-persistence-jsonl\n",
                    other.path()));
}

TEST_F(VerifySessions, AreInTheDocument) {
    const base::ProcessOutcome outcome = test::run(
        {test::drydock(), "verify", "--json", "--cases", "10", "--node", test::loader_node(), "--loader",
         test::loader_folder(), "--manifest", test::in_sources("manifests"), "--dsh-version", "0.1.0-rc.8",
         "--package", "dsh-session", "--package", "dsh-subagent", "--root", "image=" + installed->path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const nlohmann::json document = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(document["problems"], nlohmann::json::array());
    // The test has put the patched bytes there itself.
    for (const nlohmann::json& note : document["notes"]) EXPECT_EQ(note["file"], ".drydock-receipt.json");
    const nlohmann::json opens{{"verdict", "opens"}, {"reason", ""}, {"line", 0}};
    const nlohmann::json expected{
        {{"dir", directory_of("dsh-session")},
         {"sink", directory_of("dsh-subagent")},
         {"streams", {{{"childId", "child-1"}, {"provider", "drydock"}, {"steps", 8}}}},
         {"warnings", nlohmann::json::array()},
         {"events", 16},
         {"stock", opens},
         {"patched", opens},
         {"loader",
          {{"dir", test::loader_folder() + "/node_modules/@deepseek-ai/dsh-session-persistence-jsonl"},
           {"opens", true},
           {"events", 16},
           {"reason", ""}}}}};
    EXPECT_EQ(document["sessions"], nlohmann::json::array({expected[0]})) << outcome.output;
    EXPECT_EQ(document["functions"].size(), 4U);
}

/// An image with a set whose sink does not look at the core: dsh-session as published, dsh-subagent as that
/// set leaves it, its manifest and patch beside it.
class BadSet : public VerifySessions {
  protected:
    static void SetUpTestSuite() {
        image = std::make_unique<test::TemporaryDirectory>();
        put_stock_core(*image);
        const std::string file = scope() + "dsh-subagent/lib/index.js";
        const std::string ours = test::plant(file, std::string(guard), "");
        const std::string theirs = test::read(file);
        test::write(*image / "stock/lib/index.js",
                    test::read(test::registry_package("dsh-subagent-0.1.0-rc.8") + "/lib/index.js"));
        test::write(*image / "theirs/lib/index.js", theirs);
        base::ProcessOptions there;
        there.directory = image->path();
        const std::string patch = test::run({test::drydock(), "diff", "stock", "theirs"}, there).output;
        test::write(*image / "patches/dsh-subagent.lib.patch", patch);
        test::copy_tree(test::in_sources("patches/dsh-0.1.0-rc.8"), *image / "patches/dsh-0.1.0-rc.8");
        std::string text = test::read(test::in_sources("manifests/0.1.0-rc.8.yaml"));
        put(text, "../patches/dsh-0.1.0-rc.8/dsh-subagent.lib.patch", "../patches/dsh-subagent.lib.patch");
        put(text, hash(test::read(test::in_sources("patches/dsh-0.1.0-rc.8/dsh-subagent.lib.patch"))),
            hash(patch));
        put(text, hash(ours), hash(theirs));
        test::write(*image / "manifests/0.1.0-rc.8.yaml", text);
    }

    static void TearDownTestSuite() { image.reset(); }

    static std::string hash(std::string_view bytes) { return base::to_hex(base::sha256(bytes)); }
    static void put(std::string& text, const std::string& found, const std::string& by) {
        const std::size_t at = text.find(found);
        ASSERT_NE(at, std::string::npos) << found;
        text.replace(at, found.size(), by);
    }

    static std::string scope() { return *image / "node_modules/@deepseek-ai/"; }

    /// drydock, about the image's two packages of the core.
    static base::ProcessOutcome drydock(std::vector<std::string> words) {
        words.insert(words.begin(), test::drydock());
        for (const std::string& word : {std::string("--manifest"), *image / "manifests",
                                        std::string("--dsh-version"), std::string("0.1.0-rc.8")})
            words.push_back(word);
        return test::run(words);
    }
    static base::ProcessOutcome about_the_core(std::vector<std::string> words) {
        for (const char* word : {"--package", "dsh-session", "--package", "dsh-subagent", "--root"})
            words.push_back(word);
        words.push_back("image=" + image->path());
        return drydock(words);
    }

    /// What is said of packages whose core is as published.
    static std::string unsafe_text() {
        return fmt::format(
            "drydock: dsh-session: stock, expected patched, in {0}dsh-session; drydock apply\n"
            "drydock: dsh-subagent: requires dsh-session at level 1, and {0}dsh-session, which Node loads "
            "from "
            "here, is at level 0 (stock); patch that copy first\n"
            "  in {0}dsh-subagent\n",
            scope());
    }

    /// The session that these packages write, as a plain log.
    static std::string written() {
        nlohmann::json request{{"session", scope() + "dsh-session"}, {"sink", scope() + "dsh-subagent"}};
        request["children"] = {{{"childId", "child-1"},
                                {"provider", "drydock"},
                                {"coalesce", false},
                                {"messages", {{{"kind", "plan"}, {"text", "x"}}, {{"kind", "result"}}}}}};
        test::write(*image / "request", request.dump());
        const base::ProcessOutcome outcome = test::run(
            {"node", test::in_sources("tool/conform/writer.mjs"), *image / "request", *image / "answer"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        const nlohmann::json answer = nlohmann::json::parse(test::read(*image / "answer"));
        std::string log = answer["header"].get<std::string>() + "\n";
        for (const nlohmann::json& event : answer["events"]) log += event.get<std::string>() + "\n";
        return log;
    }

    inline static std::unique_ptr<test::TemporaryDirectory> image;
};

TEST_F(BadSet, WritesWhatDoesNotOpenUntilItIsMended) {
    const std::string log = written();
    const std::string path = *image / "bad.jsonl";
    test::write(path, log);
    const std::vector<nlohmann::json> refused = test::ask_loader({{"bad", ".jsonl", log}});
    EXPECT_EQ(test::in_short(refused.front()), "refused");
    EXPECT_THAT(refused.front()["error"].get<std::string>(), testing::HasSubstr("subagent/stream"));

    const base::ProcessOutcome checked = drydock({"log", "check", path});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_EQ(
        checked.output,
        fmt::format("{}: refused: line 7: {}\n"
                    "  on a patched harness: opens, 10 events\n"
                    "  line 7 (seq 5): unmarked: not marked ignorable: a stock harness refuses this log; "
                    "drydock log mend makes a copy that opens\n"
                    "  line 8 (seq 6): unmarked: not marked ignorable: a stock harness refuses this log; "
                    "drydock log mend makes a copy that opens\n"
                    "  child child-1 (drydock): 2 steps\n",
                    path, unknown_type));

    const std::string copy = *image / "mended.jsonl";
    const base::ProcessOutcome mended = drydock({"log", "mend", path, "-o", copy});
    EXPECT_EQ(mended.exit_code, 0) << mended.errors;
    EXPECT_EQ(mended.output, copy + ": marked 2 events: line 7, line 8\n");
    const std::vector<nlohmann::json> opened = test::ask_loader({{"mended", ".jsonl", test::read(copy)}});
    EXPECT_EQ(test::in_short(opened.front()), "opens: 10 events, 0 closers") << opened.front().dump();
}

TEST_F(BadSet, IsToldByStatus) {
    const base::ProcessOutcome outcome = about_the_core({"status", "--check"});
    EXPECT_EQ(outcome.exit_code, 5);
    EXPECT_EQ(outcome.errors,
              unsafe_text() +
                  "drydock: note: dsh-subagent: .drydock-receipt.json: is missing: revert --all, "
                  "which goes by it, would pass this package over; drydock revert does not\n");
}

TEST_F(BadSet, IsToldByVerify) {
    const base::ProcessOutcome outcome = about_the_core(
        {"verify", "--cases", "100", "--node", test::loader_node(), "--loader", test::loader_folder()});
    EXPECT_EQ(outcome.exit_code, 5);
    EXPECT_EQ(outcome.output.substr(0, outcome.output.find("\ndsh-subagent: case ")),
              "PACKAGE       FUNCTION                       CASES  RESULT\n"
              "dsh-subagent  boundSubagentStreamItem        821    same\n"
              "dsh-subagent  createSubagentStreamSink       100    39 differ\n"
              "dsh-subagent  createSubagentStreamCoalescer  380    same\n"
              "\n"
              "SESSION OF    STREAMS OF  STEPS  EVENTS  STOCK    PATCHED  STOCK LOADER\n"
              "dsh-subagent  drydock     8      16      refused  opens    refuses\n");
    // The end is in the loader's own words.
    const std::string expected = fmt::format(
        "{}"
        "drydock: dsh-subagent: createSubagentStreamSink does something else than it should in 39 of 100 "
        "cases; "
        "the first is case 1 of seed 1\n"
        "drydock: dsh-subagent: the session that it writes over {}dsh-session does not open on a stock "
        "harness: "
        "line 7: {}\n"
        "drydock: dsh-subagent: the session that it writes over {}dsh-session is refused by the loader in "
        "{}/node_modules/@deepseek-ai/dsh-session-persistence-jsonl: ",
        unsafe_text(), scope(), unknown_type, scope(), test::loader_folder());
    EXPECT_EQ(outcome.errors.substr(0, expected.size()), expected);
    EXPECT_THAT(outcome.errors.substr(std::min(expected.size(), outcome.errors.size())),
                testing::HasSubstr("subagent/stream"));
}

}  // namespace
}  // namespace drydock::conform
