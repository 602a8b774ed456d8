#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diff/small.hpp"

namespace drydock::diff {

/// Finds the beginnings of shortest ways, in memory that it keeps from one search to the next.
class Reach {
  public:
    /// The shortest way from the start of both sequences to the furthest point that so many edits reach, or
    /// all the way. Time and memory grow with their square.
    std::vector<Step> way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                          std::size_t most_edits);

  private:
    using Place = std::int32_t;
    struct Point {
        Place from{0};
        Place to{0};
        std::size_t edits{0};
        std::size_t diagonal{0};
    };
    static Place offset_of(std::size_t edits, std::size_t diagonal);
    void arrive(std::size_t edits, Place from_size, Place to_size);
    [[nodiscard]] Place arrival(std::size_t edits, std::size_t diagonal, Place from_size,
                                Place to_size) const;
    [[nodiscard]] std::vector<Step> traced(Point end, Place from_size, Place to_size) const;

    std::vector<Place> furthest_;  ///< for each number of edits, by diagonal, how far in `from` they come
};

}  // namespace drydock::diff
