#include "cli/text.hpp"

#include <gtest/gtest.h>

namespace drydock::cli {
namespace {

TEST(Printable, LeavesTextsInAnyScriptAlone) {
    for (const std::string_view text :
         {"", "lib/index.js", "größer", "説明.js", "naïve 🚀", "a\\b", "\xf4\x8f\xbf\xbd"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
    EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
    EXPECT_EQ(printable("line\nline\ttab\rback\b\x07"), "line\\nline\\ttab\\x0dback\\x08\\x07");
    EXPECT_EQ(printable(std::string_view("nul\0!", 5)), "nul\\x00!");
    EXPECT_EQ(printable("del\x7f"), "del\\x7f");
    EXPECT_EQ(printable("c1 \xc2\x9b"), "c1 \\u{9b}");
    EXPECT_EQ(printable("exe\xe2\x80\xaegnp"), "exe\\u{202e}gnp");
    EXPECT_EQ(printable("zero\xe2\x80\x8bwidth"), "zero\\u{200b}width");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
    EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
    EXPECT_EQ(printable("\xc3"), "\\xc3");
    EXPECT_EQ(printable("\xc3x"), "\\xc3x");
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
    EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
    EXPECT_EQ(printable("\xff"), "\\xff");
}

TEST(DisplayWidth, CountsColumns) {
    EXPECT_EQ(display_width(""), 0U);
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("größer…"), 7U);
    EXPECT_EQ(display_width("e\xcc\x81"), 1U);  // e and a combining acute
    EXPECT_EQ(display_width("説明"), 4U);
    EXPECT_EQ(display_width("🚀"), 2U);
}

TEST(Padded, FillsUpToColumns) {
    EXPECT_EQ(padded("説", 4), "説  ");
    EXPECT_EQ(padded("long", 2), "long");
}

TEST(Wrapped, BreaksBetweenWords) {
    EXPECT_EQ(wrapped("one two three four", 9, 0, 2), "one two\n  three\n  four");
    EXPECT_EQ(wrapped("one two", 7, 0, 0), "one two");
    EXPECT_EQ(wrapped("one two", 7, 1, 0), "one\ntwo");
    EXPECT_EQ(wrapped("averyverylongword b", 5, 0, 1), "averyverylongword\n b");
}

TEST(Wrapped, TakesLinesOfATextAsWordsAndShowsControlCharacters) {
    EXPECT_EQ(wrapped("  one\n  two\x1b[0m\r\n\n", 80, 0, 0), "one two\\x1b[0m");
    EXPECT_EQ(wrapped("", 80, 0, 0), "");
}

TEST(Unscoped, TakesTheScopeOff) {
    EXPECT_EQ(unscoped("@deepseek-ai/dsh-session"), "dsh-session");
    EXPECT_EQ(unscoped("dsh-session"), "dsh-session");
    EXPECT_EQ(unscoped("a/b"), "a/b");
    EXPECT_EQ(unscoped("@scope"), "@scope");
}

TEST(HunkText, TellsHowFarItIsFromItsPlace) {
    EXPECT_EQ(hunk_text(1, 7, 0), "hunk 1 at line 7");
    EXPECT_EQ(hunk_text(2, 7, 1), "hunk 2 at line 7 (1 line later)");
    EXPECT_EQ(hunk_text(2, 7, -30), "hunk 2 at line 7 (30 lines earlier)");
}

TEST(Counted, KnowsOne) {
    EXPECT_EQ(counted(0, "copy", "copies"), "0 copies");
    EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
    EXPECT_EQ(counted(2, "copy", "copies"), "2 copies");
}

}  // namespace
}  // namespace drydock::cli
