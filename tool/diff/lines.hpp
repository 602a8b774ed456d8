#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace drydock::diff {

/// Where the lines of a text start, and at the end the text's size.
std::vector<std::uint32_t> line_starts(std::string_view text);

/// A text and its lines, counted from 0. A line has its line feed, if there is one.
struct Lines {
    explicit Lines(std::string_view whole) : text(whole), starts(line_starts(whole)) {}

    [[nodiscard]] std::size_t count() const { return starts.size() - 1; }
    [[nodiscard]] std::string_view line(std::size_t index) const {
        return {text.data() + starts[index], starts[index + 1] - starts[index]};
    }

    std::string_view text;
    std::vector<std::uint32_t> starts;
};

/// How many lines two texts have in common at their beginnings and, behind those, at their ends.
struct CommonEnds {
    std::size_t front{0};
    std::size_t back{0};
};
CommonEnds common_ends(const Lines& old_lines, const Lines& new_lines);

/// Lines as numbers: equal ones have the same.
struct Numbered {
    std::vector<std::uint32_t> old_numbers;
    std::vector<std::uint32_t> new_numbers;
    std::uint32_t distinct{0};  ///< all numbers are below it
};

/// Numbers the lines between the common ends.
Numbered number_lines(const Lines& old_lines, const Lines& new_lines, const CommonEnds& ends);

}  // namespace drydock::diff
