#include "patch/names.hpp"

#include <gtest/gtest.h>

namespace drydock::patch {
namespace {

TEST(Names, AreQuotedWhenTheyMustBeAndReadBack) {
    EXPECT_EQ(quote_if_needed("plain näme"), "plain näme");
    for (const std::string name : {"a\tb", "quote\"d", "back\\slash", "line\nend", "\x01\x7f"}) {
        const std::string quoted = quote_if_needed(name);
        const std::optional<Unquoted> read = unquote(quoted + "\trest");
        ASSERT_TRUE(read) << quoted;
        EXPECT_EQ(read->name, name);
        EXPECT_EQ(read->length, quoted.size());
    }
    EXPECT_EQ(quote_if_needed("a\tb\x01"), "\"a\\tb\\001\"");
    EXPECT_FALSE(unquote("\"no end"));
    EXPECT_FALSE(unquote("\"\\q\""));
}

TEST(Names, BecomePathsBelowTheDirectory) {
    EXPECT_EQ(path_from_name("a/b/c", 1).value(), "b/c");
    EXPECT_EQ(path_from_name("a//b/./c", 1).value(), "b/c");
    EXPECT_EQ(path_from_name("a/../c", 1).error(), "the name 'a/../c' leaves the directory with '..'");
    EXPECT_EQ(path_from_name("c", 1).error(),
              "the name 'c' has nothing left when 1 leading component is taken off; see -p");
}

TEST(Names, InAGitDirectoryAreRefused) {
    for (const std::string name : {"a/.git/config", "a/x/.GIT/hooks/pre-commit", "a/.Git"}) {
        EXPECT_EQ(path_from_name(name, 1).error(),
                  "the name '" + name +
                      "' lies in a .git directory; what is there is git's own and is not patched");
    }
    EXPECT_EQ(path_from_name("a/.gitignore", 1).value(), ".gitignore");
    EXPECT_EQ(path_from_name(".git/f", 1).value(), "f");
}

TEST(Names, AreShownWithoutWhatActsOnATerminal) {
    EXPECT_EQ(shown("a\x1b[1m\xff"), "'a\\033[1m\\377'");
}

}  // namespace
}  // namespace drydock::patch
