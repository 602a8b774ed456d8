#include "diff/lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "diff/hash.hpp"

namespace drydock::diff {
namespace {

/// Eight bytes at a time.
std::uint64_t hash_of(std::string_view bytes) {
    std::uint64_t hash = bytes.size();
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        hash = mixed(hash ^ word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    return mixed(hash ^ word);
}

/// Gives equal lines of both texts one number. Its slots hold the hash beside the number, so that it grows
/// without reading the texts again and looks at bytes only where the hashes are equal.
class Numbering {
  public:
    Numbering(const Lines& old_lines, const Lines& new_lines)
        : old_lines_(old_lines), new_lines_(new_lines) {}

    /// The lines of the new text are counted on from the old one's.
    std::uint32_t number(std::size_t index) {
        if (firsts_.size() * 5 >= slots_.size() * 4) grow();
        const std::string_view bytes = line(index);
        const std::uint64_t wide_hash = hash_of(bytes);
        const auto hash = static_cast<std::uint32_t>(wide_hash ^ wide_hash >> 32U);
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at].number != none; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.hash == hash && line(firsts_[slot.number]) == bytes) return slot.number;
        }
        const auto number = static_cast<std::uint32_t>(firsts_.size());
        slots_[at] = {hash, number};
        firsts_.push_back(static_cast<std::uint32_t>(index));
        return number;
    }

    [[nodiscard]] std::uint32_t distinct() const { return static_cast<std::uint32_t>(firsts_.size()); }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Slot {
        std::uint32_t hash{0};
        std::uint32_t number{none};
    };

    [[nodiscard]] std::string_view line(std::size_t index) const {
        return index < old_lines_.count() ? old_lines_.line(index)
                                          : new_lines_.line(index - old_lines_.count());
    }

    void grow() {
        std::vector<Slot> larger(slots_.size() * 2);
        for (const Slot& slot : slots_) {
            if (slot.number == none) continue;
            std::size_t at = slot.hash & (larger.size() - 1);
            while (larger[at].number != none) at = (at + 1) & (larger.size() - 1);
            larger[at] = slot;
        }
        slots_ = std::move(larger);
    }

    const Lines& old_lines_;
    const Lines& new_lines_;
    std::vector<Slot> slots_ = std::vector<Slot>(1024);
    std::vector<std::uint32_t> firsts_;  ///< by number: the first line that has it
};

}  // namespace

std::vector<std::uint32_t> line_starts(std::string_view text) {
    std::vector<std::uint32_t> starts;
    static constexpr std::size_t usual_line = 24;
    starts.reserve(text.size() / usual_line + 2);
    starts.push_back(0);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t feed = text.find('\n', at);
        at = feed == std::string_view::npos ? text.size() : feed + 1;
        starts.push_back(static_cast<std::uint32_t>(at));
    }
    return starts;
}

CommonEnds common_ends(const Lines& old_lines, const Lines& new_lines) {
    const std::size_t most = std::min(old_lines.count(), new_lines.count());
    CommonEnds ends;
    while (ends.front < most && old_lines.line(ends.front) == new_lines.line(ends.front)) ++ends.front;
    while (ends.back < most - ends.front && old_lines.line(old_lines.count() - ends.back - 1) ==
                                                new_lines.line(new_lines.count() - ends.back - 1)) {
        ++ends.back;
    }
    return ends;
}

Numbered number_lines(const Lines& old_lines, const Lines& new_lines, const CommonEnds& ends) {
    const std::size_t old_end = old_lines.count() - ends.back;
    const std::size_t new_end = new_lines.count() - ends.back;
    Numbering numbering(old_lines, new_lines);
    Numbered result;
    result.old_numbers.reserve(old_end - ends.front);
    for (std::size_t i = ends.front; i < old_end; ++i) result.old_numbers.push_back(numbering.number(i));
    result.new_numbers.reserve(new_end - ends.front);
    for (std::size_t i = ends.front; i < new_end; ++i) {
        result.new_numbers.push_back(numbering.number(old_lines.count() + i));
    }
    result.distinct = numbering.distinct();
    return result;
}

}  // namespace drydock::diff
