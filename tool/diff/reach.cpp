#include "diff/reach.hpp"

#include <algorithm>

namespace drydock::diff {
namespace {

constexpr std::int32_t nowhere = -(std::int32_t{1} << 30);

/// Where the row of that many edits begins: each has one diagonal more than the one before it.
std::size_t row(std::size_t edits) {
    return edits * (edits + 1) / 2;
}

}  // namespace

// Greedy, as Myers (1986) has it: with each edit more, how far every diagonal comes. Diagonal `i` of a row
// holds the points whose place in `from` less that in `to` is 2i - edits.
std::vector<Step> Reach::way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
                             std::size_t most_edits) {
    const auto from_size = static_cast<Place>(from.size());
    const auto to_size = static_cast<Place>(to.size());
    furthest_.resize(row(most_edits + 1));
    Point best{-1, -1, 0, 0};
    for (std::size_t edits = 0; edits <= most_edits; ++edits) {
        Place* const here = furthest_.data() + row(edits);
        arrive(edits, from_size, to_size);
        Place offset = -static_cast<Place>(edits);
        for (std::size_t i = 0; i <= edits; ++i, offset += 2) {
            Place x = here[i];
            if (x < 0) continue;
            Place y = x - offset;
            const Place end = std::min(from_size, to_size + offset);
            while (x < end && from[static_cast<std::size_t>(x)] == to[static_cast<std::size_t>(y)]) {
                ++x;
                ++y;
            }
            here[i] = x;
            if (x + y > best.from + best.to) best = {x, y, edits, i};
        }
        if (best.from == from_size && best.to == to_size) break;
    }
    return traced(best, from_size, to_size);
}

/// Where the last of so many edits leads on each diagonal.
void Reach::arrive(std::size_t edits, Place from_size, Place to_size) {
    Place* const here = furthest_.data() + row(edits);
    if (edits == 0) {
        here[0] = 0;
        return;
    }
    const Place* const before = furthest_.data() + row(edits - 1);
    here[0] = arrival(edits, 0, from_size, to_size);
    here[edits] = arrival(edits, edits, from_size, to_size);
    // What arrival does where there are both ways, for all at once.
    const Place first = -static_cast<Place>(edits);
    for (std::size_t i = 1; i < edits; ++i) {
        const Place offset = first + 2 * static_cast<Place>(i);
        const Place added = before[i] > to_size + offset ? nowhere : before[i];
        const Place removed = before[i - 1] >= from_size ? nowhere : before[i - 1] + 1;
        const Place furthest = std::max(added, removed);
        here[i] = furthest < 0 ? nowhere : furthest;
    }
}

Reach::Place Reach::offset_of(std::size_t edits, std::size_t diagonal) {
    return 2 * static_cast<Place>(diagonal) - static_cast<Place>(edits);
}

/// Where the last of so many edits leads on a diagonal, in `from`: over a line of `to` from the diagonal
/// before, or over one of `from`, whichever comes further.
Reach::Place Reach::arrival(std::size_t edits, std::size_t diagonal, Place from_size, Place to_size) const {
    const Place* const before = furthest_.data() + row(edits - 1);
    const Place offset = offset_of(edits, diagonal);
    Place added = diagonal < edits ? before[diagonal] : nowhere;
    if (added - offset > to_size) added = nowhere;
    Place removed = diagonal > 0 ? before[diagonal - 1] + 1 : nowhere;
    if (removed > from_size) removed = nowhere;
    const Place furthest = std::max(added, removed);
    return furthest < 0 ? nowhere : furthest;
}

std::vector<Step> Reach::traced(Point end, Place from_size, Place to_size) const {
    std::vector<Step> steps;
    Place x = end.from;
    std::size_t diagonal = end.diagonal;
    for (std::size_t edits = end.edits; edits > 0; --edits) {
        const Place start = arrival(edits, diagonal, from_size, to_size);
        steps.insert(steps.end(), static_cast<std::size_t>(x - start), Step::common);
        const Place* const before = furthest_.data() + row(edits - 1);
        const bool removed = diagonal > 0 && before[diagonal - 1] + 1 == start;
        steps.push_back(removed ? Step::removed : Step::added);
        if (removed) --diagonal;
        x = before[diagonal];
    }
    steps.insert(steps.end(), static_cast<std::size_t>(x), Step::common);
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace drydock::diff
