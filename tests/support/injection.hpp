#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/workshop.hpp"

namespace drydock::test {

/// One system call of a run: the `ordinal`-th (from 1) of its name.
struct Call {
    std::string name;
    unsigned ordinal{0};
    std::string text;  ///< as strace shows it, from the name on
};

/// The drydock that faults are put into: the static one of the image ($DRYDOCK_IMAGE_BINARY) where it was
/// built, for it makes few calls of its own at its start; else the full one.
std::string injected_binary();

/// Puts temporary directories into memory, where the machine has such a place, so that thousands of syncs
/// cost nothing. As long as it lives.
class TemporariesInMemory {
  public:
    TemporariesInMemory();
    ~TemporariesInMemory();
    TemporariesInMemory(const TemporariesInMemory&) = delete;
    TemporariesInMemory& operator=(const TemporariesInMemory&) = delete;

  private:
    std::string before_;
};

/// Runs the injected binary as Workshop::drydock does; what it printed, with the workshop's path as `@`.
std::string told_plainly(const Workshop& shop, const std::vector<std::string>& arguments);

/// Runs it under strace, and gives its calls from the first flock on: what it does under the lock.
std::vector<Call> trace(const Workshop& shop, const std::vector<std::string>& arguments);

/// Runs it under strace with these `--inject` values, such as `renameat:error=EIO:when=3`.
base::ProcessOutcome inject(const Workshop& shop, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& faults);

/// The same, as Workshop::told tells it.
std::string told_with(const Workshop& shop, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& faults);

/// The `--inject` value for one call: `signal=KILL` or `error=EIO` at it.
std::string at(const Call& call, const std::string& fault);

/// Whether a call may change something on disk.
bool may_change_files(const Call& call);

/// What stands in two roots `image` and `profile` of a workshop, kept to be put back.
class Kept {
  public:
    explicit Kept(const Workshop& shop);
    void put_back() const;

  private:
    const Workshop& shop_;
    TemporaryDirectory directory_;
};

/// The snapshot of both roots, without times and inodes.
std::map<std::string, std::string> tree(const Workshop& shop);

/// Names of temporaries in both roots.
std::vector<std::string> litter_in(const Workshop& shop);

/// Core and provider, each in its root, and a link by which the provider finds the core.
void install_core_and_provider(Workshop& shop);

/// What every file of the set is: `stock`, `patched`, `other`, by `package: path`; anything else is
/// `unknown`.
std::map<std::string, std::string> file_states(const Workshop& shop);

}  // namespace drydock::test
