#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/transaction.hpp"
#include "install/survey.hpp"

namespace drydock::install {

enum class Goal : std::uint8_t { patched, stock };

/// One file of a change.
struct FileChange {
    std::string path;
    std::optional<FileVersion> version;      ///< nothing: it will be gone
    base::Attributes attributes;             ///< of the new file
    std::optional<base::FileInfo> expected;  ///< what lies there now
};

/// All that one copy needs, worked out and proven in memory, and nothing of it written yet.
struct PackageChange {
    const Copy* copy{nullptr};
    Goal goal{Goal::patched};
    std::vector<FileChange> files;
    std::vector<std::string> new_directories;  ///< outermost first
    std::vector<std::string> old_directories;  ///< innermost first; removed if empty
    std::optional<std::string>
        intent;  ///< the receipt's text before the renames; nothing: it is there already
    std::optional<std::string> record;  ///< its text after them, where that differs
    bool remove_receipt{false};
    std::optional<base::Identity> receipt_expected;
    base::Attributes receipt_attributes;
    std::vector<PlannedHunk> hunks;

    [[nodiscard]] bool empty() const {
        return files.empty() && !intent && !remove_receipt && old_directories.empty();
    }
};

/// What brings a copy to the goal: new bytes proven by hash, and mode, owner and attributes known to be
/// keepable. `unknown` is for settling what a cut-short run left beside bytes that nobody knows. Gives every
/// reason against it.
tl::expected<PackageChange, std::vector<base::Error>> plan_change(const Session& session, const Copy& copy,
                                                                  Goal goal,
                                                                  Unknown unknown = Unknown::refuse);

/// Writes the changes as one transaction: all of them or none. In the given order, which must be `requires`
/// order for patched, and its opposite for stock. Whatever could not be tidied afterwards is added to
/// `notes`.
base::Result<void> run_changes(const std::vector<PackageChange>& changes, std::vector<base::Error>& notes);

}  // namespace drydock::install
