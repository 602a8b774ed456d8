#include "patch/print.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "patch/parse.hpp"
#include "patch/reverse.hpp"
#include "tests/support/support.hpp"

namespace drydock::patch {
namespace {

/// All of a patch but where things stand in its text.
void expect_same(const Patch& a, const Patch& b) {
    ASSERT_EQ(a.files.size(), b.files.size());
    for (std::size_t i = 0; i < a.files.size(); ++i) {
        const FilePatch& x = a.files[i];
        const FilePatch& y = b.files[i];
        EXPECT_EQ(x.operation, y.operation);
        EXPECT_EQ(x.old_path, y.old_path);
        EXPECT_EQ(x.new_path, y.new_path);
        EXPECT_EQ(x.commit, y.commit);
        // A file that comes or goes without a mode is printed with the usual one.
        const bool has_modes = x.operation != Operation::create && x.operation != Operation::remove;
        EXPECT_TRUE(!has_modes || (x.old_mode == y.old_mode && x.new_mode == y.new_mode)) << x.new_path;
        ASSERT_EQ(x.hunks.size(), y.hunks.size());
        for (std::size_t k = 0; k < x.hunks.size(); ++k) {
            EXPECT_EQ(x.hunks[k].old_start, y.hunks[k].old_start);
            EXPECT_EQ(x.hunks[k].old_count, y.hunks[k].old_count);
            EXPECT_EQ(x.hunks[k].new_start, y.hunks[k].new_start);
            EXPECT_EQ(x.hunks[k].new_count, y.hunks[k].new_count);
            EXPECT_EQ(x.hunks[k].section, y.hunks[k].section);
            EXPECT_EQ(x.hunks[k].lines, y.hunks[k].lines);
        }
    }
}

TEST(Print, is_read_as_what_was_printed) {
    std::size_t read = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(DRYDOCK_SOURCE_DIR) + "/tests/patch/data")) {
        SCOPED_TRACE(entry.path().filename());
        const std::string text = test::read(entry.path() / "patch");
        const base::Result<Patch> patch = parse(text);
        if (!patch) continue;
        for (const Patch& each : {*patch, reverse(*patch)}) {
            const std::string printed = print(each);
            const base::Result<Patch> again = parse(printed);
            ASSERT_TRUE(again) << base::describe(again.error()) << "\n" << printed;
            expect_same(each, *again);
        }
        ++read;
    }
    EXPECT_GT(read, 70U);
}

TEST(Print, writes_a_plain_header_for_a_file_that_only_changes) {
    const std::string text =
        "--- a/dir/f\n+++ b/dir/f\n@@ -1,2 +1,2 @@ there\n a\r\n-b\n\\ No newline at end of file\n+c\n\\ No "
        "newline at end of file\n";
    const std::string with_prose = "prose\n" + text;  // the patch points into it
    const base::Result<Patch> patch = parse(with_prose);
    ASSERT_TRUE(patch);
    EXPECT_EQ(print(*patch), text);
}

TEST(Print, writes_gits_headers_where_the_plain_one_is_not_enough) {
    const std::string text =
        "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n"
        "diff --git \"a/tab\\there\" \"b/tab\\there\"\nold mode 100644\nnew mode 100755\n"
        "diff --git a/a b b/c d\nrename from a b\nrename to c d\n--- a/a b\t\n+++ b/c d\t\n@@ -1 +1 "
        "@@\n-a\n+b\n"
        "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
        "diff --git a/x b/y\ncopy from x\ncopy to y\n"
        "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    const base::Result<Patch> patch = parse(text);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(print(*patch), text);
}

TEST(Print, quotes_the_names_that_gnu_patch_reads_otherwise) {
    const std::string text =
        "diff --git \"a/trail \" \"b/trail \"\n--- \"a/trail \"\n+++ \"b/trail \"\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git \"a/come \" \"b/come \"\nnew file mode 100644\n--- /dev/null\n+++ \"b/come \"\n@@ -0,0 "
        "+1 "
        "@@\n+a\n"
        "diff --git \"a/em pty\" \"b/em pty\"\nnew file mode 100644\n"
        "diff --git \"a/no thing\" \"b/no thing\"\ndeleted file mode 100644\n"
        "diff --git \"a/mo de\" \"b/mo de\"\nold mode 100644\nnew mode 100755\n"
        "diff --git \"a/o ld\" \"b/new\"\nrename from \"o ld\"\nrename to \"new\"\n"
        "diff --git a/as git b/as git\nold mode 100644\nnew mode 100755\n--- a/as git\t\n+++ b/as "
        "git\t\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/plain b/plain\nold mode 100644\nnew mode 100755\n";
    const base::Result<Patch> patch = parse(text);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(print(*patch), text);
}

}  // namespace
}  // namespace drydock::patch
