#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

base::Result<Merged> merged(const std::string& base, const std::string& ours, const std::string& theirs) {
    return merge({base, "v1:a.ts"}, {ours, "our patch"}, {theirs, "v2:a.ts"});
}

TEST(Merge, TakesWhatOneSideChanged) {
    EXPECT_EQ(merged("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n")->text, "A\nb\nc\nd\nE\n");
    EXPECT_EQ(merged("a\nb", "a\nb", "a\nB")->text, "a\nB");
    EXPECT_EQ(merged("a\nb", "A\nb", "a\nb")->text, "A\nb");
    EXPECT_EQ(merged("a\n", "b\n", "b\n")->text, "b\n");
    EXPECT_EQ(merged("a\r\nb\r\nc\r\nd\r\n", "A\r\nb\r\nc\r\nd\r\n", "a\r\nb\r\nc\r\nD")->text,
              "A\r\nb\r\nc\r\nD");
    EXPECT_EQ(merged("\xe9\nb\nc\nd\n", "\xe9\nb\nc\nD\n", "\xe8\nb\nc\nd\n")->text, "\xe8\nb\nc\nD\n");
    EXPECT_EQ(merged("", "", "")->text, "");
    EXPECT_EQ(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")->conflicts, 0U);
}

TEST(Merge, ShowsConflictsWithTheBase) {
    const base::Result<Merged> result =
        merged("1\na\n2\n3\n4\n5\nb\n6\n", "1\nours\n2\n3\n4\n5\nX\n6\n", "1\ntheirs\n2\n3\n4\n5\n6\n");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->conflicts, 2U);
    EXPECT_EQ(result->text,
              "1\n<<<<<<< our patch\nours\n||||||| v1:a.ts\na\n=======\ntheirs\n>>>>>>> v2:a.ts\n"
              "2\n3\n4\n5\n<<<<<<< our patch\nX\n||||||| v1:a.ts\nb\n=======\n>>>>>>> v2:a.ts\n6\n");
}

TEST(Merge, HasMarkersThatNoLineOfTheTextsLooksLike) {
    const std::string line = "<<<<<<<<< our patch\n";
    const base::Result<Merged> result = merged(line + "a\n", line + "b\n", line + "c\n");
    EXPECT_EQ(result->conflicts, 1U);
    EXPECT_EQ(result->text,
              line + "<<<<<<<<<< our patch\nb\n|||||||||| v1:a.ts\na\n==========\nc\n>>>>>>>>>> v2:a.ts\n");
}

TEST(Merge, IsGitsOwn) {
    const Scene scene;
    scene.sh(
        "for i in {1..300}; do echo \"line $((i * 7 % 40))\"; done >base; cp base ours; cp base theirs; "
        "sed -i '10,12d; 100s/$/ ours/; 200a new' ours; sed -i '50s/$/ t/; 100s/$/ theirs/; 250,260d' "
        "theirs; "
        "git merge-file -p --diff3 -L 'our patch' -L v1:a.ts -L v2:a.ts ours base theirs >merged || true");
    const base::Result<Merged> result =
        merged(test::read(scene / "base"), test::read(scene / "ours"), test::read(scene / "theirs"));
    EXPECT_EQ(result->conflicts, 1U);
    EXPECT_EQ(result->text, test::read(scene / "merged"));
}

TEST(Merge, MergesNoBinaryFiles) {
    const std::string binary("a\0b", 3);
    EXPECT_EQ(
        message_of(merged("a\n", "b\n", binary)),
        "both sides changed a binary file (v2:a.ts holds a NUL byte), which is not merged by lines; choose "
        "one of them by hand");
    EXPECT_EQ(merged("a\n", "b\n", binary).error().kind, base::ErrorKind::conflict);
    EXPECT_EQ(merged("a\n", "a\n", binary)->text, binary);
}

}  // namespace
}  // namespace drydock::source
