#include "cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.hpp"
#include "cli/arguments.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using base::ErrorKind;
using base::Result;

/// An integer from `lowest` to `highest`.
template <class Integer>
Result<Integer> number(std::string_view option, std::string_view text, Integer lowest, Integer highest) {
    Integer value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= lowest && value <= highest) return value;
    return base::fail(ErrorKind::usage, fmt::format("{} wants a number from {} to {}, found '{}'", option,
                                                    lowest, highest, text));
}

/// The same of an option, where it is given.
template <class Integer>
Result<std::optional<Integer>> number(const Arguments& arguments, std::string_view option, Integer lowest,
                                      Integer highest) {
    const std::optional<std::string> typed = arguments.last(option);
    if (!typed) return std::nullopt;
    const Result<Integer> value = number(option, *typed, lowest, highest);
    if (!value) return base::fail(value.error());
    return *value;
}

/// Decimal seconds, at most a day, cut to whole milliseconds.
Result<std::chrono::milliseconds> seconds(std::string_view option, std::string_view text) {
    static constexpr unsigned longest = 86'400;
    static constexpr std::string_view digits = "0123456789";
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string_view whole = text.substr(0, point);
    std::string thousandths(text.substr(std::min(point + 1, text.size())));
    const bool decimal = whole.find_first_not_of(digits) == std::string_view::npos &&
                         thousandths.find_first_not_of(digits) == std::string::npos;
    const bool complete = !whole.empty() && (point == text.size() || !thousandths.empty());
    thousandths.resize(3, '0');
    const Result<unsigned> value =
        decimal && complete ? number(option, whole, 0U, longest) : base::fail(base::Error());
    if (value) {
        const auto time =
            std::chrono::seconds(*value) + std::chrono::milliseconds(*number(option, thousandths, 0U, 999U));
        if (time <= std::chrono::seconds(longest)) return time;
    }
    return base::fail(ErrorKind::usage, fmt::format("{} wants seconds from 0 to {}, as 2 or 0.5, found '{}'",
                                                    option, longest, text));
}

/// The one of several words that was typed.
Result<std::string> one_of(std::string_view option, const std::string& typed,
                           const std::vector<std::string>& words) {
    if (std::find(words.begin(), words.end(), typed) != words.end()) return typed;
    return base::fail(ErrorKind::usage,
                      fmt::format("{} is {}, found '{}'{}", option, fmt::join(words, " or "), typed,
                                  base::did_you_mean(typed, words)));
}

Result<Roots> roots_of(const std::vector<std::string>& typed) {
    Roots roots;
    for (const std::string& word : typed) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0) {
            return base::fail(ErrorKind::usage, fmt::format("--root wants NAME=DIR, found '{}'", word));
        }
        const std::string name = word.substr(0, equals);
        const auto known = std::find_if(roots.begin(), roots.end(),
                                        [&name](const auto& root) { return root.first == name; });
        std::vector<std::string>& directories =
            known == roots.end() ? roots.emplace_back(name, std::vector<std::string>()).second
                                 : known->second;
        directories.push_back(word.substr(equals + 1));
    }
    return roots;
}

Result<OutputOptions> output_of(const Arguments& arguments) {
    OutputOptions output;
    output.json = arguments.has("--json");
    output.quiet = arguments.has("--quiet");
    output.verbose = arguments.has("--verbose");
    const Result<std::string> color =
        one_of("--color", arguments.last("--color").value_or("auto"), {"auto", "always", "never"});
    if (!color) return base::fail(color.error());
    if (*color == "always") output.color = ColorChoice::always;
    if (*color == "never") output.color = ColorChoice::never;
    return output;
}

Result<Selection> selection_of(const Arguments& arguments) {
    Selection selection;
    selection.manifest = arguments.last("--manifest");
    selection.version = arguments.last("--dsh-version");
    selection.packages = arguments.all("--package");
    selection.strict = arguments.has("--strict");
    if (const std::optional<std::string> typed = arguments.last("--stage")) {
        Result<std::string> stage = one_of(
            "--stage", *typed, {std::string(manifest::stage_image), std::string(manifest::stage_boot)});
        if (!stage) return base::fail(stage.error());
        selection.stage = *std::move(stage);
    }
    if (const std::optional<std::string> typed = arguments.last("--wait")) {
        const Result<std::chrono::milliseconds> wait = seconds("--wait", *typed);
        if (!wait) return base::fail(wait.error());
        selection.wait = *wait;
    }
    Result<Roots> roots = roots_of(arguments.all("--root"));
    if (!roots) return base::fail(roots.error());
    selection.roots = *std::move(roots);
    return selection;
}

Result<Request> apply_request(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    return ApplyOptions{*std::move(selection), arguments.has("--dry-run")};
}

Result<Request> status_request(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    return StatusOptions{*std::move(selection), arguments.has("--check")};
}

Result<Request> sbom_request(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    return SbomOptions{*std::move(selection)};
}

Result<Request> revert_request(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    const bool all = arguments.has("--all");
    if (all && !selection->packages.empty()) {
        return base::fail(ErrorKind::usage, "--all and --package exclude each other");
    }
    return RevertOptions{*std::move(selection), all, arguments.has("--dry-run")};
}

/// What is counted in lines or folders.
constexpr unsigned largest_count = std::numeric_limits<unsigned>::max();

Result<Request> patch_request(const Arguments& arguments) {
    PatchOptions options;
    const Result<std::optional<unsigned>> strip = number(arguments, "--strip", 0U, largest_count);
    if (!strip) return base::fail(strip.error());
    options.strip = strip->value_or(options.strip);
    const Result<std::optional<unsigned>> fuzz = number(arguments, "--fuzz", 0U, largest_count);
    if (!fuzz) return base::fail(fuzz.error());
    options.fuzz = fuzz->value_or(options.fuzz);
    if (const std::optional<std::string> typed = arguments.last("--wait")) {
        const Result<std::chrono::milliseconds> wait = seconds("--wait", *typed);
        if (!wait) return base::fail(wait.error());
        options.wait = *wait;
    }
    if (const std::optional<std::string> directory = arguments.last("--directory"))
        options.directory = *directory;
    options.reverse = arguments.has("--reverse");
    options.dry_run = arguments.has("--dry-run");
    options.patches = arguments.operands();
    if (options.patches.empty()) {
        return base::fail(ErrorKind::usage, "no patch is given; expected FILE…, or - for standard input");
    }
    return options;
}

Result<Request> diff_request(const Arguments& arguments) {
    DiffOptions options;
    Result<std::optional<unsigned>> context = number(arguments, "--context", 1U, largest_count);
    if (!context) {
        if (arguments.last("--context") == "0")
            context.error().message += ": no tool can tell for sure where a hunk without context belongs";
        return base::fail(context.error());
    }
    options.context = context->value_or(options.context);
    const std::vector<std::string>& operands = arguments.operands();
    if (operands.size() != 2) {
        return base::fail(ErrorKind::usage, fmt::format("{} given; expected two, A and B",
                                                        counted(operands.size(), "path is", "paths are")));
    }
    options.old_path = operands[0];
    options.new_path = operands[1];
    return options;
}

Result<RebuildSelection> rebuild_selection_of(const Arguments& arguments) {
    RebuildSelection selection;
    selection.manifest = arguments.last("--manifest");
    selection.harness = arguments.last("--harness");
    selection.published = arguments.last("--published").value_or("registry");
    selection.cache = arguments.last("--cache");
    selection.no_cache = arguments.has("--no-cache");
    selection.scratch = arguments.last("--scratch");
    selection.log = arguments.last("--log");
    selection.keep = arguments.has("--keep");
    selection.check = arguments.has("--check");
    if (const std::optional<std::string> typed = arguments.last("--time-limit")) {
        const Result<std::chrono::milliseconds> limit = seconds("--time-limit", *typed);
        if (!limit) return base::fail(limit.error());
        selection.time_limit = *limit;
    }
    return selection;
}

Result<Request> regenerate_request(const Arguments& arguments) {
    Result<RebuildSelection> selection = rebuild_selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    return RegenerateOptions{*std::move(selection), arguments.last("--dsh-version")};
}

Result<Request> bump_request(const Arguments& arguments) {
    Result<RebuildSelection> selection = rebuild_selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    BumpOptions options;
    for (const auto& [option, value] : {std::pair{"--from", &options.from}, std::pair{"--to", &options.to},
                                        std::pair{"--tag", &options.tag}}) {
        *value = arguments.last(option).value_or("");
        if (value->empty()) {
            return base::fail(ErrorKind::usage,
                              fmt::format("{} is not given; bump wants --from, --to and --tag", option));
        }
    }
    options.selection = *std::move(selection);
    options.output = arguments.last("--output");
    options.resolved = arguments.last("--resolved");
    options.report = arguments.last("--report");
    options.force = arguments.has("--force");
    return options;
}

Result<conform::CaseName> case_name(const std::string& typed) {
    const std::size_t colon = std::min(typed.find(':'), typed.size());
    std::uint64_t number = 0;
    const char* const begin = typed.data() + std::min(colon + 1, typed.size());
    const char* const end = typed.data() + typed.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    const bool too_large = error == std::errc::result_out_of_range || number > conform::last_case;
    if (error == std::errc::invalid_argument || stop != end || colon == 0)
        return base::fail(ErrorKind::usage, fmt::format("--case wants FUNCTION:NUMBER, found '{}'", typed));
    const std::string function = typed.substr(0, colon);
#ifdef DRYDOCK_IMAGE_ONLY
    const std::vector<std::string> names{function};  // the full tool runs it, and knows
#else
    const std::vector<std::string> names = conform::function_names();
#endif
    if (std::find(names.begin(), names.end(), function) == names.end()) {
        return base::fail(ErrorKind::usage,
                          fmt::format("no function '{}'{}; there are {}", function,
                                      base::did_you_mean(function, names), fmt::join(names, ", ")));
    }
    if (too_large) {
        return base::fail(ErrorKind::usage,
                          fmt::format("no case {} of {}; the last is {}", typed.substr(colon + 1), function,
                                      conform::last_case));
    }
    return conform::CaseName{function, number};
}

Result<Request> verify_request(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (!selection) return base::fail(selection.error());
    VerifyOptions options;
    options.selection = *std::move(selection);
    options.node = arguments.last("--node").value_or("node");
    options.loader = arguments.last("--loader").value_or("");
    const Result<std::optional<std::uint64_t>> cases =
        number<std::uint64_t>(arguments, "--cases", 1, conform::last_case);
    if (!cases) return base::fail(cases.error());
    options.cases = cases->value_or(options.cases);
    const Result<std::optional<std::uint64_t>> seed =
        number(arguments, "--seed", std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
    if (!seed) return base::fail(seed.error());
    options.seed = seed->value_or(options.seed);
    if (const std::optional<std::string> typed = arguments.last("--case")) {
        const Result<conform::CaseName> only = case_name(*typed);
        if (!only) return base::fail(only.error());
        options.only = *only;
    }
    return options;
}

Result<Request> stream_map_request(const Arguments& arguments) {
    static constexpr std::int64_t largest = 9'007'199'254'740'991;  // that JavaScript counts to
    const std::optional<std::string> typed = arguments.last("--from");
    if (!typed) {
        return base::fail(ErrorKind::usage, "--from is not given; expected claude-code or acp");
    }
    const Result<std::string> from = one_of("--from", *typed, {"claude-code", "acp"});
    if (!from) return base::fail(from.error());
    const Result<std::optional<std::int64_t>> seq = number<std::int64_t>(arguments, "--seq", 0, largest);
    if (!seq) return base::fail(seq.error());
    const Result<std::optional<std::int64_t>> time =
        number<std::int64_t>(arguments, "--time", -largest, largest);
    if (!time) return base::fail(time.error());
    const std::vector<std::string>& operands = arguments.operands();
    if (operands.size() > 1) {
        return base::fail(
            ErrorKind::usage,
            fmt::format("{} files are given; expected one, or - for standard input", operands.size()));
    }
    StreamMapOptions options;
    options.source = *from == "acp" ? stream::Source::acp : stream::Source::claude_code;
    options.child_id = arguments.last("--child-id").value_or("child");
    options.provider = arguments.last("--provider").value_or(*from);
    options.seq = static_cast<std::uint64_t>(seq->value_or(0));
    options.time = *time;
    options.file = operands.empty() ? "-" : operands.front();
    return options;
}

/// A stock harness of which version is asked.
Result<Selection> harness_of(const Arguments& arguments) {
    Result<Selection> selection = selection_of(arguments);
    if (selection && arguments.has("--as-version")) selection->version = arguments.last("--as-version");
    return selection;
}

Result<Request> log_check_request(const Arguments& arguments) {
    Result<Selection> selection = harness_of(arguments);
    if (!selection) return base::fail(selection.error());
    if (arguments.operands().empty())
        return base::fail(ErrorKind::usage,
                          "no log is given; expected files, directories, or - for standard input");
    if (std::count(arguments.operands().begin(), arguments.operands().end(), "-") > 1)
        return base::fail(ErrorKind::usage, "- is given twice: standard input is read to its end once");
    if (arguments.has("--json") && arguments.has("--ndjson"))
        return base::fail(ErrorKind::usage, "--json and --ndjson exclude each other");
    return LogCheckOptions{*std::move(selection), arguments.operands(), arguments.has("--ndjson")};
}

Result<Request> log_mend_request(const Arguments& arguments) {
    Result<Selection> selection = harness_of(arguments);
    if (!selection) return base::fail(selection.error());
    const std::optional<std::string> copy = arguments.last("--output");
    if (arguments.operands().size() != 1 || !copy)
        return base::fail(ErrorKind::usage,
                          "expected one log, and with -o a file for its copy that is not there yet");
    if (*copy == "-")
        return base::fail(ErrorKind::usage,
                          "-o wants a file: the copy is read again before it is said to open");
    return LogMendOptions{*std::move(selection), arguments.operands().front(), *copy};
}

Result<Request> log_show_request(const Arguments& arguments) {
    Result<Selection> selection = harness_of(arguments);
    if (!selection) return base::fail(selection.error());
    if (arguments.operands().size() != 1)
        return base::fail(ErrorKind::usage, "expected one log, or - for standard input");
    LogShowOptions options;
    options.selection = *std::move(selection);
    options.path = arguments.operands().front();
    options.follow = arguments.has("--follow");
    options.full = arguments.has("--full");
    options.raw = arguments.has("--raw");
    options.filter.all = arguments.has("--verbose");
    options.filter.child = arguments.last("--child").value_or("");
#ifndef DRYDOCK_IMAGE_ONLY
    for (const std::string& kind : arguments.all("--kind")) {
        if (const Result<void> added = add_kind(options.filter, kind); !added)
            return base::fail(added.error());
    }
#endif
    if (options.follow && options.path == "-")
        return base::fail(ErrorKind::usage, "--follow wants a file: standard input is read to its end");
    if (options.raw && (arguments.has("--json") || options.full))
        return base::fail(ErrorKind::usage,
                          "--raw shows lines as they are: neither --json nor --full goes with it");
    return options;
}

Result<Request> log_tree_request(const Arguments& arguments) {
    Result<Selection> selection = harness_of(arguments);
    if (!selection) return base::fail(selection.error());
    if (arguments.operands().size() != 1)
        return base::fail(ErrorKind::usage, "expected one directory: a store, or any that has logs below it");
    return LogTreeOptions{*std::move(selection), arguments.operands().front()};
}

/// How a command's arguments become its options.
using Reader = Result<Request> (*)(const Arguments&);

Reader reader_of(std::string_view command) {
    if (command == "apply") return apply_request;
    if (command == "status") return status_request;
    if (command == "revert") return revert_request;
    if (command == "sbom") return sbom_request;
    if (command == "diff") return diff_request;
    if (command == "regenerate") return regenerate_request;
    if (command == "bump") return bump_request;
    if (command == "verify") return verify_request;
    if (command == "stream map") return stream_map_request;
    if (command == "log check") return log_check_request;
    if (command == "log mend") return log_mend_request;
    if (command == "log show") return log_show_request;
    if (command == "log tree") return log_tree_request;
    return patch_request;
}

Result<CommandLine> parse_command(const CommandHelp& command, std::span<const std::string> words) {
    const Result<Arguments> arguments = Arguments::parse(command, words);
    if (!arguments) return base::fail(arguments.error());
    if (arguments->has("--help")) return CommandLine{command.name, HelpRequest{&command}, {}};
    const Result<OutputOptions> output = output_of(*arguments);
    if (!output) return base::fail(output.error());
    if (const Result<void> named = arguments->expect_paths(command); !named) return base::fail(named.error());
    Result<Request> request = reader_of(command.name)(*arguments);
    if (!request) return base::fail(request.error());
    return CommandLine{command.name, *std::move(request), *output};
}

/// A command, and the words behind its name, which is one word or two.
struct Known {
    const CommandHelp* command;
    std::span<const std::string> rest;
};

#ifdef DRYDOCK_IMAGE_ONLY
/// The first words of the commands that only the full build has.
constexpr std::array<std::string_view, 6> other_commands = {"diff", "verify", "regenerate",
                                                            "bump", "stream", "log"};
#endif

Result<Known> known_command(std::span<const std::string> words) {
    if (const CommandHelp* command = find_command(words[0])) return Known{command, words.subspan(1)};
#ifdef DRYDOCK_IMAGE_ONLY
    if (std::find(other_commands.begin(), other_commands.end(), words[0]) != other_commands.end()) {
        return base::fail(
            ErrorKind::usage,
            fmt::format("'{}' is not in this build, which is the image's; the full build of drydock has it",
                        words[0]));
    }
#endif
    std::string name = words[0];
    if (words.size() > 1 && !words[1].starts_with('-')) {
        name += ' ' + words[1];
        if (const CommandHelp* command = find_command(name)) return Known{command, words.subspan(2)};
    }
    const std::vector<std::string> known = command_words();
    const bool begins = std::any_of(known.begin(), known.end(), [&words](const std::string& each) {
        return each.starts_with(words[0] + ' ');
    });
    std::string hint = base::did_you_mean(name, known);
    if (hint.empty() && begins) hint = fmt::format("; 'drydock help' lists what follows '{}'", words[0]);
    if (hint.empty()) hint = base::did_you_mean(words[0], known);
    return base::fail(ErrorKind::usage,
                      fmt::format("unknown command '{}'{}", begins ? name : words[0], hint));
}

Result<CommandLine> parse_help(std::span<const std::string> words) {
    if (words.empty()) return CommandLine{{}, HelpRequest{}, {}};
    const Result<Known> known = known_command(words);
    if (!known) return base::fail(known.error());
    return CommandLine{{}, HelpRequest{known->command}, {}};
}

/// What completions ask; it takes the options of status.
Result<CommandLine> parse_names(std::span<const std::string> words) {
    CommandHelp command = *find_command("status");
    command.operands = "KIND";
    const Result<Arguments> arguments = Arguments::parse(command, words);
    if (!arguments) return base::fail(arguments.error());
    Result<Selection> selection = selection_of(*arguments);
    if (!selection) return base::fail(selection.error());
    const Result<std::string> kind =
        one_of("KIND", arguments->operands().empty() ? std::string() : arguments->operands().front(),
               {"packages", "roots", "versions"});
    if (!kind) return base::fail(kind.error());
    return CommandLine{{}, NamesRequest{*kind, *std::move(selection)}, {}};
}

/// Whether a document is wanted, for when the command line cannot be understood otherwise.
bool wants_json(std::span<const std::string> words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    return std::find(words.begin(), end, "--json") != end;
}

/// A command line that begins with an option.
Result<CommandLine> parse_tool_option(std::span<const std::string> words) {
    const std::string& word = words.front();
    if (word == "-h" || word == "--help") return CommandLine{{}, HelpRequest{}, {}};
    if (word == "-V" || word == "--version") {
        OutputOptions output;
        output.json = wants_json(words);
        return CommandLine{"version", VersionRequest{}, output};
    }
    return base::fail(ErrorKind::usage,
                      fmt::format("unknown option '{}'{}; a command comes first, then its options", word,
                                  base::did_you_mean(word, {"--help", "--version"})));
}

CommandLineError refusal(std::span<const std::string> words, std::string_view command, base::Error error) {
    error.details.push_back(command.empty() ? "see 'drydock help'"
                                            : fmt::format("see 'drydock help {}'", command));
    return {command, wants_json(words), std::move(error)};
}

}  // namespace

tl::expected<CommandLine, CommandLineError> parse_command_line(std::span<const std::string> words) {
    std::string_view command;
    Result<CommandLine> line = base::fail(ErrorKind::usage, "no command is given");
    if (!words.empty()) {
        const std::string& word = words.front();
        if (word == "help") {
            line = parse_help(words.subspan(1));
        } else if (word == "__names") {
            line = parse_names(words.subspan(1));
        } else if (word.starts_with('-')) {
            line = parse_tool_option(words);
        } else if (const Result<Known> known = known_command(words)) {
            command = known->command->name;
            line = parse_command(*known->command, known->rest);
        } else {
            line = base::fail(known.error());
        }
    }
    if (!line) return tl::unexpected(refusal(words, command, line.error()));
    return *std::move(line);
}

}  // namespace drydock::cli
