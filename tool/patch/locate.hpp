#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "patch/lines.hpp"
#include "patch/model.hpp"
#include "patch/occurrences.hpp"
#include "patch/side.hpp"

namespace drydock::patch {

/// Where a hunk goes. Lines are counted from 0.
struct Place {
    std::size_t line{0};   ///< of the first old line that is matched, or the gap before it
    std::size_t begin{0};  ///< offsets in the text of what is matched
    std::size_t end{0};
    bool exact{true};          ///< with its line endings
    std::ptrdiff_t offset{0};  ///< lines away from its `-` line
    unsigned fuzz{0};
    std::size_t front{0};  ///< context lines left out by fuzz at its beginning and end
    std::size_t back{0};
};

/// Why a hunk has no place.
struct Refusal {
    enum class Why : std::uint8_t {
        nowhere,
        two_places,      ///< equally near to its `-` line
        drift,           ///< one place by its `-` line, another by where the hunk before it went
        two_endings,     ///< one place exactly, a nearer one but for line endings
        file_not_empty,  ///< it is for an empty file
    };
    Why why{Why::nowhere};
    std::size_t first{0};  ///< the places in question
    std::size_t second{0};
};

/// The line endings that a file has.
struct Endings {
    bool lf{false};
    bool crlf{false};
};

/// Finds the places of a file's hunks, in their order.
///
/// A hunk is looked for at its `-` line, in the text as it was (what earlier hunks add is so counted in),
/// then outwards. Its `+` line is never used. In detail, where git apply and GNU patch differ the stricter
/// one is followed:
/// - No hunk goes before the end of the one before it.
/// - Two places equally near: refused. So is a place that is nearest to the `-` line while another is nearest
/// to where
///   the hunk would be if it had moved like the one before it.
/// - A hunk whose `-` line is 0 or 1 and that has context must lie at the beginning of the file; one without
/// context
///   after its changes but before them must lie at its end; so must one with a line that has no newline.
/// - Elsewhere than at its own line, a hunk with less context before than after its changes is only looked
/// for at the
///   beginning of the file, one with less after than before only at its end.
/// - A hunk without any context is taken at its own line only, and not after a hunk that moved; one with
///   `-0,0` at the beginning of the file, which must be empty where the patch's index line says so.
/// - With fuzz F, up to F lines of context are left out at the end that has as much context as the other or
/// more; the
///   least fuzz that gives a place wins, and a hunk is never left without an old line.
class Locator {
  public:
    Locator(const FilePatch& file, std::string_view text, unsigned fuzz);

    /// The place of a hunk (counted from 0); call it for each hunk in order. A hunk that is refused counts as
    /// left out.
    tl::expected<Place, Refusal> place(std::size_t hunk);

    /// For messages: the lines before which no hunk may go any more, and the hunk that lies there.
    [[nodiscard]] std::size_t floor() const { return floor_; }

    /// For messages: a place anywhere at which all of the side lies, the nearest to `line`.
    std::optional<std::size_t> anywhere(const Side& side, std::size_t line);

    /// For messages: the place near `line` at which most lines of the side agree, and how many do. Its cost
    /// is bounded.
    struct Likeness {
        std::size_t line{0};
        std::size_t agreeing{0};
    };
    Likeness most_alike(const Side& side, std::size_t line);

    LineTable& table() { return table_; }

    /// Whether all lines of the patch have one ending, so that the file may have the other one.
    [[nodiscard]] bool one_ending() const { return one_ending_.has_value(); }

  private:
    struct Trimmed;
    struct Nearest;
    /// Where a side ends that was found at a line.
    struct Match {
        std::size_t line{0};
        std::size_t end{0};
        Compare compare{Compare::exact};
    };
    /// A place that was found, or the refusal that ends the search.
    using Found = tl::expected<std::size_t, Refusal>;

    [[nodiscard]] std::optional<Trimmed> trimmed(const Hunk& hunk, unsigned fuzz) const;
    Found find(const Trimmed& hunk);
    Found find(const Trimmed& hunk, Compare compare);
    Found find_at_own_line(const Trimmed& hunk, Compare compare);
    Found find_anywhere(const Trimmed& hunk, Compare compare);
    std::optional<Nearest> nearest(const Side& side, std::size_t center, Compare compare);
    std::optional<Nearest> nearest_by_trying(const Side& side, std::size_t center, std::size_t from,
                                             std::size_t to, Compare compare);
    std::optional<Nearest> nearest_in_index(const Side& side, std::size_t center, Compare compare);
    bool fits(const Side& side, std::size_t line, Compare compare);
    std::optional<std::size_t> match(const Side& side, std::size_t line, Compare compare);
    const Endings& endings();
    std::optional<Match> match_at(const Side& side, std::size_t line);
    bool other_ending_is_there();
    bool only_other_ending_is_there();
    Occurrences& occurrences(Compare compare);
    LineHashes& hashes(Compare compare) { return compare == Compare::exact ? exact_hashes_ : loose_hashes_; }
    /// Those that take endings for the same, if there are both; one array of them is enough.
    LineHashes& forgiving_hashes() {
        return hashes(other_ending_is_there() ? Compare::loose : Compare::exact);
    }
    [[nodiscard]] std::vector<Side> all_sides() const;
    const std::vector<std::uint64_t>& sorted_lines();

    const FilePatch& file_;
    unsigned fuzz_;
    LineTable table_;
    std::optional<Ending> one_ending_;
    std::optional<Endings> endings_;
    LineHashes exact_hashes_;
    LineHashes loose_hashes_;
    std::optional<Occurrences> exact_occurrences_;
    std::optional<Occurrences> loose_occurrences_;
    std::vector<std::uint64_t> sorted_lines_;  ///< hash and line of each line, for most_alike
    std::optional<Match> last_match_;          ///< of the hunk at hand
    std::size_t floor_{0};
    std::ptrdiff_t drift_{0};  ///< the offset of the hunk that was placed last
};

}  // namespace drydock::patch
