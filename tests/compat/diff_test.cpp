// drydock's diff against git's: on generated pairs, on the inputs of the benchmark in small, and on
// consecutive versions of published packages. What it makes gives the other side exactly, and changes as few
// lines.

#include "diff/diff.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "patch/patch.hpp"
#include "tests/bench/diff_inputs.hpp"
#include "tests/compat/random_text.hpp"
#include "tests/support/support.hpp"

namespace drydock::compat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t generated_pairs = 5000;
constexpr std::size_t sampled_pairs = 400;  ///< that git apply and GNU patch get, too

struct Pair {
    std::string old_text;
    std::string new_text;
};

diff::FilePair file_pair(const Pair& pair, const std::string& path) {
    return {path, diff::FileSide{pair.old_text, {}}, diff::FileSide{pair.new_text, {}}};
}

std::vector<Pair> random_pairs() {
    RandomText random(20261130);
    std::vector<Pair> pairs;
    while (pairs.size() < generated_pairs) {
        Pair pair;
        pair.old_text = random.text(60);
        pair.new_text = random.chance(10) ? random.text(60) : random.edited(pair.old_text);
        for (std::size_t more = random.below(4); more > 0; --more)
            pair.new_text = random.edited(pair.new_text);
        if (pair.old_text != pair.new_text) pairs.push_back(std::move(pair));
    }
    return pairs;
}

TEST(Diffs, of_generated_pairs_give_the_other_side) {
    for (const Pair& pair : random_pairs()) {
        const base::Result<std::string> text = diff::make_patch_text({file_pair(pair, "f")});
        ASSERT_TRUE(text.has_value()) << base::describe(text.error()) << "\n" << pair.old_text;
        const base::Result<patch::Patch> patch = patch::parse(*text);
        ASSERT_TRUE(patch.has_value());
        const base::Result<patch::Applied> forwards = patch::apply(patch->files.at(0), pair.old_text);
        ASSERT_TRUE(forwards.has_value());
        ASSERT_EQ(forwards->text, pair.new_text);
        const base::Result<patch::Applied> backwards =
            patch::apply(patch::reverse(patch->files.at(0)), pair.new_text);
        ASSERT_TRUE(backwards.has_value());
        ASSERT_EQ(backwards->text, pair.old_text);
    }
}

/// The tool, run in a directory that no repository is around, with a patch on standard input.
base::ProcessOutcome given(const std::vector<std::string>& tool, const std::string& patch,
                           const std::string& directory) {
    base::ProcessOptions options;
    options.directory = directory;
    options.input = patch;
    options.environment = {{"GIT_CEILING_DIRECTORIES", fs::path(directory).parent_path()}};
    return test::run(tool, options);
}

/// Makes a tree with a file for each sampled pair and one patch of all, and puts it on with a tool.
void expect_applied_by(const std::vector<std::string>& tool) {
    const test::TemporaryDirectory directory;
    const std::vector<Pair> pairs = random_pairs();
    std::vector<diff::FilePair> files;
    for (std::size_t i = 0; i < sampled_pairs; ++i) {
        const std::string name = fmt::format("file{:03}", i);
        files.push_back(file_pair(pairs.at(i), name));
        test::write(directory / name, pairs[i].old_text);
    }
    const base::Result<std::string> text = diff::make_patch_text(files);
    ASSERT_TRUE(text.has_value()) << base::describe(text.error());
    const base::ProcessOutcome outcome = given(tool, *text, directory.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
    for (std::size_t i = 0; i < sampled_pairs; ++i) {
        EXPECT_EQ(test::read(directory / files[i].path), pairs[i].new_text) << files[i].path;
    }
}

TEST(Diffs, are_taken_by_git_apply) {
    expect_applied_by({"git", "apply", "--whitespace=nowarn", "-p1", "-"});
}

TEST(Diffs, are_taken_by_gnu_patch) {
    expect_applied_by({"patch", "--binary", "-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch"});
}

/// Puts changes of files with blanks in their names on with a tool, each of them alone and all in one patch.
void expect_blanks_kept_by(const std::vector<std::string>& tool) {
    constexpr unsigned plain = 0100644;
    constexpr unsigned program = 0100755;
    std::vector<diff::FilePair> files;
    for (const char* name : {"in the middle", "end ", "fol der /end  ", "\"quo ted\" "}) {
        const std::string path = name;
        files.push_back({"change/" + path, diff::FileSide{"a\n", plain}, diff::FileSide{"b\n", plain}});
        files.push_back({"create/" + path, std::nullopt, diff::FileSide{"b\n", plain}});
        files.push_back({"remove/" + path, diff::FileSide{"a\n", plain}, std::nullopt});
        files.push_back({"empty/" + path, std::nullopt, diff::FileSide{"", plain}});
        files.push_back({"nothing/" + path, diff::FileSide{"", plain}, std::nullopt});
        files.push_back({"mode/" + path, diff::FileSide{"a\n", plain}, diff::FileSide{"a\n", program}});
        files.push_back({"both/" + path, diff::FileSide{"a\n", plain}, diff::FileSide{"b\n", program}});
    }
    std::vector<std::vector<diff::FilePair>> patches{files};
    for (const diff::FilePair& file : files) patches.push_back({file});
    for (const std::vector<diff::FilePair>& changed : patches) {
        const test::TemporaryDirectory directory;
        std::map<std::string, std::string> expected;
        for (const diff::FilePair& file : changed) {
            if (file.old_side) test::write(directory / file.path, std::string(file.old_side->text));
            if (file.new_side)
                expected[file.path] = fmt::format("{}{}", file.new_side->mode == program ? "program " : "",
                                                  file.new_side->text);
        }
        const base::Result<std::string> text = diff::make_patch_text(changed);
        ASSERT_TRUE(text.has_value()) << base::describe(text.error());
        const base::ProcessOutcome outcome = given(tool, *text, directory.path());
        EXPECT_EQ(outcome.exit_code, 0) << *text << outcome.output << outcome.errors;
        std::map<std::string, std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(directory.path())) {
            if (!entry.is_regular_file()) continue;
            const bool runs = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
            found[fs::relative(entry.path(), directory.path())] =
                fmt::format("{}{}", runs ? "program " : "", test::read(entry.path()));
        }
        EXPECT_EQ(found, expected) << *text;
    }
}

TEST(Diffs, of_names_with_blanks_are_taken_by_git_apply) {
    expect_blanks_kept_by({"git", "apply", "-p1", "-"});
}

TEST(Diffs, of_names_with_blanks_are_taken_by_gnu_patch) {
    // An empty file that goes makes it ask, whatever its name.
    expect_blanks_kept_by(
        {"patch", "--binary", "-s", "-p1", "--fuzz=0", "--force", "--no-backup-if-mismatch"});
}

TEST(Diffs, of_names_with_blanks_are_taken_by_drydock_patch) {
    expect_blanks_kept_by({test::drydock(), "patch", "-p1", "-d", ".", "-"});
}

std::size_t changed_lines(const Pair& pair) {
    std::size_t lines = 0;
    for (const diff::Edit& edit : diff::find_edits(pair.old_text, pair.new_text)) {
        lines += edit.old_end - edit.old_begin + edit.new_end - edit.new_begin;
    }
    return lines;
}

/// How many lines git changes, by its own count.
std::size_t changed_lines_of_git(const std::string& old_file, const std::string& new_file, bool minimal) {
    std::vector<std::string> command{"git", "diff", "--no-index", "--numstat"};
    if (minimal) command.emplace_back("--minimal");
    command.insert(command.end(), {"--", old_file, new_file});
    base::ProcessOptions options;
    options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
    const base::ProcessOutcome outcome = test::run(command, options);
    std::size_t added = 0;
    std::size_t removed = 0;
    EXPECT_EQ(std::sscanf(outcome.output.c_str(), "%zu %zu", &added, &removed), 2) << outcome.output;
    return added + removed;
}

/// Changed lines of ours and of git's, in total.
struct Totals {
    std::size_t ours{0};
    std::size_t minimal{0};
};

/// Adds a pair, and holds it against git's default.
void measure(Totals& totals, const std::string& name, const Pair& pair) {
    const test::TemporaryDirectory directory;
    test::write(directory / "old", pair.old_text);
    test::write(directory / "new", pair.new_text);
    const std::size_t ours = changed_lines(pair);
    const std::size_t usual = changed_lines_of_git(directory / "old", directory / "new", false);
    const std::size_t minimal = changed_lines_of_git(directory / "old", directory / "new", true);
    EXPECT_LE(static_cast<double>(ours), 1.02 * static_cast<double>(usual)) << name;
    testing::Test::RecordProperty(name, fmt::format("{} of {}, minimal {}", ours, usual, minimal));
    totals.ours += ours;
    totals.minimal += minimal;
}

TEST(Diffs, of_the_standard_inputs_change_no_more_lines_than_git_minimal) {
    for (const std::size_t lines : {300U, 3000U, 12'000U}) {
        Totals totals;
        bench::DiffInputs inputs(
            [&](const std::string& name, const std::string& old_text, const std::string& new_text) {
                measure(totals, fmt::format("{}-{}", name, lines), {old_text, new_text});
            });
        inputs.standard(lines);
        EXPECT_LE(totals.ours, totals.minimal) << lines;
    }
}

TEST(Diffs, of_hard_inputs_change_hardly_more_lines_than_git) {
    Totals totals;
    bench::DiffInputs inputs(
        [&](const std::string& name, const std::string& old_text, const std::string& new_text) {
            measure(totals, name, {old_text, new_text});
        });
    for (const std::size_t lines : {200U, 2000U, 6000U}) inputs.hard(lines);
}

/// Folders of consecutive versions of one package.
const std::vector<std::vector<std::string>> histories{
    {"react-dom-18.1.0", "react-dom-18.2.0", "react-dom-18.3.1"},
    {"lodash-4.17.19", "lodash-4.17.20", "lodash-4.17.21"},
    {"acorn-8.8.0", "acorn-8.9.0", "acorn-8.10.0", "acorn-8.11.0"},
    {"marked-9.0.0", "marked-9.1.0", "marked-10.0.0"},
    {"terser-5.19.0", "terser-5.20.0", "terser-5.24.0"},
    {"semver-7.3.8", "semver-7.5.0", "semver-7.5.4"},
    {"dsh-session-0.1.0-rc.8", "dsh-session-0.1.1-rc.2"},
};

TEST(Diffs, of_published_versions_change_as_few_lines_as_git_minimal) {
    Totals totals;
    std::size_t pairs = 0;
    for (const std::vector<std::string>& versions : histories) {
        for (std::size_t i = 1; i < versions.size(); ++i) {
            const fs::path old_folder = test::registry_package(versions[i - 1]);
            const fs::path new_folder = test::registry_package(versions[i]);
            std::vector<std::string> names;
            for (const auto& entry : fs::recursive_directory_iterator(old_folder)) {
                if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), old_folder));
            }
            for (const std::string& name : names) {
                if (!fs::exists(new_folder / name)) continue;
                const Pair pair{test::read(old_folder / name), test::read(new_folder / name)};
                if (pair.old_text == pair.new_text) continue;
                ASSERT_TRUE(diff::make_patch_text({file_pair(pair, name)}).has_value()) << name;
                measure(totals, versions[i] + "/" + name, pair);
                ++pairs;
            }
        }
    }
    EXPECT_GE(pairs, 100U);
    EXPECT_LE(static_cast<double>(totals.ours), 1.001 * static_cast<double>(totals.minimal));
    RecordProperty("total", fmt::format("{} of {} in {} pairs", totals.ours, totals.minimal, pairs));
}

}  // namespace
}  // namespace drydock::compat
