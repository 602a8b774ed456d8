// The completions of bash, zsh and fish that the build makes, each asked in its own shell.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

/// A folder with the manifests of two versions, `sets`, and a few files.
class Completion : public testing::Test {
  protected:
    Completion() {
        for (const std::string version : {"1.0.0", "1.1.0"})
            write(folder / ("sets/" + version + ".yaml"), set(version));
        write(folder / "fix one.patch", "");
        write(folder / "fix two.patch", "");
        std::filesystem::create_directories(folder / "direct ory");
        options.directory = folder.path();
        options.unset = {"DRYDOCK_MANIFESTS", "DSH_VERSION"};
        options.environment = {{"HOME", folder.path()}};
    }

    /// What bash completes the words to, the last one up to the cursor.
    [[nodiscard]] std::string bash(std::vector<std::string> words) const {
        words.insert(words.begin(), {"bash", DRYDOCK_SOURCE_DIR "/tests/pack/complete.bash",
                                     DRYDOCK_DOCUMENTS "/completions/drydock", drydock()});
        return told(words);
    }

    /// What fish completes the line to, a line each, without descriptions.
    [[nodiscard]] std::string fish(const std::string& line) const {
        return told({"fish", "--no-config", "-c",
                     "source " DRYDOCK_DOCUMENTS "/completions/drydock.fish; function drydock; " + drydock() +
                         " $argv; end; complete -C $argv[1] | string replace -r '\\t.*' ''",
                     line});
    }

    /// What zsh completes each line to, behind the line: its own completion system, in a terminal of its own.
    [[nodiscard]] std::string zsh(std::vector<std::string> lines) const {
        lines.insert(lines.begin(),
                     {"zsh", "-f", DRYDOCK_SOURCE_DIR "/tests/pack/complete.zsh",
                      DRYDOCK_DOCUMENTS "/completions", std::filesystem::path(drydock()).parent_path()});
        return told(lines);
    }

    TemporaryDirectory folder;
    base::ProcessOptions options;

  private:
    [[nodiscard]] std::string told(const std::vector<std::string>& command) const {
        const base::ProcessOutcome outcome = run(command, options);
        return outcome.output + outcome.errors;
    }

    static std::string set(const std::string& version) {
        const std::string zeros(64, '0');
        return "schema: 1\nset: {name: example, version: " + version +
               ", revision: 1, status: active}\n"
               "roots:\n  - {name: image, path: /srv/image}\n  - {name: profile, path: /srv/profile}\n"
               "packages:\n"
               "  - name: \"@acme/core\"\n    root: image\n    stages: [image]\n    why: it must\n"
               "    patch: {file: core.patch, sha256: " +
               zeros + "}\n    files:\n      - {path: lib/index.js, stock: " + zeros + ", patched: " + zeros +
               ", origin: published}\n";
    }
};

TEST_F(Completion, OfCommandsInBash) {
    EXPECT_EQ(bash({"a"}), "apply\n");
    EXPECT_EQ(bash({"st"}), "status\nstream\n");
    EXPECT_EQ(bash({""}),
              "apply\nstatus\nrevert\nsbom\npatch\ndiff\nverify\nregenerate\nbump\nlog\nstream\nhelp\n"
              "-h\n--help\n-V\n--version\n");
    EXPECT_EQ(bash({"--v"}), "--version\n");
    EXPECT_EQ(bash({"log", ""}), "check\nmend\n");
    EXPECT_EQ(bash({"log", "m"}), "mend\n");
    EXPECT_EQ(bash({"help", "re"}), "revert\nregenerate\n");
    EXPECT_EQ(bash({"help", "stream", ""}), "map\n");
    EXPECT_EQ(bash({"help", "log", "check", ""}), "");
    EXPECT_EQ(bash({"unknown", "-"}), "");
}

TEST_F(Completion, OfOptionsInBash) {
    EXPECT_EQ(bash({"status", "--d"}), "--dsh-version\n");
    EXPECT_EQ(bash({"apply", "--str"}), "--strict\n");
    EXPECT_EQ(bash({"status", "--str"}), "");
    EXPECT_EQ(bash({"log", "check", "--nd"}), "--ndjson\n");
    EXPECT_EQ(
        bash({"sbom", "-"}),
        "-m\n--manifest\n--dsh-version\n-s\n--stage\n-p\n--package\n-r\n--root\n-v\n--verbose\n-h\n--help\n");
    EXPECT_EQ(bash({"apply", "--stage", ""}), "image\nboot\n");
    EXPECT_EQ(bash({"apply", "-s", "b"}), "boot\n");
    EXPECT_EQ(bash({"apply", "--stage=b"}), "boot\n");
    EXPECT_EQ(bash({"apply", "--stage="}), "image\nboot\n");
    EXPECT_EQ(bash({"status", "--color", "a"}), "auto\nalways\n");
    EXPECT_EQ(bash({"stream", "map", "--from", ""}), "claude-code\nacp\n");
    EXPECT_EQ(bash({"apply", "--wait", ""}), "");
    EXPECT_EQ(bash({"status", "--chekc="}), "");
}

TEST_F(Completion, OfFilesInBash) {
    EXPECT_EQ(bash({"patch", "fix o"}), "fix one.patch\n");
    EXPECT_EQ(bash({"patch", "-p1", "fix t"}), "fix two.patch\n");
    EXPECT_EQ(bash({"apply", "f"}), "");  // which takes no operand
    EXPECT_EQ(bash({"bump", "--report", ""}), "direct ory\nsets\n");
    EXPECT_EQ(bash({"apply", "--manifest=se"}), "sets\n");
    EXPECT_EQ(bash({"log", "mend", "-o", "fix o"}), "fix one.patch\n");
}

TEST_F(Completion, OfWhatTheManifestHasInBash) {
    EXPECT_EQ(bash({"apply", "-m", "sets", "-p", ""}), "core\n");
    EXPECT_EQ(bash({"apply", "--manifest=sets", "--dsh-version", "1.0.0", "--package=c"}), "core\n");
    EXPECT_EQ(bash({"apply", "-m", "sets", "-p", "x"}), "");
    EXPECT_EQ(bash({"apply", "-m", "sets", "--root", ""}), "image=\nprofile=\n");
    EXPECT_EQ(bash({"apply", "-m", "sets", "--root", "image=dir"}), "direct ory\n");
    EXPECT_EQ(bash({"apply", "-m", "sets", "--root=im"}), "image=\n");
    EXPECT_EQ(bash({"apply", "-m", "sets", "--root=image=se"}), "sets\n");
    EXPECT_EQ(bash({"status", "-m", "sets", "--dsh-version", "1."}), "1.0.0\n1.1.0\n");
    EXPECT_EQ(bash({"status", "--dsh-version", "1."}), "");  // no manifest can be read
    EXPECT_EQ(bash({"status", "-p", ""}), "");
}

TEST_F(Completion, InFish) {
    EXPECT_EQ(fish("drydock st"), "status\nstream\n");
    EXPECT_EQ(fish("drydock log "), "check\nmend\n");
    EXPECT_EQ(fish("drydock log check --nd"), "--ndjson\n");
    EXPECT_EQ(fish("drydock help reg"), "regenerate\n");
    EXPECT_EQ(fish("drydock apply --stage "), "boot\nimage\n");
    EXPECT_EQ(fish("drydock status --str"), "");
    EXPECT_EQ(fish("drydock apply -m sets -p "), "core\n");
    EXPECT_EQ(fish("drydock apply -m sets --root "), "image=\nprofile=\n");
    EXPECT_EQ(fish("drydock apply -m sets --root image=se"), "image=sets/\n");
    EXPECT_EQ(fish("drydock status -m sets --dsh-version "), "1.0.0\n1.1.0\n");
    EXPECT_EQ(fish("drydock bump --report dir"), "direct ory/\n");
    EXPECT_EQ(fish("drydock apply f"), "");
}

TEST_F(Completion, InZsh) {
    EXPECT_EQ(zsh({"drydock st", "drydock log ", "drydock log check --nd", "drydock help reg",
                   "drydock apply --stage ", "drydock status --str", "drydock apply -m sets -p ",
                   "drydock apply -m sets --root ", "drydock apply -m sets --root image=se",
                   "drydock status -m sets --dsh-version ", "drydock apply f", "drydock patch direct"}),
              "drydock st: status stream\n"
              "drydock log : check mend\n"
              "drydock log check --nd: --ndjson\n"
              "drydock help reg: regenerate\n"
              "drydock apply --stage : image boot\n"
              "drydock status --str:\n"
              "drydock apply -m sets -p : core\n"
              "drydock apply -m sets --root : image profile\n"
              "drydock apply -m sets --root image=se: sets\n"
              "drydock status -m sets --dsh-version : 1.0.0 1.1.0\n"
              "drydock apply f:\n"
              "drydock patch direct: direct\\ ory\n");
}

}  // namespace
}  // namespace drydock::test
