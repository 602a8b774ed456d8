#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/process.hpp"

namespace drydock::test {

/// A fresh directory, removed with everything in it when it goes.
class TemporaryDirectory {
  public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }
    /// The path of something in it.
    [[nodiscard]] std::string operator/(std::string_view name) const;

  private:
    std::string path_;
};

/// Writes a file, and the directories that lead to it.
void write(const std::string& path, std::string_view bytes);

/// All bytes of a file; a test failure and the empty text when it can't be read.
std::string read(const std::string& path);

bool exists(const std::string& path);

/// Gives a file, or a folder that is made if need be, other permissions until it goes.
class Mode {
  public:
    Mode(std::string path, mode_t mode);
    ~Mode();
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

  private:
    std::string path_;
};

/// The words that run a command so that permissions hold for root as well.
std::vector<std::string> without_privileges();

/// Runs a command and returns its outcome; a test failure when it can't be started.
base::ProcessOutcome run(const std::vector<std::string>& command, const base::ProcessOptions& options = {});

/// The built drydock.
std::string drydock();

/// Compares with a golden file below tests/; with DRYDOCK_ACCEPT=1 in the environment it is written instead.
void expect_golden(const std::string& file, std::string_view actual);

/// The folder with the unpacked registry packages that tests/run.sh prepares ($DRYDOCK_TEST_PACKAGES), with
/// `<name without scope>-<version>/package/` in it; a test failure when the variable is not set.
std::string registry_package(const std::string& name_and_version);

}  // namespace drydock::test
