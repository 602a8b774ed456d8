#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::base {

/// The candidate nearest to `word` by Damerau-Levenshtein distance (transposition of neighbours counts one),
/// if it is near enough to be meant: at most a third of the longer one's length, at least 1. Ties: the
/// earlier candidate.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// ` (did you mean 'X'?)`, or the empty text.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The first three, and how many more there are: `a, b, c, and 4 more`.
std::string first_names(const std::vector<std::string>& names);

}  // namespace drydock::base
