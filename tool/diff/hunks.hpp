#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diff/edits.hpp"
#include "patch/model.hpp"

namespace drydock::diff {

/// A file that a patch changes. The texts are the caller's.
struct ChangedFile {
    patch::FilePatch head;  ///< without its hunks
    std::string_view old_text;
    std::string_view new_text;
    std::vector<Change> changes;
    std::size_t context{0};
};

/// Goes through the hunks of a file.
class Hunks {
  public:
    explicit Hunks(const ChangedFile& file) : file_(&file) {}

    /// The next one without its lines, which lines() has; nothing after the last.
    std::optional<patch::Hunk> next();

    /// Lines of one kind that follow each other.
    struct Lines {
        patch::LineKind kind{patch::LineKind::context};
        std::string_view bytes;
    };
    /// The next lines of the hunk at hand, maybe none of their kind; nothing after its last.
    std::optional<Lines> lines();

  private:
    enum class Part : std::uint8_t { before, removed, added };

    const ChangedFile* file_;
    std::size_t change_{0};  ///< the one that part_ belongs to
    std::size_t end_{0};     ///< of the changes of the hunk at hand
    Part part_{Part::before};
    std::size_t from_{0};  ///< what its contexts reach from and to, in the old text
    std::size_t to_{0};
};

}  // namespace drydock::diff
