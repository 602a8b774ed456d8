#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace drydock::diff {

/// Lines from `from` on are the same as those from `to` on.
struct Anchor {
    std::size_t from{0};
    std::size_t to{0};
    std::size_t length{0};
};

/// Where two sequences surely belong together: lines that each has once, with the equal ones around them.
struct Chain {
    std::vector<Anchor> anchors;  ///< those that ascend on both sides and hold the most lines
    std::size_t unique{0};        ///< lines that are there once on each side
    std::size_t found{0};         ///< lines of all anchors
    std::size_t kept{0};          ///< lines of those that ascend
};

/// Finds chains, in memory that it keeps from one search to the next. The numbers searched are below
/// `distinct`.
class ChainFinder {
  public:
    explicit ChainFinder(std::uint32_t distinct) : distinct_(distinct) {}

    Chain of_lines(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

  private:
    struct Places {
        std::uint32_t to{0};
        std::uint8_t from_count{0};  ///< 2 stands for more, too
        std::uint8_t to_count{0};
    };
    std::uint32_t distinct_;
    std::vector<Places> places_;  ///< by number
};

/// The same of runs of eight lines, for sequences in which hardly a line is there only once.
Chain chain_of_runs(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

}  // namespace drydock::diff
