#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "diff/diff.hpp"

namespace drydock::cli {

struct DiffOptions {
    std::string old_path;  ///< a file, a directory, `-` for standard input, or /dev/null for no file
    std::string new_path;
    unsigned context{3};
};

/// A difference that no patch can hold.
struct Unpatched {
    std::string path;
    std::string text;  ///< `Binary files a/x and b/x differ`
};

struct DiffOutcome {
    ExitCode exit{ExitCode::done};  ///< done, check_failed when there is a difference, or usage for all else
    diff::ProvenPatch patch;        ///< of what could be compared
    std::deque<std::string> texts;  ///< that the patch is made of
    std::vector<Unpatched> unpatched;  ///< by path
    std::vector<base::Error> problems;
};

/// Compares two files, or two directories with all that is below them. Modes are compared as git does, by
/// the owner's right to execute. Links below a directory are not followed: one that leads elsewhere, and
/// whatever is a file on one side and something else on the other, is a difference that no patch holds, as
/// is a binary file: one with a NUL in its first 8,000 bytes. What cannot be compared there is a problem, and
/// the patch is without it. A file that is in one directory only is created
/// or removed. Two single files are called what both their paths end with, else as the old one.
DiffOutcome diff_files(const DiffOptions& options);

}  // namespace drydock::cli
