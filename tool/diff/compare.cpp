#include "diff/compare.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "diff/anchors.hpp"
#include "diff/exact.hpp"
#include "diff/reach.hpp"
#include "diff/small.hpp"

namespace drydock::diff {
namespace {

constexpr std::size_t small_window = 16'000;  ///< product of the lengths up to which dtl does it all
constexpr unsigned deepest = 64;              ///< windows within windows
constexpr std::size_t exact_window = 1'024;   ///< sum of the lengths up to which the best is searched for
constexpr std::size_t most_edits = 160;       ///< up to which it is searched for in a larger window

/// A part of one side: its lines' numbers, and which lines they are. Whoever compares it may take lines out
/// of it in place: nobody else looks at it again.
struct Part {
    std::span<std::uint32_t> numbers;
    std::span<std::uint32_t> lines;

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

    [[nodiscard]] bool is_open() const { return !from.empty() && !to.empty(); }
};

/// Finds counterparts; all lines are marked before it begins.
class Comparer {
  public:
    Comparer(std::uint32_t distinct, Marks& marks)
        : marks_(marks), sides_(distinct), chains_(distinct), exact_(distinct) {}

    void compare(Window window, unsigned depth);

  private:
    /// Which sides a number is on, as bits.
    static constexpr std::uint8_t on_old = 1;
    static constexpr std::uint8_t on_new = 2;

    void match(std::size_t old_line, std::size_t new_line);
    Window without_common_ends(Window window);
    Window shared_lines(Window window);
    Part lines_also_on(std::uint8_t other, Part part);
    bool match_subsequence(Window window);
    void follow(Window window, std::span<const Step> steps);
    bool search(Window window);
    Chain chain_of(Window window);
    void split_at(const std::vector<Anchor>& anchors, Window window, unsigned depth);

    Marks& marks_;
    std::vector<std::uint8_t> sides_;
    ChainFinder chains_;
    Reach reach_;
    Exact exact_;
};

void Comparer::match(std::size_t old_line, std::size_t new_line) {
    marks_.removed[old_line] = 0;
    marks_.added[new_line] = 0;
}

void Comparer::compare(Window window, unsigned depth) {
    window = without_common_ends(window);
    if (!window.is_open()) return;
    // What only one side has is settled: it has no counterpart.
    window = without_common_ends(shared_lines(window));
    if (!window.is_open() || match_subsequence(window)) return;
    if (window.from.size() * window.to.size() <= small_window)
        return follow(window, shortest_way(window.from.numbers, window.to.numbers));
    if (search(window)) return;
    const Chain chain = depth < deepest ? chain_of(window) : Chain();
    if (!chain.anchors.empty()) return split_at(chain.anchors, window, depth);
    follow(window, exact_.way(window.from.numbers, window.to.numbers));
}

Window Comparer::without_common_ends(Window window) {
    const auto& [from, to] = window;
    const std::size_t most = std::min(from.size(), to.size());
    std::size_t front = 0;
    for (; front < most && from.numbers[front] == to.numbers[front]; ++front) {
        match(from.lines[front], to.lines[front]);
    }
    std::size_t old_end = from.size();
    std::size_t new_end = to.size();
    while (old_end > front && new_end > front && from.numbers[old_end - 1] == to.numbers[new_end - 1]) {
        match(from.lines[--old_end], to.lines[--new_end]);
    }
    return {from.sub(front, old_end), to.sub(front, new_end)};
}

/// The lines of a window that are on both of its sides.
Window Comparer::shared_lines(Window window) {
    for (const std::uint32_t number : window.from.numbers) sides_[number] |= on_old;
    for (const std::uint32_t number : window.to.numbers) sides_[number] |= on_new;
    const Window shared{lines_also_on(on_new, window.from), lines_also_on(on_old, window.to)};
    for (const std::uint32_t number : shared.from.numbers) sides_[number] = 0;
    return shared;
}

Part Comparer::lines_also_on(std::uint8_t other, Part part) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
        if ((sides_[part.numbers[i]] & other) == 0) {
            sides_[part.numbers[i]] = 0;  // of those that stay, the caller does it
            continue;
        }
        part.numbers[count] = part.numbers[i];
        part.lines[count++] = part.lines[i];
    }
    return part.sub(0, count);
}

/// Where all lines of the shorter side are on the longer one, in their order, nothing can be shorter.
bool Comparer::match_subsequence(Window window) {
    const bool from_longer = window.from.size() >= window.to.size();
    const Part longer = from_longer ? window.from : window.to;
    const Part shorter = from_longer ? window.to : window.from;
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < longer.size() && found.size() < shorter.size(); ++i) {
        if (longer.size() - i < shorter.size() - found.size()) return false;
        if (longer.numbers[i] == shorter.numbers[found.size()]) found.push_back(longer.lines[i]);
    }
    if (found.size() < shorter.size()) return false;
    for (std::size_t i = 0; i < found.size(); ++i) {
        match(from_longer ? found[i] : shorter.lines[i], from_longer ? shorter.lines[i] : found[i]);
    }
    return true;
}

void Comparer::follow(Window window, std::span<const Step> steps) {
    std::size_t from = 0;
    std::size_t to = 0;
    for (const Step step : steps) {
        if (step == Step::common) match(window.from.lines[from], window.to.lines[to]);
        if (step != Step::added) ++from;
        if (step != Step::removed) ++to;
    }
}

/// Whether steps lead all the way through a window.
bool is_complete(const std::vector<Step>& steps, Window window) {
    const auto common = static_cast<std::size_t>(std::count(steps.begin(), steps.end(), Step::common));
    return steps.size() + common == window.from.size() + window.to.size();
}

/// The best there is, where few edits lead there or the window is not large.
bool Comparer::search(Window window) {
    const std::size_t lines = window.from.size() + window.to.size();
    const std::vector<Step> steps =
        reach_.way(window.from.numbers, window.to.numbers, lines <= exact_window ? lines : most_edits);
    const bool complete = is_complete(steps, window);
    if (complete) follow(window, steps);
    return complete;
}

/// Where to split a window; no anchors where there is no good place.
Chain Comparer::chain_of(Window window) {
    Chain chain = chains_.of_lines(window.from.numbers, window.to.numbers);
    // Where all lines are unique, the chain is the best that there is.
    if (chain.unique == window.from.size() && chain.unique == window.to.size()) return chain;
    if (chain.unique == 0) chain = chain_of_runs(window.from.numbers, window.to.numbers);
    // Where most of them were moved, what is left is there by chance.
    if (4 * chain.kept < chain.found) chain.anchors.clear();
    return chain;
}

void Comparer::split_at(const std::vector<Anchor>& anchors, Window window, unsigned depth) {
    std::size_t from = 0;
    std::size_t to = 0;
    for (const Anchor& anchor : anchors) {
        compare({window.from.sub(from, anchor.from), window.to.sub(to, anchor.to)}, depth + 1);
        from = anchor.from + anchor.length;
        to = anchor.to + anchor.length;
        for (std::size_t i = 1; i <= anchor.length; ++i) {
            match(window.from.lines[from - i], window.to.lines[to - i]);
        }
    }
    compare({window.from.sub(from, window.from.size()), window.to.sub(to, window.to.size())}, depth + 1);
}

}  // namespace

Marks compare(const Lines& old_lines, const Lines& new_lines) {
    Marks marks{std::vector<std::uint8_t>(old_lines.count()), std::vector<std::uint8_t>(new_lines.count())};
    const CommonEnds ends = common_ends(old_lines, new_lines);
    Numbered numbered = number_lines(old_lines, new_lines, ends);
    const std::size_t old_size = numbered.old_numbers.size();
    const std::size_t new_size = numbered.new_numbers.size();
    std::fill_n(marks.removed.begin() + static_cast<std::ptrdiff_t>(ends.front), old_size, std::uint8_t{1});
    std::fill_n(marks.added.begin() + static_cast<std::ptrdiff_t>(ends.front), new_size, std::uint8_t{1});
    std::vector<std::uint32_t> old_indexes(old_size);
    std::vector<std::uint32_t> new_indexes(new_size);
    std::iota(old_indexes.begin(), old_indexes.end(), static_cast<std::uint32_t>(ends.front));
    std::iota(new_indexes.begin(), new_indexes.end(), static_cast<std::uint32_t>(ends.front));
    Comparer(numbered.distinct, marks)
        .compare({{numbered.old_numbers, old_indexes}, {numbered.new_numbers, new_indexes}}, 0);
    return marks;
}

}  // namespace drydock::diff
