// diff/prove.cpp: a patch that is wrong in any way is found out.
#include "diff/prove.hpp"

#include <gtest/gtest.h>

namespace drydock::diff {
namespace {

constexpr std::string_view old_text = "a\nb\nc\nd\n";
constexpr std::string_view new_text = "a\nB\nc\nd\n";
const std::string good = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";

base::Error refusal(const std::string& text, const FilePair& pair) {
    const base::Result<void> proven = prove(text, {&pair});
    if (!proven) return proven.error();
    ADD_FAILURE() << "not refused: " << text;
    return {};
}

std::string message(const std::string& text) {
    const base::Error error = refusal(text, {"f", FileSide{old_text, {}}, FileSide{new_text, {}}});
    EXPECT_EQ(error.kind, base::ErrorKind::check);
    EXPECT_EQ(error.file, "f");
    EXPECT_EQ(error.details, std::vector<std::string>{
                                 "nothing is put out; this is a fault of drydock, please report both files"});
    const std::string start = "the patch made for it does not prove right: ";
    EXPECT_TRUE(error.message.starts_with(start));
    return error.message.substr(start.size());
}

std::string with(std::string from, std::string to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
}

TEST(Proof, HoldsForWhatIsRight) {
    const FilePair pair{"f", FileSide{old_text, {}}, FileSide{new_text, {}}};
    EXPECT_TRUE(prove(good, {&pair}).has_value());
}

TEST(Proof, FindsEachFault) {
    EXPECT_EQ(message(with("+B", "+X")), "forwards it gives other bytes, or at another place than it says");
    EXPECT_EQ(message(with("a/f", "a/g").replace(14, 1, "g")), "it names another file");
    EXPECT_EQ(message(with("+1,3", "+2,3")), "a hunk names another line");
    EXPECT_EQ(message("--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n a\n-b\n+B\n c\n"),
              "forwards it gives other bytes, or at another place than it says");
    EXPECT_TRUE(message(with("-b", "-x")).starts_with("forwards it does not apply: hunk 1"));
    EXPECT_TRUE(message("nonsense").starts_with("it cannot be read: "));
    EXPECT_EQ(message(good + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n"), "it reads as other files");
}

TEST(Proof, FindsAModeThatIsNotToldOrWrong) {
    const FilePair pair{"f", FileSide{old_text, 0100644}, FileSide{new_text, 0100755}};
    EXPECT_EQ(refusal(good, pair).message,
              "the patch made for it does not prove right: it names another mode");
    EXPECT_EQ(refusal("diff --git a/f b/f\nold mode 100755\nnew mode 100644\n" + good, pair).message,
              "the patch made for it does not prove right: it names another mode");
    EXPECT_TRUE(prove("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n" + good, {&pair}).has_value());
}

}  // namespace
}  // namespace drydock::diff
