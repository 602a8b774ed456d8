#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace drydock::manifest {

/// What must not stand in a text, and where.
struct BadCharacter {
    std::size_t position{0};
    std::string what;  ///< `control byte 0x00`
};

/// The first invalid UTF-8, control character other than tab, line feed and carriage return before line feed,
/// or line separator of Unicode.
std::optional<BadCharacter> find_bad_character(std::string_view text);

}  // namespace drydock::manifest
