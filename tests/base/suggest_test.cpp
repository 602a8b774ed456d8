#include "base/suggest.hpp"

#include <gtest/gtest.h>

namespace drydock::base {
namespace {

const std::vector<std::string> commands{"apply", "status", "revert", "verify", "patch"};

TEST(Suggest, FindsOneSlip) {
    EXPECT_EQ(nearest("aply", commands), "apply");
    EXPECT_EQ(nearest("appply", commands), "apply");
    EXPECT_EQ(nearest("spply", commands), "apply");
    EXPECT_EQ(nearest("revret", commands), "revert");
}

TEST(Suggest, NeighboursThatChangedPlacesCountOnce) {
    EXPECT_EQ(nearest("ba", {"ab"}), "ab");           // one transposition: a third of two letters allows one
    EXPECT_EQ(nearest("ca", {"abc"}), std::nullopt);  // two changes
}

TEST(Suggest, AllowsAThirdOfTheLongerWord) {
    EXPECT_EQ(nearest("stxxus", commands), "status");
    EXPECT_EQ(nearest("sxxxus", commands), std::nullopt);
    EXPECT_EQ(nearest("", commands), std::nullopt);
    EXPECT_EQ(nearest("apply", {}), std::nullopt);
}

TEST(Suggest, TiesGoToTheEarlier) {
    EXPECT_EQ(nearest("cat", {"bat", "rat"}), "bat");
    EXPECT_EQ(nearest("rat", {"bat", "rat"}), "rat");
}

TEST(Suggest, PassesOverWordsThatCostTooMuch) {
    const std::string word(201, 'x');
    EXPECT_EQ(nearest(word, {word}), std::nullopt);
    EXPECT_EQ(nearest("apply", {word, "apply"}), "apply");
    EXPECT_EQ(nearest(word.substr(1), {word, word.substr(1)}), word.substr(1));
}

TEST(Suggest, SaysItForMessages) {
    EXPECT_EQ(did_you_mean("statsu", commands), " (did you mean 'status'?)");
    EXPECT_EQ(did_you_mean("unlike", commands), "");
}

TEST(Names, AreListedUpToThree) {
    EXPECT_EQ(first_names({}), "");
    EXPECT_EQ(first_names({"a", "b", "c"}), "a, b, c");
    EXPECT_EQ(first_names({"a", "b", "c", "d", "e"}), "a, b, c, and 2 more");
}

}  // namespace
}  // namespace drydock::base
