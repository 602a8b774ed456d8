#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/scratch.hpp"
#include "rebuild/rebuild.hpp"

namespace drydock::rebuild {

/// The folder that holds a package as it was published: from the registry (by npm, unpacked in scratch) or
/// from the folder that the settings name. Nothing: that version was never published there. An io Error where
/// that cannot be told: no npm, no network.
base::Result<std::optional<std::string>> find_published(const std::string& package,
                                                        const std::string& version, const Settings& settings,
                                                        const base::Scratch& scratch);

/// A text in a package.json; empty where it has none, or cannot be read.
std::string field_of_package(std::string_view package_json, std::string_view field);

}  // namespace drydock::rebuild
