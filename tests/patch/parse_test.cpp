#include "patch/parse.hpp"

#include <chrono>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace drydock::patch {
namespace {

constexpr const char* git_patch =
    "diff --git a/dir/old name b/dir/new name\n"
    "old mode 100644\n"
    "new mode 100755\n"
    "similarity index 87%\n"
    "rename from dir/old name\n"
    "rename to dir/new name\n"
    "index 1234567..89abcde\n"
    "--- a/dir/old name\t\n"
    "+++ b/dir/new name\t\n"
    "@@ -10,3 +11,4 @@ int main() {\n"
    " same\n"
    "-out\r\n"
    "+in\n"
    "+last\n"
    "\\ No newline at end of file\n";

TEST(Parse, gives_all_that_a_patch_says) {
    // The hunk's old side ends here too: no line is left for it after the added last one.
    const std::string text = std::string("From: somebody\n\n") + git_patch;
    const base::Result<Patch> refused = parse(text);
    ASSERT_FALSE(refused);
    EXPECT_EQ(base::describe(refused.error()),
              "patch:17: the hunk of line 12 is truncated: 1 old and 1 new lines are missing");

    std::string whole = text;
    whole.replace(whole.find("-10,3 +11,4"), 11, "-10,2 +11,3");
    const base::Result<Patch> patch = parse(whole, {.name = "some.patch"});
    ASSERT_TRUE(patch) << base::describe(patch.error());
    ASSERT_EQ(patch->files.size(), 1U);
    const FilePatch& file = patch->files[0];
    EXPECT_EQ(file.operation, Operation::rename);
    EXPECT_EQ(file.old_path, "dir/old name");
    EXPECT_EQ(file.new_path, "dir/new name");
    EXPECT_EQ(file.old_mode, 0100644U);
    EXPECT_EQ(file.new_mode, 0100755U);
    EXPECT_EQ(file.patch_name, "some.patch");
    EXPECT_EQ(file.line, 3U);
    ASSERT_EQ(file.hunks.size(), 1U);
    const Hunk& hunk = file.hunks[0];
    EXPECT_EQ(hunk.old_start, 10U);
    EXPECT_EQ(hunk.old_count, 2U);
    EXPECT_EQ(hunk.new_start, 11U);
    EXPECT_EQ(hunk.new_count, 3U);
    EXPECT_EQ(hunk.section, "int main() {");
    EXPECT_EQ(hunk.line, 12U);
    const std::vector<Line> lines{{"same", LineKind::context, Ending::lf},
                                  {"out", LineKind::removed, Ending::crlf},
                                  {"in", LineKind::added, Ending::lf},
                                  {"last", LineKind::added, Ending::none}};
    EXPECT_EQ(hunk.lines, lines);
}

std::string with_crlf(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return result;
}

TEST(Parse, report_04_takes_the_cr_of_a_converted_patch_off) {
    const std::string text =
        "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@ section\n\n-b\n+c\n d\n\\ No newline at end of file\n";
    const base::Result<Patch> plain = parse(text);
    const std::string converted_text = with_crlf(text);
    const base::Result<Patch> converted = parse(converted_text);
    ASSERT_TRUE(plain);
    ASSERT_TRUE(converted) << base::describe(converted.error());
    EXPECT_EQ(converted->files[0].hunks[0].lines, plain->files[0].hunks[0].lines);
    EXPECT_EQ(converted->files[0].hunks[0].section, "section");
    EXPECT_EQ(converted->files[0].new_path, "f");
}

TEST(Parse, counts_the_mails_of_a_text) {
    const std::string body = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n";
    const std::string from = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n";
    const std::string text = from + body + from + body + body;
    const base::Result<Patch> patch = parse(text);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    ASSERT_EQ(patch->files.size(), 3U);
    EXPECT_EQ(patch->files[0].commit, 0U);
    EXPECT_EQ(patch->files[1].commit, 1U);
    EXPECT_EQ(patch->files[2].commit, 1U);
}

TEST(Parse, leaves_names_alone_when_they_do_not_matter) {
    const std::string text = "--- /tmp/x\n+++ ../y\n@@ -1 +1 @@\n-a\n+b\n";
    const base::Result<Patch> patch = parse(text, {.use_names = false});
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(patch->files[0].old_path, "/tmp/x");
    EXPECT_EQ(patch->files[0].new_path, "../y");
}

TEST(Parse, has_an_end_with_any_bytes_of_any_size) {
    std::mt19937 random(1);
    std::string text(std::size_t{20} << 20U, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const base::Result<Patch> noise = parse(text);
    ASSERT_FALSE(noise);
    EXPECT_EQ(base::describe(noise.error()),
              "patch: no patch found in it; expected a unified diff (diff -u, git diff)");

    const std::string names =
        "diff --git " + std::string(std::size_t{20} << 20U, ' ') + "\nold mode 100644\nnew mode 100755\n";
    const base::Result<Patch> blanks = parse(names);
    ASSERT_FALSE(blanks);
    EXPECT_EQ(blanks.error().message,
              "no one name can be read from 'diff --git " + std::string(200, ' ') + "'; see -p");

    const std::string counts = "--- a/f\n+++ b/f\n@@ -1,999999999999 +1,999999999999 @@\n" +
                               std::string(std::size_t{1} << 20U, '\n');
    const base::Result<Patch> truncated = parse(counts);
    ASSERT_FALSE(truncated);
    EXPECT_EQ(base::describe(truncated.error()),
              "patch:1048579: the hunk of line 3 is truncated: 999998951423 old and "
              "999998951423 new lines are missing");
}

}  // namespace
}  // namespace drydock::patch
