// drydock regenerate and drydock bump as they are installed: what they print, and the files that they leave.
#include <csignal>
#include <filesystem>
#include <regex>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/toy.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;
using Document = nlohmann::ordered_json;

const std::vector<std::string> regenerate{"regenerate", "--dsh-version", "1.0.0"};

std::vector<std::string> bump(const std::string& tag, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"bump", "--from", "1.0.0", "--to", "1.1.0", "--tag", tag};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// A document with its times, which no two runs share, as zeros.
std::string without_times(const std::string& document) {
    return std::regex_replace(document, std::regex(R"((Seconds": )[0-9.e-]+)"), "$010");
}

/// Whole texts lie in tests/e2e/data/rebuild-text/.
void expect_told(const std::string& name, const std::string& told) {
    expect_golden("e2e/data/rebuild-text/" + name + ".txt", told);
}

TEST(RebuildText, OfRegenerate) {
    const Toy toy;
    expect_told("made", toy.told(regenerate));
    expect_told("same", toy.told(with(regenerate, {"--check"})));
    toy.edit("patches/toy-1.0.0/core.lib.patch", "3000", "3001");
    expect_told("differs", toy.told(with(regenerate, {"--check"})));
    expect_told("mended", toy.told(regenerate));
    EXPECT_EQ(toy.told(with(regenerate, {"--quiet"})), "exit 0\n");
    EXPECT_EQ(toy.told({"regenerate", "--dsh-version", "1.0.1"}),
              "drydock: sets: no set for version 1.0.1; there are 1.0.0 (did you mean '1.0.0'?)\nexit 2\n");
    EXPECT_EQ(toy.told(with(regenerate, {"--published", "no-folder"})),
              "drydock: --published is registry, none or a folder, found 'no-folder'\nexit 2\n");
    expect_told("no-repository", toy.told(with(regenerate, {"--harness", "no-folder"})));
    expect_told("no-cache", toy.told(with(regenerate, {"--cache", "sets/1.0.0.yaml/x"})));
    EXPECT_EQ(toy.told(with(regenerate, {"--scratch", "no-folder", "--no-cache"})),
              "drydock: cannot make a scratch folder in no-folder: no such file or directory\nexit 6\n");
}

TEST(RebuildText, OfBump) {
    const Toy toy;
    toy.drydock(regenerate);
    expect_told("bump-check", toy.told(bump("moved", {"--check"})));
    EXPECT_FALSE(exists(toy / "bump-1.1.0"));
    expect_told("bump-made", toy.told(bump("moved")));
    expect_told("bump-verbose", toy.told(bump("moved", {"--check", "--verbose"})));
    toy.edit("sets/1.1.0.yaml", "why: the core must have it", "why: somebody wrote this");
    const std::string before = toy.snapshot();
    expect_told("bump-refused", toy.told(bump("moved", {"--report", "report"})));
    fs::remove_all(toy / "report");
    EXPECT_EQ(toy.snapshot(), before) << "a set that differs is left alone";
    expect_told("bump-forced", toy.told(bump("moved", {"--force"})));
    expect_told("bump-elsewhere", toy.told(bump("moved", {"--output", "other/sets"})));
    EXPECT_TRUE(exists(toy / "other/patches/toy-1.1.0/core.lib.patch"));
}

TEST(RebuildText, OfConflicts) {
    const Toy toy;
    toy.drydock(regenerate);
    const std::string before = toy.snapshot();
    expect_told("bump-conflicts", toy.told(bump("three-conflicts")));
    expect_golden("e2e/data/rebuild-text/marked.ts",
                  read(toy / "bump-1.1.0/conflicts/packages/core/src/index.ts"));
    EXPECT_EQ(toy.told(bump("three-conflicts", {"--resolved", "no-folder"})),
              "drydock: --resolved wants the folder with the mended files, found 'no-folder'\nexit 2\n");
    fs::remove_all(toy / "bump-1.1.0");
    EXPECT_EQ(toy.snapshot(), before) << "nothing is written elsewhere";
}

TEST(RebuildReport, OfBumps) {
    for (const char* tag : {"moved", "renamed", "three-conflicts", "all", "provider", "broken"}) {
        const Toy toy;
        toy.drydock(regenerate);
        toy.drydock(bump(tag));
        const std::string folder = std::string("e2e/data/rebuild-") + tag + "/";
        expect_golden(folder + "report.md", toy.named(read(toy / "bump-1.1.0/report.md")));
        expect_golden(folder + "report.json", without_times(toy.named(read(toy / "bump-1.1.0/report.json"))));
    }
}

TEST(RebuildReport, KeepsACarriedPatchOfWhichNoSetCouldBeMade) {
    const Toy toy;
    toy.drydock(regenerate);
    expect_told("bump-left-over", toy.told(bump("provider")));
    // The set by hand: without the provider, and all hashes zeros.
    shell(toy.path(),
          "mkdir -p patches/toy-1.1.0; mv bump-1.1.0/source.patch patches/toy-1.1.0; "
          "sed -e 's/1[.]0[.]0/1.1.0/; s/tag: .*/tag: provider/; s/commit: .*/commit: " +
              toy_commit("provider") + "/; s/[0-9a-f]\\{64\\}/" + std::string(64, '0') +
              "/g' -e '/name: \"@toy.provider\"/,/^build/{/^build/!d}' "
              "sets/1.0.0.yaml >sets/1.1.0.yaml");
    EXPECT_EQ(toy.told({"regenerate", "--dsh-version", "1.1.0", "--quiet"}), "exit 0\n");
    EXPECT_EQ(toy.told({"regenerate", "--dsh-version", "1.1.0", "--quiet", "--check"}), "exit 0\n");
}

/// The names of an object's fields, in order.
std::string fields(const Document& object) {
    std::string names;
    for (const auto& [name, value] : object.items()) names += name + " ";
    return names;
}

TEST(RebuildJson, HasTheFieldsThatOthersRelyOn) {
    const Toy toy;
    const auto told = [&](const std::string& name, std::vector<std::string> words) {
        words.emplace_back("--json");
        const base::ProcessOutcome outcome = toy.drydock(words);
        const Document document = Document::parse(outcome.output);
        EXPECT_EQ(document["schema"], "drydock." + words.front() + "/1");
        EXPECT_EQ(document["exit"], outcome.exit_code);
        expect_golden("e2e/data/rebuild-json/" + name + ".json", without_times(toy.named(outcome.output)));
        return document;
    };
    const std::string build = "files cached proven buildSeconds checkoutSeconds npmSeconds ownSeconds notes ";
    const Document made = told("made", regenerate);
    EXPECT_EQ(fields(made), "schema exit problems " + build);
    EXPECT_EQ(fields(made["files"][0]), "path same difference sha256 ");
    toy.edit("patches/toy-1.0.0/core.lib.patch", "3000", "3001");
    EXPECT_EQ(told("differs", with(regenerate, {"--check"}))["problems"][0]["code"], "check");
    toy.drydock(regenerate);
    EXPECT_EQ(fields(told("no-set", {"regenerate", "--dsh-version", "9"})), "schema exit problems " + build);
    told("usage", {"bump"});
    const Document conflicts = told("conflicts", bump("three-conflicts"));
    EXPECT_EQ(fields(conflicts), "schema exit problems from to adopted hunks conflicts " + build);
    EXPECT_EQ(fields(conflicts["hunks"][3]), "file hunk class newFile oldLine newLine note ");
    EXPECT_EQ(fields(told("no-tag", bump("claen"))), fields(conflicts));
}

TEST(Rebuild, OfAnAdoptedSetLeavesApplyNothingToDo) {
    const Toy toy;
    toy.drydock(regenerate);
    expect_told("bump-adopted", toy.told(bump("all")));
    expect_golden("e2e/data/rebuild-all/1.1.0.yaml", toy.named(read(toy / "sets/1.1.0.yaml")));
    const base::ProcessOutcome applied =
        run({drydock(), "apply", "--manifest", toy / "sets", "--dsh-version", "1.1.0", "--stage", "image"});
    EXPECT_EQ(applied.output + applied.errors, "1.1.0: upstream has this change; nothing to do\n");
    EXPECT_EQ(applied.exit_code, 0);
}

/// Whether a process is there, and not only waited for.
bool is_running(pid_t pid) {
    const std::string file = "/proc/" + std::to_string(pid) + "/stat";
    return exists(file) && read(file).find(") Z ") == std::string::npos;
}

/// Whether a process that was killed is gone; it may take the system a moment.
bool ends(pid_t pid) {
    for (int waited = 0; waited < 1000 && is_running(pid); ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return !is_running(pid);
}

/// Starts drydock in a toy, ends it by a signal when `sign` is there, and gives how it ended.
int end_by(const Toy& toy, const std::vector<std::string>& words, int signal, const std::string& sign) {
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(toy.path().c_str()) != 0) _exit(99);
        std::vector<std::string> all = with({drydock()}, words);
        all = with(all, {"--harness", toy_repository(), "--manifest", "sets", "--scratch", "scratch",
                         "--no-cache", "--published", "none"});
        std::vector<char*> pointers;
        for (std::string& word : all) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        execv(pointers.front(), pointers.data());
        _exit(99);
    }
    for (int waited = 0; waited < 2000 && !exists(sign); ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(exists(sign)) << "the build step did not start";
    // As `timeout` sends it: to the process, and right after that to its group.
    int status = 0;
    kill(pid, signal);
    for (int again = 0; again < 20 && waitpid(pid, &status, WNOHANG) == 0; ++again) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        kill(pid, signal);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

TEST(RebuildInterrupted, EndsTheStepsAndLeavesNothing) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ToySet set;
        set.build =
            "  - name: long\n    command: [sh, -c, \"sleep 300 & echo $! >$SIGN.tmp; mv $SIGN.tmp $SIGN; "
            "wait\"]\n";
        const Toy toy(set);
        const std::string sign = toy / "cache/sign";
        setenv("SIGN", sign.c_str(), 1);
        const std::string before = toy.snapshot();
        EXPECT_EQ(end_by(toy, regenerate, signal, sign), signal) << "whoever waits sees by what it ended";
        // A process of the step's, not the step itself.
        const pid_t sleeper = std::stoi(read(sign));
        EXPECT_TRUE(ends(sleeper));
        fs::remove(toy / "scratch/drydock-build.log");
        EXPECT_EQ(toy.snapshot(), before);
        unsetenv("SIGN");
    }
}

}  // namespace
}  // namespace drydock::test
