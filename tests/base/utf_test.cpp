#include "base/utf.hpp"

#include <gtest/gtest.h>

namespace drydock::base {
namespace {

TEST(Utf, FindsWhereACharacterBegins) {
    const std::string text = "a€😀";  // one, three and four bytes
    EXPECT_EQ(character_start(text, 0), 0U);
    EXPECT_EQ(character_start(text, 1), 1U);
    EXPECT_EQ(character_start(text, 3), 1U);
    EXPECT_EQ(character_start(text, 4), 4U);
    EXPECT_EQ(character_start(text, 7), 4U);
    EXPECT_EQ(character_start(text, text.size()), text.size());
}

TEST(Utf, JoinsHalvesOnly) {
    std::string text = "\xED\xA0\xBD";  // a high surrogate
    append_wtf8(text, "\xED\xA0\xBD");
    append_wtf8(text, "\xED\xB8\x80");
    append_wtf8(text, "\xED\xB8\x80");
    EXPECT_EQ(text, "\xED\xA0\xBD\xF0\x9F\x98\x80\xED\xB8\x80");
    EXPECT_EQ(encode_utf8(text), "\xEF\xBF\xBD\xF0\x9F\x98\x80\xEF\xBF\xBD");
    EXPECT_EQ(utf16_length(text), 4U);
}

TEST(Utf, CutsWithinAPair) {
    EXPECT_EQ(cut_utf16("a😀b", 2), "a\xED\xA0\xBD");
    EXPECT_EQ(cut_utf16("a😀b", 3), "a😀");
    EXPECT_EQ(cut_utf16("a😀b", 9), "a😀b");
    EXPECT_EQ(cut_utf16("a", 0), "");
}

TEST(Utf, RepairsTheLongestPartOfACharacter) {
    EXPECT_EQ(repair_utf8("\xE2\x82|\xF0\x9F\x98|\xED\xA0\x80|\xC0\xAF|\xFF"),
              "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|"
              "\xEF\xBF\xBD");
    EXPECT_FALSE(is_utf8("\xE2\x82"));
    EXPECT_TRUE(is_utf8("12345678\xE2\x82\xAC"));
}

}  // namespace
}  // namespace drydock::base
