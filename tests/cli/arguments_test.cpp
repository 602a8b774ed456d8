#include "cli/arguments.hpp"

#include <array>

#include <gtest/gtest.h>

namespace drydock::cli {
namespace {

constexpr std::array options = {
    OptionHelp{"-m", "--manifest", "PATH", ""},
    OptionHelp{"-n", "--dry-run", "", ""},
    OptionHelp{"-q", "--quiet", "", ""},
    OptionHelp{"", "--wait", "SECONDS", ""},
};
constexpr CommandHelp without_operands = {"tidy", "", "", {}, options, {}, {}, {}};
constexpr CommandHelp with_operands = {"tidy", "", "FILE…", {}, options, {}, {}, {}};

using Words = std::vector<std::string>;

Arguments parsed(const Words& words) {
    const base::Result<Arguments> arguments = Arguments::parse(with_operands, words);
    if (!arguments) {
        ADD_FAILURE() << arguments.error().message;
        return {};
    }
    return *arguments;
}

std::string refused(const Words& words, const CommandHelp& command = without_operands) {
    const base::Result<Arguments> arguments = Arguments::parse(command, words);
    if (arguments) return "not refused";
    EXPECT_EQ(arguments.error().kind, base::ErrorKind::usage);
    return arguments.error().message;
}

TEST(Arguments, TakesAValueInEveryForm) {
    for (const Words& words : {Words{"--manifest", "a b"}, Words{"--manifest=a b"}, Words{"-m", "a b"},
                               Words{"-ma b"}, Words{"-qma b"}, Words{"-qm", "a b"}}) {
        EXPECT_EQ(parsed(words).last("--manifest"), "a b") << words.front();
        EXPECT_EQ(parsed(words).all("--manifest"), Words{"a b"}) << words.front();
    }
}

TEST(Arguments, AnEmptyValueIsAValue) {
    EXPECT_EQ(parsed({"--manifest=", "--wait", "1"}).last("--manifest"), "");
    EXPECT_EQ(parsed({"--manifest=", "--wait", "1"}).last("--wait"), "1");
    EXPECT_EQ(parsed({"--manifest", ""}).last("--manifest"), "");
}

TEST(Arguments, KeepsTheOrderAndTheLastCounts) {
    const Arguments arguments = parsed({"-m", "a", "-n", "--manifest=b"});
    EXPECT_EQ(arguments.all("--manifest"), (Words{"a", "b"}));
    EXPECT_EQ(arguments.last("--manifest"), "b");
    EXPECT_TRUE(arguments.has("--dry-run"));
    EXPECT_FALSE(arguments.has("--quiet"));
    EXPECT_EQ(arguments.last("--wait"), std::nullopt);
}

TEST(Arguments, FlagsGoTogether) {
    const Arguments arguments = parsed({"-nq"});
    EXPECT_TRUE(arguments.has("--dry-run"));
    EXPECT_TRUE(arguments.has("--quiet"));
}

TEST(Arguments, TellsOperandsFromOptions) {
    const Arguments arguments = parsed({"a", "-n", "-", "[b,c]", "", "--", "-q", "--", "--manifest"});
    EXPECT_EQ(arguments.operands(), (Words{"a", "-", "[b,c]", "", "-q", "--", "--manifest"}));
    EXPECT_FALSE(arguments.has("--quiet"));
}

TEST(Arguments, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(refused({"--dry-rnu"}), "unknown option '--dry-rnu' (did you mean '--dry-run'?)");
    EXPECT_EQ(refused({"--manifset=x"}), "unknown option '--manifset' (did you mean '--manifest'?)");
    EXPECT_EQ(refused({"--zzz"}), "unknown option '--zzz'");
    EXPECT_EQ(refused({"--=x"}), "unknown option '--'");
    EXPECT_EQ(refused({"---"}), "unknown option '---'");
    EXPECT_EQ(refused({"-z"}), "unknown option '-z'");
    EXPECT_EQ(refused({"-quiet"}), "unknown option '-u' (did you mean '--quiet'?)");
    EXPECT_EQ(refused({"stray"}), "unexpected argument 'stray'");
    EXPECT_EQ(refused({"--", "-n"}), "unexpected argument '-n'");
}

TEST(Arguments, RefusesValuesThatAreMissingOrTooMany) {
    EXPECT_EQ(refused({"--wait"}), "option '--wait' needs a value (SECONDS)");
    EXPECT_EQ(refused({"-qm"}), "option '--manifest' needs a value (PATH)");
    EXPECT_EQ(
        refused({"--manifest", "--wait", "1"}),
        "option '--manifest' needs a value (PATH), found '--wait'; if that is meant: '--manifest=--wait'");
    EXPECT_EQ(refused({"--quiet=no"}), "option '--quiet' takes no value, found 'no'");
}

TEST(Arguments, ADashIsAValue) {
    EXPECT_EQ(parsed({"-m", "-"}).last("--manifest"), "-");
}

}  // namespace
}  // namespace drydock::cli
