#include "diff/anchors.hpp"

#include <algorithm>
#include <numeric>

#include "diff/hash.hpp"

namespace drydock::diff {
namespace {

using Numbers = std::span<const std::uint32_t>;

constexpr std::size_t run_length = 8;
constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// A line that is there once on each side.
struct Pair {
    std::uint32_t from{0};
    std::uint32_t to{0};
};

/// All pairs, with the equal lines around them, as long as they follow each other on both sides.
std::vector<Anchor> extended(const std::vector<Pair>& pairs, Numbers from, Numbers to) {
    std::vector<Anchor> anchors;
    for (const Pair& pair : pairs) {
        if (!anchors.empty()) {
            const Anchor& last = anchors.back();
            const bool same_way = pair.from - last.from == pair.to - last.to;
            if (pair.to >= last.to && same_way && pair.from < last.from + last.length) continue;
        }
        Anchor anchor{pair.from, pair.to, 1};
        while (anchor.from > 0 && anchor.to > 0 && from[anchor.from - 1] == to[anchor.to - 1]) {
            --anchor.from;
            --anchor.to;
            ++anchor.length;
        }
        while (anchor.from + anchor.length < from.size() && anchor.to + anchor.length < to.size() &&
               from[anchor.from + anchor.length] == to[anchor.to + anchor.length]) {
            ++anchor.length;
        }
        anchors.push_back(anchor);
    }
    return anchors;
}

/// The greatest of what was stored for places before one.
class GreatestBefore {
  public:
    struct Sum {
        std::size_t length{0};
        std::uint32_t anchor{nothing};
    };

    explicit GreatestBefore(std::size_t places) : sums_(places + 1) {}

    [[nodiscard]] Sum find(std::size_t place) const {
        Sum greatest;
        for (; place > 0; place &= place - 1) {
            if (sums_[place].length > greatest.length) greatest = sums_[place];
        }
        return greatest;
    }
    void store(std::size_t place, Sum sum) {
        for (++place; place < sums_.size(); place += place & (~place + 1)) {
            if (sums_[place].length < sum.length) sums_[place] = sum;
        }
    }

  private:
    std::vector<Sum> sums_;  // a Fenwick tree
};

/// Takes out what the anchor before one has already; both ascend on both sides.
void cut_overlaps(std::vector<Anchor>& anchors) {
    std::size_t from = 0;
    std::size_t to = 0;
    for (Anchor& anchor : anchors) {
        std::size_t overlap = std::max(from - std::min(from, anchor.from), to - std::min(to, anchor.to));
        overlap = std::min(overlap, anchor.length);
        anchor = {anchor.from + overlap, anchor.to + overlap, anchor.length - overlap};
        if (anchor.length == 0) continue;
        from = anchor.from + anchor.length;
        to = anchor.to + anchor.length;
    }
    std::erase_if(anchors, [](const Anchor& anchor) { return anchor.length == 0; });
}

/// The anchors, which ascend in `from`, that ascend in `to` as well and hold the most lines.
Chain heaviest(const std::vector<Anchor>& anchors) {
    std::vector<std::uint32_t> by_to(anchors.size());
    std::iota(by_to.begin(), by_to.end(), 0U);
    std::sort(by_to.begin(), by_to.end(),
              [&](std::uint32_t a, std::uint32_t b) { return anchors[a].to < anchors[b].to; });
    std::vector<std::uint32_t> rank(anchors.size());
    for (std::uint32_t i = 0; i < by_to.size(); ++i) rank[by_to[i]] = i;
    GreatestBefore sums(anchors.size());
    std::vector<std::uint32_t> before(anchors.size());
    GreatestBefore::Sum greatest;
    Chain chain;
    for (std::uint32_t i = 0; i < anchors.size(); ++i) {
        const GreatestBefore::Sum below = sums.find(rank[i]);
        before[i] = below.anchor;
        const GreatestBefore::Sum sum{below.length + anchors[i].length, i};
        sums.store(rank[i], sum);
        if (sum.length > greatest.length) greatest = sum;
        chain.found += anchors[i].length;
    }
    for (std::uint32_t at = greatest.anchor; at != nothing; at = before[at])
        chain.anchors.push_back(anchors[at]);
    std::reverse(chain.anchors.begin(), chain.anchors.end());
    cut_overlaps(chain.anchors);
    chain.kept = greatest.length;
    return chain;
}

std::uint64_t run_hash(Numbers numbers, std::size_t at) {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < run_length; ++i) hash = mixed(hash ^ numbers[at + i]) + i;
    return hash;
}

/// Runs of lines by their hash, as many as it was made for. One that is not there gets the next free slot,
/// and keeps it when it is counted.
class Runs {
  public:
    struct Run {
        std::uint64_t hash{0};
        std::uint32_t from{0};
        std::uint32_t to{0};
        std::uint8_t from_count{0};  ///< 2 stands for more, too
        std::uint8_t to_count{0};
    };

    explicit Runs(std::size_t most) {
        std::size_t size = 16;
        while (size < most + most / 2) size *= 2;
        slots_.resize(size);
    }

    Run& find(std::uint64_t hash) {
        std::size_t at = hash & (slots_.size() - 1);
        while (slots_[at].from_count != 0 && slots_[at].hash != hash) at = (at + 1) & (slots_.size() - 1);
        slots_[at].hash = hash;
        return slots_[at];
    }

  private:
    std::vector<Run> slots_;
};

}  // namespace

Chain ChainFinder::of_lines(Numbers from, Numbers to) {
    places_.resize(distinct_);  // many comparisons need none of this
    for (const std::uint32_t number : from) places_[number] = {};
    for (const std::uint32_t number : to) places_[number] = {};
    const auto count = [](std::uint8_t& counter) { counter = counter == 0 ? 1 : 2; };
    for (const std::uint32_t number : from) count(places_[number].from_count);
    for (std::size_t i = 0; i < to.size(); ++i) {
        Places& places = places_[to[i]];
        count(places.to_count);
        places.to = static_cast<std::uint32_t>(i);
    }
    std::vector<Pair> pairs;
    pairs.reserve(std::min(from.size(), to.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Places& places = places_[from[i]];
        if (places.from_count == 1 && places.to_count == 1)
            pairs.push_back({static_cast<std::uint32_t>(i), places.to});
    }
    Chain chain = heaviest(extended(pairs, from, to));
    chain.unique = pairs.size();
    return chain;
}

Chain chain_of_runs(Numbers from, Numbers to) {
    if (from.size() < run_length || to.size() < run_length) return {};
    Runs runs(from.size());
    for (std::size_t i = 0; i + run_length <= from.size(); ++i) {
        Runs::Run& run = runs.find(run_hash(from, i));
        run.from = static_cast<std::uint32_t>(i);
        run.from_count = run.from_count == 0 ? 1 : 2;
    }
    for (std::size_t i = 0; i + run_length <= to.size(); ++i) {
        Runs::Run& run = runs.find(run_hash(to, i));
        if (run.from_count == 0) continue;
        run.to = static_cast<std::uint32_t>(i);
        run.to_count = run.to_count == 0 ? 1 : 2;
    }
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i + run_length <= from.size(); ++i) {
        const Runs::Run& run = runs.find(run_hash(from, i));
        if (run.from_count != 1 || run.to_count != 1) continue;
        const Numbers one = from.subspan(i, run_length);
        const Numbers other = to.subspan(run.to, run_length);
        if (std::equal(one.begin(), one.end(), other.begin())) pairs.push_back({run.from, run.to});
    }
    return heaviest(extended(pairs, from, to));
}

}  // namespace drydock::diff
