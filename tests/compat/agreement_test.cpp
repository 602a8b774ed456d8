// drydock against git apply and GNU patch at fuzz 0, on generated pairs: the same bytes, or all refuse. Where
// they part, the rule that drydock follows is named here and counted.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "patch/patch.hpp"
#include "tests/compat/random_text.hpp"
#include "tests/support/support.hpp"

namespace drydock::compat {
namespace {

using Tree = std::map<std::string, std::string>;
using Text = std::optional<std::string>;  ///< nothing: refused

constexpr std::size_t tree_files = 6000;
constexpr std::size_t drifted_pairs = 5000;

base::ProcessOptions in(const std::string& directory, std::string input = {}) {
    base::ProcessOptions options;
    options.directory = directory;
    options.input = std::move(input);
    options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"},
                           {"GIT_AUTHOR_NAME", "a"},           {"GIT_AUTHOR_EMAIL", "a@b"},
                           {"GIT_COMMITTER_NAME", "a"},        {"GIT_COMMITTER_EMAIL", "a@b"},
                           {"GIT_CEILING_DIRECTORIES", "/"}};
    return options;
}

std::string must(const std::vector<std::string>& command, const std::string& directory,
                 std::string input = {}) {
    const base::ProcessOutcome outcome = test::run(command, in(directory, std::move(input)));
    EXPECT_EQ(outcome.exit_code, 0) << fmt::format("{}", command[0]) << ": " << outcome.errors
                                    << outcome.output;
    return outcome.output;
}

void write_tree(const std::string& directory, const Tree& tree) {
    for (const auto& [path, bytes] : tree) test::write(directory + "/" + path, bytes);
}

Tree read_tree(const std::string& directory, const Tree& expected, const Tree& other) {
    Tree tree;
    for (const Tree* known : {&expected, &other}) {
        for (const auto& [path, bytes] : *known) {
            if (test::exists(directory + "/" + path)) tree[path] = test::read(directory + "/" + path);
        }
    }
    return tree;
}

/// git's diff between two trees, made in one call.
std::string git_diff(const std::string& directory, const Tree& before, const Tree& after,
                     const std::string& context = "-U3") {
    std::filesystem::create_directories(directory);
    must({"git", "init", "-q"}, directory);
    write_tree(directory, before);
    must({"git", "add", "-A"}, directory);
    must({"git", "commit", "-q", "--allow-empty", "-m", "before"}, directory);
    for (const auto& [path, bytes] : before) {
        if (!after.contains(path)) std::filesystem::remove(directory + "/" + path);
    }
    write_tree(directory, after);
    must({"git", "add", "-A"}, directory);
    return must({"git", "-c", "diff.renameLimit=100000", "diff", "--cached", "--text", "-M", context},
                directory);
}

patch::Reader reader_of(const Tree& tree) {
    return [&tree](const std::string& path) -> base::Result<std::optional<patch::SourceFile>> {
        const auto file = tree.find(path);
        if (file == tree.end()) return std::nullopt;
        return patch::SourceFile{file->second, false};
    };
}

Tree applied(const patch::Patch& patch, Tree tree) {
    const auto changes = patch::apply_all(patch, reader_of(tree));
    if (!changes) {
        ADD_FAILURE() << base::describe(changes.error().front());
        return {};
    }
    for (const patch::Change& change : *changes) {
        if (change.bytes) {
            tree[change.path] = *change.bytes;
        } else {
            tree.erase(change.path);
        }
    }
    return tree;
}

std::string first_difference(const Tree& expected, const Tree& found) {
    for (const auto& [path, bytes] : expected) {
        const auto other = found.find(path);
        if (other == found.end()) return path + " is missing";
        if (other->second != bytes) return fmt::format("{}: {:?} became {:?}", path, bytes, other->second);
    }
    for (const auto& [path, bytes] : found) {
        if (!expected.contains(path)) return path + " is there";
    }
    return {};
}

struct Trees {
    Tree before;
    Tree after;
};

/// Trees with files that change, come, go and move.
Trees random_trees(std::size_t count, std::uint32_t seed) {
    RandomText random(seed);
    Trees trees;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string path = fmt::format("d{}/f{}", i % 50, i);
        const std::string text = random.text(60);
        const std::size_t kind = random.below(20);
        if (kind == 0) {
            trees.after[path] = text;
        } else if (kind == 1) {
            trees.before[path] = text;
        } else if (kind == 2) {
            std::string large = text;
            for (int line = 0; line < 20; ++line) large += fmt::format("only of file {}, {}\n", i, line);
            trees.before[path] = large;
            trees.after[path + ".moved"] = random.chance(30) ? large : random.edited(large);
        } else {
            trees.before[path] = text;
            trees.after[path] = random.edited(text);
        }
    }
    return trees;
}

TEST(Agreement, whole_trees_forwards_and_backwards_with_gits_diff) {
    const Trees trees = random_trees(tree_files, 1);
    const test::TemporaryDirectory directory;
    const std::string text = git_diff(directory / "repository", trees.before, trees.after);
    const base::Result<patch::Patch> patch = patch::parse(text);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(first_difference(trees.after, applied(*patch, trees.before)), "");
    EXPECT_EQ(first_difference(trees.before, applied(patch::reverse(*patch), trees.after)), "");
    const std::string printed = patch::print(*patch);
    const base::Result<patch::Patch> again = patch::parse(printed);
    ASSERT_TRUE(again) << base::describe(again.error());
    EXPECT_EQ(patch::print(*again), printed);
    EXPECT_EQ(first_difference(trees.after, applied(*again, trees.before)), "");

    write_tree(directory / "git", trees.before);
    must({"git", "apply", "--whitespace=nowarn", "-"}, directory / "git", text);
    EXPECT_EQ(first_difference(trees.after, read_tree(directory / "git", trees.after, trees.before)), "");
    // What drydock prints is a patch for git too.
    write_tree(directory / "printed", trees.before);
    must({"git", "apply", "--whitespace=nowarn", "-"}, directory / "printed", printed);
    EXPECT_EQ(first_difference(trees.after, read_tree(directory / "printed", trees.after, trees.before)), "");
    write_tree(directory / "gnu", trees.before);
    must({"patch", "-p1", "-s", "--binary", "--fuzz=0", "--no-backup-if-mismatch"}, directory / "gnu", text);
    EXPECT_EQ(first_difference(trees.after, read_tree(directory / "gnu", trees.after, trees.before)), "");
}

bool has_both_endings(const std::string& text) {
    bool crlf = false;
    bool lf = false;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        (at > 0 && text[at - 1] == '\r' ? crlf : lf) = true;
    }
    return crlf && lf;
}

TEST(Agreement, mixed_endings_forwards_and_backwards_without_context) {
    RandomText random(4);
    Trees trees;
    while (trees.before.size() < 600) {
        const std::string text = random.text(20);
        const std::string edited = random.edited(text);
        if (!has_both_endings(text) || !has_both_endings(edited)) continue;
        const std::string path = fmt::format("f{}", trees.before.size());
        trees.before[path] = text;
        trees.after[path] = edited;
    }
    const test::TemporaryDirectory directory;
    const std::string text = git_diff(directory / "repository", trees.before, trees.after, "-U0");
    const base::Result<patch::Patch> patch = patch::parse(text);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(first_difference(trees.after, applied(*patch, trees.before)), "");
    EXPECT_EQ(first_difference(trees.before, applied(patch::reverse(*patch), trees.after)), "");
    write_tree(directory / "git", trees.before);
    must({"git", "apply", "--whitespace=nowarn", "--unidiff-zero", "-"}, directory / "git", text);
    EXPECT_EQ(first_difference(trees.after, read_tree(directory / "git", trees.after, trees.before)), "");
    write_tree(directory / "gnu", trees.before);
    must({"patch", "-p1", "-s", "--binary", "--fuzz=0", "--no-backup-if-mismatch"}, directory / "gnu", text);
    EXPECT_EQ(first_difference(trees.after, read_tree(directory / "gnu", trees.after, trees.before)), "");
}

TEST(Agreement, whole_trees_forwards_and_backwards_with_plain_diff) {
    Trees trees = random_trees(2000, 2);
    // diff -N says nothing of an empty file that comes or goes.
    for (Tree* tree : {&trees.before, &trees.after}) {
        const Tree& other = tree == &trees.before ? trees.after : trees.before;
        std::erase_if(*tree,
                      [&](const auto& file) { return file.second.empty() && !other.contains(file.first); });
    }
    const test::TemporaryDirectory directory;
    write_tree(directory / "a", trees.before);
    write_tree(directory / "b", trees.after);
    base::ProcessOptions options = in(directory.path());
    options.environment.emplace_back("TZ", "Asia/Kolkata");
    const base::ProcessOutcome diff = test::run({"diff", "-ruN", "--text", "a", "b"}, options);
    ASSERT_EQ(diff.exit_code, 1) << diff.errors;
    const base::Result<patch::Patch> patch = patch::parse(diff.output);
    ASSERT_TRUE(patch) << base::describe(patch.error());
    EXPECT_EQ(first_difference(trees.after, applied(*patch, trees.before)), "");
    EXPECT_EQ(first_difference(trees.before, applied(patch::reverse(*patch), trees.after)), "");
}

/// A patch for one file, and a file that is no longer what it was made for.
struct Pair {
    std::string patch;
    std::string target;
    std::string how;
};

/// Lines moved, taken away, changed or doubled.
std::string drifted(RandomText& random, const std::string& text) {
    std::vector<std::string> lines = RandomText::split(text);
    const bool without_newline = !text.empty() && text.back() != '\n';
    const auto place = [&] {
        return lines.begin() + static_cast<std::ptrdiff_t>(random.below(lines.size() + 1));
    };
    const std::size_t times = 1 + random.below(2);
    for (std::size_t i = 0; i < times; ++i) {
        const std::size_t count = 1 + random.below(8);
        switch (random.below(5)) {
            case 0: {
                std::vector<std::string> added;
                for (std::size_t k = 0; k < count; ++k) added.push_back(random.line());
                lines.insert(place(), added.begin(), added.end());
                break;
            }
            case 1: {
                const auto from = place();
                lines.erase(from, from + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(count),
                                                                  lines.end() - from));
                break;
            }
            case 2:
                if (!lines.empty()) lines[random.below(lines.size())] = random.line();
                break;
            case 3: {
                const std::vector<std::string> copy(lines.begin(), place());
                lines.insert(place(), copy.begin(), copy.end());
                break;
            }
            default:
                lines.insert(lines.begin(), count, "at the top\n");
        }
    }
    return RandomText::joined(std::move(lines), without_newline != random.chance(5));
}

/// Every `+START` of a hunk header moved: nobody may trust it.
std::string with_stale_plus_lines(RandomText& random, const std::string& patch) {
    std::string result;
    for (const std::string& line : RandomText::split(patch)) {
        const std::size_t plus = line.starts_with("@@ -") ? line.find(" +") : std::string::npos;
        if (plus == std::string::npos) {
            result += line;
            continue;
        }
        const std::size_t end = line.find_first_not_of("0123456789", plus + 2);
        const std::size_t start = std::stoul(line.substr(plus + 2, end - plus - 2));
        result += line.substr(0, plus + 2) + std::to_string(start == 0 ? 0 : 1 + random.below(start + 6)) +
                  line.substr(end);
    }
    return result;
}

std::vector<std::string> split_patch(const std::string& text) {
    std::vector<std::string> patches;
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t next = text.find("\ndiff --git ", at);
        const std::size_t end = next == std::string::npos ? next : next + 1;
        patches.push_back(text.substr(at, end == std::string::npos ? end : end - at));
        at = end;
    }
    return patches;
}

std::vector<Pair> random_pairs(std::uint32_t seed) {
    RandomText random(seed);
    Trees trees;
    for (std::size_t i = 0; i < drifted_pairs; ++i) {
        std::string text;
        std::string edited;
        do {
            text = random.text(40);
            edited = random.edited(text);
        } while (edited == text);
        trees.before[fmt::format("f{:05}", i)] = text;
        trees.after[fmt::format("f{:05}", i)] = edited;
    }
    const test::TemporaryDirectory directory;
    const std::vector<std::string> patches =
        split_patch(git_diff(directory.path(), trees.before, trees.after));
    EXPECT_EQ(patches.size(), drifted_pairs);
    std::vector<Pair> pairs;
    auto before = trees.before.begin();
    auto after = trees.after.begin();
    for (const std::string& patch : patches) {
        const std::size_t kind = random.below(10);
        Pair pair{patch, (before++)->second, "drifted"};
        if (kind == 0) {
            pair.target = after->second;
            pair.how = "applied";
        } else if (kind == 1) {
            pair.patch = with_stale_plus_lines(random, patch);
            pair.how = "stale";
        } else if (kind == 2) {
            pair.patch = with_stale_plus_lines(random, patch);
            pair.target = drifted(random, pair.target);
            pair.how = "stale and drifted";
        } else {
            pair.target = drifted(random, pair.target);
        }
        ++after;
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

struct Outcomes {
    Text drydock;
    std::string refusal;  ///< drydock's
    std::vector<patch::Placement> placements;
    Text git;
    Text gnu;
};

Text result_of(const std::vector<std::string>& command, const std::string& directory, const std::string& path,
               const Pair& pair) {
    test::write(directory + "/" + path, pair.target);
    const base::ProcessOutcome outcome = test::run(command, in(directory, pair.patch));
    if (outcome.exit_code != 0) return std::nullopt;
    return test::read(directory + "/" + path);
}

Outcomes outcomes_of(const Pair& pair, const std::string& directory) {
    Outcomes outcomes;
    const base::Result<patch::Patch> patch = patch::parse(pair.patch);
    if (!patch) {
        outcomes.refusal = base::describe(patch.error());
        return outcomes;
    }
    const patch::FilePatch& file = patch->files.at(0);
    base::Result<patch::Applied> result = patch::apply(file, pair.target);
    if (result) {
        outcomes.drydock = result->text;
        outcomes.placements = result->placements;
    } else {
        outcomes.refusal = result.error().message;
    }
    outcomes.git =
        result_of({"git", "apply", "--whitespace=nowarn", "-"}, directory + "/git", file.new_path, pair);
    outcomes.gnu = result_of(
        {"patch", "-p1", "-s", "--binary", "--fuzz=0", "--force", "--no-backup-if-mismatch", "-r", "-"},
        directory + "/gnu", file.new_path, pair);
    return outcomes;
}

/// Whether a hunk has not the same amount of context before and after its changes, or has none.
bool has_uneven_context(const patch::Hunk& hunk) {
    const auto change = [](const patch::Line& line) { return line.kind != patch::LineKind::context; };
    const auto before = std::find_if(hunk.lines.begin(), hunk.lines.end(), change) - hunk.lines.begin();
    const auto after = std::find_if(hunk.lines.rbegin(), hunk.lines.rend(), change) - hunk.lines.rbegin();
    return before != after || before == 0;
}

/// Whether all hunks lie at their own lines, and one of them without the context that the others ask for.
bool own_line_was_enough(const Pair& pair, const Outcomes& outcomes) {
    const base::Result<patch::Patch> patch = patch::parse(pair.patch);
    const std::vector<patch::Hunk>& hunks = patch->files.at(0).hunks;
    return std::all_of(outcomes.placements.begin(), outcomes.placements.end(),
                       [](const auto& hunk) { return hunk.offset == 0; }) &&
           std::any_of(hunks.begin(), hunks.end(), has_uneven_context);
}

/// Whether all lines of the patch have one and the same ending.
bool has_one_ending(const Pair& pair) {
    const base::Result<patch::Patch> patch = patch::parse(pair.patch);
    std::array<std::size_t, 3> counts{};
    for (const patch::Hunk& hunk : patch->files.at(0).hunks) {
        for (const patch::Line& line : hunk.lines) ++counts.at(static_cast<std::size_t>(line.ending));
    }
    return counts[0] == 0 || counts[1] == 0;
}

/// The rule by which drydock parts from one of the others, or from both; empty where no rule allows it.
std::string rule_of(const Pair& pair, const Outcomes& outcomes) {
    if (!outcomes.drydock) {
        static constexpr std::array<std::pair<const char*, const char*>, 10> refusals{{
            {"equally near", "stricter: two places equally near"},
            {"if it moved like", "stricter: two places, by the header and by the hunk before"},
            {"but for line endings", "stricter: two places, one but for line endings"},
            {"is that of the beginning", "stricter: a hunk of the beginning (git too)"},
            {"is that of the end", "stricter: a hunk of the end (GNU patch too)"},
            {"without a newline at its end", "stricter: a hunk of the end without context (git too)"},
            {"has no context", "stricter: no context, so at its own line only (git too)"},
            {"without any context", "stricter: no context, so at its own line only (git too)"},
            {"before the end of the hunk", "stricter: hunks never go backwards"},
            {"is for an empty file", "stricter: a file that the index line calls empty is (git too)"},
        }};
        for (const auto& [words, rule] : refusals) {
            if (outcomes.refusal.find(words) != std::string::npos) return rule;
        }
        const bool at_end = pair.patch.find("\n\\ No newline") != std::string::npos;
        if (at_end && !outcomes.gnu)
            return "stricter: a line without a newline is the file's last; git joins it to the next";
        return {};
    }
    const bool as_git = outcomes.drydock == outcomes.git;
    const bool as_gnu = outcomes.drydock == outcomes.gnu;
    const bool other_endings = has_one_ending(pair) && pair.target.find("\r\n") != std::string::npos;
    if (other_endings && !outcomes.git && !outcomes.gnu) return "the file's own line endings are kept";
    if (as_gnu && pair.how.starts_with("stale"))
        return "git looks at the + line first and finds the wrong block or none";
    if (as_gnu && outcomes.git) return "git looks at the + line first and edits another block";
    if (as_git && outcomes.gnu) return "GNU patch follows the hunk before and edits another block";
    if ((as_gnu || as_git) && own_line_was_enough(pair, outcomes))
        return "own line is enough, as for one of the others";
    return {};
}

std::string shown(const Text& text) {
    return text ? fmt::format("{:?}", *text) : "refused";
}

TEST(Agreement, drifted_files) {
    const std::vector<Pair> pairs = random_pairs(3);
    const test::TemporaryDirectory directory;
    std::vector<Outcomes> outcomes(pairs.size());
    const auto work = [&](std::size_t first) {
        for (std::size_t i = first; i < pairs.size(); i += 2) {
            outcomes[i] = outcomes_of(pairs[i], directory / std::to_string(first));
        }
    };
    for (const char* folder : {"0/git/x", "0/gnu/x", "1/git/x", "1/gnu/x"})
        test::write(directory / folder, "");
    std::thread other(work, 1);
    work(0);
    other.join();
    std::map<std::string, std::size_t> counts;
    std::size_t unexplained = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Outcomes& found = outcomes[i];
        if (found.drydock == found.git && found.drydock == found.gnu) {
            ++counts[found.drydock ? "all the same bytes" : "all refuse"];
            continue;
        }
        const std::string rule = rule_of(pairs[i], found);
        ++counts[rule.empty() ? "unexplained" : rule];
        if (rule.empty() && ++unexplained <= 10) {
            ADD_FAILURE() << pairs[i].how << "\n"
                          << pairs[i].patch << fmt::format("target  {:?}\n", pairs[i].target) << "drydock "
                          << shown(found.drydock) << " " << found.refusal << "\ngit     " << shown(found.git)
                          << "\ngnu     " << shown(found.gnu);
        }
    }
    EXPECT_EQ(unexplained, 0U);
    // The test must go on meeting what it is about.
    EXPECT_GT(counts["all the same bytes"], drifted_pairs / 3);
    EXPECT_GT(counts["all refuse"], drifted_pairs / 10);
    for (const auto& [what, count] : counts) fmt::print("{:6} {}\n", count, what);
}

}  // namespace
}  // namespace drydock::compat
