#include "patch/lines.hpp"

#include <gtest/gtest.h>

namespace drydock::patch {
namespace {

TEST(FileLines, AreReadWithTheirEndings) {
    const std::string_view text = "a\nb\r\n\r\r\nc\r";
    const FileLine first = line_at(text, 0);
    EXPECT_EQ(first.text, "a");
    EXPECT_EQ(first.ending, Ending::lf);
    const FileLine second = line_at(text, first.next);
    EXPECT_EQ(second.text, "b");
    EXPECT_EQ(second.ending, Ending::crlf);
    const FileLine third = line_at(text, second.next);
    EXPECT_EQ(third.text, "\r");
    EXPECT_EQ(third.ending, Ending::crlf);
    const FileLine last = line_at(text, third.next);
    EXPECT_EQ(last.text, "c\r");
    EXPECT_EQ(last.ending, Ending::none);
    EXPECT_EQ(last.next, text.size());
}

TEST(FileLines, AreFoundByNumberInAnyOrder) {
    std::string text;
    std::vector<std::size_t> starts;
    for (std::size_t line = 0; line < 500; ++line) {
        starts.push_back(text.size());
        text += std::string(line % 7, 'x') + "\n";
    }
    LineTable table(text);
    EXPECT_EQ(table.offset(300), starts[300]);
    EXPECT_EQ(table.offset(7), starts[7]);
    EXPECT_EQ(table.offset(500), text.size());
    EXPECT_EQ(table.offset(501), std::nullopt);
    EXPECT_EQ(table.count(), 500U);
    EXPECT_EQ(table.offsets(498, 600), std::vector<std::size_t>(starts.begin() + 498, starts.end()));
}

}  // namespace
}  // namespace drydock::patch
