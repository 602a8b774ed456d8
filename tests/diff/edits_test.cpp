// diff/edits.cpp, diff/compare.cpp, diff/slide.cpp: which lines are changed.
#include <gtest/gtest.h>

#include "diff/diff.hpp"

namespace drydock::diff {
namespace {

std::string lines(const std::string& letters) {
    std::string text;
    for (const char letter : letters) text += std::string(1, letter) + "\n";
    return text;
}

std::vector<Edit> edits(const std::string& old_letters, const std::string& new_letters) {
    return find_edits(lines(old_letters), lines(new_letters));
}

std::size_t changed(const std::vector<Edit>& edits) {
    std::size_t count = 0;
    for (const Edit& edit : edits) count += edit.old_end - edit.old_begin + edit.new_end - edit.new_begin;
    return count;
}

/// The new text, made of the edits.
std::string rebuilt(const std::vector<std::string>& olds, const std::vector<std::string>& news,
                    const std::vector<Edit>& edits) {
    std::string text;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        for (; at < edit.old_begin; ++at) text += olds[at];
        for (std::size_t i = edit.new_begin; i < edit.new_end; ++i) text += news[i];
        at = edit.old_end;
    }
    for (; at < olds.size(); ++at) text += olds[at];
    return text;
}

TEST(Edits, AreFewest) {
    EXPECT_EQ(edits("abc", "abc"), std::vector<Edit>());
    EXPECT_EQ(edits("", ""), std::vector<Edit>());
    EXPECT_EQ(edits("", "ab"), (std::vector<Edit>{{0, 0, 0, 2}}));
    EXPECT_EQ(edits("ab", ""), (std::vector<Edit>{{0, 2, 0, 0}}));
    EXPECT_EQ(edits("abc", "axc"), (std::vector<Edit>{{1, 2, 1, 2}}));
    EXPECT_EQ(changed(edits("abcabba", "cbabac")), 5U);
    EXPECT_EQ(changed(edits("abcdefgh", "efghabcd")), 8U);
}

TEST(Edits, LieAsLateAsTheyGo) {
    EXPECT_EQ(edits("aab", "aaab"), (std::vector<Edit>{{2, 2, 2, 3}}));
    EXPECT_EQ(edits("{}{}x", "{}{}{}x"), (std::vector<Edit>{{4, 4, 4, 6}}));
    EXPECT_EQ(edits("xabababy", "xababy"), (std::vector<Edit>{{5, 7, 5, 5}}));
    // One place with both is better than two.
    EXPECT_EQ(edits("pbbq", "pbcq"), (std::vector<Edit>{{2, 3, 2, 3}}));
}

TEST(Edits, CountLinesAsTheyAre) {
    EXPECT_EQ(find_edits("a\nb", "a\nb\n"), (std::vector<Edit>{{1, 2, 1, 2}}));
    EXPECT_EQ(find_edits("a\r\n", "a\n"), (std::vector<Edit>{{0, 1, 0, 1}}));
    EXPECT_EQ(find_edits("", "\n"), (std::vector<Edit>{{0, 0, 0, 1}}));
}

/// dtl's own line numbers go wrong after about 2,900 edits, and its search starts again after 2,000,000
/// points.
TEST(Edits, AreRightWhereDtlsNumbersAreWrong) {
    for (const std::size_t values : {2U, 50U, 100'000U}) {
        std::vector<std::string> olds;
        std::vector<std::string> news;
        std::uint32_t state = 1;
        const auto next = [&state] { return (state = state * 1664525U + 1013904223U) >> 8U; };
        for (std::size_t i = 0; i < 9000; ++i) {
            olds.push_back(std::to_string(next() % values) + "\n");
            news.push_back(next() % 3 == 0 ? std::to_string(next() % values) + "\n" : olds.back());
        }
        std::string old_text;
        std::string new_text;
        for (const std::string& line : olds) old_text += line;
        for (const std::string& line : news) new_text += line;
        const std::vector<Edit> found = find_edits(old_text, new_text);
        EXPECT_EQ(rebuilt(olds, news, found), new_text);
        EXPECT_LE(changed(found), 6200U);
        for (std::size_t i = 1; i < found.size(); ++i) {
            EXPECT_LT(found[i - 1].old_end, found[i].old_begin);
            EXPECT_LT(found[i - 1].new_end, found[i].new_begin);
        }
    }
}

TEST(Edits, KeepWholeBlocksThatMoved) {
    std::string front;
    std::string back;
    for (int i = 0; i < 3000; ++i) front += "front " + std::to_string(i) + "\n}\n";
    for (int i = 0; i < 2000; ++i) back += "back " + std::to_string(i) + "\n}\n";
    EXPECT_LE(changed(find_edits(front + back, back + front)), 8000U);
}

}  // namespace
}  // namespace drydock::diff
