#pragma once

#include <array>
#include <string_view>

namespace drydock::conform {

/// A module that node runs.
struct Script {
    std::string_view name;
    std::string_view text;
};

/// All of them; the build puts their texts in.
extern const std::array<Script, 5> scripts;

}  // namespace drydock::conform
