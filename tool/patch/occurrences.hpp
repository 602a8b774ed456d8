#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patch/lines.hpp"
#include "patch/side.hpp"

namespace drydock::patch {

/// A hash of every line of a text, made when it is first asked for.
class LineHashes {
  public:
    LineHashes(LineTable& table, Compare compare) : table_(table), compare_(compare) {}
    std::span<const std::uint32_t> all();
    [[nodiscard]] std::uint32_t of(std::string_view text, Ending ending) const;
    [[nodiscard]] Compare compare() const { return compare_; }

  private:
    LineTable& table_;
    Compare compare_;
    std::vector<std::uint32_t> hashes_;
};

/// Where sides of hunks lie in a text, found for all wanted sides of one length in one pass over it. So
/// thousands of hunks that moved cost about as much as one, in a file of one line repeated too.
class Occurrences {
  public:
    Occurrences(LineHashes& hashes, std::vector<Side> wanted) : hashes_(hashes), wanted_(std::move(wanted)) {}

    /// The lines (from 0, ascending) at which a wanted side lies, by hash: the caller verifies the one it
    /// takes.
    std::span<const std::uint32_t> of(const Side& side);

  private:
    using Hash = std::uint64_t;
    [[nodiscard]] Hash hash(const Side& side) const;
    void find_all(std::size_t count);

    LineHashes& hashes_;
    std::vector<Side> wanted_;
    std::unordered_map<std::size_t, std::unordered_map<Hash, std::vector<std::uint32_t>>>
        found_;  ///< by length
    std::size_t stored_{0};
};

}  // namespace drydock::patch
