#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/render_json.hpp"
#include "cli/render_problems.hpp"
#include "cli/render_text.hpp"
#include "cli/table.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

using install::FileReport;
using install::PackageReport;
using install::State;

FileReport file(const std::string& path, State state, std::string label = {}) {
    FileReport report;
    report.origin = manifest::Origin::published;
    report.path = path;
    report.state = state;
    if (state != State::absent) report.sha256 = base::sha256(path);
    report.label = std::move(label);
    return report;
}

PackageReport package(const std::string& name, const std::string& root, State state) {
    PackageReport report;
    report.name = "@deepseek-ai/" + name;
    report.root = root;
    report.directory = "/srv/" + root + "/node_modules/@deepseek-ai/" + name;
    report.version = "0.1.1-rc.2";
    report.state = state;
    report.patch_sha256 = base::to_hex(base::sha256(name));
    report.files = {file("lib/index.js", state)};
    return report;
}

/// One package in every state there is, and a second copy of one.
SetReport every_state() {
    SetReport report;
    report.outcome.version = "0.1.1-rc.2";
    report.outcome.revision = 2;
    std::vector<PackageReport>& packages = report.outcome.packages;
    packages.push_back(package("dsh-session", "installation", State::patched));
    packages.back().receipt = true;
    packages.back().why =
        "an event that a child's session streams must be in the log before it is acknowledged, else a crash "
        "between "
        "the two loses what the parent has already seen";
    packages.back().files[0].second_copies = {"lib/types/session.js"};
    packages.push_back(package("dsh-subagent", "installation", State::other_revision));
    packages.back().files[0].label = "revision 1";
    packages.back().files.push_back(
        file("lib/types/projection.js", State::stock, "as published on the second day"));
    packages.back().files[1].origin = manifest::Origin::built;
    packages.back().advice = "run 'drydock apply'";
    packages.push_back(package("dsh-subagent", "stage", State::partial));
    packages.back().files = {file("lib/index.js", State::patched),
                             file("lib/types/projection.js", State::stock)};
    packages.push_back(package("dsh-subagent-acp", "stage", State::other_revision));
    packages.back().files[0].label = "tidepool's patch";
    packages.push_back(package("dsh-subagent-claude-code", "stage", State::unsafe));
    packages.back().advice = "patch @deepseek-ai/dsh-session first, in /srv/installation";
    packages.push_back(package("dsh-persistence", "stage", State::drifted));
    packages.back().advice = "reinstall 0.1.1-rc.2";
    packages.push_back(package("dsh-jsonl", "stage", State::wrong_version));
    packages.back().version = "0.1.0-rc.8";
    packages.push_back(package("dsh-replay", "stage", State::unreadable));
    packages.back().version = "";
    packages.back().files[0].sha256.reset();
    packages.push_back(package("dsh-sdk", "stage", State::absent));
    packages.back().version = "";
    packages.back().files.clear();
    packages.back().missing_is_fine = true;
    packages.push_back(package("dsh-tools", "stage", State::absent));
    packages.push_back(package("dsh-説明", "stage", State::stock));
    return report;
}

TEST(StatusText, HasARowForEveryFile) {
    test::expect_golden("cli/data/render/status.txt", status_text(every_state(), {}));
}

TEST(StatusText, InColor) {
    test::expect_golden("cli/data/render/status-color.txt", status_text(every_state(), {.color = true}));
}

TEST(StatusText, Verbose) {
    test::expect_golden("cli/data/render/status-verbose.txt", status_text(every_state(), {.verbose = true}));
}

TEST(StatusText, IsWrappedAtTheTerminalsWidth) {
    test::expect_golden("cli/data/render/status-narrow.txt", status_text(every_state(), {.width = 60}));
}

TEST(StatusText, OfASetThatUpstreamHas) {
    SetReport report;
    report.adopted = true;
    report.outcome.version = "0.1.5";
    report.outcome.revision = 1;
    EXPECT_EQ(status_text(report, {}), "0.1.5 (revision 1), adopted: upstream has this change\n");
}

TEST(StatusText, WithoutASetIsEmpty) {
    EXPECT_EQ(status_text(SetReport(), {}), "");
}

TEST(StatusText, LetsNothingThroughToTheTerminal) {
    SetReport report;
    report.outcome.version = "1\x1b[2J";
    PackageReport hostile = package("x\x1b]0;t\x07", "r\r\n", State::other_revision);
    hostile.directory = "/srv/\xff";
    hostile.version = "\x9b";
    hostile.why = "why\x1b[31m";
    hostile.advice = "do\x1b[31m";
    hostile.files[0].path = "a\rb";
    hostile.files[0].label = "l\x1b";
    hostile.files[0].second_copies = {"c\x08"};
    report.outcome.packages = {hostile};
    const std::string text = status_text(report, {.verbose = true}) + change_text(report, {.verbose = true});
    EXPECT_EQ(std::count_if(text.begin(), text.end(), [](char byte) { return byte < 0x20 && byte != '\n'; }),
              0)
        << text;
    EXPECT_EQ(text,
              "1\\x1b[2J (revision 0)\n"
              "\n"
              "PACKAGE        VERSION  REVISION  FILE    STATE           ORIGIN\n"
              "x\\x1b]0;t\\x07  \\x9b     l\\x1b     a\\x0db  other-revision  published\n"
              "\n"
              "x\\x1b]0;t\\x07 in /srv/\\xff (root r\\x0d\\n)\n"
              "    why: why\\x1b[31m\n"
              "    also in c\\x08, which stays stock\n"
              "    sha256: 92bbac9a308cd5fcf9db165841f2d90ce981baddcb2b1e26cfff170929af3bd1 a\\x0db\n"
              "    patch: " +
                  base::to_hex(base::sha256("x\x1b]0;t\x07")) +
                  "\n"
                  "    receipt: no\n"
                  "    do: do\\x1b[31m\n"
                  "\n"
                  "1 package: 1 other-revision\n"
                  "unchanged @deepseek-ai/x\\x1b]0;t\\x07 \\x9b: other-revision in /srv/\\xff\n"
                  "nothing to do: 1\\x1b[2J (revision 0): 1 package: 1 other-revision\n");
}

SetReport changes(SetCommand command) {
    SetReport report;
    report.command = command;
    report.outcome.version = "0.1.1-rc.2";
    report.outcome.revision = 2;
    const State state = command == SetCommand::revert ? State::stock : State::patched;
    report.outcome.packages = {package("dsh-session", "installation", state),
                               package("dsh-subagent", "a", state), package("dsh-subagent", "b", state)};
    report.outcome.packages[0].files.push_back(file("lib/types/session.js", state));
    return report;
}

TEST(ChangeText, NamesWhatWasPatched) {
    SetReport report = changes(SetCommand::apply);
    report.outcome.packages[0].changed = true;
    report.outcome.packages[2].changed = true;
    EXPECT_EQ(change_text(report, {}),
              "patched @deepseek-ai/dsh-session 0.1.1-rc.2 (revision 2): lib/index.js, lib/types/session.js\n"
              "patched @deepseek-ai/dsh-subagent 0.1.1-rc.2 (revision 2) in "
              "/srv/b/node_modules/@deepseek-ai/dsh-subagent: lib/index.js\n");
    EXPECT_EQ(change_text(report, {.verbose = true}),
              "patched @deepseek-ai/dsh-session 0.1.1-rc.2 (revision 2): lib/index.js, lib/types/session.js\n"
              "unchanged @deepseek-ai/dsh-subagent 0.1.1-rc.2: patched in "
              "/srv/a/node_modules/@deepseek-ai/dsh-subagent\n"
              "patched @deepseek-ai/dsh-subagent 0.1.1-rc.2 (revision 2) in "
              "/srv/b/node_modules/@deepseek-ai/dsh-subagent: lib/index.js\n");
}

TEST(ChangeText, NamesWhatWasTakenBack) {
    SetReport report = changes(SetCommand::revert);
    report.outcome.packages[0].changed = true;
    EXPECT_EQ(change_text(report, {}),
              "reverted @deepseek-ai/dsh-session 0.1.1-rc.2: lib/index.js, lib/types/session.js\n");
    report.command = SetCommand::apply;  // a boot that took back what was unsafe
    EXPECT_EQ(
        change_text(report, {.color = true}),
        "\x1b[33mreverted\x1b[0m @deepseek-ai/dsh-session 0.1.1-rc.2: lib/index.js, lib/types/session.js\n");
}

TEST(ChangeText, ShowsWhereHunksWouldGo) {
    SetReport report = changes(SetCommand::apply);
    report.dry_run = true;
    report.outcome.packages[0].state = State::other_revision;
    report.outcome.packages[0].would_change = true;
    report.outcome.packages[1].state = State::unsafe;
    report.outcome.packages[1].would_change = true;
    const std::string name = report.outcome.packages[0].name;
    const std::string where = report.outcome.packages[0].directory;
    report.outcome.hunks = {{name, where, "lib/index.js", 1, 120, 0, "revision 1 backwards"},
                            {name, where, "lib/index.js", 1, 118, -2, "revision 2"},
                            {name, "/elsewhere", "lib/index.js", 1, 118, -2, "revision 2"},
                            {name, where, "lib/types/session.js", 2, 7, 3, "revision 2"}};
    EXPECT_EQ(
        change_text(report, {}),
        "would patch @deepseek-ai/dsh-session 0.1.1-rc.2 (revision 2): lib/index.js, lib/types/session.js\n"
        "  lib/index.js: hunk 1 at line 120, revision 1 backwards\n"
        "  lib/index.js: hunk 1 at line 118 (2 lines earlier), revision 2\n"
        "  lib/types/session.js: hunk 2 at line 7 (3 lines later), revision 2\n"
        "would revert @deepseek-ai/dsh-subagent 0.1.1-rc.2 in "
        "/srv/a/node_modules/@deepseek-ai/dsh-subagent: lib/index.js\n");
}

TEST(ChangeText, SaysThatNothingWasToBeDone) {
    SetReport report = changes(SetCommand::apply);
    report.outcome.packages[1].state = State::absent;
    EXPECT_EQ(change_text(report, {}),
              "nothing to do: 0.1.1-rc.2 (revision 2): 3 copies of 2 packages: 2 patched, 1 absent\n");
    report.outcome.notes.resize(1);
    EXPECT_EQ(change_text(report, {}),
              "nothing changed: 0.1.1-rc.2 (revision 2): 3 copies of 2 packages: 2 patched, 1 absent\n");
    report.outcome.problems.resize(1);
    EXPECT_EQ(change_text(report, {}), "");
}

TEST(ChangeText, OfASetThatUpstreamHas) {
    SetReport report;
    report.command = SetCommand::apply;
    report.adopted = true;
    report.outcome.version = "0.1.5";
    EXPECT_EQ(change_text(report, {}), "0.1.5: upstream has this change; nothing to do\n");
}

TEST(ChangeText, WithoutAnyPackage) {
    SetReport report;
    EXPECT_EQ(change_text(report, {}), "nothing to do\n");
    report.outcome.version = "0.1.1-rc.2";
    report.outcome.revision = 2;
    EXPECT_EQ(change_text(report, {}), "nothing to do: 0.1.1-rc.2 (revision 2)\n");
}

base::Error error(base::ErrorKind kind, std::string message) {
    base::Error result;
    result.kind = kind;
    result.message = std::move(message);
    return result;
}

std::vector<base::Error> problems() {
    base::Error first = error(base::ErrorKind::drifted, "drifted: neither stock nor patched");
    first.package = "@deepseek-ai/dsh-session";
    first.file = "lib/index.js";
    first.line = 7;
    first.details = {"nearest place\tline 9", "second"};
    return {first, error(base::ErrorKind::wrong_version, "bad byte \xff and \x1b")};
}

TEST(ProblemsText, HasALineForEachAndDetailsBelow) {
    EXPECT_EQ(problems_text(problems()),
              "drydock: dsh-session: lib/index.js:7: drifted: neither stock nor patched\n"
              "  nearest place\\tline 9\n"
              "  second\n"
              "drydock: bad byte \\xff and \\x1b\n");
    EXPECT_EQ(problems_text({}), "");
}

TEST(NotesText, IsOneLineForEach) {
    EXPECT_EQ(notes_text(problems(), false),
              "drydock: note: dsh-session: lib/index.js:7: drifted: neither stock nor patched\n"
              "drydock: note: bad byte \\xff and \\x1b\n");
    EXPECT_EQ(notes_text(problems(), true),
              "drydock: note: dsh-session: lib/index.js:7: drifted: neither stock nor patched\n"
              "  nearest place\\tline 9\n"
              "  second\n"
              "drydock: note: bad byte \\xff and \\x1b\n");
}

TEST(SetDocument, HasEveryField) {
    SetReport report = every_state();
    report.exit = ExitCode::wrong_version;
    report.outcome.problems = problems();
    report.outcome.notes = {error(base::ErrorKind::io, "said")};
    const std::string text = set_document(report);
    test::expect_golden("cli/data/render/status.json", text);
    const nlohmann::json document = nlohmann::json::parse(text);
    EXPECT_EQ(document["problems"][1]["message"], "bad byte \xef\xbf\xbd and \x1b");
}

TEST(SetDocument, OfADryRunHasTheHunks) {
    SetReport report = changes(SetCommand::apply);
    report.dry_run = true;
    report.outcome.packages.resize(1);
    report.outcome.packages[0].would_change = true;
    report.outcome.hunks = {{report.outcome.packages[0].name, report.outcome.packages[0].directory,
                             "lib/index.js", 1, 118, -2, "revision 2"}};
    test::expect_golden("cli/data/render/dry-run.json", set_document(report));
}

TEST(SetDocument, WithoutASetIsNull) {
    SetReport report;
    report.command = SetCommand::revert;
    report.exit = ExitCode::usage;
    EXPECT_EQ(set_document(report),
              "{\n"
              "  \"schema\": \"drydock.revert/1\",\n"
              "  \"exit\": 2,\n"
              "  \"problems\": [],\n"
              "  \"notes\": [],\n"
              "  \"version\": null,\n"
              "  \"revision\": null,\n"
              "  \"adopted\": false,\n"
              "  \"packages\": []\n"
              "}\n");
}

TEST(ErrorDocument, HasOnlyWhatEveryDocumentHas) {
    EXPECT_EQ(error_document("apply", ExitCode::usage, {error(base::ErrorKind::usage, "no")}),
              "{\n"
              "  \"schema\": \"drydock.apply/1\",\n"
              "  \"exit\": 2,\n"
              "  \"problems\": [\n"
              "    {\n"
              "      \"code\": \"usage\",\n"
              "      \"message\": \"no\"\n"
              "    }\n"
              "  ]\n"
              "}\n");
}

TEST(Settle, TakesTheGravestCode) {
    SetReport report;
    report.outcome.problems = problems();
    settle(report, false);
    EXPECT_EQ(report.exit, ExitCode::wrong_version);
    EXPECT_EQ(report.outcome.problems.size(), 2U);
    EXPECT_FALSE(report.lenient);
}

TEST(Settle, ABootThatIsNotStrictOnlySaysWhatWentWrong) {
    SetReport report;
    report.outcome.notes = {error(base::ErrorKind::io, "before")};
    report.outcome.problems = problems();
    settle(report, true);
    EXPECT_EQ(report.exit, ExitCode::done);
    EXPECT_TRUE(report.outcome.problems.empty());
    ASSERT_EQ(report.outcome.notes.size(), 3U);
    EXPECT_EQ(report.outcome.notes[0].message, "before");
    EXPECT_EQ(report.outcome.notes[2].message, "bad byte \xff and \x1b");
    EXPECT_TRUE(report.lenient);
}

TEST(CheckCode, FollowsTheTableOfStates) {
    const auto code = [](State state, bool missing_is_fine = false) {
        PackageReport report;
        report.state = state;
        report.missing_is_fine = missing_is_fine;
        return static_cast<int>(check_code(report));
    };
    EXPECT_EQ(code(State::patched), 0);
    EXPECT_EQ(code(State::stock), 1);
    EXPECT_EQ(code(State::other_revision), 1);
    EXPECT_EQ(code(State::partial), 1);
    EXPECT_EQ(code(State::absent), 1);
    EXPECT_EQ(code(State::absent, true), 0);
    EXPECT_EQ(code(State::drifted), 4);
    EXPECT_EQ(code(State::wrong_version), 3);
    EXPECT_EQ(code(State::unreadable), 6);
    EXPECT_EQ(code(State::unsafe), 5);
}

TEST(TableText, AlignsByColumnsAndEndsNoLineInBlanks) {
    EXPECT_EQ(table_text({{{"A"}, {"B"}, {"C"}}, {{"説明"}, {""}, {"x"}}, {{"z"}, {"long"}, {""}}}, false),
              "A     B     C\n"
              "説明        x\n"
              "z     long\n");
}

}  // namespace
}  // namespace drydock::cli
