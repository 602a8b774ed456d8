#include "diff/lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
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
    /// `expected`: about how many different lines there are; more of them cost copies of all tables.
    Numbering(const Lines& old_lines, const Lines& new_lines, std::size_t expected)
        : old_lines_(old_lines),
          new_lines_(new_lines),
          slots_(std::bit_ceil(std::max<std::size_t>(expected, 64))) {
        firsts_.reserve(expected);
    }

    /// Appends the numbers of the lines from `first` up to, not with, `end`; those of the new text are
    /// counted on from the old one's. A group at a time, so that their slots are fetched from memory
    /// together.
    void append(std::size_t first, std::size_t end, std::vector<std::uint32_t>& numbers) {
        numbers.reserve(end - first);
        std::array<std::uint32_t, 16> hashes{};
        while (first < end) {
            const std::size_t count = std::min(end - first, hashes.size());
            while ((firsts_.size() + count) * 5 >= slots_.size() * 4) grow();
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint64_t hash = hash_of(line(first + i));
                hashes[i] = static_cast<std::uint32_t>(hash ^ hash >> 32U);
                __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
            }
            for (std::size_t i = 0; i < count; ++i) numbers.push_back(number(first + i, hashes[i]));
            first += count;
        }
    }

    [[nodiscard]] std::uint32_t distinct() const { return static_cast<std::uint32_t>(firsts_.size()); }

  private:
    std::uint32_t number(std::size_t index, std::uint32_t hash) {
        const std::string_view bytes = line(index);
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
        const std::size_t mask = larger.size() - 1;
        static constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (i + ahead < slots_.size()) __builtin_prefetch(&larger[slots_[i + ahead].hash & mask], 1);
            if (slots_[i].number == none) continue;
            std::size_t at = slots_[i].hash & mask;
            while (larger[at].number != none) at = (at + 1) & mask;
            larger[at] = slots_[i];
        }
        slots_ = std::move(larger);
    }

    const Lines& old_lines_;
    const Lines& new_lines_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> firsts_;  ///< by number: the first line that has it
};

/// In blocks whose counts are bytes, which the compiler adds up many at a time.
std::size_t count_line_feeds(std::string_view text) {
    static constexpr std::size_t block = 192;
    std::size_t count = 0;
    for (; text.size() >= block; text.remove_prefix(block)) {
        std::uint8_t in_block = 0;
        for (std::size_t i = 0; i < block; ++i)
            in_block = static_cast<std::uint8_t>(in_block + (text[i] == '\n'));
        count += in_block;
    }
    return count + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::vector<std::uint32_t> line_starts(std::string_view text) {
    std::vector<std::uint32_t> starts;
    starts.reserve(count_line_feeds(text) + 2);
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
    Numbering numbering(old_lines, new_lines, old_end - ends.front);
    Numbered result;
    numbering.append(ends.front, old_end, result.old_numbers);
    numbering.append(old_lines.count() + ends.front, old_lines.count() + new_end, result.new_numbers);
    result.distinct = numbering.distinct();
    return result;
}

}  // namespace drydock::diff
