#include "diff/exact.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace drydock::diff {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t rows_between = 256;  ///< rows that are kept; those between are made again

std::uint64_t bit(std::size_t place) {
    return std::uint64_t{1} << (place % word_bits);
}

}  // namespace

/// `line`: how many lines of `to` lie before it.
Exact::Extent Exact::extent(std::size_t line) const {
    const std::size_t middle = line * from_size_ / to_size_;
    const std::size_t begin = middle > half_band ? (middle - half_band) / word_bits : 0;
    const std::size_t end = std::min(from_size_, middle + half_band);
    return {begin, (end + word_bits - 1) / word_bits};
}

/// Where the lines of `from` are; those that are there often as bits.
void Exact::index(std::span<const std::uint32_t> from) {
    const std::size_t words = row_.size();
    ids_.resize(distinct_, none);  // most comparisons need none of this
    starts_.clear();
    starts_.reserve(std::min<std::size_t>(distinct_, from.size()) + 1);
    for (const std::uint32_t number : from) {
        if (ids_[number] == none) {
            ids_[number] = static_cast<std::uint32_t>(starts_.size());
            starts_.push_back(0);
        }
        ++starts_[ids_[number]];
    }
    const std::size_t ids = starts_.size();
    // From its end on, each one's places push its start down to where it is.
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    starts_.push_back(static_cast<std::uint32_t>(from.size()));
    places_.resize(from.size());
    for (std::size_t i = from.size(); i-- > 0;)
        places_[--starts_[ids_[from[i]]]] = static_cast<std::uint32_t>(i);
    mask_of_.assign(ids, none);
    masks_.clear();
    // A place costs as much as a few words.
    const std::size_t often = words / 4 + 2;
    for (std::size_t id = 0; id < ids; ++id) {
        if (starts_[id + 1] - starts_[id] < often) continue;
        mask_of_[id] = static_cast<std::uint32_t>(masks_.size() / words);
        masks_.resize(masks_.size() + words);
        Word* const mask = masks_.data() + masks_.size() - words;
        for (std::size_t i = starts_[id]; i < starts_[id + 1]; ++i)
            mask[places_[i] / word_bits] |= bit(places_[i]);
    }
}

void Exact::take(std::uint32_t number, Extent in) {
    const std::uint32_t id = ids_[number];
    if (id == none) return;
    if (mask_of_[id] != none) {
        take_often(masks_.data() + mask_of_[id] * row_.size(), in);
    } else {
        take_seldom(std::span(places_).subspan(starts_[id], starts_[id + 1] - starts_[id]), in);
    }
}

/// A row more, as Hyyrö (2004) has it: a bit is 0 where the common subsequence grows.
void Exact::take_often(const Word* mask, Extent in) {
    Word carry = 0;
    for (std::size_t i = in.begin; i < in.end; ++i) {
        const Word row = row_[i];
        const Word common = row & mask[i];
        Word sum = 0;
        const bool first = __builtin_add_overflow(row, common, &sum);
        Word with_carry = 0;
        const bool second = __builtin_add_overflow(sum, carry, &with_carry);
        carry = static_cast<Word>(first || second);
        row_[i] = with_carry | (row - common);
    }
}

/// The same where few bits change: the next 0 from a place on moves down to it.
void Exact::take_seldom(std::span<const std::uint32_t> places, Extent in) {
    const auto begin = std::lower_bound(places.begin(), places.end(), in.begin * word_bits);
    const auto end = std::lower_bound(begin, places.end(), in.end * word_bits);
    for (auto place = end; place != begin;) {
        --place;
        if ((row_[*place / word_bits] & bit(*place)) == 0) continue;
        std::size_t word = *place / word_bits;
        Word zeros = ~row_[word] & (~Word{0} << (*place % word_bits));
        while (zeros == 0 && ++word < in.end) zeros = ~row_[word];
        row_[*place / word_bits] &= ~bit(*place);
        if (zeros != 0) row_[word] |= Word{1} << std::countr_zero(zeros);
    }
}

std::vector<Step> Exact::way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    from_size_ = from.size();
    to_size_ = to.size();
    row_.assign((from.size() + word_bits - 1) / word_bits, ~Word{0});
    index(from);
    std::vector<std::vector<Word>> kept;
    kept.reserve(to.size() / rows_between + 1);
    for (std::size_t line = 0; line < to.size(); ++line) {
        if (line % rows_between == 0) {
            const Extent in = extent(line);
            kept.emplace_back(row_.begin() + static_cast<std::ptrdiff_t>(in.begin),
                              row_.begin() + static_cast<std::ptrdiff_t>(in.end));
        }
        take(to[line], extent(line + 1));
    }
    std::vector<Step> steps;
    steps.reserve(from.size() + to.size());
    const std::size_t widest = std::min(row_.size(), 2 * half_band / word_bits + 2);
    std::vector<Word> rows;
    rows.reserve((std::min(to.size(), rows_between) + 1) * widest);
    std::vector<Extent> extents;
    std::vector<std::size_t> starts;
    std::size_t x = from.size();
    std::size_t y = to.size();
    while (x > 0 && y > 0) {
        // The rows from the one that was kept last up to this one.
        const std::size_t first = (y - 1) / rows_between * rows_between;
        std::fill(row_.begin(), row_.end(), ~Word{0});
        const std::vector<Word>& old = kept[first / rows_between];
        std::copy(old.begin(), old.end(), row_.begin() + static_cast<std::ptrdiff_t>(extent(first).begin));
        rows.clear();
        extents.clear();
        starts.clear();
        for (std::size_t line = first; line <= y; ++line) {
            extents.push_back(extent(line));
            const Extent in = extents.back();
            if (line > first) take(to[line - 1], in);
            starts.push_back(rows.size());
            rows.insert(rows.end(), row_.begin() + static_cast<std::ptrdiff_t>(in.begin),
                        row_.begin() + static_cast<std::ptrdiff_t>(in.end));
        }
        const auto is_one = [&](std::size_t line, std::size_t place) {
            const Extent in = extents[line - first];
            if (place / word_bits >= in.end) return true;
            return (rows[starts[line - first] + place / word_bits - in.begin] & bit(place)) != 0;
        };
        while (x > 0 && y > first) {
            const std::size_t place = x - 1;
            if (place / word_bits < extents[y - first].begin) {
                steps.push_back(Step::added);
                --y;
            } else if (is_one(y, place)) {
                steps.push_back(Step::removed);
                --x;
            } else {
                --y;
                if (!is_one(y, place)) {
                    steps.push_back(Step::added);
                } else {
                    steps.push_back(Step::common);
                    --x;
                }
            }
        }
    }
    steps.insert(steps.end(), x, Step::removed);
    steps.insert(steps.end(), y, Step::added);
    std::reverse(steps.begin(), steps.end());
    for (const std::uint32_t number : from) ids_[number] = none;
    return steps;
}

}  // namespace drydock::diff
