#include "cli/command_patch.hpp"

#include <cerrno>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/transaction.hpp"
#include "cli/render_problems.hpp"
#include "tests/support/refuse.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* change_f = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
constexpr const char* change_g = "--- a/g\n+++ b/g\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
constexpr const char* old_text = "a\nb\nc\n";
constexpr const char* new_text = "a\nB\nc\n";

/// A directory with a tree, and patches beside it.
class Patching : public testing::Test {
  protected:
    void put(const std::string& path, std::string_view bytes) {
        test::write(directory_ / ("tree/" + path), bytes);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ / ("tree/" + name); }
    [[nodiscard]] std::string text(const std::string& name) const { return test::read(path(name)); }
    [[nodiscard]] bool there(const std::string& name) const { return test::exists(path(name)); }

    PatchOptions options(const std::vector<std::string>& patches) {
        PatchOptions result;
        for (const std::string& patch : patches) {
            const std::string file = directory_ / fmt::format("{}.patch", next_++);
            test::write(file, patch);
            result.patches.push_back(file);
        }
        result.directory = directory_ / "tree";
        return result;
    }

    /// What stderr would say, without the temporary directory.
    [[nodiscard]] std::string said(const PatchOutcome& outcome) const {
        std::string result = problems_text(outcome.problems);
        for (std::size_t at = result.find(directory_.path()); at != std::string::npos;
             at = result.find(directory_.path())) {
            result.replace(at, directory_.path().size(), "DIR");
        }
        return result;
    }

    static std::string notes(const PatchOutcome& outcome) { return notes_text(outcome.notes, false); }

    struct stat about(const std::string& name) const {
        struct stat result {};
        EXPECT_EQ(lstat(path(name).c_str(), &result), 0);
        return result;
    }

    /// Every path of the tree, with its bytes.
    [[nodiscard]] std::string listing() const {
        return test::run(
                   {"sh", "-c",
                    "cd \"$0\" && find . -mindepth 1 -printf '%y %m %p %l\\n' | sort && find . -type f | "
                    "sort | xargs -r sha256sum",
                    directory_ / "tree"})
            .output;
    }

    test::TemporaryDirectory directory_;
    int next_{0};
};

std::vector<std::string> described(const PatchOutcome& outcome) {
    std::vector<std::string> lines;
    for (const PatchedFile& file : outcome.files) {
        std::string line = fmt::format("{} {}", patch::operation_name(file.operation), file.path);
        if (!file.from.empty()) line += " from " + file.from;
        for (const patch::Placement& hunk : file.hunks) {
            line += fmt::format(", hunk {} at {} offset {} fuzz {}", hunk.hunk, hunk.line, hunk.offset,
                                hunk.fuzz);
        }
        lines.push_back(line);
    }
    return lines;
}

TEST_F(Patching, changes_creates_renames_and_removes) {
    put("f", old_text);
    put("old/name", "x\n");
    put("gone/deep/file", "y\n");
    put("source", "s\n");
    const std::string patch =
        std::string(change_f) +
        "diff --git a/new/dir/file b/new/dir/file\nnew file mode 100755\nindex 0000000..1111111\n"
        "--- /dev/null\n+++ b/new/dir/file\n@@ -0,0 +1 @@\n+n\n"
        "diff --git a/old/name b/fresh/name\nsimilarity index 100%\nrename from old/name\nrename to "
        "fresh/name\n"
        "diff --git a/source b/copy\nsimilarity index 100%\ncopy from source\ncopy to copy\n"
        "diff --git a/gone/deep/file b/gone/deep/file\ndeleted file mode 100644\nindex 1111111..0000000\n"
        "--- a/gone/deep/file\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
    const std::string before = listing();
    const PatchOutcome outcome = patch_files(options({patch}));
    EXPECT_EQ(said(outcome), "");
    EXPECT_EQ(outcome.exit, ExitCode::done);
    EXPECT_THAT(described(outcome), ElementsAre("modify f, hunk 1 at 1 offset 0 fuzz 0",
                                                "create new/dir/file, hunk 1 at 1 offset 0 fuzz 0",
                                                "rename fresh/name from old/name", "copy copy from source",
                                                "remove gone/deep/file, hunk 1 at 1 offset 0 fuzz 0"));
    EXPECT_EQ(text("f"), new_text);
    EXPECT_EQ(text("new/dir/file"), "n\n");
    EXPECT_EQ(about("new/dir/file").st_mode & 07777U, 0755U);
    EXPECT_EQ(text("fresh/name"), "x\n");
    EXPECT_EQ(text("copy"), "s\n");
    EXPECT_FALSE(there("gone"));
    EXPECT_FALSE(there("old"));
    EXPECT_THAT(listing(), testing::Not(testing::HasSubstr(base::temporary_prefix.data())));

    // All but the copy, which no patch takes back.
    ASSERT_EQ(unlink(path("copy").c_str()), 0);
    std::string without_copy = patch;
    const std::size_t copy = without_copy.find("diff --git a/source");
    without_copy.erase(copy, without_copy.find("diff --git a/gone") - copy);
    PatchOptions back = options({without_copy});
    back.reverse = true;
    EXPECT_EQ(said(patch_files(back)), "");
    EXPECT_EQ(listing(), before);
}

TEST_F(Patching, puts_several_patches_on_in_order_and_takes_them_back) {
    put("f", old_text);
    const std::string second = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-B\n+beta\n c\n";
    const std::string third = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n";
    PatchOptions all = options({change_f, second, third});
    const PatchOutcome outcome = patch_files(all);
    EXPECT_EQ(said(outcome), "");
    EXPECT_THAT(described(outcome), ElementsAre("rename g from f"));
    EXPECT_EQ(text("g"), "a\nbeta\nc\n");
    EXPECT_FALSE(there("f"));
    all.reverse = true;
    EXPECT_EQ(said(patch_files(all)), "");
    EXPECT_EQ(text("f"), old_text);
    EXPECT_FALSE(there("g"));
}

TEST_F(Patching, changes_nothing_and_lists_every_reason_when_one_file_does_not_fit) {
    put("f", old_text);
    put("g", "a\nother\nc\n");
    const std::string before = listing();
    const PatchOutcome outcome =
        patch_files(options({change_f, change_g, "--- a/h\n+++ b/h\n@@ -1 +1 @@\n-a\n+b\n"}));
    EXPECT_EQ(said(outcome),
              "drydock: g:1: hunk 1 of 1 (DIR/1.patch:3) does not fit; at line 1, the nearest place, 2 of 3 "
              "lines agree\n"
              "  line 2 should be 'b'\n"
              "  line 2 is        'other'\n"
              "drydock: h: is not there; the patch changes it\n");
    EXPECT_EQ(outcome.exit, ExitCode::conflict);
    EXPECT_THAT(outcome.files, IsEmpty());
    EXPECT_EQ(listing(), before);
}

TEST_F(Patching, tells_a_dry_run_where_hunks_would_go_and_writes_nothing) {
    put("f", std::string("1\n2\n") + old_text + "z\n");
    PatchOptions dry = options({"--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n"});
    dry.dry_run = true;
    const std::string before = listing();
    const PatchOutcome outcome = patch_files(dry);
    EXPECT_THAT(described(outcome), ElementsAre("modify f, hunk 1 at 3 offset 1 fuzz 0"));
    EXPECT_TRUE(outcome.dry_run);
    EXPECT_EQ(listing(), before);
}

TEST_F(Patching, takes_fuzz_only_when_asked) {
    put("f", "1\nx\na\nb\nc\n6\n7\n");
    PatchOptions fuzzy = options({"--- a/f\n+++ b/f\n@@ -2,5 +2,5 @@\n 2\n a\n-b\n+B\n c\n 6\n"});
    EXPECT_EQ(patch_files(fuzzy).exit, ExitCode::conflict);
    fuzzy.fuzz = 1;
    EXPECT_THAT(described(patch_files(fuzzy)), ElementsAre("modify f, hunk 1 at 3 offset 0 fuzz 1"));
    EXPECT_EQ(text("f"), "1\nx\na\nB\nc\n6\n7\n");
}

TEST_F(Patching, puts_a_patch_on_a_single_file_whatever_it_is_called_there) {
    put("some.js", old_text);
    PatchOptions one = options(
        {"--- /tmp/old.js\t2026-01-01\n+++ ../new.js\t2026-01-01\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"});
    one.directory = path("some.js");
    const PatchOutcome outcome = patch_files(one);
    EXPECT_EQ(said(outcome), "");
    EXPECT_THAT(described(outcome), ElementsAre("modify some.js, hunk 1 at 1 offset 0 fuzz 0"));
    EXPECT_EQ(text("some.js"), new_text);
}

TEST_F(Patching, refuses_to_put_more_than_changes_of_one_file_on_a_file) {
    put("f", old_text);
    PatchOptions two = options({std::string(change_f) + change_g});
    two.directory = path("f");
    EXPECT_EQ(said(patch_files(two)),
              "drydock: DIR/0.patch:8: the patches change several files, and DIR/tree/f is one\n");
    PatchOptions create = options({"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"});
    create.directory = path("f");
    EXPECT_EQ(said(patch_files(create)),
              "drydock: DIR/1.patch:1: the patch has a create, and DIR/tree/f is a file; only changes can be "
              "put on one\n");
    EXPECT_EQ(text("f"), old_text);
}

TEST_F(Patching, says_what_it_cannot_open) {
    put("f", old_text);
    PatchOptions missing = options({});
    missing.patches = {directory_ / "none.patch"};
    missing.directory = directory_ / "nowhere";
    const PatchOutcome outcome = patch_files(missing);
    EXPECT_EQ(said(outcome),
              "drydock: cannot open DIR/nowhere: no such file or directory\n"
              "drydock: cannot read DIR/none.patch: no such file or directory\n");
    EXPECT_EQ(outcome.exit, ExitCode::io);
    PatchOptions none = options({});
    EXPECT_EQ(said(patch_files(none)), "drydock: no patch is given; name a file, or - for standard input\n");
}

TEST_F(Patching, report_02_works_inside_somebodys_git_repository) {
    put("node_modules/p/f", old_text);
    put(".gitignore", "node_modules\n");
    test::run({"git", "init", "-q", directory_ / "tree"});
    PatchOptions inside = options({change_f});
    inside.directory = path("node_modules/p");
    EXPECT_EQ(said(patch_files(inside)), "");
    EXPECT_EQ(text("node_modules/p/f"), new_text);
}

TEST_F(Patching, report_10_follows_no_link) {
    put("real", old_text);
    test::write(directory_ / "outside/f", old_text);
    ASSERT_EQ(symlink("real", path("f").c_str()), 0);
    ASSERT_EQ(symlink((directory_ / "outside").c_str(), path("d").c_str()), 0);
    const std::string before = listing();
    const PatchOutcome outcome =
        patch_files(options({change_f, "--- a/d/f\n+++ b/d/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
                             "--- /dev/null\n+++ b/d/n\n@@ -0,0 +1 @@\n+a\n"}));
    EXPECT_EQ(said(outcome),
              "drydock: f: is a symbolic link; only regular files are patched\n"
              "drydock: d/f: is a symbolic link, or lies behind one; links are not followed\n"
              "drydock: d/n: is a symbolic link, or lies behind one; links are not followed\n");
    EXPECT_EQ(outcome.exit, ExitCode::io);
    EXPECT_EQ(listing(), before);
    EXPECT_EQ(test::read(directory_ / "outside/f"), old_text);
    EXPECT_FALSE(test::exists(directory_ / "outside/n"));
    PatchOptions link = options({change_f});
    link.directory = path("f");
    EXPECT_EQ(said(patch_files(link)), "drydock: f: is a symbolic link; only regular files are patched\n");
}

TEST_F(Patching, report_10_writes_nothing_outside_and_runs_nothing) {
    test::write(directory_ / "x", "a\n");
    put("b/y", "a\n");
    const std::string before = listing();
    const PatchOutcome outcome = patch_files(options(
        {"--- a/x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", "--- a/y\n+++ b/y\n1a\n!touch /tmp/pwned\n.\n"}));
    EXPECT_EQ(
        said(outcome),
        "drydock: DIR/0.patch:1: the name 'b/../../x' leaves the directory with '..'\n"
        "drydock: DIR/1.patch:3: an ed script; drydock reads unified diffs only and runs no commands\n");
    EXPECT_EQ(outcome.exit, ExitCode::usage);
    EXPECT_EQ(listing(), before);
    EXPECT_EQ(test::read(directory_ / "x"), "a\n");
}

TEST_F(Patching, refuses_names_that_are_gits_or_its_own) {
    put(".git/hooks/f", old_text);
    const std::string before = listing();
    const PatchOutcome git = patch_files(
        options({"--- a/.git/hooks/f\n+++ b/.git/hooks/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
                 "diff --git a/f b/x/.GIT/f\nsimilarity index 100%\nrename from f\nrename to x/.GIT/f\n"}));
    EXPECT_EQ(said(git),
              "drydock: DIR/0.patch:1: the name 'a/.git/hooks/f' lies in a .git directory; what is there is "
              "git's own and is not patched\n"
              "drydock: DIR/1.patch:1: the name 'x/.GIT/f' lies in a .git directory; what is there is git's "
              "own and is not patched\n");
    EXPECT_EQ(git.exit, ExitCode::usage);
    const PatchOutcome own =
        patch_files(options({"--- /dev/null\n+++ b/x/.drydock-tmp.0.new/f\n@@ -0,0 +1 @@\n+a\n"}));
    EXPECT_EQ(said(own),
              "drydock: DIR/2.patch:1: the name 'x/.drydock-tmp.0.new/f' has a part that begins with "
              "'.drydock-'; drydock keeps such names for itself\n");
    EXPECT_EQ(own.exit, ExitCode::usage);
    EXPECT_EQ(listing(), before);
}

TEST_F(Patching, tells_files_that_swap_names_as_renamed) {
    put("a", "of a\n");
    put("b", "of b\n");
    put("c", "of c\n");
    const PatchOutcome outcome =
        patch_files(options({"diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
                             "diff --git a/b b/a\nsimilarity index 100%\nrename from b\nrename to a\n"
                             "diff --git a/c b/d\nsimilarity index 100%\ncopy from c\ncopy to d\n"}));
    EXPECT_EQ(said(outcome), "");
    EXPECT_THAT(described(outcome), ElementsAre("rename a from b", "rename b from a", "copy d from c"));
    EXPECT_EQ(text("a"), "of b\n");
    EXPECT_EQ(text("b"), "of a\n");
}

TEST_F(Patching, says_what_to_do_about_binary_data) {
    put("f", old_text);
    const PatchOutcome outcome =
        patch_files(options({"diff --git a/i b/i\nnew file mode 100644\nindex 0000000..1111111\nGIT binary "
                             "patch\nliteral 3\nKcmZQ\n"}));
    EXPECT_EQ(
        said(outcome),
        "drydock: DIR/0.patch:4: a git binary patch, whose data (literal, delta) drydock does not read; "
        "put that file in place with git apply, and leave it out of this patch\n");
    EXPECT_EQ(outcome.exit, ExitCode::usage);
}

TEST_F(Patching, refuses_what_is_no_regular_file) {
    put("g", old_text);
    ASSERT_EQ(mkfifo(path("f").c_str(), 0644), 0);
    ASSERT_EQ(chmod(path("g").c_str(), 04755), 0);
    ASSERT_EQ(mkdir(path("h").c_str(), 0755), 0);
    const PatchOutcome outcome =
        patch_files(options({change_f, change_g, "--- /dev/null\n+++ b/h\n@@ -0,0 +1 @@\n+a\n"}));
    EXPECT_EQ(said(outcome),
              "drydock: f: is no regular file; only regular files are patched\n"
              "drydock: g: is set-user-ID or set-group-ID; such files are not patched\n"
              "drydock: h: is a directory; only regular files are patched\n");
    EXPECT_EQ(text("g"), old_text);
}

TEST_F(Patching, report_11_keeps_owner_mode_and_attributes) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
    put("f", old_text);
    ASSERT_EQ(chown(path("f").c_str(), 1234, 4321), 0);
    ASSERT_EQ(chmod(path("f").c_str(), 0640), 0);
    ASSERT_EQ(setxattr(path("f").c_str(), "user.note", "kept", 4, 0), 0);
    EXPECT_EQ(said(patch_files(options(
                  {std::string("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n") + change_f}))),
              "");
    EXPECT_EQ(text("f"), new_text);
    const struct stat after = about("f");
    EXPECT_EQ(after.st_uid, 1234U);
    EXPECT_EQ(after.st_gid, 4321U);
    EXPECT_EQ(after.st_mode & 07777U, 0750U);
    std::array<char, 4> note{};
    EXPECT_EQ(getxattr(path("f").c_str(), "user.note", note.data(), note.size()), 4);
}

TEST_F(Patching, gives_new_files_what_the_umask_leaves) {
    put("f", old_text);
    const mode_t before = umask(027);
    const PatchOutcome outcome = patch_files(
        options({"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
                 "diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
                 "--- /dev/null\n+++ b/made/here/y\n@@ -0,0 +1 @@\n+a\n"}));
    EXPECT_EQ(umask(before), 027U);
    EXPECT_EQ(said(outcome), "");
    EXPECT_EQ(about("n").st_mode & 07777U, 0640U);
    EXPECT_EQ(about("x").st_mode & 07777U, 0750U);
    EXPECT_EQ(about("made").st_mode & 07777U, 0750U);
    EXPECT_EQ(about("made/here").st_mode & 07777U, 0750U);
}

TEST_F(Patching, report_12_waits_for_another_drydock_and_gives_up) {
    put("f", old_text);
    const base::Sys<base::Directory> other = base::Directory::open(directory_ / "tree");
    ASSERT_TRUE(other);
    ASSERT_EQ(flock(other->fd(), LOCK_EX), 0);
    PatchOptions busy = options({change_f});
    busy.wait = std::chrono::milliseconds(20);
    const PatchOutcome outcome = patch_files(busy);
    EXPECT_EQ(said(outcome),
              "drydock: DIR/tree is locked by another process, and was for 0.02 s; try again, or wait longer "
              "with --wait\n");
    EXPECT_EQ(outcome.exit, ExitCode::busy);
    EXPECT_EQ(text("f"), old_text);
    busy.dry_run = true;
    EXPECT_EQ(patch_files(busy).exit, ExitCode::done);
}

TEST_F(Patching, report_16_a_failing_run_changes_no_mode) {
    put("f", old_text);
    put("g", "other\n");
    const std::string before = listing();
    const PatchOutcome outcome =
        patch_files(options({"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", change_g}));
    EXPECT_EQ(outcome.exit, ExitCode::conflict);
    EXPECT_EQ(listing(), before);
}

TEST_F(Patching, report_18_a_file_that_cannot_be_written_in_full_changes_nothing) {
    put("f", old_text);
    const std::string large(100'000, 'x');
    put("g", old_text + large + "\n");
    const std::string before = listing();
    PatchOptions both = options({change_f, change_g});
    test::in_child([&] {
        // The kernel refuses to write past this size, as it refuses on a full disk.
        ASSERT_NE(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
        const rlimit limit{50'000, 50'000};
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const PatchOutcome outcome = patch_files(both);
        EXPECT_EQ(said(outcome),
                  "drydock: g: cannot write its new bytes: file too large; raise the limit on file sizes "
                  "(ulimit -f), then run again\n");
        EXPECT_EQ(outcome.exit, ExitCode::io);
        EXPECT_EQ(listing(), before);
    });
    EXPECT_EQ(said(patch_files(both)), "");
    EXPECT_EQ(text("f"), new_text);
}

TEST_F(Patching, report_19_breaks_hard_links) {
    put("f", old_text);
    ASSERT_EQ(link(path("f").c_str(), path("store").c_str()), 0);
    EXPECT_EQ(said(patch_files(options({change_f}))), "");
    EXPECT_EQ(text("f"), new_text);
    EXPECT_EQ(text("store"), old_text);
    EXPECT_EQ(about("f").st_nlink, 1U);
}

TEST_F(Patching, removes_temporaries_that_a_killed_run_left) {
    put("f", old_text);
    put(std::string(base::temporary_prefix) + "abc", "half");
    EXPECT_EQ(said(patch_files(options({change_f}))), "");
    EXPECT_FALSE(there(std::string(base::temporary_prefix) + "abc"));
}

TEST_F(Patching, a_second_run_is_refused_and_says_that_it_seems_applied) {
    put("f", old_text);
    const PatchOptions once = options({change_f});
    EXPECT_EQ(said(patch_files(once)), "");
    EXPECT_EQ(said(patch_files(once)),
              "drydock: f:1: hunk 1 of 1 (DIR/0.patch:3) does not fit; at line 1, the nearest place, 2 of 3 "
              "lines agree\n"
              "  line 2 should be 'b'\n"
              "  line 2 is        'B'\n"
              "  it seems applied already: what it makes stands at line 1\n");
    EXPECT_EQ(notes(patch_files(once)), "drydock: note: all of it seems applied already; -R takes it back\n");
    EXPECT_EQ(text("f"), new_text);
    PatchOptions back = once;
    back.reverse = true;
    EXPECT_EQ(said(patch_files(back)), "");
    EXPECT_EQ(notes(patch_files(back)), "drydock: note: all of it seems taken back already\n");
}

TEST_F(Patching, says_nothing_of_a_patch_that_was_put_on_in_part) {
    put("f", new_text);
    put("g", old_text);
    EXPECT_EQ(notes(patch_files(options({std::string(change_f) + change_g}))), "");
}

TEST_F(Patching, says_when_there_is_nothing_to_change) {
    put("f", old_text);
    ASSERT_EQ(chmod(path("f").c_str(), 0755), 0);
    const PatchOutcome outcome =
        patch_files(options({"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"}));
    EXPECT_EQ(outcome.exit, ExitCode::done);
    EXPECT_EQ(notes(outcome), "drydock: note: nothing to change: all of it is there\n");
}

TEST_F(Patching, makes_no_directory_of_a_file_and_no_file_of_a_directory) {
    put("was-file", "a\n");
    EXPECT_EQ(said(patch_files(options({"--- a/was-file\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
                                        "--- /dev/null\n+++ b/was-file/x\n@@ -0,0 +1 @@\n+x\n"}))),
              "drydock: was-file: is a file that the patch makes a directory of; put on what removes it "
              "first, alone\n");
    put("was-directory/x", "x\n");
    EXPECT_EQ(said(patch_files(options({"--- a/was-directory/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
                                        "--- /dev/null\n+++ b/was-directory\n@@ -0,0 +1 @@\n+a\n"}))),
              "drydock: was-directory: is a directory that the patch makes a file of; put on what removes "
              "its files first, alone\n");
    EXPECT_EQ(text("was-file"), "a\n");
    EXPECT_EQ(text("was-directory/x"), "x\n");
}

TEST_F(Patching, says_how_to_take_off_the_prefixes_of_git) {
    put("f", old_text);
    PatchOptions whole = options({change_f});
    whole.strip = 0;
    EXPECT_EQ(said(patch_files(whole)),
              "drydock: DIR/0.patch:1: two names for one file, 'a/f' and 'b/f'; they have git's prefixes: "
              "take them off with -p1\n");
}

TEST_F(Patching, says_why_a_hunk_without_context_ends_a_file) {
    put("f", old_text);
    EXPECT_EQ(
        said(patch_files(options({"--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n"}))),
        "drydock: f:2: hunk 1 of 1 (DIR/0.patch:3) leaves the file without a newline at its end, and its "
        "lines stand at line 2, where the file goes on\n");
}

TEST_F(Patching, says_why_a_hunk_without_context_behind_a_moved_one_is_not_taken) {
    put("f", "n1\nn2\nl1\nl2\nl3\nl4\nl5\nl8\nl9\n");
    EXPECT_EQ(
        said(patch_files(options({"--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n l2\n-l3\n+L3\n l4\n"
                                  "@@ -8 +8 @@\n-l8\n+L8\n"}))),
        "drydock: f:8: hunk 2 of 2 (DIR/0.patch:8) has no context, and the hunk before it had moved, so "
        "that line 8, where its lines stand, is no sure place\n");
}

TEST_F(Patching, shows_a_backslash_as_it_is) {
    put("f", "print('\\n')\n");
    EXPECT_EQ(said(patch_files(options({"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-say('\\n')\n+x\n"}))),
              "drydock: f: hunk 1 of 1 (DIR/0.patch:3) does not fit: none of its 1 old lines is near line 1\n"
              "  line 1 should be 'say('\\n')'\n"
              "  line 1 is        'print('\\n')'\n");
}

}  // namespace
}  // namespace drydock::cli
