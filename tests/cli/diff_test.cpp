// cli/command_diff.cpp and cli/render_diff.cpp: `drydock diff` on files and directories.
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

class DiffCommand : public Application {
  protected:
    void put(const std::string& name, std::string_view bytes, mode_t mode = 0644) const {
        test::write(app(name), bytes);
        ASSERT_EQ(chmod(app(name).c_str(), mode), 0);
    }

    void link(const std::string& target, const std::string& name) const {
        ASSERT_EQ(symlink(target.c_str(), app(name).c_str()), 0);
    }

    /// Two directories that differ in all that a patch can hold.
    void two_trees() const {
        put("a/lib/index.js", "one\ntwo\nthree\n");
        put("b/lib/index.js", "one\n2\nthree\n");
        put("a/same", "same\n");
        put("b/same", "same\n");
        put("a/mode", "m\n");
        put("b/mode", "m\n", 0755);
        put("a/old/deep", "gone\n");
        put("b/new file", "made\n", 0755);
        put("b/empty", "");
    }

    [[nodiscard]] Run in_app(const std::string& command) const {
        return shell("cd '" + app() + "' && " + command);
    }

    static constexpr std::string_view tree_patch =
        "diff --git a/empty b/empty\nnew file mode 100644\n"
        "diff --git a/lib/index.js b/lib/index.js\n--- a/lib/index.js\n+++ b/lib/index.js\n"
        "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
        "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
        "diff --git a/new file b/new file\nnew file mode 100755\n--- /dev/null\n+++ b/new file\t\n"
        "@@ -0,0 +1 @@\n+made\n"
        "diff --git a/old/deep b/old/deep\ndeleted file mode 100644\n--- a/old/deep\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-gone\n";
};

TEST_F(DiffCommand, ComparesTwoDirectories) {
    two_trees();
    const Run run = in_app("$drydock diff a b");
    EXPECT_EQ(run.out, tree_patch);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 1);
    EXPECT_EQ(in_app("$drydock diff b/ b").out, "");
    EXPECT_EQ(in_app("$drydock diff b/ b").exit, 0);
}

TEST_F(DiffCommand, MakesWhatPatchToolsTake) {
    two_trees();
    for (const std::string tool : {"$drydock patch -q -p1 -", "git apply -p1 -", "patch -s -p1"}) {
        const Run run = in_app("rm -rf c && cp -a a c && $drydock diff a b >p; cd c && " + tool +
                               " <../p && cd .. && $drydock diff c b");
        EXPECT_EQ(run.out, "") << tool;
        EXPECT_EQ(run.err, "") << tool;
        EXPECT_EQ(run.exit, 0) << tool;
    }
}

TEST_F(DiffCommand, NamesWhatNoPatchHolds) {
    put("a/image", std::string_view("\0\1", 2));
    put("b/image", std::string_view("\0\2", 2));
    put("a/gone", std::string_view("\0", 1));
    put("b/text", "t\n");
    put("a/kind", "file\n");
    put("b/kind/file", "directory\n");
    link("here", "a/link");
    link("there", "b/link");
    link("same", "a/same");
    link("same", "b/same");
    link("x", "b/only\n");
    const Run run = in_app("$drydock diff a b");
    EXPECT_EQ(run.out,
              "diff --git a/text b/text\nnew file mode 100644\n--- /dev/null\n+++ b/text\n@@ -0,0 +1 @@\n+t\n"
              "Binary files a/gone and /dev/null differ\n"
              "Binary files a/image and b/image differ\n"
              "File a/kind is a regular file while file b/kind is a directory\n"
              "Symbolic links a/link and b/link differ\n"
              "Symbolic link b/only\\n is only there\n");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(DiffCommand, CallsTwoFilesByWhatTheirPathsEndWith) {
    put("a/lib/x.js", "1\n");
    put("b/lib/x.js", "2\n");
    put("y.js", "2\n");
    const std::string hunk = "@@ -1 +1 @@\n-1\n+2\n";
    EXPECT_EQ(in_app("$drydock diff a/lib/x.js b/lib/x.js").out, "--- a/lib/x.js\n+++ b/lib/x.js\n" + hunk);
    EXPECT_EQ(in_app("$drydock diff a/lib/x.js ./y.js").out, "--- a/x.js\n+++ b/x.js\n" + hunk);
    EXPECT_EQ(in_app("$drydock diff - y.js <a/lib/x.js").out, "--- a/y.js\n+++ b/y.js\n" + hunk);
    EXPECT_EQ(in_app("$drydock diff a/lib/x.js - <y.js").out, "--- a/x.js\n+++ b/x.js\n" + hunk);
    EXPECT_EQ(
        in_app("$drydock diff /dev/null y.js").out,
        "diff --git a/y.js b/y.js\nnew file mode 100644\n--- /dev/null\n+++ b/y.js\n@@ -0,0 +1 @@\n+2\n");
}

TEST_F(DiffCommand, TakesOptions) {
    put("a.js", "1\n2\n3\n4\n");
    put("b.js", "1\n2\n3\nfour\n");
    EXPECT_EQ(in_app("$drydock diff -U 1 a.js b.js").out,
              "--- a/a.js\n+++ b/a.js\n@@ -3,2 +3,2 @@\n 3\n-4\n+four\n");
    const Run quiet = in_app("$drydock diff -q a.js b.js");
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_EQ(quiet.exit, 1);
}

TEST_F(DiffCommand, GivesADocument) {
    two_trees();
    put("a/image", std::string_view("\0\1", 2));
    const Run run = in_app("$drydock diff --json a b");
    test::expect_golden("cli/data/commands/diff.json", run.out);
    EXPECT_EQ(run.exit, 1);
}

TEST_F(DiffCommand, HasTroubleWithTwo) {
    put("f", "1\n");
    put("d/g", "1\n");
    const auto expect = [this](const std::string& words, const std::string& said) {
        const Run run = in_app("$drydock diff " + words + " </dev/null");
        EXPECT_EQ(run.out, "");
        EXPECT_EQ(run.err, said);
        EXPECT_EQ(run.exit, 2) << words;
    };
    expect("f missing", "drydock: cannot read missing: no such file or directory\n");
    expect("f d",
           "drydock: d is a directory, the other side is not; expected two files or two directories\n");
    expect("- -", "drydock: - cannot be both sides\n");
    expect("d core.d", "drydock: cannot read core.d: no such file or directory\n");
    expect("f", "drydock: 1 path is given; expected two, A and B\n  see 'drydock help diff'\n");
    for (const std::string typed : {"x", "", "-1", "3x", "4294967296"}) {
        expect("-U3 --context='" + typed + "' f f",
               "drydock: --context wants a number from 1 to 4294967295, found '" + typed +
                   "'\n  see 'drydock help diff'\n");
    }
    expect(
        "-U 0 f f",
        "drydock: --context wants a number from 1 to 4294967295, found '0': no tool can tell for sure where "
        "a hunk without context belongs\n"
        "  see 'drydock help diff'\n");
    const Run full = in_app("$drydock diff f sets/core.patch >/dev/full");
    EXPECT_EQ(full.err, "drydock: cannot write to standard output: no space left on device\n");
    EXPECT_EQ(full.exit, 2);
    const Run closed = in_app("$drydock diff f - <&-");
    EXPECT_EQ(closed.err, "drydock: cannot read standard input: bad file descriptor\n");
    EXPECT_EQ(closed.out, "");
    EXPECT_EQ(closed.exit, 2);
}

/// All else is in the patch, which can be applied.
TEST_F(DiffCommand, LeavesOutWhatItCannotCompareAndSaysSo) {
    two_trees();
    put("b/fifo", "a file\n");
    put("a/secret", "1\n");
    put("b/secret", "2\n");
    put("a/lib/closed/x", "1\n");
    put("b/lib/closed/x", "2\n");
    put("a/kind/x", "x\n");
    put("b/kind", "x\n");
    for (const std::string name : {"a/fifo", "a/lib/both", "b/lib/both", "b/only"})
        ASSERT_EQ(mkfifo(app(name).c_str(), 0600), 0);
    const test::Mode secret(app("b/secret"), 0);
    const test::Mode closed(app("a/lib/closed"), 0);
    std::string as_user;
    for (const std::string& word : test::without_privileges()) as_user += word + ' ';
    const Run run = in_app(as_user + "$drydock diff a b");
    EXPECT_EQ(run.out,
              std::string(tree_patch) + "File a/kind is a directory while file b/kind is a regular file\n");
    EXPECT_EQ(
        run.err,
        "drydock: cannot compare a/fifo, which is a fifo, with b/fifo, which is a regular file; the patch "
        "is without it\n"
        "drydock: cannot compare a/lib/both, which is a fifo, with b/lib/both, which is a fifo; the patch "
        "is without it\n"
        "drydock: cannot read a/lib/closed: permission denied; the patch is without it\n"
        "drydock: cannot compare a/only, which is not there, with b/only, which is a fifo; the patch is "
        "without it\n"
        "drydock: cannot read b/secret: permission denied; the patch is without it\n");
    EXPECT_EQ(run.exit, 2);
    const Run document = in_app(as_user + "$drydock diff --json a b");
    EXPECT_NE(document.out.find(R"("path": "lib/index.js")"), std::string::npos) << document.out;
    EXPECT_EQ(document.err, run.err);
    EXPECT_EQ(document.exit, 2);
}

}  // namespace
}  // namespace drydock::cli
