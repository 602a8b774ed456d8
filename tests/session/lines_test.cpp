#include "session/lines.hpp"

#include <gtest/gtest.h>

namespace drydock::session {
namespace {

TEST(LinesAhead, FindsTheLinesBetweenTwoNewlinesInTheirOrder) {
    const std::string text = "end of one\n{\"seq\":1}\nno json\n[\"a\\u0062\"]\nbeginning of one";
    LinesAhead ahead;
    ahead.read(text);
    const auto find = [&](std::string_view line) {
        return ahead.find(std::string_view(text).substr(text.find(line), line.size()));
    };
    EXPECT_EQ(find("end of one"), nullptr);
    const ParsedLine* first = find("{\"seq\":1}");
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(first->readable);
    EXPECT_EQ(first->row.seq.number(), 1);
    const ParsedLine* second = find("no json");
    ASSERT_NE(second, nullptr);
    EXPECT_FALSE(second->readable);
    EXPECT_TRUE(second->value.is_undefined());
    const ParsedLine* third = find("[\"a");
    ASSERT_NE(third, nullptr);
    EXPECT_EQ(third->value.text(), "[\"ab\"]");
    EXPECT_EQ(find("no json"), nullptr) << "it is before the one asked for last";
    EXPECT_EQ(find("beginning of one"), nullptr);
}

TEST(LinesAhead, KnowsNoLineOfTheSameBytesElsewhere) {
    const std::string text = "\nnull\n";
    const std::string_view line = std::string_view(text).substr(1, 4);
    LinesAhead ahead;
    ahead.read(text);
    EXPECT_EQ(ahead.find(std::string(line)), nullptr);
    EXPECT_NE(ahead.find(line), nullptr);
    ahead.clear();
    EXPECT_EQ(ahead.find(line), nullptr);
}

TEST(LinesAhead, ReadsNoMoreOfVeryShortLinesThanThereAreEventsInABatch) {
    const std::string text(1U << 17U, '\n');
    LinesAhead ahead;
    ahead.read(text);
    EXPECT_EQ(ahead.find(std::string_view(text).substr(1U << 13U, 0)), nullptr);
    EXPECT_NE(ahead.find(std::string_view(text).substr(1U << 11U, 0)), nullptr);
}

TEST(LinesAhead, ReadsALineThatIsNoUtf8AsTheLoaderDoes) {
    const std::string text = "\n\"a\xff\"\n";
    LinesAhead ahead;
    ahead.read(text);
    const ParsedLine* line = ahead.find(std::string_view(text).substr(1, 4));
    ASSERT_NE(line, nullptr);
    EXPECT_EQ(line->value.string(), "a\uFFFD");
}

}  // namespace
}  // namespace drydock::session
