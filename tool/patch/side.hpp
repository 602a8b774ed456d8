#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "patch/model.hpp"

namespace drydock::patch {

/// How lines are compared: with their endings, or taking LF and CRLF for the same.
enum class Compare : std::uint8_t { exact, loose };

/// One side of a hunk: the lines that it expects (old) or makes (new), maybe without some context at its
/// ends.
class Side {
  public:
    /// The old side without `front` and `back` lines of context.
    static Side old_of(const Hunk& hunk, std::size_t front = 0, std::size_t back = 0);
    static Side new_of(const Hunk& hunk);

    [[nodiscard]] std::size_t count() const { return count_; }

    /// Calls `visit` with each line until it returns false. Returns whether all were visited.
    template <class Visit>
    bool each(Visit visit) const {
        for (const Line& line : lines_) {
            if (line.kind != other_ && !visit(line)) return false;
        }
        return true;
    }

    /// Where the side ends in `text` when it lies at `offset`; nothing when it does not.
    [[nodiscard]] std::optional<std::size_t> match(std::string_view text, std::size_t offset,
                                                   Compare compare) const;

  private:
    Side(std::span<const Line> lines, LineKind other, std::size_t count)
        : lines_(lines), other_(other), count_(count) {}
    std::span<const Line> lines_;
    LineKind other_;  ///< the kind that belongs to the other side only
    std::size_t count_;
};

/// Where the line ends in `text` when it lies at `offset`; nothing when it does not.
std::optional<std::size_t> match_line(const Line& line, std::string_view text, std::size_t offset,
                                      Compare compare);

}  // namespace drydock::patch
