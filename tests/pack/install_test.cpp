// What cmake --install puts in place, and the man pages.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// The commands as `drydock help` lists them, and what it says of each.
std::vector<std::pair<std::string, std::string>> commands() {
    std::istringstream help(run({drydock(), "help"}).output);
    std::vector<std::pair<std::string, std::string>> found;
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
        if (line == "Commands:") {
            listed = true;
        } else if (listed && line.empty()) {
            break;
        } else if (listed && line[2] == ' ') {
            found.back().second += ' ' + line.substr(26);
        } else if (listed) {
            std::string name = line.substr(2, 22);
            name.erase(name.find_last_not_of(' ') + 1);
            found.emplace_back(name, line.substr(26));
        }
    }
    EXPECT_EQ(found.back().first, "help [COMMAND]");
    found.pop_back();
    return found;
}

std::string page_of(const std::string& command) {
    std::string name = "/man/drydock-" + command + ".1";
    std::replace(name.begin(), name.end(), ' ', '-');
    return DRYDOCK_DOCUMENTS + name;
}

/// A text's words, a blank between each two.
std::string words_of(const std::string& text) {
    std::istringstream stream(text);
    std::string words;
    for (std::string word; stream >> word;) words += word + ' ';
    return words;
}

TEST(Manual, HasAPageForEachCommandThatReadersTakeWithoutWarning) {
    std::vector<std::string> pages = {DRYDOCK_DOCUMENTS "/man/drydock.1"};
    for (const auto& [command, summary] : commands()) pages.push_back(page_of(command));
    EXPECT_GE(pages.size(), 13U);
    std::set<std::string> there;
    for (const auto& entry : fs::directory_iterator(DRYDOCK_DOCUMENTS "/man")) there.insert(entry.path());
    EXPECT_EQ(there, std::set<std::string>(pages.begin(), pages.end()));
    for (const std::string& page : pages) {
        const base::ProcessOutcome lint = run({"mandoc", "-T", "lint", "-W", "warning", page});
        EXPECT_EQ(lint.output + lint.errors, "");
        EXPECT_EQ(lint.exit_code, 0);
        const base::ProcessOutcome man = run({"man", "--warnings", "-E", "UTF-8", "-l", page});
        EXPECT_EQ(man.errors, "") << page;
        EXPECT_EQ(man.exit_code, 0);
    }
}

/// As mandoc shows a page, all words of `--help` are in it: texts in the same words, options with their
/// values.
TEST(Manual, SaysWhatHelpSays) {
    for (const auto& [command, summary] : commands()) {
        const std::string shown = words_of(
            run({"sh", "-c", "mandoc -T utf8 -O width=1000 \"$0\" | sed 's/.\\x08//g'", page_of(command)})
                .output);
        EXPECT_NE(shown.find("drydock-" + fs::path(page_of(command)).stem().string().substr(8) + " - "),
                  std::string::npos)
            << shown;
        EXPECT_NE(shown.find(" - " + summary.substr(0, summary.find("  "))), std::string::npos) << shown;
        std::istringstream help(
            run({drydock(), "help", command.substr(0, command.find(' ')),
                 command.find(' ') == std::string::npos ? std::string("--")
                                                        : command.substr(command.find(' ') + 1)})
                .output);
        for (std::string line; std::getline(help, line);) {
            // Titles, and `Usage:`, are other words there.
            if (line.empty() || line.ends_with(':') || line.starts_with("Usage:")) continue;
            EXPECT_NE(shown.find(words_of(line)), std::string::npos) << command << ": " << line << "\n"
                                                                     << shown;
        }
    }
}

TEST(Installed, RunsWhereverItLies) {
    const TemporaryDirectory prefix;
    const std::string build = fs::path(DRYDOCK_DOCUMENTS).parent_path();
    ASSERT_EQ(run({"cmake", "--install", build, "--prefix", prefix.path()}).exit_code, 0);
    base::ProcessOptions options;
    options.unset = {"DRYDOCK_MANIFESTS", "DSH_VERSION"};
    const auto told = [&](std::vector<std::string> words) {
        words.insert(words.begin(), prefix / "bin/drydock");
        const base::ProcessOutcome outcome = run(words, options);
        return outcome.output + outcome.errors;
    };
    std::string versions;
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(DRYDOCK_SOURCE_DIR "/manifests"))
        files.insert(entry.path().stem());
    for (const std::string& version : files) versions += version + "\n";
    EXPECT_EQ(told({"__names", "versions"}), versions);
    // Two folders deep, and it finds the same manifests.
    std::string there;
    for (const std::string& version : files) there += (there.empty() ? "" : ", ") + version;
    EXPECT_EQ(told({"regenerate", "--dsh-version", "9", "--harness", "/nowhere"}),
              "drydock: " + prefix / "share/drydock/manifests" + ": no set for version 9; there are " +
                  there + "\n");
    for (const char* file :
         {"share/man/man1/drydock.1", "share/bash-completion/completions/drydock",
          "share/zsh/site-functions/_drydock", "share/fish/vendor_completions.d/drydock.fish",
          "share/doc/drydock/LICENSE", "share/drydock/patches/NOTICE"}) {
        EXPECT_TRUE(fs::exists(prefix / file)) << file;
    }
}

}  // namespace
}  // namespace drydock::test
