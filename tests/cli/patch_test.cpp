// The command line of `drydock patch`; what it does to files is tested with the engine.
#include <nlohmann/json.hpp>

#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

class PatchCommand : public Application {
  protected:
    PatchCommand() {
        std::string lines;
        for (int line = 1; line <= 20; ++line) lines += std::to_string(line) + "\n";
        test::write(app("tree/a\x1b.txt"), lines);
        test::write(app("tree/old.txt"), "old\n");
        test::write(app("fix.patch"),
                    "--- \"a/a\\033.txt\"\n"
                    "+++ \"b/a\\033.txt\"\n"
                    "@@ -1,3 +1,4 @@\n"
                    "+0\n"
                    " 1\n"
                    " 2\n"
                    " 3\n"
                    "@@ -8,7 +9,7 @@\n"
                    " 10\n"
                    " 11\n"
                    " 12\n"
                    "-13\n"
                    "+thirteen\n"
                    " 14\n"
                    " 15\n"
                    " 16\n"
                    "--- /dev/null\n"
                    "+++ b/new.txt\n"
                    "@@ -0,0 +1 @@\n"
                    "+new\n"
                    "diff --git a/old.txt b/moved.txt\n"
                    "rename from old.txt\n"
                    "rename to moved.txt\n");
    }

    std::string tree() { return app("tree"); }
};

TEST_F(PatchCommand, TellsWhatBecameOfEachFile) {
    const std::string dry =
        "would patch a\\x1b.txt\n"
        "  hunk 1 at line 1\n"
        "  hunk 2 at line 10 (2 lines later)\n"
        "would create new.txt\n"
        "  hunk 1 at line 1\n"
        "would rename old.txt to moved.txt\n";
    Run run = drydock({"patch", "-d", tree(), "--dry-run", app("fix.patch")});
    EXPECT_EQ(run.out, dry);
    EXPECT_EQ(run.exit, 0);
    EXPECT_FALSE(test::exists(app("tree/new.txt")));

    run = drydock({"patch", "-d", tree(), app("fix.patch")});
    EXPECT_EQ(run.out,
              "patched a\\x1b.txt\n"
              "  hunk 2 at line 10 (2 lines later)\n"
              "created new.txt\n"
              "renamed old.txt to moved.txt\n");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app("tree/moved.txt")), "old\n");
}

TEST_F(PatchCommand, ReadsPipesAsAnyFile) {
    const Run run =
        shell("cat '" + app("fix.patch") + "' | $drydock patch -q -d '" + tree() + "' /dev/stdin");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app("tree/moved.txt")), "old\n");
    const Run back =
        shell("bash -c '$drydock patch -q -R -d \"" + tree() + "\" <(cat \"" + app("fix.patch") + "\")'");
    EXPECT_EQ(back.err, "");
    EXPECT_EQ(back.exit, 0);
    EXPECT_EQ(test::read(app("tree/old.txt")), "old\n");
}

TEST_F(PatchCommand, TellsTheFirstOfManyHunksThatDoNotFit) {
    std::string patch = "--- a/many\n+++ b/many\n";
    std::string text;
    for (int i = 1; i <= 23; ++i) {
        patch += fmt::format("@@ -{0} +{0} @@\n-old {0}\n+new {0}\n", i);
        text += "another line\n";
    }
    test::write(app("tree/many"), text);
    test::write(app("many.patch"), patch + "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n");
    const Run run = drydock({"patch", "-d", tree(), app("many.patch")});
    std::string expected;
    for (int i = 1; i <= 20; ++i) {
        expected += fmt::format(
            "drydock: many: hunk {0} of 23 (APP/many.patch:{1}) does not fit: none of its 1 old lines is "
            "near "
            "line {0}\n  line {0} should be 'old {0}'\n  line {0} is        'another line'\n",
            i, 3 * i);
    }
    EXPECT_EQ(run.err, expected +
                           "drydock: … and 3 more hunks of many do not fit\n"
                           "drydock: none: is not there; the patch changes it\n");
    const Run json = drydock({"patch", "--json", "-d", tree(), app("many.patch")});
    EXPECT_EQ(nlohmann::json::parse(json.out)["problems"].size(), 24U);
}

TEST_F(PatchCommand, ReadsStandardInputAndTakesBack) {
    drydock({"patch", "-q", "-d", tree(), app("fix.patch")});
    const Run run = shell("cd '" + tree() + "' && $drydock patch -R -p1 - <../fix.patch");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app("tree/old.txt")), "old\n");
    EXPECT_FALSE(test::exists(app("tree/new.txt")));
}

TEST_F(PatchCommand, TellsOfEveryHunkWhenAskedTo) {
    EXPECT_EQ(drydock({"patch", "-v", "-d", tree(), app("fix.patch")}).out,
              "patched a\\x1b.txt\n"
              "  hunk 1 at line 1\n"
              "  hunk 2 at line 10 (2 lines later)\n"
              "created new.txt\n"
              "  hunk 1 at line 1\n"
              "renamed old.txt to moved.txt\n");
}

TEST_F(PatchCommand, AClosedStandardInputIsNotEmpty) {
    const Run run = shell("$drydock patch -d '" + tree() + "' - <&-");
    EXPECT_EQ(run.err, "drydock: cannot read standard input: bad file descriptor\n");
    EXPECT_EQ(run.exit, 6);
}

TEST_F(PatchCommand, FuzzIsForHandWork) {
    test::write(app("tree/one"), "a\nb\nc\n");
    test::write(app("one.patch"), "--- one\n+++ one\n@@ -1,3 +1,3 @@\n A\n-b\n+B\n c\n");
    const std::vector<std::string> words = {"patch", "--strip=0", "-d", app("tree/one"), app("one.patch")};
    EXPECT_EQ(drydock(words).exit, 5);
    std::vector<std::string> with_fuzz = words;
    with_fuzz.emplace_back("--fuzz=1");
    EXPECT_EQ(drydock(with_fuzz).out,
              "patched one\n"
              "  hunk 1 at line 2, without 1 line of context\n");
    EXPECT_EQ(test::read(app("tree/one")), "a\nB\nc\n");
}

TEST_F(PatchCommand, HasADocument) {
    const Run run = drydock({"patch", "--json", "-n", "-d", tree(), app("fix.patch")});
    test::expect_golden("cli/data/commands/patch.json", run.out);
    EXPECT_EQ(run.exit, 0);
    test::write(app("tree/a\x1b.txt"), "other\n");
    const nlohmann::json refused =
        nlohmann::json::parse(drydock({"patch", "--json", "-d", tree(), app("fix.patch")}).out);
    EXPECT_EQ(refused["schema"], "drydock.patch/1");
    EXPECT_EQ(refused["exit"], 5);
    EXPECT_EQ(refused["problems"][0]["code"], "conflict");
    EXPECT_EQ(refused["problems"][0]["file"], "a\x1b.txt");
    EXPECT_TRUE(refused["files"].empty());
}

TEST_F(PatchCommand, RefusesAWrongCommandLine) {
    const auto refused = [this](std::vector<std::string> words) {
        words.insert(words.begin(), "patch");
        const Run run = drydock(words);
        EXPECT_EQ(run.exit, 2);
        return run.err;
    };
    const std::string hint = "\n  see 'drydock help patch'\n";
    EXPECT_EQ(refused({}), "drydock: no patch is given; expected FILE…, or - for standard input" + hint);
    EXPECT_EQ(refused({"-p", "one", "x"}),
              "drydock: --strip wants a number from 0 to 4294967295, found 'one'" + hint);
    EXPECT_EQ(refused({"--fuzz=-1", "x"}),
              "drydock: --fuzz wants a number from 0 to 4294967295, found '-1'" + hint);
    EXPECT_EQ(refused({"--wait=x", "x"}),
              "drydock: --wait wants seconds from 0 to 86400, as 2 or 0.5, found 'x'" + hint);
    EXPECT_EQ(refused({"--strp", "1"}), "drydock: unknown option '--strp' (did you mean '--strip'?)" + hint);
}

}  // namespace
}  // namespace drydock::cli
