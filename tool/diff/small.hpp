#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drydock::diff {

enum class Step : std::uint8_t { common, removed, added };

/// The shortest way from one sequence of numbers to another, step by step, by dtl. It costs about the
/// product of the lengths at worst, and a few hundred edits at most are what dtl is sound for: beyond
/// 2,000,000 points of its search it starts again from where it is, which is neither short nor cheap.
std::vector<Step> shortest_way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

}  // namespace drydock::diff
