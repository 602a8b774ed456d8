#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "rebuild/rebuild.hpp"

namespace drydock::rebuild {

/// Begins the log anew. Errors: io.
base::Result<void> begin_log(const std::string& log);

/// Which of the two builds.
enum class BuildSide : std::uint8_t { stock, patched };

/// `stock`, ...
std::string_view side_name(BuildSide side);

/// Runs a manifest's build steps in a checkout, without a shell; the patched build leaves out those that are
/// run once. What they print goes to the log, the time that they take is added to `building`. A build Error
/// for the first that fails, cannot be started or runs out of time, whatever it wrote before: with its last
/// lines, and where all of them are.
base::Result<void> run_steps(const manifest::Manifest& manifest, const std::string& checkout, BuildSide side,
                             const Settings& settings, std::chrono::milliseconds& building);

}  // namespace drydock::rebuild
