// diff/diff.cpp: whole patches, and what is refused.
#include "diff/diff.hpp"

#include <gtest/gtest.h>

#include "patch/patch.hpp"

namespace drydock::diff {
namespace {

FileSide side(std::string_view text, std::optional<unsigned> mode = std::nullopt) {
    return {text, mode};
}

std::string patch_of(const std::vector<FilePair>& pairs, const DiffOptions& options = {}) {
    const base::Result<std::string> text = make_patch_text(pairs, options);
    EXPECT_TRUE(text.has_value()) << base::describe(text.error());
    return text.value_or("");
}

std::string patch_of(std::string_view old_text, std::string_view new_text, const DiffOptions& options = {}) {
    return patch_of({{"f", side(old_text), side(new_text)}}, options);
}

constexpr std::string_view head = "--- a/f\n+++ b/f\n";

std::string numbered(int count) {
    std::string text;
    for (int line = 1; line <= count; ++line) text += std::to_string(line) + "\n";
    return text;
}

TEST(PatchText, HasThreeLinesOfContextAndJoinsWhatTouches) {
    std::string changed = numbered(30);
    changed.replace(changed.find("5\n"), 2, "five\n");
    changed.replace(changed.find("12\n"), 3, "twelve\n");
    changed.replace(changed.find("25\n"), 3, "");
    EXPECT_EQ(patch_of(numbered(30), changed),
              std::string(head) +
                  "@@ -2,14 +2,14 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n 11\n-12\n"
                  "+twelve\n 13\n 14\n 15\n@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n");
    EXPECT_EQ(patch_of("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", {1}),
              std::string(head) + "@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n");
    EXPECT_EQ(patch_of("a\nb\nc\n", "a\nB\nc\n", {0}), patch_of("a\nb\nc\n", "a\nB\nc\n", {1}));
}

TEST(PatchText, OfEqualSidesIsEmpty) {
    EXPECT_EQ(patch_of("a\n", "a\n"), "");
    EXPECT_EQ(patch_of({}), "");
    EXPECT_EQ(patch_of({{"f", std::nullopt, std::nullopt}}), "");
    EXPECT_EQ(patch_of({{"f", side("a\n", 0100644), side("a\n")}}), "");
}

TEST(PatchText, KnowsAnEmptySide) {
    EXPECT_EQ(patch_of("", "a\nb\n"), std::string(head) + "@@ -0,0 +1,2 @@\n+a\n+b\n");
    EXPECT_EQ(patch_of("a\nb\n", ""), std::string(head) + "@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(PatchText, KnowsMissingNewlinesOnEitherSide) {
    const std::string no_newline = "\\ No newline at end of file\n";
    EXPECT_EQ(patch_of("a\nb", "a\nb\n"),
              std::string(head) + "@@ -1,2 +1,2 @@\n a\n-b\n" + no_newline + "+b\n");
    EXPECT_EQ(patch_of("a\nb\n", "a\nb"), std::string(head) + "@@ -1,2 +1,2 @@\n a\n-b\n+b\n" + no_newline);
    EXPECT_EQ(patch_of("a\nb", "A\nb"), std::string(head) + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n" + no_newline);
}

TEST(PatchText, TakesAnyBytes) {
    using namespace std::string_literals;
    for (const auto& [old_text, new_text] : {std::pair("a\r\nb\r\n"s, "a\r\nB\r\n"s),
                                             {"a\r\nb\n"s, "a\nb\r\n"s},
                                             {"a\r"s, "a\r\n"s},
                                             {"a\r\r\n"s, "a\r\n"s},
                                             {"\0\n\xff\n"s, "\0\n\xfe\n"s},
                                             {"\n"s, "\n\n"s},
                                             {"\r"s, ""s},
                                             {"-- a\n"s, "++ b\n"s},
                                             {"\\ No newline\n"s, "@@ -1 +1 @@\n"s}}) {
        const std::string text = patch_of(old_text, new_text);
        const base::Result<patch::Patch> patch = patch::parse(text);
        ASSERT_TRUE(patch.has_value()) << text;
        EXPECT_EQ(patch::apply(patch->files.at(0), old_text)->text, new_text);
    }
}

TEST(PatchText, CreatesRemovesAndChangesModes) {
    EXPECT_EQ(
        patch_of({{"dir/new file", std::nullopt, side("n\n", 0100755)},
                  {"empty", std::nullopt, side("")},
                  {"mode", side("m\n", 0100644), side("m\n", 0100755)},
                  {"old", side("o\n", 0100644), std::nullopt}}),
        "diff --git a/dir/new file b/dir/new file\nnew file mode 100755\n--- /dev/null\n"
        "+++ b/dir/new file\t\n@@ -0,0 +1 @@\n+n\n"
        "diff --git a/empty b/empty\nnew file mode 100644\n"
        "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
        "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n");
}

TEST(PatchText, RefusesPathsThatNoPatchMayName) {
    for (const std::string path : {"../x", "/x", "", "a//b"}) {
        const base::Result<std::string> text = make_patch_text({{path, side("a\n"), side("b\n")}});
        ASSERT_FALSE(text.has_value()) << path;
        EXPECT_EQ(text.error().kind, base::ErrorKind::usage);
        EXPECT_EQ(text.error().message,
                  "cannot stand in a patch; expected a relative path without empty parts, '.' and '..'");
        EXPECT_EQ(text.error().file, path);
    }
}

TEST(PatchText, RefusesTextsThatAreTooLarge) {
    const std::string large(largest_text + 1, 'x');
    const base::Result<std::string> text = make_patch_text({{"f", side("a\n"), side(large)}});
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(base::describe(text.error()), "f: is 268435457 bytes long; at most 268435456 can be compared");
}

}  // namespace
}  // namespace drydock::diff
