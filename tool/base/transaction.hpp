#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"

namespace drydock::base {

/// The beginning of every temporary name that we make. Whoever finds one on a later run, holding the lock,
/// may remove it.
inline constexpr std::string_view temporary_prefix = ".drydock-tmp.";

/// What a file has besides its bytes.
struct Attributes {
    mode_t mode{0644};
    uid_t uid{0};
    gid_t gid{0};
    std::vector<std::pair<std::string, std::string>> extended;  ///< name and value, sorted by name
};

/// Mode, owner and extended attributes of an open file.
Sys<Attributes> attributes_of(const FileDescriptor& file);

/// Whether this process could give a new file these: a foreign owner needs root, a foreign group membership, the
/// `security.` and `trusted.` names root. The answer is what cannot be kept, in words, or nothing.
std::optional<std::string> cannot_keep(const Attributes& wanted);

/// Several files changed together: nothing is visible until all new contents lie synced beside their targets;
/// then the steps run in the order they were added, each a rename (or mkdir, unlink) with its directory synced;
/// a step that fails takes the earlier ones back. After a crash the temporaries that are left carry
/// temporary_prefix.
///
/// Paths are relative to the Directory given with each step, which must outlive the transaction.
class Transaction {
  public:
    Transaction();
    ~Transaction();  ///< removes temporaries that are left when it was not committed
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// A file that will have these bytes and attributes: replaced when it is there, created when not.
    /// `name` is how errors call it.
    void write(const Directory& root, std::string path, std::string bytes, Attributes attributes, std::string name);

    /// A file that will be gone.
    void remove(const Directory& root, std::string path, std::string name);

    /// A file whose mode changes and whose bytes stay: written anew, like any other.
    /// A directory that will be there (made with the mode and owner of its parent).
    void make_directory(const Directory& root, std::string path, std::string name);

    /// A directory that will be gone if it is empty then; one that is not empty stays, without an error.
    void remove_directory(const Directory& root, std::string path, std::string name);

    [[nodiscard]] bool empty() const;

    /// Writes all temporaries (exclusive, owner, then attributes, then mode, synced). On an error nothing is left.
    Result<void> stage();

    /// Runs the steps; stage() comes first. On an error the earlier steps are taken back; if that fails too, the
    /// error's details say so, and what lies there is for the caller's settling to mend.
    Result<void> commit();

  private:
    struct Step;
    std::vector<std::unique_ptr<Step>> steps_;
};

/// Removes temporaries of ours directly in `directory`. Returns how many there were.
Sys<std::size_t> remove_temporaries(const Directory& directory);

/// The names of temporaries of ours directly in `directory`.
Sys<std::vector<std::string>> temporaries_in(const Directory& directory);

}  // namespace drydock::base
