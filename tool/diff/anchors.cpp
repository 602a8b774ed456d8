#include "diff/anchors.hpp"

#include <algorithm>

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

/// The longest part of the pairs, which ascend in `from`, that ascends in `to` as well.
std::vector<Pair> longest_ascent(const std::vector<Pair>& pairs) {
    std::vector<std::uint32_t> ends;  // by length - 1: the pair with the smallest `to` that ends such a part
    std::vector<std::uint32_t> before(pairs.size(), nothing);
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
        const auto above = [&pairs](std::uint32_t to, std::uint32_t end) { return to < pairs[end].to; };
        const auto place = ends.empty() || pairs[ends.back()].to < pairs[i].to
                               ? ends.end()
                               : std::upper_bound(ends.begin(), ends.end(), pairs[i].to, above);
        if (place != ends.begin()) before[i] = *(place - 1);
        if (place == ends.end()) {
            ends.push_back(i);
        } else {
            *place = i;
        }
    }
    std::vector<Pair> ascent(ends.size());
    std::uint32_t at = ends.empty() ? nothing : ends.back();
    for (std::size_t i = ascent.size(); i > 0; --i, at = before[at]) ascent[i - 1] = pairs[at];
    return ascent;
}

/// One anchor for all pairs that follow each other on both sides; `length` lines belong to each.
std::vector<Anchor> joined(const std::vector<Pair>& pairs, std::size_t length) {
    std::vector<Anchor> anchors;
    for (const Pair& pair : pairs) {
        if (!anchors.empty()) {
            Anchor& last = anchors.back();
            const std::size_t from_end = last.from + last.length;
            const std::size_t to_end = last.to + last.length;
            if (pair.from <= from_end && from_end - pair.from == to_end - pair.to) {
                last.length = pair.from + length - last.from;
                continue;
            }
            if (pair.from < from_end || pair.to < to_end) continue;
        }
        anchors.push_back({pair.from, pair.to, length});
    }
    return anchors;
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
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Places& places = places_[from[i]];
        if (places.from_count == 1 && places.to_count == 1)
            pairs.push_back({static_cast<std::uint32_t>(i), places.to});
    }
    const std::vector<Pair> ascent = longest_ascent(pairs);
    return {joined(ascent, 1), pairs.size(), ascent.size()};
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
    const std::vector<Pair> ascent = longest_ascent(pairs);
    return {joined(ascent, run_length), pairs.size(), ascent.size()};
}

}  // namespace drydock::diff
