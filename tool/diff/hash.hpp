#pragma once

#include <cstdint>

namespace drydock::diff {

/// A number whose every bit depends on every bit of the given one.
inline std::uint64_t mixed(std::uint64_t value) {
    value *= 0x9e3779b97f4a7c15U;
    value ^= value >> 29U;
    value *= 0xbf58476d1ce4e5b9U;
    return value ^ value >> 32U;
}

}  // namespace drydock::diff
