#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "cli/command_rebuild.hpp"
#include "cli/output.hpp"
#include "manifest/manifest.hpp"

namespace drydock::cli {

/// What a run sees of the process it is in.
struct Surroundings {
    manifest::Environment environment;
    bool terminal{false};                  ///< standard output is one
    std::size_t width{100};                ///< columns that tables are wrapped at
    bool progress{false};                  ///< standard error is a terminal
    Channels channels{};                   ///< for commands that write while they work
    std::optional<Rebuilder> rebuilder{};  ///< only drydock-rebuild has one
};

/// Runs drydock with the words behind the program's name.
Reply run(std::span<const std::string> words, const Surroundings& surroundings);

}  // namespace drydock::cli
