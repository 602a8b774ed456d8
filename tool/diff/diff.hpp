#pragma once

#include <cstddef>
#include <functional>
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

/// What the patch of one pair does.
struct FileSummary {
    patch::FilePatch head;  ///< without its hunks
    std::size_t hunks{0};
    std::size_t removed{0};  ///< lines
    std::size_t added{0};
};

struct ChangedFile;

/// A patch that was proven. Its text is made of both sides' texts, which must outlive it, whenever it is
/// asked for: it can be larger than both.
class ProvenPatch {
  public:
    ProvenPatch();
    ProvenPatch(std::vector<ChangedFile> files, std::size_t size);
    ProvenPatch(ProvenPatch&&) noexcept;
    ProvenPatch& operator=(ProvenPatch&&) noexcept;
    ProvenPatch(const ProvenPatch&) = delete;
    ProvenPatch& operator=(const ProvenPatch&) = delete;
    ~ProvenPatch();

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::vector<FileSummary> summaries() const;

    /// Gives the text to `take`, piece by piece, until it says false. It is the text that was proven: the
    /// same pieces, by the same steps.
    void print(const std::function<bool(std::string_view)>& take) const;
    [[nodiscard]] std::string text() const;

  private:
    std::vector<ChangedFile> files_;
    std::size_t size_{0};  ///< of the text
};

/// The patch of all pairs, in their order; empty when all are equal, modes too. It is proven before it is
/// returned: its text is parsed again, and must make the very same bytes and modes of each side's, forwards
/// and in reverse, every hunk just where it says. An Error of kind check with the file's path when it does
/// not; of kind usage when a text is larger than largest_text, or the path is none that a patch could name.
base::Result<ProvenPatch> make_patch(const std::vector<FilePair>& pairs, const DiffOptions& options = {});

/// Its text.
base::Result<std::string> make_patch_text(const std::vector<FilePair>& pairs,
                                          const DiffOptions& options = {});

}  // namespace drydock::diff
