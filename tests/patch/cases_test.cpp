// Folders of cases for patch/model.cpp, patch/parse.cpp, patch/print.cpp, patch/reverse.cpp, patch/apply.cpp
// and patch/apply_all.cpp: a tree, a patch, and what becomes of it. Each folder of data/ is a case: `patch`
// is put on the files of `in/`, with the words of `options` (-R, -p N,
// --fuzz N) if there are any. What comes out are the files of `out/` and `hunks.txt`, or the problems of
// `error.txt`. DRYDOCK_ACCEPT=1 writes them.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "patch/patch.hpp"
#include "tests/support/support.hpp"

namespace drydock::patch {
namespace {

namespace fs = std::filesystem;

std::string data_folder() {
    return std::string(DRYDOCK_SOURCE_DIR) + "/tests/patch/data";
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(data_folder())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

using Tree = std::map<std::string, std::string>;

Tree read_tree(const std::string& folder) {
    Tree tree;
    if (!fs::exists(folder)) return tree;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) tree[fs::relative(entry.path(), folder)] = test::read(entry.path());
    }
    return tree;
}

std::string problem_text(const base::Error& error) {
    std::string text = base::describe(error) + "\n";
    for (const std::string& detail : error.details) text += "    " + detail + "\n";
    return text;
}

struct Options {
    ParseOptions parse;
    ApplyOptions apply;
    bool reverse{false};
};

Options read_options(const std::string& file) {
    Options options;
    if (!test::exists(file)) return options;
    std::istringstream words(test::read(file));
    for (std::string word; words >> word;) {
        if (word == "-R") options.reverse = true;
        if (word == "-p") words >> options.parse.strip;
        if (word == "--fuzz") words >> options.apply.fuzz;
    }
    return options;
}

struct Outcome {
    Tree tree;
    std::string hunks;
    std::string problems;
};

Outcome run_case(const std::string& folder) {
    const Options options = read_options(folder + "/options");
    const std::string text = test::read(folder + "/patch");
    Outcome outcome;
    outcome.tree = read_tree(folder + "/in");
    const base::Result<Patch> patch = parse(text, options.parse);
    if (!patch) {
        outcome.problems = problem_text(patch.error());
        return outcome;
    }
    const Reader reader = [&](const std::string& path) -> base::Result<std::optional<SourceFile>> {
        const auto file = outcome.tree.find(path);
        if (file == outcome.tree.end()) return std::nullopt;
        return SourceFile{file->second, false};
    };
    const auto changes = apply_all(options.reverse ? reverse(*patch) : *patch, reader, options.apply);
    if (!changes) {
        for (const base::Error& error : changes.error()) outcome.problems += problem_text(error);
        return outcome;
    }
    for (const Change& change : *changes) {
        outcome.hunks += change.path + (change.bytes ? "" : ": gone");
        if (change.executable) outcome.hunks += *change.executable ? ": executable" : ": not executable";
        if (change.attributes_from != change.path) outcome.hunks += ": from '" + change.attributes_from + "'";
        outcome.hunks += "\n";
        for (const Placement& hunk : change.placements) {
            outcome.hunks += fmt::format("    hunk {} at line {}, offset {}, fuzz {}\n", hunk.hunk, hunk.line,
                                         hunk.offset, hunk.fuzz);
        }
        if (change.bytes) {
            outcome.tree[change.path] = *change.bytes;
        } else {
            outcome.tree.erase(change.path);
        }
    }
    return outcome;
}

bool accepting() {
    return std::string_view(std::getenv("DRYDOCK_ACCEPT") ? std::getenv("DRYDOCK_ACCEPT") : "") == "1";
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, gives_what_its_folder_says) {
    const std::string folder = data_folder() + "/" + GetParam();
    const Outcome outcome = run_case(folder);
    const bool refused = !outcome.problems.empty();
    if (accepting()) {
        for (const char* name : {"/out", "/hunks.txt", "/error.txt"}) fs::remove_all(folder + name);
        if (!refused) {
            for (const auto& [path, bytes] : outcome.tree) test::write(folder + "/out/" + path, bytes);
        }
    }
    const std::string name = "patch/data/" + GetParam() + (refused ? "/error.txt" : "/hunks.txt");
    test::expect_golden(name, refused ? outcome.problems : outcome.hunks);
    EXPECT_FALSE(test::exists(folder + (refused ? "/hunks.txt" : "/error.txt")));
    if (!refused) {
        EXPECT_EQ(outcome.tree, read_tree(folder + "/out"));
    }
}

INSTANTIATE_TEST_SUITE_P(Data, Cases, testing::ValuesIn(case_names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace drydock::patch
