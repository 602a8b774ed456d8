#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "base/result.hpp"
#include "base/transaction.hpp"
#include "patch/model.hpp"

namespace drydock::cli {

/// Tells the next run what this one is about to do, so that a run that is cut short is ended or taken back.
/// First only where temporaries may lie; before the first rename all of it, durably, unless one rename is all
/// there is to do.
class PatchJournal {
  public:
    /// Begins a journal; the caller holds the lock of `root`, which must outlive it, and has settled an
    /// earlier one. `directories` are those in which temporaries may lie, `work` is what the patches are
    /// known by. What temporaries lie there already is removed. An io Error when it cannot be written.
    static base::Result<PatchJournal> begin(const base::Directory& root, std::set<std::string> directories,
                                            const base::Digest& work);

    /// Adds the staged steps; stage() comes before, run() after it.
    base::Result<void> add_steps(const base::Transaction& transaction);

    /// Removes what temporaries are left, then the journal. Where one can't be removed, the journal stays.
    /// False when it stays.
    [[nodiscard]] bool end();

  private:
    PatchJournal(const base::Directory& root, std::set<std::string> directories)
        : root_(&root), directories_(std::move(directories)) {}
    const base::Directory* root_;
    std::set<std::string> directories_;
    base::FileDescriptor file_;
    std::string text_;
};

/// What became of the run that a journal tells of.
struct SettledPatch {
    std::string message;         ///< for a note: what was found, and what was done
    bool same_work_done{false};  ///< it was this very work, and now all of it is done
    struct File {
        std::string path;
        patch::Operation operation{patch::Operation::modify};
    };
    std::vector<File> files;  ///< that it changed, if it was this very work
};

/// Whether a run is under way, or was cut short.
bool journal_is_there(const base::Directory& root);

/// Settles what a run began that was cut short, under the lock: forward when every file has its old or its
/// new bytes, else back, as far as the files' old bytes are there; files with other bytes are left alone.
/// Removes its temporaries, and last the journal. Nothing: there is no journal. Errors of kind io: a journal
/// that is no such, or another user's, and files that can be brought neither forward nor back; nothing was
/// changed then.
base::Result<std::optional<SettledPatch>> settle_patch(const base::Directory& root, const base::Digest& work);

}  // namespace drydock::cli
