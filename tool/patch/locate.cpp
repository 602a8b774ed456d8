#include "patch/locate.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace drydock::patch {
namespace {

std::size_t context_before(const Hunk& hunk) {
    const auto change = [](const Line& line) { return line.kind != LineKind::context; };
    return static_cast<std::size_t>(std::find_if(hunk.lines.begin(), hunk.lines.end(), change) -
                                    hunk.lines.begin());
}

std::size_t context_after(const Hunk& hunk) {
    const auto change = [](const Line& line) { return line.kind != LineKind::context; };
    return static_cast<std::size_t>(std::find_if(hunk.lines.rbegin(), hunk.lines.rend(), change) -
                                    hunk.lines.rbegin());
}

/// Whether a line without a newline says that the hunk ends with the file: the last of its removed or added
/// lines, or the last of all.
bool reaches_end(const Hunk& hunk) {
    for (auto line = hunk.lines.rbegin(); line != hunk.lines.rend(); ++line) {
        if (line->ending == Ending::none) return true;
        if (line->kind == LineKind::context) break;
    }
    return false;
}

/// The ending that all lines of a file's patch have, those at the end of the file aside.
std::optional<Ending> common_ending(const FilePatch& file) {
    std::optional<Ending> common;
    for (const Hunk& hunk : file.hunks) {
        for (const Line& line : hunk.lines) {
            if (line.ending == Ending::none) continue;
            // Of two carriage returns, one would become a line's end when the other is left out.
            if ((common && *common != line.ending) || line.text.ends_with('\r')) return std::nullopt;
            common = line.ending;
        }
    }
    return common;
}

std::size_t distance(std::size_t a, std::size_t b) {
    return a < b ? b - a : a - b;
}

std::ptrdiff_t difference(std::size_t a, std::size_t b) {
    return static_cast<std::ptrdiff_t>(a) - static_cast<std::ptrdiff_t>(b);
}

}  // namespace

/// A hunk at one level of fuzz, and where it may go.
struct Locator::Trimmed {
    Side side;
    std::size_t guess{0};  ///< where its `-` line puts the side
    unsigned fuzz{0};
    std::size_t front{0};
    std::size_t back{0};
    bool no_context{false};
    bool must_begin{false};  ///< only at the beginning, only at the end of the file
    bool must_end{false};
    bool else_begin{false};  ///< at its own line, or there
    bool else_end{false};
    bool in_empty_file{false};
};

/// The places nearest to a line: one, or one on either side of it.
struct Locator::Nearest {
    std::size_t line{0};
    std::optional<std::size_t> other;  ///< equally near
};

Locator::Locator(const FilePatch& file, std::string_view text, unsigned fuzz)
    : file_(file),
      fuzz_(fuzz),
      table_(text),
      one_ending_(common_ending(file)),
      exact_hashes_(table_, Compare::exact),
      loose_hashes_(table_, Compare::loose) {}

std::optional<Locator::Trimmed> Locator::trimmed(const Hunk& hunk, unsigned fuzz) const {
    const std::size_t before = context_before(hunk);
    const std::size_t after = context_after(hunk);
    const std::size_t most = std::max(before, after);
    if (fuzz > most) return std::nullopt;
    const std::size_t front = before + fuzz > most ? before + fuzz - most : 0;
    const std::size_t back = after + fuzz > most ? after + fuzz - most : 0;
    if (fuzz > 0 && front + back >= hunk.old_count) return std::nullopt;
    Trimmed result{.side = Side::old_of(hunk, front, back)};
    result.fuzz = fuzz;
    result.front = front;
    result.back = back;
    result.guess = (hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1) + front;
    result.no_context = most == 0;
    result.must_begin = fuzz == 0 && hunk.old_start <= 1 && most > 0;
    result.must_end = after == 0 && before > fuzz;
    result.must_end = result.must_end || (back == 0 && reaches_end(hunk));
    result.else_begin = before + fuzz < most;
    result.else_end = after + fuzz < most;
    result.in_empty_file = file_.old_empty && hunk.old_count == 0;
    return result;
}

tl::expected<Place, Refusal> Locator::place(std::size_t hunk) {
    std::optional<Refusal> refusal;
    for (unsigned fuzz = 0; fuzz <= fuzz_; ++fuzz) {
        const std::optional<Trimmed> candidate = trimmed(file_.hunks[hunk], fuzz);
        if (!candidate) break;
        last_match_.reset();
        const Found found = find(*candidate);
        if (found) {
            Place result;
            result.line = *found;
            result.begin = *table_.offset(*found);
            const Match match = *match_at(candidate->side, *found);
            result.exact = match.compare == Compare::exact;
            result.end = match.end;
            result.offset = difference(*found, candidate->guess);
            result.fuzz = fuzz;
            result.front = candidate->front;
            result.back = candidate->back;
            floor_ = *found + candidate->side.count();
            drift_ = result.offset;
            return result;
        }
        if (!refusal) refusal = found.error();
        if (found.error().why != Refusal::Why::nowhere) break;
    }
    return tl::unexpected(*refusal);
}

/// Exactly if it can be; where the patch has one ending and the file the other one, but for endings.
Locator::Found Locator::find(const Trimmed& hunk) {
    if (!other_ending_is_there()) return find(hunk, Compare::exact);
    if (only_other_ending_is_there()) return find(hunk, Compare::loose);
    const Found exact = find(hunk, Compare::exact);
    if (exact && *exact == hunk.guess) return exact;
    const Found loose = find(hunk, Compare::loose);
    last_match_.reset();  // a place that both found is an exact one
    if (!exact || !loose || *loose == *exact) return exact ? exact : loose;
    return tl::unexpected(Refusal{Refusal::Why::two_endings, *exact, *loose});
}

Locator::Found Locator::find(const Trimmed& hunk, Compare compare) {
    if (hunk.in_empty_file && !table_.text().empty()) {
        return tl::unexpected(Refusal{.why = Refusal::Why::file_not_empty});
    }
    if (hunk.no_context) return find_at_own_line(hunk, compare);
    if (hunk.must_begin && !fits(hunk.side, 0, compare)) return tl::unexpected(Refusal{});
    const auto end = [&]() -> std::optional<std::size_t> {
        if (table_.count() < hunk.side.count()) return std::nullopt;
        return table_.count() - hunk.side.count();
    };
    if (hunk.must_end) {
        const std::optional<std::size_t> at = end();
        if (!at || (hunk.must_begin && *at != 0) || !fits(hunk.side, *at, compare))
            return tl::unexpected(Refusal{});
        return *at;
    }
    if (hunk.must_begin) return 0;
    if (hunk.else_begin || hunk.else_end) {
        if (fits(hunk.side, hunk.guess, compare)) return hunk.guess;
        const std::optional<std::size_t> at = hunk.else_begin ? std::optional<std::size_t>(0) : end();
        if (at && fits(hunk.side, *at, compare)) return *at;
        return tl::unexpected(Refusal{});
    }
    return find_anywhere(hunk, compare);
}

Locator::Found Locator::find_at_own_line(const Trimmed& hunk, Compare compare) {
    if (drift_ != 0 || !fits(hunk.side, hunk.guess, compare)) return tl::unexpected(Refusal{});
    if (hunk.must_end && hunk.guess + hunk.side.count() != table_.count()) return tl::unexpected(Refusal{});
    return hunk.guess;
}

Locator::Found Locator::find_anywhere(const Trimmed& hunk, Compare compare) {
    const bool at_guess = fits(hunk.side, hunk.guess, compare);
    if (at_guess && drift_ == 0) return hunk.guess;
    const std::optional<Nearest> by_header =
        at_guess ? Nearest{hunk.guess, std::nullopt} : nearest(hunk.side, hunk.guess, compare);
    if (!by_header) return tl::unexpected(Refusal{});
    if (by_header->other)
        return tl::unexpected(Refusal{Refusal::Why::two_places, by_header->line, *by_header->other});
    if (drift_ == 0) return by_header->line;
    const std::ptrdiff_t moved = static_cast<std::ptrdiff_t>(hunk.guess) + drift_;
    const std::size_t center = moved < 0 ? 0 : static_cast<std::size_t>(moved);
    if (center == by_header->line) return center;
    const std::optional<Nearest> by_drift = nearest(hunk.side, center, compare);
    if (by_drift && distance(by_drift->line, center) < distance(by_header->line, center)) {
        return tl::unexpected(Refusal{Refusal::Why::drift, by_header->line, by_drift->line});
    }
    return by_header->line;
}

std::optional<Locator::Nearest> Locator::nearest(const Side& side, std::size_t center, Compare compare) {
    if (fits(side, center, compare)) return Nearest{center, std::nullopt};
    // Most hunks that moved did so by a few lines.
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{1, 4}, {5, 32}}) {
        if (const auto found = nearest_by_trying(side, center, from, to, compare)) return found;
    }
    return nearest_in_index(side, center, compare);
}

/// The nearest places that are `from` to `to` lines away.
std::optional<Locator::Nearest> Locator::nearest_by_trying(const Side& side, std::size_t center,
                                                           std::size_t from, std::size_t to,
                                                           Compare compare) {
    const std::size_t first = std::max(floor_, center > to ? center - to : 0);
    const std::vector<std::size_t> starts = table_.offsets(first, center + to + 1);
    const auto fits_here = [&](std::size_t line) {
        return line >= first && line - first < starts.size() &&
               side.match(table_.text(), starts[line - first], compare).has_value();
    };
    for (std::size_t d = from; d <= to; ++d) {
        const bool below = center >= d && fits_here(center - d);
        const bool above = fits_here(center + d);
        if (below && above) return Nearest{center - d, center + d};
        if (below) return Nearest{center - d, std::nullopt};
        if (above) return Nearest{center + d, std::nullopt};
    }
    return std::nullopt;
}

std::optional<Locator::Nearest> Locator::nearest_in_index(const Side& side, std::size_t center,
                                                          Compare compare) {
    const std::span<const std::uint32_t> all = occurrences(compare).of(side);
    const auto middle = std::lower_bound(all.begin(), all.end(), center);
    const auto verified = [&](std::uint32_t line) { return fits(side, line, compare); };
    const auto allowed = [&](std::uint32_t line) { return line >= floor_; };
    const auto above =
        std::find_if(middle, all.end(), [&](std::uint32_t line) { return allowed(line) && verified(line); });
    const auto below_end = std::find_if_not(std::make_reverse_iterator(middle), all.rend(), allowed);
    const auto below = std::find_if(std::make_reverse_iterator(middle), below_end, verified);
    if (below == below_end && above == all.end()) return std::nullopt;
    if (below == below_end) return Nearest{*above, std::nullopt};
    if (above == all.end()) return Nearest{*below, std::nullopt};
    if (distance(*below, center) == distance(*above, center)) return Nearest{*below, *above};
    return Nearest{distance(*below, center) < distance(*above, center) ? *below : *above, std::nullopt};
}

bool Locator::fits(const Side& side, std::size_t line, Compare compare) {
    return line >= floor_ && match(side, line, compare).has_value();
}

std::optional<std::size_t> Locator::match(const Side& side, std::size_t line, Compare compare) {
    const std::optional<std::size_t> offset = table_.offset(line);
    const std::optional<std::size_t> end =
        offset ? side.match(table_.text(), *offset, compare) : std::nullopt;
    if (end) last_match_ = Match{line, *end, compare};
    return end;
}

/// How the side lies at a line that was found for it: as a rule, the last match says so.
std::optional<Locator::Match> Locator::match_at(const Side& side, std::size_t line) {
    if (last_match_ && last_match_->line == line) return last_match_;
    if (!match(side, line, Compare::exact)) match(side, line, Compare::loose);
    return last_match_;
}

/// Which endings the file has, as far as it matters.
const Endings& Locator::endings() {
    if (endings_) return *endings_;
    endings_.emplace();
    const std::string_view text = table_.text();
    if (text.find('\r') == std::string_view::npos) {
        endings_->lf = true;
        return *endings_;
    }
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        (at > 0 && text[at - 1] == '\r' ? endings_->crlf : endings_->lf) = true;
        if (endings_->crlf && endings_->lf) break;
    }
    return *endings_;
}

bool Locator::other_ending_is_there() {
    return one_ending_ && (*one_ending_ == Ending::lf ? endings().crlf : endings().lf);
}

bool Locator::only_other_ending_is_there() {
    return other_ending_is_there() && !(endings().crlf && endings().lf);
}

std::vector<Side> Locator::all_sides() const {
    std::vector<Side> sides;
    for (const Hunk& hunk : file_.hunks) {
        for (unsigned fuzz = 0; fuzz <= fuzz_; ++fuzz) {
            const std::optional<Trimmed> candidate = trimmed(hunk, fuzz);
            if (!candidate) break;
            sides.push_back(candidate->side);
        }
        sides.push_back(Side::new_of(hunk));
    }
    return sides;
}

Occurrences& Locator::occurrences(Compare compare) {
    std::optional<Occurrences>& found = compare == Compare::exact ? exact_occurrences_ : loose_occurrences_;
    if (!found) found.emplace(hashes(compare), all_sides());
    return *found;
}

std::optional<std::size_t> Locator::anywhere(const Side& side, std::size_t line) {
    const Compare compare = other_ending_is_there() ? Compare::loose : Compare::exact;
    const std::span<const std::uint32_t> all = occurrences(compare).of(side);
    const auto above = std::lower_bound(all.begin(), all.end(), line);
    std::optional<std::size_t> best;
    if (above != all.end()) best = *above;
    if (above != all.begin() && (!best || distance(*(above - 1), line) < distance(*best, line)))
        best = *(above - 1);
    return best && match(side, *best, compare) ? best : std::nullopt;
}

const std::vector<std::uint64_t>& Locator::sorted_lines() {
    if (!sorted_lines_.empty()) return sorted_lines_;
    const std::span<const std::uint32_t> all = forgiving_hashes().all();
    // Where there are millions of lines of a byte or two, none of them tells a place.
    static constexpr std::size_t many_lines = 1U << 22U;
    static constexpr std::size_t short_line = 4;
    if (all.size() > std::max(many_lines, table_.text().size() / short_line)) return sorted_lines_;
    sorted_lines_.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) sorted_lines_.push_back(std::uint64_t{all[i]} << 32U | i);
    std::sort(sorted_lines_.begin(), sorted_lines_.end());
    return sorted_lines_;
}

Locator::Likeness Locator::most_alike(const Side& side, std::size_t line) {
    static constexpr std::size_t most_lines = 64;       // of the side that are looked up
    static constexpr std::ptrdiff_t most_places = 8;    // at which such a line may stand to be telling
    static constexpr std::size_t most_candidates = 16;  // that are compared in full
    std::vector<std::uint32_t> wanted;
    wanted.reserve(side.count());
    side.each([&](const Line& each) {
        wanted.push_back(forgiving_hashes().of(each.text, each.ending));
        return true;
    });
    const std::vector<std::uint64_t>& lines = sorted_lines();
    std::vector<std::size_t> candidates{line};
    for (std::size_t i = 0; i < std::min(wanted.size(), most_lines) && candidates.size() < most_candidates;
         ++i) {
        const auto first = std::lower_bound(lines.begin(), lines.end(), std::uint64_t{wanted[i]} << 32U);
        const auto last = std::upper_bound(first, lines.end(), std::uint64_t{wanted[i]} << 32U | 0xffffffffU);
        if (last - first > most_places) continue;
        for (auto at = first; at != last; ++at) {
            const std::size_t stands = static_cast<std::uint32_t>(*at);
            if (stands >= i) candidates.push_back(stands - i);
        }
    }
    const std::span<const std::uint32_t> all = forgiving_hashes().all();
    Likeness best{line, 0};
    for (const std::size_t candidate : candidates) {
        std::size_t agreeing = 0;
        for (std::size_t i = 0; i < wanted.size() && candidate + i < all.size(); ++i) {
            agreeing += all[candidate + i] == wanted[i] ? 1 : 0;
        }
        const bool nearer =
            agreeing == best.agreeing && distance(candidate, line) < distance(best.line, line);
        if (agreeing > best.agreeing || nearer) best = {candidate, agreeing};
    }
    return best;
}

}  // namespace drydock::patch
