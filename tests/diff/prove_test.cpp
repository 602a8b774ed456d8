// diff/prove.cpp: a patch that is wrong in any way is found out.
#include "diff/prove.hpp"

#include <gtest/gtest.h>

namespace drydock::diff {
namespace {

constexpr std::string_view old_text = "a\nb\nc\nd\n";
constexpr std::string_view new_text = "a\nB\nc\nd\n";
const std::string good = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

/// A text in pieces of a line each, but for names, which belong together.
patch::Pieces pieces_of(std::string_view text) {
    return [rest = text]() mutable {
        std::size_t end = rest.find('\n') + 1;
        if (rest.substr(end).starts_with("+++ ")) end = rest.find('\n', end) + 1;
        if (end == 0) end = rest.size();
        const std::string_view piece = rest.substr(0, end);
        rest.remove_prefix(end);
        return piece;
    };
}

base::Result<void> proof(const std::string& text, const std::vector<const FilePair*>& pairs) {
    return prove(pieces_of(text), pairs);
}

FilePair pair_of(std::string_view from, std::string_view to) {
    return {"f", FileSide{from, {}}, FileSide{to, {}}};
}

base::Error refusal(const std::string& text, const FilePair& pair) {
    const base::Result<void> proven = proof(text, {&pair});
    if (!proven) return proven.error();
    ADD_FAILURE() << "not refused: " << text;
    return {};
}

std::string message(const std::string& text, const FilePair& pair = pair_of(old_text, new_text)) {
    const base::Error error = refusal(text, pair);
    EXPECT_EQ(error.kind, base::ErrorKind::check);
    EXPECT_EQ(error.file, "f");
    EXPECT_EQ(error.details, std::vector<std::string>{
                                 "nothing is put out; this is a fault of drydock, please report both files"});
    const std::string start = "the patch made for it does not prove right: ";
    EXPECT_TRUE(error.message.starts_with(start));
    return error.message.substr(start.size());
}

/// A patch of f with these hunks.
std::string patch_of(const std::string& hunks) {
    return "--- a/f\n+++ b/f\n" + hunks;
}

std::string with(std::string from, std::string to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
}

bool holds(std::string_view from, std::string_view to, const std::string& hunks) {
    const FilePair pair = pair_of(from, to);
    return proof(patch_of(hunks), {&pair}).has_value();
}

constexpr const char* not_old = "it has a line that the old side has not there";
constexpr const char* not_new = "it has a line that the new side has not there";
constexpr const char* other_line = "it has a hunk that names another line";
constexpr const char* other_bytes = "it gives other bytes";
constexpr const char* hidden = "it hides that a last line has no newline";
const std::string no_newline = "\\ No newline at end of file\n";

TEST(Proof, HoldsForWhatIsRight) {
    const FilePair pair = pair_of(old_text, new_text);
    EXPECT_TRUE(proof(good, {&pair}).has_value());
    EXPECT_TRUE(
        holds("a\nb\nc\nd\ne\nf", "A\nb\nc\nd\ne\nF",
              "@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -5,2 +5,2 @@\n e\n-f\n" + no_newline + "+F\n" + no_newline));
    EXPECT_TRUE(holds("a\r\nb\r", "A\r\nb\r", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n" + no_newline));
    EXPECT_TRUE(holds("", "a\n", "@@ -0,0 +1 @@\n+a\n"));
    EXPECT_TRUE(holds("a\n", "", "@@ -1 +0,0 @@\n-a\n"));
}

TEST(Proof, FindsEachFault) {
    EXPECT_EQ(message(with("a/f", "a/g").replace(14, 1, "g")), "it names another file");
    EXPECT_EQ(message(good + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n"), "it reads as other files");
    EXPECT_EQ(message("nonsense"),
              "it cannot be read: patch: no patch found in it; expected a unified diff "
              "(diff -u, git diff)");
}

TEST(Proof, FindsBytesThatAreNotThere) {
    EXPECT_EQ(message(with("+B", "+X")), not_new);
    EXPECT_EQ(message(with("-b", "-x")), not_old);
    EXPECT_EQ(message(with("\n a", "\n x")), not_old);
    EXPECT_EQ(message(with("-b", "-b\r")), not_old);
    EXPECT_EQ(message(with("-b", "-b\r"), pair_of("a\nbx\nc\nd\n", new_text)), not_old);
    EXPECT_EQ(message(with("-b", "-")), not_old);
    EXPECT_EQ(message(good, pair_of(old_text, "a\nB\nx\nd\n")), not_new);
    EXPECT_EQ(message(good, pair_of(old_text, "a\nB\nc\nx\n")), other_bytes);
    EXPECT_EQ(message(good, pair_of("a\nb\nc\n", "a\nB\nc\nd\n")), other_bytes);
    EXPECT_EQ(message(patch_of("@@ -3,2 +3,2 @@\n c\n-d\n+D\n"), pair_of(old_text, "a\nB\nc\nD\n")),
              "it gives other bytes, or at another place than it says");
}

TEST(Proof, FindsHunksAtOtherPlaces) {
    EXPECT_EQ(message(with("+1,3", "+2,3")), other_line);
    EXPECT_EQ(message(patch_of("@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n")), not_old);
    EXPECT_EQ(message(patch_of("@@ -9,3 +9,3 @@\n a\n-b\n+B\n c\n")), "it has a hunk behind the end");
    EXPECT_EQ(message(patch_of("@@ -1,0 +2,2 @@\n+\n+b\n"), pair_of("a", "a\nb\n")),
              "it has a hunk within a line");
}

TEST(Proof, FindsNewlinesThatAreNotTold) {
    const std::string hunk = "@@ -1 +1 @@\n-a\n";
    EXPECT_EQ(message(patch_of(hunk + "+b\n"), pair_of("a\n", "b")), hidden);
    EXPECT_EQ(message(patch_of(hunk + "+b\n"), pair_of("a", "b\n")), hidden);
    EXPECT_EQ(message(patch_of(hunk + "+b\n" + no_newline), pair_of("a\n", "b\n")),
              "it says that a line has no newline, and it has one");
    EXPECT_EQ(message(patch_of("@@ -1,2 +1,2 @@\n-a\n+b\n c\n" + no_newline), pair_of("a\nc\n", "b\nc")),
              "it says that a line has no newline, and it has one");
}

TEST(Proof, FindsAModeThatIsNotToldOrWrong) {
    const FilePair pair{"f", FileSide{old_text, 0100644}, FileSide{new_text, 0100755}};
    EXPECT_EQ(refusal(good, pair).message,
              "the patch made for it does not prove right: it names another mode");
    EXPECT_EQ(refusal("diff --git a/f b/f\nold mode 100755\nnew mode 100644\n" + good, pair).message,
              "the patch made for it does not prove right: it names another mode");
    EXPECT_TRUE(proof("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n" + good, {&pair}).has_value());
}

TEST(Proof, GoesThroughEveryFile) {
    const FilePair first = pair_of(old_text, new_text);
    FilePair second = first;
    second.path = "g";
    std::string both = good + good;
    both.replace(good.size() + 6, 1, "g").replace(good.size() + 14, 1, "g");
    EXPECT_TRUE(proof(both, {&first, &second}).has_value());
    second.new_side->text = "a\nB\nc\nD\n";
    const base::Result<void> proven = proof(both, {&first, &second});
    ASSERT_FALSE(proven.has_value());
    EXPECT_EQ(base::describe(proven.error()),
              "g: the patch made for it does not prove right: it gives other bytes");
}

}  // namespace
}  // namespace drydock::diff
