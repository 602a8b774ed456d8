// What placing costs. The limits are far above what is needed, and far below what a cost that grows with the
// product of file and hunks would take.

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "patch/apply.hpp"
#include "patch/parse.hpp"

namespace drydock::patch {
namespace {

constexpr std::size_t many_hunks = 10'000;
constexpr std::size_t lines_between = 25;
constexpr std::chrono::seconds limit{20};

/// A line that is one of few, or one of its own.
std::string line_of(std::size_t i, bool repeated) {
    return repeated ? fmt::format("line {}\n", i % 5) : fmt::format("line {}\n", i);
}

std::string text_of(bool repeated) {
    std::string text;
    for (std::size_t i = 0; i < many_hunks * lines_between; ++i) text += line_of(i, repeated);
    return text;
}

/// Hunks all over the text, of many lengths; `wrong`: their last lines are those of other places.
std::string patch_of(bool repeated, bool wrong) {
    std::string patch = "--- a/f\n+++ b/f\n";
    for (std::size_t h = 0; h < many_hunks; ++h) {
        const std::size_t first = h * lines_between + 3;
        const std::size_t half = 3 + h % 8;
        patch += fmt::format("@@ -{0},{1} +{0},{1} @@\n", first + 1, 2 * half + 1);
        for (std::size_t i = 0; i <= 2 * half; ++i) {
            const bool misplaced = wrong && i == 2 * half;
            const std::string one = misplaced ? line_of(h % 5 + 1, false) : line_of(first + i, repeated);
            patch += i == half ? "-" + one + "+changed\n" : " " + one;
        }
    }
    return patch;
}

class Cost : public testing::Test {
  protected:
    static base::Result<Applied> timed_apply(const std::string& patch_text, const std::string& text) {
        const base::Result<Patch> patch = parse(patch_text);
        EXPECT_TRUE(patch) << base::describe(patch.error());
        const auto begin = std::chrono::steady_clock::now();
        base::Result<Applied> applied = patch::apply(patch->files.at(0), text);
        EXPECT_LT(std::chrono::steady_clock::now() - begin, limit);
        return applied;
    }
};

TEST_F(Cost, of_hunks_that_all_moved_far_is_about_that_of_one) {
    std::string shift;
    for (std::size_t i = 0; i < 5000; ++i) shift += fmt::format("before {}\n", i);
    const base::Result<Applied> applied = timed_apply(patch_of(false, false), shift + text_of(false));
    ASSERT_TRUE(applied) << base::describe(applied.error());
    ASSERT_EQ(applied->placements.size(), many_hunks);
    for (const Placement& hunk : applied->placements) ASSERT_EQ(hunk.offset, 5000);
}

TEST_F(Cost, of_hunks_that_fit_nowhere_is_bounded) {
    const base::Result<Applied> applied = timed_apply(patch_of(false, true), text_of(false));
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().details.back(), "9999 more of its hunks do not fit");
}

TEST_F(Cost, of_hunks_that_fit_nowhere_in_a_text_full_of_repetitions_is_bounded) {
    const base::Result<Applied> applied = timed_apply(patch_of(true, true), text_of(true));
    ASSERT_FALSE(applied);
    EXPECT_GT(applied.error().details.size(), 1U);
}

TEST_F(Cost, of_one_line_repeated_is_bounded) {
    std::string text;
    for (std::size_t i = 0; i < 500'000; ++i) text += "}\n";
    std::string patch = "--- a/f\n+++ b/f\n";
    for (std::size_t h = 0; h < many_hunks; ++h) {
        const std::size_t length = 7 + h % 30;
        patch += fmt::format("@@ -{0},{1} +{0},{1} @@\n", h * 40 + 2, length);
        for (std::size_t i = 0; i < length; ++i)
            patch += i == 3 ? "-}\n+x\n" : i + 1 == length ? " nowhere\n" : " }\n";
    }
    const base::Result<Applied> applied = timed_apply(patch, text);
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().details.back(), "9999 more of its hunks do not fit");
}

}  // namespace
}  // namespace drydock::patch
