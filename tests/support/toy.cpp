#include "tests/support/toy.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace drydock::test {
namespace {

const std::string zeros(64, '0');

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::map<std::string, std::string> read_tags() {
    std::map<std::string, std::string> tags;
    const std::string list =
        shell(toy_repository(), "git for-each-ref --format='%(refname:short) %(objectname)' refs/tags");
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find('\n', begin), list.size());
        const std::string line = list.substr(begin, end - begin);
        tags[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
        begin = end + 1;
    }
    return tags;
}

const std::map<std::string, std::string>& toy_tags() {
    static const std::map<std::string, std::string> tags = read_tags();
    return tags;
}

std::string package_text(const ToySet& set, const std::string& name, const std::string& files) {
    return fmt::format(
        "  - name: \"@toy/{0}\"\n    root: image\n    stages: [image]\n    directory: packages/{0}\n    why: "
        "the "
        "{0} must have it\n    patch: {{file: ../patches/{1}/{0}.lib.patch, sha256: {2}}}\n    files:\n{3}",
        name, set.patches, zeros, files);
}

std::string manifest_text(const ToySet& set) {
    const std::string file = fmt::format(
        "      - {{path: lib/index.js, stock: {0}, patched: {0}, origin: {1}}}\n", zeros, set.origin);
    std::string text = fmt::format(
        "# The toy's set.\nschema: 1\nset:\n  name: toy\n  version: {}\n  revision: 1\n  status: "
        "active\nsource:\n  tag: "
        "{}\n  commit: {}\n  patch:\n    file: ../patches/{}/source.patch\n    sha256: {}\nroots:\n  - "
        "{{name: image, "
        "path: \"${{IMAGE:-/nowhere}}\"}}\npackages:\n",
        set.version, set.tag, set.commit.empty() ? toy_commit(set.tag) : set.commit, set.patches, zeros);
    text += package_text(set, "core", set.files.empty() ? file : set.files);
    if (set.provider == "yes") text += package_text(set, "provider", file);
    text += "build:\n";
    text += set.build.empty()
                ? "  - name: bundle\n    command: [sh, build.sh, packages/core, packages/provider]\n"
                : set.build;
    return text;
}

}  // namespace

std::string shell(const std::string& directory, const std::string& commands) {
    base::ProcessOptions options;
    options.directory = directory;
    options.environment = {{"GIT_CONFIG_NOSYSTEM", "1"},
                           {"GIT_CONFIG_GLOBAL", "/dev/null"},
                           {"LC_ALL", "C"},
                           {"GIT_AUTHOR_NAME", "a"},
                           {"GIT_AUTHOR_EMAIL", "a@example.invalid"},
                           {"GIT_AUTHOR_DATE", "1700000000 +0000"},
                           {"GIT_COMMITTER_NAME", "a"},
                           {"GIT_COMMITTER_EMAIL", "a@example.invalid"},
                           {"GIT_COMMITTER_DATE", "1700000000 +0000"}};
    options.unset = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"};
    base::ProcessOutcome outcome = run({"bash", "-euo", "pipefail", "-c", commands}, options);
    EXPECT_EQ(outcome.exit_code, 0) << commands << "\n" << outcome.errors;
    if (outcome.output.ends_with('\n')) outcome.output.pop_back();
    return outcome.output;
}

const std::string& toy_repository() {
    static const TemporaryDirectory directory;
    static const bool made = [] {
        shell(directory.path(), read(std::string(DRYDOCK_SOURCE_DIR) + "/tests/support/toy.sh"));
        return true;
    }();
    static_cast<void>(made);
    return directory.path();
}

std::string toy_commit(const std::string& tag) {
    const auto found = toy_tags().find(tag);
    if (found == toy_tags().end()) ADD_FAILURE() << "the toy has no tag " << tag;
    return found == toy_tags().end() ? std::string(40, '0') : found->second;
}

Toy::Toy(const ToySet& set) {
    const std::string patch =
        set.source_patch.empty()
            ? shell(toy_repository(), "git diff --no-renames " + set.tag + " " + set.patched +
                                          " -- . ':!package.json' ':!*/package.json'") +
                  "\n"
            : set.source_patch;
    write(*this / "patches/" + set.patches + "/source.patch", patch);
    write(*this / "sets/" + set.version + ".yaml", manifest_text(set));
    for (const char* folder : {"scratch", "cache"}) std::filesystem::create_directory(*this / folder);
}

std::string Toy::named(std::string text) const {
    replace_all(text, path(), "TOY");
    replace_all(text, toy_repository(), "REPO");
    for (const auto& [tag, commit] : toy_tags()) replace_all(text, commit, "<" + tag + ">");
    return text;
}

void Toy::edit(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = read(*this / name);
    EXPECT_NE(text.find(from), std::string::npos) << from;
    replace_all(text, from, to);
    write(*this / name, text);
}

std::string Toy::snapshot() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
        const std::string name = entry.path().lexically_relative(path());
        if (name.starts_with("cache") || name == "build.log") continue;
        if (entry.is_regular_file()) files[name] = base::to_hex(base::sha256(read(entry.path())));
        if (name.starts_with("scratch/")) files[name] = "litter";
    }
    std::string text;
    for (const auto& [name, hash] : files) text += fmt::format("{} {}\n", name, hash);
    return text;
}

base::ProcessOutcome Toy::drydock(std::vector<std::string> words) const {
    words.insert(words.begin(), test::drydock());
    const std::vector<std::pair<std::string, std::string>> defaults{{"--harness", toy_repository()},
                                                                    {"--manifest", "sets"},
                                                                    {"--scratch", "scratch"},
                                                                    {"--cache", "cache"},
                                                                    {"--published", "none"}};
    for (const auto& [option, value] : defaults) {
        if (std::find(words.begin(), words.end(), option) != words.end()) continue;
        words.push_back(option);
        words.push_back(value);
    }
    base::ProcessOptions options;
    options.directory = path();
    options.unset = {"DSH_VERSION", "DRYDOCK_MANIFESTS", "DRYDOCK_HARNESS", "NO_COLOR"};
    return run(words, options);
}

std::string Toy::told(const std::vector<std::string>& words) const {
    const base::ProcessOutcome outcome = drydock(words);
    static const std::regex times(R"([0-9]+\.[0-9] s)");
    return std::regex_replace(named(outcome.output + outcome.errors), times, "N s") +
           fmt::format("exit {}\n", outcome.exit_code);
}

}  // namespace drydock::test
