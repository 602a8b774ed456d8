#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "patch/model.hpp"

namespace drydock::diff {

/// Lines [old_begin, old_end) of the old text become lines [new_begin, new_end) of the new one; counted
/// from 0. One of the two may be empty, not both.
struct Edit {
    std::size_t old_begin{0};
    std::size_t old_end{0};
    std::size_t new_begin{0};
    std::size_t new_end{0};
    friend bool operator==(const Edit&, const Edit&) = default;
};

/// What makes the new text of the old one, in ascending order, with at least one common line between any
/// two. A line is what a line feed ends, or what follows the last one; any other byte is an ordinary byte.
/// The same texts always give the same edits, near the fewest lines that can be had.
std::vector<Edit> find_edits(std::string_view old_text, std::string_view new_text);

/// The largest text that is compared, in bytes.
inline constexpr std::size_t largest_text = 1U << 28U;

/// A file before or after.
struct FileSide {
    std::string_view text;
    std::optional<unsigned> mode;  ///< octal git mode, as 0100644; nothing where it does not matter
};

/// A file on both sides. The old side is missing for a file that is created, the new one for one that goes.
struct FilePair {
    std::string path;
    std::optional<FileSide> old_side;
    std::optional<FileSide> new_side;
};

struct DiffOptions {
    /// Equal lines around each change, at least 1: without any, nothing says where a line is to be added.
    std::size_t context{3};
};

/// What a patch does with a file; nothing when both sides are equal, modes too. Its lines point into the two
/// texts. An Error of kind usage when a text is larger than largest_text, or the path is none that a
/// patch could name.
base::Result<std::optional<patch::FilePatch>> make_file_patch(const FilePair& pair,
                                                              const DiffOptions& options = {});

/// The patch of all pairs, in their order; empty when all are equal. It is proven before it is returned:
/// what was printed is parsed again, applied forwards and in reverse, and compared with both sides. An Error
/// of kind check with the file's path when that does not give the very same bytes and modes, else
/// make_file_patch's.
base::Result<std::string> make_patch_text(const std::vector<FilePair>& pairs,
                                          const DiffOptions& options = {});

}  // namespace drydock::diff
