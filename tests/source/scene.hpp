#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "source/source.hpp"
#include "tests/support/support.hpp"

namespace drydock::source {

/// A temporary folder, with a shell in it whose git makes the same commits wherever and whenever it runs.
class Scene {
  public:
    [[nodiscard]] const std::string& path() const { return folder_.path(); }
    [[nodiscard]] std::string operator/(std::string_view name) const { return folder_ / name; }

    /// Runs commands in the folder and gives what they print, without the last newline.
    std::string sh(const std::string& commands) const {
        base::ProcessOptions options;
        options.directory = path();
        options.environment = {{"HOME", path()},
                               {"GIT_CONFIG_NOSYSTEM", "1"},
                               {"LC_ALL", "C"},
                               {"GIT_AUTHOR_NAME", "a"},
                               {"GIT_AUTHOR_EMAIL", "a@example.invalid"},
                               {"GIT_AUTHOR_DATE", "1700000000 +0000"},
                               {"GIT_COMMITTER_NAME", "a"},
                               {"GIT_COMMITTER_EMAIL", "a@example.invalid"},
                               {"GIT_COMMITTER_DATE", "1700000000 +0000"}};
        options.unset = {"XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"};
        base::ProcessOutcome outcome = test::run(
            {"bash", "-euo", "pipefail", "-c", "git config --global init.defaultBranch main; " + commands},
            options);
        EXPECT_EQ(outcome.exit_code, 0) << commands << "\n" << outcome.errors;
        if (outcome.output.ends_with('\n')) outcome.output.pop_back();
        return outcome.output;
    }

    /// A work tree `name` with one commit that is tagged `v1`.
    void repository(const std::string& name) const {
        sh("git init -q '" + name + "' && cd '" + name +
           "' && echo one >a.txt && mkdir src && echo two >src/b.txt && git add . && git commit -qm first && "
           "git tag v1");
    }

  private:
    test::TemporaryDirectory folder_;
};

/// What a Progress is told, as text.
class Recorder final : public base::Progress {
  public:
    void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
        last = std::string(what) + " " + std::to_string(done) + "/" + std::to_string(total);
        seen += last + "\n";
    }
    std::string last;
    std::string seen;
};

/// The whole message of a result that failed; `(none)` of one that did not.
template <class T>
std::string message_of(const base::Result<T>& result) {
    return result ? "(none)" : base::describe(result.error());
}

/// The repository; a test failure, and the end of the program, when it cannot be opened.
inline Repository opened(const std::string& location) {
    base::Result<Repository> repository = Repository::open(location);
    EXPECT_TRUE(repository) << message_of(repository);
    if (!repository) std::abort();
    return *std::move(repository);
}

}  // namespace drydock::source
