#include "cli/command_line.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace drydock::cli {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

template <class Options>
Options parsed(const Words& words) {
    const tl::expected<CommandLine, CommandLineError> line = parse_command_line(words);
    if (!line) {
        ADD_FAILURE() << line.error().error.message;
        return {};
    }
    const auto* options = std::get_if<Options>(&line->request);
    if (options == nullptr) {
        ADD_FAILURE() << "another request";
        return {};
    }
    return *options;
}

OutputOptions output(const Words& words) {
    const tl::expected<CommandLine, CommandLineError> line = parse_command_line(words);
    if (!line) {
        ADD_FAILURE() << line.error().error.message;
        return {};
    }
    return line->output;
}

CommandLineError refusal(const Words& words) {
    tl::expected<CommandLine, CommandLineError> line = parse_command_line(words);
    if (line) {
        ADD_FAILURE() << "not refused";
        return {};
    }
    EXPECT_EQ(line.error().error.kind, base::ErrorKind::usage);
    return line.error();
}

std::string refused_line(const Words& words) {
    return refusal(words).error.message;
}

/// What all three commands on a set understand.
template <class Options>
void expect_selection(const std::string& command) {
    const Selection none = parsed<Options>({command}).selection;
    EXPECT_EQ(none.manifest, std::nullopt);
    EXPECT_EQ(none.version, std::nullopt);
    EXPECT_EQ(none.stage, "");
    EXPECT_EQ(none.packages, Words());
    EXPECT_EQ(none.roots, Roots());
    EXPECT_FALSE(none.strict);
    EXPECT_EQ(none.wait, std::nullopt);
    const Selection all =
        parsed<Options>({command, "--manifest", "sets", "--dsh-version=1.0.0", "--stage", "boot", "--package",
                         "a", "-pb", "--root", "stage=/a=b", "--root=home=", "-r", "stage=/c"})
            .selection;
    EXPECT_EQ(all.manifest, "sets");
    EXPECT_EQ(all.version, "1.0.0");
    EXPECT_EQ(all.stage, "boot");
    EXPECT_EQ(all.packages, (Words{"a", "b"}));
    EXPECT_EQ(all.roots, (Roots{{"stage", {"/a=b", "/c"}}, {"home", {""}}}));
}

TEST(CommandLine, ReadsASelection) {
    expect_selection<ApplyOptions>("apply");
    expect_selection<StatusOptions>("status");
    expect_selection<RevertOptions>("revert");
    expect_selection<SbomOptions>("sbom");
}

TEST(CommandLine, ReadsEachCommandsOwnOptions) {
    EXPECT_FALSE(parsed<ApplyOptions>({"apply"}).dry_run);
    EXPECT_TRUE(parsed<ApplyOptions>({"apply", "--dry-run"}).dry_run);
    EXPECT_TRUE(parsed<ApplyOptions>({"apply", "--strict"}).selection.strict);
    EXPECT_FALSE(parsed<StatusOptions>({"status"}).check);
    EXPECT_TRUE(parsed<StatusOptions>({"status", "--check"}).check);
    EXPECT_FALSE(parsed<RevertOptions>({"revert"}).all);
    EXPECT_TRUE(parsed<RevertOptions>({"revert", "--all"}).all);
    EXPECT_TRUE(parsed<RevertOptions>({"revert", "-n"}).dry_run);
    EXPECT_TRUE(parsed<RevertOptions>({"revert", "--strict"}).selection.strict);
    EXPECT_EQ(refused_line({"revert", "--all", "--package", "a"}), "--all and --package exclude each other");
    EXPECT_EQ(refused_line({"status", "--strict"}), "unknown option '--strict'");
}

TEST(CommandLine, ReadsSeconds) {
    const auto wait = [](const std::string& text) {
        return parsed<ApplyOptions>({"apply", "--wait", text}).selection.wait;
    };
    EXPECT_EQ(wait("0"), 0ms);
    EXPECT_EQ(wait("2"), 2s);
    EXPECT_EQ(wait("0.5"), 500ms);
    EXPECT_EQ(wait("1.0019"), 1001ms);
    EXPECT_EQ(wait("0.05"), 50ms);
    EXPECT_EQ(wait("86400"), 86'400s);
    for (const std::string text :
         {"", ".", "1.", ".5", "1e3", "1s", "+1", "1.5.1", "0x1", "86400.9", "86401", "99999999999", " 1"}) {
        EXPECT_EQ(refused_line({"apply", "--wait=" + text}),
                  "--wait wants seconds from 0 to 86400, as 2 or 0.5, found '" + text + "'");
    }
}

TEST(CommandLine, ReadsHowToPrint) {
    EXPECT_FALSE(output({"status"}).json);
    EXPECT_TRUE(output({"status", "--json"}).json);
    EXPECT_TRUE(output({"apply", "-q"}).quiet);
    EXPECT_TRUE(output({"revert", "-v"}).verbose);
    EXPECT_EQ(output({"status"}).color, ColorChoice::automatic);
    EXPECT_EQ(output({"status", "--color", "auto"}).color, ColorChoice::automatic);
    EXPECT_EQ(output({"status", "--color=always"}).color, ColorChoice::always);
    EXPECT_EQ(output({"status", "--color=never"}).color, ColorChoice::never);
    EXPECT_EQ(refused_line({"status", "--color=alwasy"}),
              "--color is auto or always or never, found 'alwasy' (did you mean 'always'?)");
}

TEST(CommandLine, RefusesUnknownStagesAndRoots) {
    EXPECT_EQ(refused_line({"apply", "--stage", "bot"}),
              "--stage is image or boot, found 'bot' (did you mean 'boot'?)");
    EXPECT_EQ(refused_line({"apply", "--stage="}), "--stage is image or boot, found ''");
    EXPECT_EQ(refused_line({"apply", "--root", "/srv"}), "--root wants NAME=DIR, found '/srv'");
    EXPECT_EQ(refused_line({"apply", "--root", "=/srv"}), "--root wants NAME=DIR, found '=/srv'");
}

TEST(CommandLine, FindsHelp) {
    EXPECT_EQ(parsed<HelpRequest>({"help"}).command, nullptr);
    EXPECT_EQ(parsed<HelpRequest>({"--help"}).command, nullptr);
    EXPECT_EQ(parsed<HelpRequest>({"-h"}).command, nullptr);
    for (const Words& words :
         {Words{"help", "apply"}, Words{"apply", "--help"}, Words{"apply", "-n", "-h"}}) {
        const CommandHelp* command = parsed<HelpRequest>(words).command;
        ASSERT_NE(command, nullptr);
        EXPECT_EQ(command->name, "apply");
    }
    parsed<VersionRequest>({"--version"});
    parsed<VersionRequest>({"-V"});
}

TEST(CommandLine, KnowsWhatWasMeant) {
    EXPECT_EQ(refused_line({}), "no command is given");
    EXPECT_EQ(refused_line({"aply"}), "unknown command 'aply' (did you mean 'apply'?)");
    EXPECT_EQ(refused_line({"hepl"}), "unknown command 'hepl' (did you mean 'help'?)");
    EXPECT_EQ(refused_line({"help", "sttaus"}), "unknown command 'sttaus' (did you mean 'status'?)");
    EXPECT_EQ(refused_line({"install"}), "unknown command 'install'");
    EXPECT_EQ(refused_line({"stream"}),
              "unknown command 'stream'; 'drydock help' lists what follows 'stream'");
    EXPECT_EQ(refused_line({"stream", "--from"}),
              "unknown command 'stream'; 'drydock help' lists what follows 'stream'");
    EXPECT_EQ(refused_line({"stream", "mpa"}), "unknown command 'stream mpa' (did you mean 'stream map'?)");
    EXPECT_EQ(refused_line({"help", "stram", "map"}), "unknown command 'stram' (did you mean 'stream map'?)");
    EXPECT_EQ(
        refused_line({"--versoin"}),
        "unknown option '--versoin' (did you mean '--version'?); a command comes first, then its options");
}

TEST(CommandLine, SaysWhereHelpIsAndHowItIsToBeTold) {
    const CommandLineError of_command = refusal({"status", "--chekc", "--json"});
    EXPECT_EQ(of_command.command, "status");
    EXPECT_TRUE(of_command.json);
    EXPECT_EQ(of_command.error.details, Words{"see 'drydock help status'"});
    const CommandLineError of_tool = refusal({"statsu", "--", "--json"});
    EXPECT_EQ(of_tool.command, "");
    EXPECT_FALSE(of_tool.json);
    EXPECT_EQ(of_tool.error.details, Words{"see 'drydock help'"});
}

TEST(CommandLine, ReadsACaseThatIsThere) {
    const auto only = parsed<VerifyOptions>({"verify", "--case", "Session.append:9007199254740991"}).only;
    ASSERT_TRUE(only);
    EXPECT_EQ(only->function, "Session.append");
    EXPECT_EQ(only->number, 9'007'199'254'740'991U);
    const auto refused = [](const std::string& name) {
        return refusal({"verify", "--case", name}).error.message;
    };
    for (const std::string number :
         {"9007199254740992", "18446744073709551614", "18446744073709551615", "18446744073709551616"}) {
        EXPECT_EQ(refused("mapAcpUpdate:" + number),
                  "no case " + number + " of mapAcpUpdate; the last is 9007199254740991");
    }
    const std::string names =
        "there are Session.append, boundSubagentStreamItem, createSubagentStreamSink, "
        "createSubagentStreamCoalescer, mapClaudeMessage, mapAcpUpdate";
    EXPECT_EQ(refused("foo:1"), "no function 'foo'; " + names);
    EXPECT_EQ(refused("mapAcpUpdat:1"), "no function 'mapAcpUpdat' (did you mean 'mapAcpUpdate'?); " + names);
    for (const std::string name :
         {"mapAcpUpdate", "mapAcpUpdate:", ":1", "mapAcpUpdate:-1", "mapAcpUpdate:1x"})
        EXPECT_EQ(refused(name), "--case wants FUNCTION:NUMBER, found '" + name + "'");
}

/// As a variable that is not set makes one: of every command, in the same words.
TEST(CommandLine, RefusesPathsThatAreEmpty) {
    const std::vector<std::pair<Words, std::string>> cases = {
        {{"apply", "--manifest", ""}, "--manifest is empty; expected PATH"},
        {{"status", "-m", ""}, "--manifest is empty; expected PATH"},
        {{"revert", "--root=image="}, "the path of --root image= is empty; expected NAME=DIR"},
        {{"sbom", "-rimage="}, "the path of --root image= is empty; expected NAME=DIR"},
        {{"verify", "--loader="}, "--loader is empty; expected DIR"},
        {{"verify", "--stage=boot", "--node="}, "--node is empty; expected PROGRAM"},
        {{"regenerate", "--harness", ""}, "--harness is empty; expected REPO"},
        {{"regenerate", "--cache", ""}, "--cache is empty; expected DIR"},
        {{"regenerate", "--log", ""}, "--log is empty; expected FILE"},
        {{"bump", "--scratch="}, "--scratch is empty; expected DIR"},
        {{"bump", "--published="}, "--published is empty; expected WHERE"},
        {{"bump", "--report="}, "--report is empty; expected DIR"},
        {{"bump", "--resolved="}, "--resolved is empty; expected DIR"},
        {{"bump", "--output="}, "--output is empty; expected DIR"},
        {{"patch", "-d", "", "x"}, "--directory is empty; expected DIR"},
        {{"patch", "x", ""}, "argument 2 of 2 is empty; expected FILE…"},
        {{"diff", "", "x"}, "argument 1 of 2 is empty; expected A B"},
        {{"diff", "x", "--", ""}, "argument 2 of 2 is empty; expected A B"},
        {{"log", "check", ""}, "the argument is empty; expected FILE|DIR|-..."},
        {{"log", "mend", "x", "-o", ""}, "--output is empty; expected COPY"},
        {{"log", "show", ""}, "the argument is empty; expected FILE|-"},
        {{"log", "tree", ""}, "the argument is empty; expected DIR"},
        {{"stream", "map", "--from=acp", ""}, "the argument is empty; expected [FILE|-]"},
    };
    for (const auto& [words, message] : cases) EXPECT_EQ(refused_line(words), message);
}

/// There it is told when what is unsafe has been taken back.
TEST(CommandLine, LeavesPathsOfTheSetAloneAtABoot) {
    const Selection selection =
        parsed<ApplyOptions>({"apply", "--stage", "boot", "--manifest=", "--root", "image="}).selection;
    EXPECT_EQ(selection.manifest, "");
    EXPECT_EQ(selection.roots, (Roots{{"image", {""}}}));
}

TEST(CommandLine, RefusesNumbersOutOfRange) {
    struct Option {
        Words before;
        std::string name;
        std::string range;
        Words beyond;
    };
    const std::vector<Option> options = {
        {{"patch", "x"}, "--strip", "0 to 4294967295", {"-1", "4294967296"}},
        {{"patch", "x"}, "--fuzz", "0 to 4294967295", {"-1", "4294967296"}},
        {{"diff", "a", "b"}, "--context", "1 to 4294967295", {"-1", "4294967296"}},
        {{"verify"}, "--cases", "1 to 9007199254740991", {"-1", "0", "9007199254740992"}},
        {{"verify"}, "--seed", "0 to 18446744073709551615", {"-1", "18446744073709551616"}},
        {{"stream", "map", "-facp"}, "--seq", "0 to 9007199254740991", {"-1", "9007199254740992"}},
        {{"stream", "map", "-facp"},
         "--time",
         "-9007199254740991 to 9007199254740991",
         {"-9007199254740992", "9007199254740992"}},
    };
    for (const Option& option : options) {
        Words wrong = {"", " ", "x", "1x", "1.5", "+1", "0x1", "99999999999999999999999999"};
        wrong.insert(wrong.end(), option.beyond.begin(), option.beyond.end());
        for (const std::string& typed : wrong) {
            Words words = option.before;
            words.push_back(option.name + "=" + typed);
            EXPECT_EQ(refused_line(words),
                      option.name + " wants a number from " + option.range + ", found '" + typed + "'");
        }
    }
}

TEST(CommandLine, ReadsStreamMap) {
    const auto least = parsed<StreamMapOptions>({"stream", "map", "--from", "acp"});
    EXPECT_EQ(least.source, stream::Source::acp);
    EXPECT_EQ(least.child_id, "child");
    EXPECT_EQ(least.provider, "acp");
    EXPECT_EQ(least.seq, 0U);
    EXPECT_EQ(least.time, std::nullopt);
    EXPECT_EQ(least.file, "-");
    const auto all =
        parsed<StreamMapOptions>({"stream", "map", "-f", "claude-code", "--child-id=", "--provider", "p",
                                  "--seq", "9007199254740991", "--time=-5", "file"});
    EXPECT_EQ(all.source, stream::Source::claude_code);
    EXPECT_EQ(all.child_id, "");
    EXPECT_EQ(all.provider, "p");
    EXPECT_EQ(all.seq, 9007199254740991U);
    EXPECT_EQ(all.time, -5);
    EXPECT_EQ(all.file, "file");
    EXPECT_EQ(refusal({"stream", "map", "--nope"}).command, "stream map");
    EXPECT_EQ(refused_line({"stream", "map"}), "--from is not given; expected claude-code or acp");
    EXPECT_EQ(refused_line({"stream", "map", "--from", "acpp"}),
              "--from is claude-code or acp, found 'acpp' (did you mean 'acp'?)");
    EXPECT_EQ(refused_line({"stream", "map", "--from", "acp", "--seq", "9007199254740992"}),
              "--seq wants a number from 0 to 9007199254740991, found '9007199254740992'");
    EXPECT_EQ(refused_line({"stream", "map", "--from", "acp", "--time", "1.5"}),
              "--time wants a number from -9007199254740991 to 9007199254740991, found '1.5'");
    EXPECT_EQ(refused_line({"stream", "map", "--from", "acp", "a", "b"}),
              "2 files are given; expected one, or - for standard input");
}

}  // namespace
}  // namespace drydock::cli
