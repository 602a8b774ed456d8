// conform/verify.cpp: the patched JavaScript against the native code.
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "session/cases.hpp"
#include "stream/cases.hpp"
#include "tests/conform/installed.hpp"

namespace drydock::conform {
namespace {

class Verify : public test::Installed {
  protected:
    Options options(std::uint64_t cases) {
        Options result;
        result.cases = cases;
        result.progress = &silent;
        return result;
    }

    base::Silent silent;
};

/// Each function, and how many cases of it were the same on both sides.
std::map<std::string, std::uint64_t> same_in(const Verdict& verdict) {
    std::map<std::string, std::uint64_t> same;
    for (const Compared& compared : verdict.functions)
        same[compared.function] = compared.cases - compared.different;
    return same;
}

TEST_F(Verify, OurSetDoesWhatTheNativeCodeDoes) {
    constexpr std::uint64_t generated = 100'000;
    std::map<std::string, std::uint64_t> expected;
    for (const stream::Function function : stream::all_functions)
        expected[std::string(stream::function_name(function))] = generated + stream::fixed_cases(function);
    std::vector<Package> packages = all();
    packages.erase(packages.begin());
    const Verdict verdict = verify(packages, options(generated));
    EXPECT_THAT(told(verdict.problems), testing::IsEmpty());
    EXPECT_EQ(same_in(verdict), expected);
}

/// A case is several appends.
TEST_F(Verify, OurSessionAppendsWhatTheNativeOneDoes) {
    constexpr std::uint64_t generated = 20'000;
    const Verdict verdict = verify({package("dsh-session")}, options(generated));
    EXPECT_THAT(told(verdict.problems), testing::IsEmpty());
    EXPECT_EQ(same_in(verdict), (std::map<std::string, std::uint64_t>{
                                    {"Session.append", generated + session::fixed_append_cases()}}));
}

/// A fault planted in a package's JavaScript, and the function that must be blamed.
struct Fault {
    std::string name;
    std::string package;
    std::string found;
    std::string planted;
    std::string function;
};

class VerifyFault : public Verify, public testing::WithParamInterface<Fault> {};

TEST_P(VerifyFault, IsFoundAndItsFunctionNamed) {
    const Fault& fault = GetParam();
    const std::string file = directory_of(fault.package) + "/lib/index.js";
    const std::string good = test::plant(file, fault.found, fault.planted);
    const Verdict verdict = verify({package(fault.package)}, options(2'000));
    test::write(file, good);
    std::set<std::string> blamed;
    for (const Compared& compared : verdict.functions) {
        if (compared.different > 0) blamed.insert(compared.function);
    }
    EXPECT_THAT(blamed, testing::Contains(fault.function));
    EXPECT_THAT(
        told(verdict.problems),
        testing::Contains(testing::MatchesRegex(fmt::format(
            "@deepseek-ai/{}: {} does something else than it should in [0-9]+ of [0-9]+ cases; the first is "
            "case [0-9]+ of seed 1",
            fault.package, fault.function))));
}

INSTANTIATE_TEST_SUITE_P(
    Planted, VerifyFault,
    testing::Values(
        Fault{"no_marker", "dsh-session", "...ignorable ? { ignorable: true } : {},", "", "Session.append"},
        Fault{"marker_for_anything", "dsh-session", "surfaceOpts?.ignorable === true",
              "Boolean(surfaceOpts?.ignorable)", "Session.append"},
        Fault{"marker_before_data", "dsh-session",
              "data: dataSnapshot,\n\t\t\t...ignorable ? { ignorable: true } : {},",
              "...ignorable ? { ignorable: true } : {},\n\t\t\tdata: dataSnapshot,", "Session.append"},
        Fault{"marker_on_the_surface", "dsh-session", "ignorable && surfaceMetadata.surfaceOp !== void 0",
              "false", "Session.append"},
        Fault{"text_bound", "dsh-subagent", "bytes.byteLength <= 16384", "bytes.byteLength <= 16383",
              "boundSubagentStreamItem"},
        Fault{"cut_in_a_character", "dsh-subagent", "while ((bytes[end] & 192) === 128) end -= 1;", "",
              "boundSubagentStreamItem"},
        Fault{"meta_bound", "dsh-subagent", "byteLength > 2048", "byteLength > 2047",
              "boundSubagentStreamItem"},
        Fault{"label_bound", "dsh-subagent", "name: item.name.slice(0, 256)", "name: item.name.slice(0, 255)",
              "boundSubagentStreamItem"},
        Fault{"marker", "dsh-subagent", "[stream text truncated]", "[stream text truncateD]",
              "boundSubagentStreamItem"},
        Fault{"index", "dsh-subagent", "index += 1;", "index += 0;", "createSubagentStreamSink"},
        Fault{"not_ignorable", "dsh-subagent", "}, { ignorable: true });\n\t\t\t\tindex",
              "}, {});\n\t\t\t\tindex", "createSubagentStreamSink"},
        Fault{"guard", "dsh-subagent", "level < REQUIRED_IGNORABLE_APPEND_LEVEL", "level < 0",
              "createSubagentStreamSink"},
        Fault{"kind_not_flushed", "dsh-subagent", "pending.kind !== fragment.kind) flush();",
              "false) flush();", "createSubagentStreamCoalescer"},
        Fault{"joined_too_long", "dsh-subagent", "pending.text.length >= 1024", "pending.text.length > 1024",
              "createSubagentStreamCoalescer"},
        Fault{"claude_error", "dsh-subagent-claude-code", "=== true", "== true", "mapClaudeMessage"},
        Fault{"acp_status", "dsh-subagent-acp", "'pending'", "'Pending'", "mapAcpUpdate"}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(Verify, ShowsACaseAndRunsItAgain) {
    const std::string file = directory_of("dsh-subagent-acp") + "/lib/index.js";
    const std::string good = test::read(file);
    std::string bad = good;
    bad.replace(bad.find("'pending'"), 9, "'Pending'");
    test::write(file, bad);
    const Verdict first = verify({package("dsh-subagent-acp")}, options(500));
    ASSERT_EQ(first.functions.size(), 1U);
    ASSERT_FALSE(first.functions.front().shown.empty());
    const Difference& difference = first.functions.front().shown.front();
    EXPECT_THAT(difference.diff, testing::HasSubstr("--- native\n+++ javascript\n@@ -1 +1 @@\n-"));
    EXPECT_THAT(difference.diff, testing::HasSubstr("Pending"));
    Options again = options(500);
    again.only = difference.name;
    const Verdict second = verify({package("dsh-subagent-acp")}, again);
    test::write(file, good);
    ASSERT_EQ(second.functions.size(), 1U);
    EXPECT_EQ(second.functions.front().cases, 1U);
    ASSERT_EQ(second.functions.front().shown.size(), 1U);
    EXPECT_EQ(second.functions.front().shown.front().input, difference.input);
    EXPECT_EQ(second.functions.front().shown.front().diff, difference.diff);
}

TEST_F(Verify, ReachesAFunctionThatIsNotExported) {
    const std::string file = directory_of("dsh-subagent-acp") + "/lib/index.js";
    const std::string good = test::read(file);
    std::string hidden = good;
    const std::string exported = "export function mapAcpUpdate";
    ASSERT_NE(hidden.find(exported), std::string::npos);
    hidden.replace(hidden.find(exported), exported.size(), "function mapAcpUpdate");
    test::write(file, hidden);
    const Verdict verdict = verify({package("dsh-subagent-acp")}, options(200));
    EXPECT_EQ(test::read(file), hidden);
    test::write(file, good);
    EXPECT_THAT(told(verdict.problems), testing::IsEmpty());
    ASSERT_EQ(verdict.functions.size(), 1U);
    EXPECT_EQ(verdict.functions.front().cases, 200U);
}

TEST_F(Verify, SaysWhyNothingCanBeRun) {
    const test::TemporaryDirectory other;
    test::write(other / "package.json", R"({"type": "module", "main": "index.js"})");
    test::write(other / "index.js", "export const a = 1\n");
    EXPECT_THAT(told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(1)).problems),
                testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: has no mapAcpUpdate"));
    test::write(other / "index.js", "import 'not-there'\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent", other.path()}}, options(1)).problems),
        testing::ElementsAre(fmt::format("@deepseek-ai/dsh-subagent: cannot be loaded: Cannot find package "
                                         "'not-there' imported from {}/index.js",
                                         other.path())));
    test::write(other / "index.js", "export function mapAcpUpdate() { process.exit(9) }\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(1)).problems),
        testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: mapAcpUpdate ends node with exit code 9: "));
    Options without_node = options(1);
    without_node.node = "no-such-node";
    EXPECT_THAT(told(verify({package("dsh-subagent-acp"), package("dsh-subagent-claude-code")}, without_node)
                         .problems),
                testing::ElementsAre(
                    "cannot run no-such-node: no such file or directory; verify needs node, from 20.6 "
                    "on: install it, or name it with --node"));
}

/// drydock verify, about the two packages of the core.
base::ProcessOutcome run_verify(const std::string& folder, const std::vector<std::string>& more,
                                const base::ProcessOptions& options = {}) {
    std::vector<std::string> words{test::drydock(), "verify",     "--manifest", test::in_sources("manifests"),
                                   "--dsh-version", "0.1.0-rc.8", "--root",     "image=" + folder};
    words.insert(words.end(), more.begin(), more.end());
    return test::run(words, options);
}

std::string without_notes(const std::string& errors) {
    return errors.substr(0, errors.find("drydock: note: "));
}

TEST_F(Verify, SaysWhyACaseCannotBeRun) {
    const base::ProcessOutcome one = run_verify(
        installed->path(), {"--package", "dsh-session", "--case", "Session.append:9007199254740991"});
    EXPECT_EQ(one.exit_code, 0) << one.errors;
    EXPECT_EQ(one.output,
              "PACKAGE      FUNCTION        CASES  RESULT\ndsh-session  Session.append  1      same\n");
    const auto refused = [this](const std::string& option, const std::string& value) {
        const base::ProcessOutcome outcome =
            run_verify(installed->path(), {option, value, "--case", "mapAcpUpdate:1"});
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_EQ(outcome.output, "");
        return without_notes(outcome.errors);
    };
    EXPECT_EQ(refused("--package", "dsh-session"),
              "drydock: dsh-subagent-acp: is not selected, so mapAcpUpdate cannot be run\n");
    EXPECT_EQ(refused("--stage", "image"),
              "drydock: dsh-subagent-acp: is not installed, so mapAcpUpdate cannot be run\n");
}

/// A program in place of node.
std::string put_program(const test::TemporaryDirectory& folder, const std::string& text) {
    std::string program = folder / "program";
    test::write(program, "#!/bin/sh\n" + text);
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
}

/// The program that stands for node sends us the signal, as a terminal or `timeout` might meanwhile.
TEST_F(Verify, LeavesNothingWhenItIsInterrupted) {
    for (const auto& [name, number] : {std::pair{"INT", 2}, {"TERM", 15}, {"HUP", 1}}) {
        const test::TemporaryDirectory folder;
        std::filesystem::create_directory(folder / "scratch");
        const std::string program = put_program(
            folder,
            fmt::format("ls {0}/scratch >{0}/seen\nkill -{1} $PPID\nexec sleep 300\n", folder.path(), name));
        base::ProcessOptions options;
        options.environment = {{"TMPDIR", folder / "scratch"}};
        const base::ProcessOutcome outcome =
            run_verify(installed->path(), {"--stage", "image", "--node", program}, options);
        EXPECT_EQ(outcome.exit_code, 128 + number);
        EXPECT_EQ(outcome.output, "");
        EXPECT_EQ(without_notes(outcome.errors),
                  fmt::format("drydock: interrupted by signal {} before all was verified\n", number));
        EXPECT_THAT(test::read(folder / "seen"), testing::MatchesRegex("drydock-......\n"));
        EXPECT_TRUE(std::filesystem::is_empty(folder / "scratch")) << name;
    }
}

TEST_F(Verify, EndsAProgramThatPrintsForEver) {
    const test::TemporaryDirectory folder;
    for (const char* text : {"exec yes\n", "exec yes >&2\n"}) {
        const base::ProcessOutcome outcome =
            run_verify(installed->path(), {"--stage", "image", "--node", put_program(folder, text)});
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_EQ(outcome.output, "");
        EXPECT_EQ(without_notes(outcome.errors),
                  "drydock: dsh-session: Session.append: node printed more than 64 MiB\n"
                  "drydock: dsh-subagent: boundSubagentStreamItem: node printed more than 64 MiB\n"
                  "drydock: dsh-subagent: createSubagentStreamSink: node printed more than 64 MiB\n"
                  "drydock: dsh-subagent: createSubagentStreamCoalescer: node printed more than 64 MiB\n"
                  "drydock: dsh-subagent: no session could be written: node printed more than 64 MiB\n");
    }
}

TEST_F(Verify, SaysThatAProgramIsNotNode) {
    const base::ProcessOutcome outcome =
        run_verify(installed->path(), {"--stage", "image", "--node", "/bin/true"});
    EXPECT_EQ(outcome.exit_code, 6);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(without_notes(outcome.errors),
              "drydock: /bin/true gave no answer, and is not node; --node wants node, from 20.6 on\n");
}

TEST_F(Verify, SaysThatNodeGaveNoAnswer) {
    const test::TemporaryDirectory other;
    test::write(other / "package.json", R"({"type": "module", "main": "index.js"})");
    test::write(other / "index.js", "export function mapAcpUpdate() { process.exit(0) }\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(1)).problems),
        testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: mapAcpUpdate: node ended without an answer"));
    // The answers to the cases before are not taken for those to the later ones.
    test::write(other / "index.js",
                "import { existsSync, writeFileSync } from 'node:fs'\n"
                "const again = new URL('again', import.meta.url)\n"
                "if (existsSync(again)) process.exit(0)\n"
                "writeFileSync(again, '')\n"
                "export function mapAcpUpdate() {}\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(10'001)).problems),
        testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: mapAcpUpdate: node ended without an answer"));
}

}  // namespace
}  // namespace drydock::conform
