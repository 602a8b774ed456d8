#include "diff/exact.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace drydock::diff {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// The length of a longest common subsequence, by the table that every book has.
std::size_t longest_common(const Numbers& from, const Numbers& to) {
    std::vector<std::size_t> row(to.size() + 1);
    for (const std::uint32_t number : from) {
        std::size_t corner = 0;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t above = row[j + 1];
            row[j + 1] = number == to[j] ? corner + 1 : std::max(above, row[j]);
            corner = above;
        }
    }
    return row.back();
}

/// How many lines a way keeps; fails where it does not lead from the beginning to the end over equal lines.
std::size_t kept_by(const std::vector<Step>& way, const Numbers& from, const Numbers& to) {
    std::size_t x = 0;
    std::size_t y = 0;
    std::size_t kept = 0;
    for (const Step step : way) {
        if (step == Step::common) {
            if (x >= from.size() || y >= to.size() || from[x] != to[y]) {
                ADD_FAILURE() << "no equal lines at " << x << ", " << y;
                return 0;
            }
            ++kept;
        }
        if (step != Step::added) ++x;
        if (step != Step::removed) ++y;
    }
    EXPECT_EQ(x, from.size());
    EXPECT_EQ(y, to.size());
    return kept;
}

Numbers random_numbers(std::mt19937& random, std::size_t size, std::uint32_t distinct) {
    Numbers numbers;
    for (std::size_t i = 0; i < size; ++i) numbers.push_back(static_cast<std::uint32_t>(random() % distinct));
    return numbers;
}

TEST(Exact, way_keeps_as_many_lines_as_can_be) {
    std::mt19937 random(1);
    constexpr std::uint32_t most = 1000;
    Exact exact(most);
    for (int round = 0; round < 400; ++round) {
        const std::uint32_t distinct = std::vector<std::uint32_t>{2, 5, 40, most}[random() % 4];
        const Numbers from = random_numbers(random, 1 + random() % 700, distinct);
        const Numbers to = random_numbers(random, 1 + random() % 700, distinct);
        ASSERT_EQ(kept_by(exact.way(from, to), from, to), longest_common(from, to)) << round;
    }
}

TEST(Exact, way_leads_to_the_end_where_the_sides_are_larger_than_the_band) {
    std::mt19937 random(2);
    Exact exact(50);
    for (const auto& [from_size, to_size] :
         {std::pair<std::size_t, std::size_t>{30'000, 30'000}, {40'000, 500}, {500, 40'000}}) {
        const Numbers from = random_numbers(random, from_size, 50);
        const Numbers to = random_numbers(random, to_size, 50);
        const std::size_t kept = kept_by(exact.way(from, to), from, to);
        EXPECT_GE(kept, std::min(from_size, to_size) / 5);
    }
}

TEST(Exact, way_within_the_band_is_the_best_of_all) {
    std::mt19937 random(3);
    const Numbers from = random_numbers(random, Exact::half_band, 30);
    const Numbers to = random_numbers(random, Exact::half_band / 2, 30);
    EXPECT_EQ(kept_by(Exact(30).way(from, to), from, to), longest_common(from, to));
}

}  // namespace
}  // namespace drydock::diff
