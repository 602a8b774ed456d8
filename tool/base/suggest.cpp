#include "base/suggest.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace drydock::base {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    static constexpr std::size_t longest_word = 200;  // the cost is the product of both lengths
    if (word.size() > longest_word) return std::nullopt;
    const std::string* best = nullptr;
    std::size_t best_distance = 0;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > longest_word) continue;
        const std::size_t here = distance(word, candidate);
        const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
        if (here > allowed) continue;
        if (best == nullptr || here < best_distance) {
            best = &candidate;
            best_distance = here;
        }
    }
    if (best == nullptr) return std::nullopt;
    return *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const std::optional<std::string> meant = nearest(word, candidates);
    return meant ? " (did you mean '" + *meant + "'?)" : std::string();
}

std::string first_names(const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
    std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
    if (names.size() > most) text += fmt::format(", and {} more", names.size() - most);
    return text;
}

}  // namespace drydock::base
