// What goes where: documents, colour, and streams that do not take what is written.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

class Documents : public Application {
  protected:
    nlohmann::json document(const std::vector<std::string>& words, const std::string& schema, int code) {
        const Run run = drydock(words);
        EXPECT_EQ(run.exit, code);
        const nlohmann::json document = nlohmann::json::parse(run.out, nullptr, false);
        if (document.is_discarded()) {
            ADD_FAILURE() << run.out;
            return {};
        }
        EXPECT_EQ(document["schema"], schema);
        EXPECT_EQ(document["exit"], code);
        EXPECT_EQ(document["problems"].empty(), code == 0) << run.out;
        for (const nlohmann::json& problem : document["problems"]) {
            EXPECT_FALSE(problem["code"].get<std::string>().empty());
            EXPECT_FALSE(problem["message"].get<std::string>().empty());
        }
        return document;
    }
};

TEST_F(Documents, OfEachCommand) {
    nlohmann::json applied = document({"apply", "--json"}, "drydock.apply/1", 0);
    EXPECT_EQ(applied["packages"].size(), 2U);
    EXPECT_EQ(applied["packages"][0]["name"], "@acme/core");
    EXPECT_TRUE(applied["packages"][0]["changed"].get<bool>());
    EXPECT_EQ(applied["packages"][0]["dir"], "APP/" + core);
    EXPECT_EQ(applied["packages"][0]["files"][0]["sha256"], base::to_hex(base::sha256(core_patched)));
    EXPECT_FALSE(document({"apply", "--json"}, "drydock.apply/1", 0)["packages"][0]["changed"].get<bool>());
    EXPECT_EQ(document({"status", "--json"}, "drydock.status/1", 0)["packages"][1]["state"], "patched");
    EXPECT_EQ(document({"revert", "--json"}, "drydock.revert/1", 0)["packages"][1]["state"], "stock");
    EXPECT_EQ(document({"revert", "--all", "--json"}, "drydock.revert/1", 0)["packages"].size(), 0U);
    EXPECT_EQ(document({"apply", "--json", "--dry-run"}, "drydock.apply/1", 0)["hunks"].size(), 2U);
    EXPECT_EQ(document({"apply", "--json"}, "drydock.apply/1", 0)["packages"][0]["files"][0]["origin"],
              "published");
    const nlohmann::json by_receipts = document({"revert", "--all", "--json"}, "drydock.revert/1", 0);
    EXPECT_EQ(by_receipts["packages"][0]["files"][0]["origin"], nullptr);
}

TEST_F(Documents, OfErrors) {
    document({"--json"}, "drydock.error/1", 2);
    document({"aply", "--json"}, "drydock.error/1", 2);
    document({"apply", "--json", "--stage"}, "drydock.apply/1", 2);
    document({"status", "--nonsense", "--json"}, "drydock.status/1", 2);
    document({"revert", "--all", "-p", "core", "--json"}, "drydock.revert/1", 2);
    EXPECT_EQ(document({"status", "--json", "--dsh-version", "3"}, "drydock.status/1", 2)["version"],
              nullptr);
    test::write(app(core + "/lib/index.js"), "other\n");
    const nlohmann::json drifted = document({"apply", "--json"}, "drydock.apply/1", 4);
    EXPECT_EQ(drifted["problems"][0]["code"], "drifted");
    EXPECT_EQ(drifted["problems"][0]["package"], "@acme/core");
    EXPECT_EQ(drifted["problems"][0]["file"], "lib/index.js");
    EXPECT_EQ(drifted["packages"][0]["state"], "drifted");
    document({"status", "--check", "--json"}, "drydock.status/1", 4);
    test::write(app("sets/1.0.0.yaml"), "schema: 1\nset: [\n");
    const nlohmann::json unreadable = document({"apply", "--json"}, "drydock.apply/1", 2);
    EXPECT_EQ(unreadable["problems"][0]["file"], "APP/sets/1.0.0.yaml");
    EXPECT_GT(unreadable["problems"][0]["line"].get<int>(), 0);
}

TEST_F(Documents, OfABootWithoutStrictHaveNotes) {
    set("DSH_VERSION", "3.0.0");
    const nlohmann::json notes = document({"apply", "--json", "-s", "boot"}, "drydock.apply/1", 0)["notes"];
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0]["code"], "usage");
}

using Color = Application;

TEST_F(Color, OnlyOnATerminalOrWhenAskedFor) {
    EXPECT_EQ(drydock({"status"}).out.find('\x1b'), std::string::npos);
    EXPECT_EQ(drydock({"status", "--color=never"}).out.find('\x1b'), std::string::npos);
    set("NO_COLOR", "1");
    EXPECT_NE(drydock({"status", "--color=always"}).out.find("\x1b[33mstock\x1b[0m"), std::string::npos);
}

TEST_F(Color, OnATerminalUnlessNoColorIsSet) {
    const std::string on_a_terminal = "script -qec \"$drydock status\" /dev/null </dev/null";
    EXPECT_NE(shell(on_a_terminal).out.find("\x1b[33mstock\x1b[0m"), std::string::npos);
    set("TERM", "dumb");
    EXPECT_EQ(shell(on_a_terminal).out.find('\x1b'), std::string::npos);
    set("TERM", "xterm");
    set("NO_COLOR", "1");
    EXPECT_EQ(shell(on_a_terminal).out.find('\x1b'), std::string::npos);
    set("NO_COLOR", "");
    EXPECT_NE(shell(on_a_terminal).out.find('\x1b'), std::string::npos);
}

using Streams = Application;

TEST_F(Streams, AFullOneIsAnError) {
    const Run run = shell("$drydock status >/dev/full");
    EXPECT_EQ(run.err, "drydock: cannot write to standard output: no space left on device\n");
    EXPECT_EQ(run.exit, 6);
}

TEST_F(Streams, AClosedOneIsAnErrorAndTouchesNoFile) {
    const Run run = shell("$drydock apply >&-");
    EXPECT_EQ(
        run.err,
        "drydock: cannot write to standard output: bad file descriptor; the work was done all the same: "
        "files were changed\n");
    EXPECT_EQ(run.exit, 6);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_patched);
    EXPECT_EQ(shell("$drydock apply <&- >/dev/null 2>&-").exit, 0);
}

TEST_F(Streams, AFullOneSaysThatAPatchWasPutOn) {
    test::write(app("f"), "a\n");
    test::write(app("f.patch"), "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
    const std::string full = "drydock: cannot write to standard output: no space left on device";
    const Run dry = shell("$drydock patch --dry-run -d $APP $APP/f.patch >/dev/full");
    EXPECT_EQ(dry.err, full + "\n");
    const Run run = shell("$drydock patch -d $APP $APP/f.patch >/dev/full");
    EXPECT_EQ(run.err, full + "; the work was done all the same: files were changed\n");
    EXPECT_EQ(run.exit, 6);
    EXPECT_EQ(test::read(app("f")), "b\n");
}

TEST_F(Streams, AReaderThatWentAwayIsNone) {
    const Run run = shell("{ sleep 0.2; $drydock apply; echo exit $? >&2; } | true");
    EXPECT_EQ(run.err, "exit 0\n");
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_patched);
}

TEST_F(Streams, NothingInAFileReachesTheTerminal) {
    test::write(app(plugin + "/package.json"),
                "{\"name\": \"@acme/plugin\", \"version\": \"\\u001b[2J\\u0007\"}");
    const Run run = drydock({"status"});
    EXPECT_NE(run.out.find("plugin   \\x1b[2J\\x07"), std::string::npos) << run.out;
    EXPECT_EQ((run.out + run.err).find('\x1b'), std::string::npos);
    EXPECT_EQ((run.out + run.err).find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace drydock::cli
