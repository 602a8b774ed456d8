#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "diff/diff.hpp"

namespace drydock::diff {

/// An edit, and where its lines stand in both texts, in bytes: to print it, no other line need be found.
struct Change {
    std::uint32_t old_begin{0};
    std::uint32_t old_end{0};
    std::uint32_t new_begin{0};
    std::uint32_t new_end{0};
    std::uint32_t old_from{0};
    std::uint32_t old_to{0};
    std::uint32_t new_from{0};
    std::uint32_t new_to{0};
};

/// find_edits, of texts of at most largest_text bytes.
std::vector<Change> find_changes(std::string_view old_text, std::string_view new_text);

}  // namespace drydock::diff
