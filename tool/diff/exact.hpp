#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "diff/reach.hpp"

namespace drydock::diff {

/// A shortest way between two sides, whatever lies between them, among the ways that do not leave a band
/// around the diagonal: a longest common subsequence, 64 lines at a time. Sides of up to `half_band` lines
/// are all in it.
class Exact {
  public:
    static constexpr std::size_t half_band = 8'192;  ///< lines of `from` on either side of the diagonal

    /// `distinct`: above every number.
    explicit Exact(std::uint32_t distinct) : distinct_(distinct) {}

    /// All steps from the first lines to the last. Time: for each line of `to`, twice the band's width by 64;
    /// memory: a few thousand such rows at most.
    std::vector<Step> way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

  private:
    using Word = std::uint64_t;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// The words of a row that are in the band.
    struct Extent {
        std::size_t begin{0};
        std::size_t end{0};
    };
    [[nodiscard]] Extent extent(std::size_t line) const;
    void index(std::span<const std::uint32_t> from);
    void take(std::uint32_t number, Extent in);
    void take_often(const Word* mask, Extent in);
    void take_seldom(std::span<const std::uint32_t> places, Extent in);

    std::uint32_t distinct_;
    std::size_t from_size_{0};
    std::size_t to_size_{0};
    std::vector<std::uint32_t> ids_;      ///< of numbers that `from` has
    std::vector<std::uint32_t> starts_;   ///< by id: where its places begin
    std::vector<std::uint32_t> places_;   ///< ascending
    std::vector<std::uint32_t> mask_of_;  ///< by id: which mask, or none
    std::vector<Word> masks_;
    std::vector<Word> row_;
};

}  // namespace drydock::diff
