#include "diff/compare.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "diff/anchors.hpp"
#include "diff/small.hpp"

namespace drydock::diff {
namespace {

using Numbers = std::span<const std::uint32_t>;

constexpr std::size_t small_window = 16'000;  ///< product of the lengths up to which dtl does it all
constexpr int most_edits = 256;               ///< of a chunk that is cut from what stays big
constexpr unsigned deepest = 64;              ///< windows within windows

/// A part of one side: its lines' numbers, and which lines they are.
struct Part {
    Numbers numbers;
    Numbers lines;

    [[nodiscard]] std::size_t size() const { return numbers.size(); }
    [[nodiscard]] bool empty() const { return numbers.empty(); }
    [[nodiscard]] Part sub(std::size_t begin, std::size_t end) const {
        return {numbers.subspan(begin, end - begin), lines.subspan(begin, end - begin)};
    }
};

/// Parts of both sides that are compared with each other.
struct Window {
    Part from;
    Part to;
};

Window without_common_ends(Window window) {
    const std::size_t most = std::min(window.from.size(), window.to.size());
    std::size_t front = 0;
    while (front < most && window.from.numbers[front] == window.to.numbers[front]) ++front;
    std::size_t back = 0;
    while (back < most - front && window.from.numbers[window.from.size() - back - 1] ==
                                      window.to.numbers[window.to.size() - back - 1]) {
        ++back;
    }
    return {window.from.sub(front, window.from.size() - back), window.to.sub(front, window.to.size() - back)};
}

/// Lines of a part that were copied out of it.
struct Copy {
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint32_t> lines;
    [[nodiscard]] Part part() const { return {numbers, lines}; }
};

/// How far a search from the start of both sequences comes with at most `most_edits` edits.
struct Reach {
    std::size_t from{0};
    std::size_t to{0};
};

/// Greedy: the furthest point of each diagonal, one edit more at a time. (Myers, 1986.)
Reach furthest_reach(Numbers from, Numbers to) {
    const auto from_size = static_cast<std::ptrdiff_t>(from.size());
    const auto to_size = static_cast<std::ptrdiff_t>(to.size());
    std::vector<std::ptrdiff_t> furthest(2 * most_edits + 3, -1);  // by diagonal: how far in `from`
    const auto at = [&furthest](std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
        return furthest[static_cast<std::size_t>(diagonal + most_edits + 1)];
    };
    at(1) = 0;
    std::ptrdiff_t best = -1;
    Reach reach;
    for (std::ptrdiff_t edits = 0; edits <= most_edits; ++edits) {
        for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
            const bool down =
                diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
            std::ptrdiff_t x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
            std::ptrdiff_t y = x - diagonal;
            if (x > from_size || y > to_size || x < 0 || y < 0) {
                at(diagonal) = -2 * (from_size + to_size);
                continue;
            }
            while (x < from_size && y < to_size &&
                   from[static_cast<std::size_t>(x)] == to[static_cast<std::size_t>(y)]) {
                ++x;
                ++y;
            }
            at(diagonal) = x;
            if (x + y > best) {
                best = x + y;
                reach = {static_cast<std::size_t>(x), static_cast<std::size_t>(y)};
            }
            if (x == from_size && y == to_size) return reach;
        }
    }
    return reach;
}

class Comparer {
  public:
    Comparer(std::uint32_t distinct, Marks& marks) : marks_(marks), sides_(distinct), chains_(distinct) {}

    void compare(Window window, unsigned depth);

  private:
    /// Which sides a number is on, as bits.
    static constexpr std::uint8_t on_old = 1;
    static constexpr std::uint8_t on_new = 2;

    void mark(Window window);
    Copy take_out_one_sided(Part part, std::uint8_t other, std::vector<std::uint8_t>& marks);
    bool mark_around_subsequence(Window window);
    void follow(Window window, const std::vector<Step>& steps);
    bool split(Window window, unsigned depth);
    void split_at(const std::vector<Anchor>& anchors, Window window, unsigned depth);
    void cut(Window window);

    Marks& marks_;
    std::vector<std::uint8_t> sides_;
    ChainFinder chains_;
};

void mark_all(Part part, std::vector<std::uint8_t>& marks) {
    for (const std::uint32_t line : part.lines) marks[line] = 1;
}

void Comparer::mark(Window window) {
    mark_all(window.from, marks_.removed);
    mark_all(window.to, marks_.added);
}

void Comparer::compare(Window window, unsigned depth) {
    window = without_common_ends(window);
    if (window.from.empty() || window.to.empty()) return mark(window);
    for (const std::uint32_t number : window.from.numbers) sides_[number] |= on_old;
    for (const std::uint32_t number : window.to.numbers) sides_[number] |= on_new;
    const Part from_before = window.from;
    const Part to_before = window.to;
    const Copy from = take_out_one_sided(window.from, on_new, marks_.removed);
    const Copy to = take_out_one_sided(window.to, on_old, marks_.added);
    for (const std::uint32_t number : from_before.numbers) sides_[number] = 0;
    for (const std::uint32_t number : to_before.numbers) sides_[number] = 0;
    window = without_common_ends({from.part(), to.part()});
    if (window.from.empty() || window.to.empty()) return mark(window);
    if (mark_around_subsequence(window)) return;
    if (window.from.size() * window.to.size() <= small_window)
        return follow(window, shortest_way(window.from.numbers, window.to.numbers));
    if (depth == deepest || !split(window, depth)) cut(window);
}

/// Marks the lines that the other side lacks, and gives the others.
Copy Comparer::take_out_one_sided(Part part, std::uint8_t other, std::vector<std::uint8_t>& marks) {
    Copy rest;
    for (std::size_t i = 0; i < part.size(); ++i) {
        if ((sides_[part.numbers[i]] & other) == 0) {
            marks[part.lines[i]] = 1;
        } else {
            rest.numbers.push_back(part.numbers[i]);
            rest.lines.push_back(part.lines[i]);
        }
    }
    return rest;
}

/// Where all lines of the shorter side are on the longer one, in their order, nothing can be shorter.
bool Comparer::mark_around_subsequence(Window window) {
    const bool from_longer = window.from.size() >= window.to.size();
    const Part longer = from_longer ? window.from : window.to;
    const Part shorter = from_longer ? window.to : window.from;
    std::vector<std::uint32_t> others;
    std::size_t found = 0;
    for (std::size_t i = 0; i < longer.size(); ++i) {
        if (found < shorter.size() && longer.numbers[i] == shorter.numbers[found]) {
            ++found;
        } else if (others.size() == longer.size() - shorter.size()) {
            return false;
        } else {
            others.push_back(longer.lines[i]);
        }
    }
    std::vector<std::uint8_t>& marks = from_longer ? marks_.removed : marks_.added;
    for (const std::uint32_t line : others) marks[line] = 1;
    return true;
}

void Comparer::follow(Window window, const std::vector<Step>& steps) {
    std::size_t from = 0;
    std::size_t to = 0;
    for (const Step step : steps) {
        if (step == Step::removed) marks_.removed[window.from.lines[from]] = 1;
        if (step == Step::added) marks_.added[window.to.lines[to]] = 1;
        if (step != Step::added) ++from;
        if (step != Step::removed) ++to;
    }
}

bool Comparer::split(Window window, unsigned depth) {
    const Chain chain = chains_.of_lines(window.from.numbers, window.to.numbers);
    if (chain.unique == 0) {
        const Chain runs = chain_of_runs(window.from.numbers, window.to.numbers);
        if (runs.anchors.empty() || 4 * runs.kept < runs.unique) return false;
        split_at(runs.anchors, window, depth);
        return true;
    }
    // Where all lines are unique, the chain is the best that there is.
    const bool best = chain.unique == window.from.size() && chain.unique == window.to.size();
    // Most of them were moved: what is left is by chance, and no good place to split.
    if (!best && 4 * chain.kept < chain.unique) return false;
    split_at(chain.anchors, window, depth);
    return true;
}

void Comparer::split_at(const std::vector<Anchor>& anchors, Window window, unsigned depth) {
    std::size_t from = 0;
    std::size_t to = 0;
    for (const Anchor& anchor : anchors) {
        compare({window.from.sub(from, anchor.from), window.to.sub(to, anchor.to)}, depth + 1);
        from = anchor.from + anchor.length;
        to = anchor.to + anchor.length;
    }
    compare({window.from.sub(from, window.from.size()), window.to.sub(to, window.to.size())}, depth + 1);
}

/// Chunk by chunk. Where a chunk ends is chance, so only the first half of its edits is kept.
void Comparer::cut(Window window) {
    for (;;) {
        window = without_common_ends(window);
        if (window.from.empty() || window.to.empty()) return mark(window);
        const Reach reach = furthest_reach(window.from.numbers, window.to.numbers);
        const Window chunk{window.from.sub(0, reach.from), window.to.sub(0, reach.to)};
        std::vector<Step> steps = shortest_way(chunk.from.numbers, chunk.to.numbers);
        const bool last = reach.from == window.from.size() && reach.to == window.to.size();
        if (!last) {
            const auto edits =
                steps.size() - static_cast<std::size_t>(std::count(steps.begin(), steps.end(), Step::common));
            std::size_t kept = 0;
            auto end = steps.begin();
            while (2 * kept < edits) kept += *end++ == Step::common ? 0U : 1U;
            steps.erase(end, steps.end());
        }
        follow(chunk, steps);
        if (last) return;
        const auto removed = static_cast<std::size_t>(std::count(steps.begin(), steps.end(), Step::removed));
        const auto added = static_cast<std::size_t>(std::count(steps.begin(), steps.end(), Step::added));
        const std::size_t common = steps.size() - removed - added;
        window = {window.from.sub(common + removed, window.from.size()),
                  window.to.sub(common + added, window.to.size())};
    }
}

}  // namespace

Marks compare(const Lines& old_lines, const Lines& new_lines) {
    Marks marks{std::vector<std::uint8_t>(old_lines.count()), std::vector<std::uint8_t>(new_lines.count())};
    const CommonEnds ends = common_ends(old_lines, new_lines);
    const Numbered numbered = number_lines(old_lines, new_lines, ends);
    const std::size_t old_size = numbered.old_numbers.size();
    const std::size_t new_size = numbered.new_numbers.size();
    std::vector<std::uint32_t> indexes(std::max(old_size, new_size));
    std::iota(indexes.begin(), indexes.end(), static_cast<std::uint32_t>(ends.front));
    const Numbers all = indexes;
    Comparer(numbered.distinct, marks)
        .compare({{numbered.old_numbers, all.first(old_size)}, {numbered.new_numbers, all.first(new_size)}},
                 0);
    return marks;
}

}  // namespace drydock::diff
