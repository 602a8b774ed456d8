#include "patch/occurrences.hpp"

#include <functional>

namespace drydock::patch {
namespace {

constexpr std::uint64_t base_factor = 0x9e3779b97f4a7c15U;

/// Spreads a line's hash over 64 bits.
std::uint64_t spread(std::uint32_t line) {
    std::uint64_t x = line + 0x2545f4914f6cdd1dU;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// Tells quickly that a hash is not wanted, which nearly all are not.
class Filter {
  public:
    void add(std::uint64_t hash) { words_[hash >> 52U] |= bit(hash); }
    [[nodiscard]] bool may_have(std::uint64_t hash) const { return (words_[hash >> 52U] & bit(hash)) != 0; }

  private:
    static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << ((hash >> 46U) & 63U); }
    std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(4096);
};

}  // namespace

std::uint32_t LineHashes::of(std::string_view text, Ending ending) const {
    const bool same = compare_ == Compare::loose && ending == Ending::crlf;
    const std::uint64_t end = same ? 0 : static_cast<std::uint64_t>(ending);
    const std::uint64_t hash = std::hash<std::string_view>()(text) + end * base_factor;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32U));
}

std::span<const std::uint32_t> LineHashes::all() {
    if (!hashes_.empty()) return hashes_;
    hashes_.reserve(table_.count());
    const std::string_view text = table_.text();
    for (std::size_t offset = 0; offset < text.size();) {
        const FileLine line = line_at(text, offset);
        hashes_.push_back(of(line.text, line.ending));
        offset = line.next;
    }
    return hashes_;
}

Occurrences::Hash Occurrences::hash(const Side& side) const {
    Hash result = 0;
    side.each([&](const Line& line) {
        result = result * base_factor + spread(hashes_.of(line.text, line.ending));
        return true;
    });
    return result;
}

void Occurrences::find_all(std::size_t count) {
    const std::span<const std::uint32_t> lines = hashes_.all();
    // A text full of repetitions could fill the memory; what is dropped is found again when it is asked for.
    if (stored_ > 2 * lines.size()) {
        found_.clear();
        stored_ = 0;
    }
    auto& found = found_[count];
    Filter filter;
    for (const Side& side : wanted_) {
        if (side.count() != count) continue;
        const Hash wanted = hash(side);
        filter.add(wanted);
        found.try_emplace(wanted);
    }
    if (count > lines.size()) return;
    Hash leaving_factor = 1;
    for (std::size_t i = 0; i < count; ++i) leaving_factor *= base_factor;
    Hash window = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        window = window * base_factor + spread(lines[i]);
        if (i >= count) window -= leaving_factor * spread(lines[i - count]);
        if (i + 1 < count || !filter.may_have(window)) continue;
        const auto hit = found.find(window);
        if (hit == found.end()) continue;
        hit->second.push_back(static_cast<std::uint32_t>(i + 1 - count));
        ++stored_;
    }
}

std::span<const std::uint32_t> Occurrences::of(const Side& side) {
    if (side.count() == 0) return {};
    if (!found_.contains(side.count())) find_all(side.count());
    const auto& found = found_[side.count()];
    const auto hit = found.find(hash(side));
    return hit == found.end() ? std::span<const std::uint32_t>() : hit->second;
}

}  // namespace drydock::patch
