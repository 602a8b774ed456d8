#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "patch/patch.hpp"

namespace drydock::cli {

struct PatchOptions {
    std::vector<std::string> patches;  ///< files, in this order; `-` is standard input
    std::string directory{
        "."};  ///< what they are put on: a directory, or one file, whatever the patch calls it
    unsigned strip{1};
    bool reverse{false};  ///< the patches are taken back, the last one first
    bool dry_run{false};
    unsigned fuzz{0};
    std::chrono::milliseconds wait{10'000};  ///< for another drydock in the same directory
};

/// What became of one file, or would become.
struct PatchedFile {
    std::string path;  ///< below the directory
    patch::Operation operation{patch::Operation::modify};
    std::string from;  ///< the old path of a rename or copy
    std::vector<patch::Placement> hunks;
};

struct PatchOutcome {
    ExitCode exit{ExitCode::done};
    bool dry_run{false};
    std::vector<PatchedFile> files;     ///< empty when there is a problem
    std::vector<base::Error> problems;  ///< every reason why nothing was changed
    std::vector<base::Error> notes;     ///< what could not be tidied up
};

/// Puts patches on files: all of all of them, or none. Mode, owner and extended attributes are kept, hard
/// links broken, links not followed, and nothing outside the directory is written. A file that comes gets its
/// directory's owner, and directories that are missing are made; a directory that becomes empty goes.
///
/// Refused: what is no regular file, set-user-ID and set-group-ID files, immutable ones, and whatever the
/// engine refuses. For a single file the patches may only change, and only one file.
PatchOutcome patch_files(const PatchOptions& options);

}  // namespace drydock::cli
