#include "base/scratch.hpp"

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::base {
namespace {

TEST(Scratch, IsThereUntilItGoes) {
    const test::TemporaryDirectory folder;
    std::string path;
    {
        const Result<Scratch> scratch = Scratch::make(folder.path());
        ASSERT_TRUE(scratch);
        path = scratch->path();
        EXPECT_EQ(path.substr(0, path.size() - 6), folder / "drydock-");
        const Result<std::string> inner = scratch->directory("a");
        ASSERT_TRUE(inner);
        EXPECT_EQ(*inner, path + "/a");
        test::write(*inner + "/file", "x");
        const Result<std::string> again = scratch->directory("a");
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().message, "cannot make " + path + "/a: file exists");
    }
    EXPECT_FALSE(test::exists(path));
}

TEST(Scratch, IsRemovedEarlierOrKept) {
    const test::TemporaryDirectory folder;
    Result<Scratch> scratch = Scratch::make(folder.path());
    ASSERT_TRUE(scratch);
    const std::string path = scratch->path();
    scratch->remove();
    EXPECT_FALSE(test::exists(path));
    std::string kept;
    {
        const Result<Scratch> stays = Scratch::make(folder.path(), true);
        ASSERT_TRUE(stays);
        kept = stays->path();
    }
    EXPECT_TRUE(test::exists(kept));
}

TEST(Scratch, SaysWhereItCannotBeMade) {
    const test::TemporaryDirectory folder;
    const Result<Scratch> scratch = Scratch::make(folder / "none");
    ASSERT_FALSE(scratch);
    EXPECT_EQ(scratch.error().kind, ErrorKind::io);
    EXPECT_EQ(scratch.error().message,
              "cannot make a scratch folder in " + folder.path() + "/none: no such file or directory");
}

}  // namespace
}  // namespace drydock::base
