#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "manifest/manifest.hpp"

namespace drydock::cli {

/// What regenerate and bump share, as it was typed.
struct RebuildSelection {
    std::optional<std::string> manifest;
    std::optional<std::string> harness;
    std::string published{"registry"};  ///< `registry`, `none`, or a folder
    std::optional<std::string> cache;
    bool no_cache{false};
    std::optional<std::string> scratch;
    std::optional<std::string> log;
    std::optional<std::chrono::milliseconds> time_limit;
    bool keep{false};
    bool check{false};
};

struct RegenerateOptions {
    RebuildSelection selection;
    std::optional<std::string> version;
};

struct BumpOptions {
    RebuildSelection selection;
    std::string from;
    std::string to;
    std::string tag;
    std::optional<std::string> output;
    std::optional<std::string> resolved;
    std::optional<std::string> report;
    bool force{false};
};

/// Answers regenerate and bump. They need git's library, which costs every start several milliseconds, so
/// they live in an executable of their own, drydock-rebuild, which drydock runs.
struct Rebuilder {
    std::function<Reply(const RegenerateOptions&, const OutputOptions&, const Style&)> regenerate;
    std::function<Reply(const BumpOptions&, const OutputOptions&, const Style&)> bump;
};

/// The rebuilder that works; only drydock-rebuild has it. `progress`: standard error is a terminal, and may
/// show how far the work has come.
Rebuilder make_rebuilder(const manifest::Environment& environment, bool progress);

}  // namespace drydock::cli
