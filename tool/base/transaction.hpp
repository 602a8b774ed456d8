#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/directory.hpp"
#include "base/result.hpp"

namespace drydock::base {

/// The beginning of every temporary name that we make. Whoever finds one on a later run, holding the lock,
/// may remove it.
inline constexpr std::string_view temporary_prefix = ".drydock-tmp.";

/// The file in the directory that `drydock patch` works in while a run is under way there.
inline constexpr std::string_view patch_journal_name = ".drydock-patch-journal";

/// What a file has besides its bytes.
struct Attributes {
    mode_t mode{0644};
    uid_t uid{0};
    gid_t gid{0};
    std::vector<std::pair<std::string, std::string>> extended;  ///< name and value, sorted by name
    friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// Mode, owner and extended attributes of an open file.
Sys<Attributes> attributes_of(const FileDescriptor& file);

/// Whether this process could give a new file these: a foreign owner or group, and the names in `security.`
/// and `trusted.`, need capabilities. The answer is what cannot be kept, in words (`owner 1000`), or nothing.
std::optional<std::string> cannot_keep(const Attributes& wanted);

/// One file of a transaction. `root` must outlive it; `path` is relative to it; `name` is how errors call it.
struct Target {
    const Directory* root{nullptr};
    std::string path;
    std::string name;
    std::optional<Identity> expected;   ///< what lies there now, which remove must say; nothing: no file
    std::optional<FileInfo> as_read{};  ///< of the bytes that the new ones were made from: written to since,
                                        ///< it is not touched
    std::optional<Error> about{};       ///< errors take package, file and details from it, not from `name`
};

enum class StepKind : std::uint8_t { write, remove, make_directory, remove_directory };

/// A step as stage() has prepared it, for whoever keeps a record of what is begun. Paths are relative to the
/// target's root.
struct StagedStep {
    StepKind kind{};
    std::string path;
    std::string_view bytes;  ///< the new ones, of a file that is written; as long as the transaction lives
    mode_t mode{0};          ///< the new one, likewise
    bool replaces{false};    ///< a file lies there that is written over
    std::string new_path;    ///< where the new bytes lie until they are renamed
    std::string old_path;    ///< where the old bytes lie until tidy(); of a removed file: once it is removed
};

/// Several files changed together: nothing is visible until all new contents lie synced beside their targets;
/// then the steps run in the order they were added, each a rename (or mkdir) with its directory synced; a
/// step that fails takes the earlier ones back. Directories are removed last of all, when the temporaries in
/// them are gone. After a crash the temporaries that are left carry temporary_prefix, and lie in the
/// directories of the targets, or in their nearest parents that were there before.
///
/// While one lives, SIGHUP, SIGINT and SIGTERM wait in this thread: whoever stops us gets all of it or
/// nothing.
class Transaction {
  public:
    Transaction();
    ~Transaction();  ///< removes temporaries that are left when it was not committed
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    /// A file that will have these bytes and attributes.
    void write(Target target, std::string bytes, Attributes attributes);

    /// A file that will be gone.
    void remove(Target target);

    /// A directory that will be there, with the owner of its parent where that can be given, else our own.
    /// Its mode: `mode`, or the parent's, without the others' right to write where the parent is sticky.
    void make_directory(Target target, std::optional<mode_t> mode = std::nullopt);

    /// A directory that will be gone if it is empty then; one that is not, or is not there, is passed over.
    void remove_directory(Target target);

    [[nodiscard]] bool empty() const { return steps_.empty(); }

    /// Writes all temporaries (exclusive; owner, then extended attributes, then mode; synced) and keeps a
    /// second name on what they will replace. On an error nothing is left.
    Result<void> stage();

    /// The steps, once stage() has run.
    [[nodiscard]] std::vector<StagedStep> staged() const;

    /// Makes the names of the temporaries as durable as their bytes are, for who relies on them after a
    /// crash.
    Result<void> sync_names() const;

    /// Runs the steps; stage() comes first. On an error the earlier steps are taken back, the last one
    /// first; where that fails too, it and those before it stay, the error's details say so, and what lies
    /// there is for the caller's next run to settle.
    Result<void> run();

    /// Removes temporaries and directories, after a run() that succeeded: until then whoever looks sees that
    /// something was begun. Gives the paths of those that could not be removed.
    std::vector<std::string> tidy();

    /// Whether a run() that failed could not be taken back as a whole, so that something is left to settle.
    [[nodiscard]] bool stuck() const { return stuck_; }

    /// run() and tidy() in one.
    Result<std::vector<std::string>> commit();

  private:
    struct Step;
    struct Handles;
    Step& add(Target target);
    void take_back(Error& error);
    std::vector<std::string> remove_left();
    sigset_t before_{};  ///< the signals that were held back before
    std::unique_ptr<Handles> handles_;
    std::vector<std::unique_ptr<Step>> steps_;
    bool stuck_{false};
};

/// Writes all bytes.
Sys<void> write_all(const FileDescriptor& file, std::string_view bytes);

/// Makes a file's bytes, or the names in a directory, durable; a file system that has no sync for directories
/// is none the worse for it.
Sys<void> sync(const FileDescriptor& file);
Sys<void> sync_directory(const Directory& directory);

/// Whether one of a directory's names begins so.
bool holds(const std::vector<std::string>& names, std::string_view prefix);

/// The names of temporaries of ours directly in `directory`, sorted.
Sys<std::vector<std::string>> temporaries_in(const Directory& directory);

/// Removes temporaries of ours directly in `directory`; a directory that has such a name and holds anything
/// is not ours and stays.
Sys<void> remove_temporaries(const Directory& directory);

}  // namespace drydock::base
