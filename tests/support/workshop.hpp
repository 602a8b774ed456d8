#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {

/// A file of a package in a set: what it holds as published and as patched; nothing for absent.
struct SetFile {
    std::string path;
    std::optional<std::string> stock;
    std::optional<std::string> patched;
    bool stock_executable{false};
    bool patched_executable{false};
    std::vector<std::pair<std::string, std::string>> variants{};  ///< other stock contents, and as patched
};

/// Other bytes that a known patch makes: an earlier or later revision, or (revision 0) a predecessor.
struct SetOther {
    std::string label;
    unsigned revision{0};
    std::map<std::string, std::string> files;  ///< by path
    unsigned provides{0};
    std::map<std::string, std::optional<std::string>> stock{};  ///< of files that the set itself leaves alone
};

struct SetPackage {
    std::string name;
    std::string root{"image"};
    std::vector<std::string> stages{"image", "boot"};
    unsigned provides{0};
    std::map<std::string, unsigned> requirements;
    std::vector<SetFile> files;
    std::vector<SetOther> others;
    std::vector<std::string> at;  ///< empty: npm's place and pnpm's
};

struct SetRoot {
    std::string name;
    std::string path;
    std::vector<std::string> may_be_missing;
};

/// A set for packages of its own, made with the real tools (diff and sha256), and roots to install them in.
/// Its roots are `image` and `profile`, directories in it with these names, unless they are given.
class Workshop {
  public:
    explicit Workshop(std::string version = "1.2.3");

    std::string version;
    unsigned revision{1};
    bool adopted{false};
    std::vector<SetRoot> roots;
    std::vector<SetPackage> packages;
    std::string harness;  ///< the manifest's harness section, indented as it stands there
    std::string tool{test::drydock()};
    std::vector<std::string> runner;  ///< a command that drydock is run by, before its path

    /// Writes manifests/<version>.yaml and patches/<version>-<revision>/*.lib.patch.
    void write_set();

    /// Puts a package in node_modules of its root (or `directory`, relative to the workshop), as published.
    /// Gives its directory.
    std::string install(const SetPackage& package, const std::string& directory = {});

    /// The directory of a package in its root's node_modules.
    [[nodiscard]] std::string place(const SetPackage& package) const;

    [[nodiscard]] std::string operator/(const std::string& path) const { return directory_ / path; }
    [[nodiscard]] const std::string& path() const { return directory_.path(); }

    /// Runs drydock with these arguments, `--manifest` and `--dsh-version` set through the environment.
    base::ProcessOutcome drydock(const std::vector<std::string>& arguments,
                                 std::vector<std::pair<std::string, std::string>> environment = {}) const;

    /// What it printed, with the workshop's path replaced by `@`: standard output, then standard error, then
    /// `exit N`.
    [[nodiscard]] std::string told(const std::vector<std::string>& arguments,
                                   std::vector<std::pair<std::string, std::string>> environment = {}) const;

  private:
    TemporaryDirectory directory_;
};

/// Writes what a package's files hold once they are patched, with no receipt, over what was installed.
void put_patched(const SetPackage& package, const std::string& directory);

/// From here on a root's workshop runs drydock without root's rights, as user and group 65534.
void give_up_rights(Workshop& shop);

/// The patch from one set of files to another, as git makes it (renames found, modes kept), with names below
/// a/, b/.
std::string make_patch(const std::vector<SetFile>& files);

/// Every entry below a directory by path: type, mode, owner, inode, times (nanoseconds) and hash, for
/// comparing before and after.
std::map<std::string, std::string> snapshot(const std::string& directory, bool with_times = true);

/// Names below a directory that are temporaries of drydock's.
std::vector<std::string> litter(const std::string& directory);

/// Two packages, `@demo/core` (provides level 1, in root image) and `@demo/provider` (requires it, in root
/// profile).
std::pair<SetPackage, SetPackage> core_and_provider();

/// Lines `prefix 1` to `prefix n`, each with its line end.
std::string numbered_lines(const std::string& prefix, int count);

}  // namespace drydock::test
