#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/scratch.hpp"
#include "manifest/manifest.hpp"
#include "rebuild/rebuild.hpp"
#include "source/source.hpp"

namespace drydock::rebuild {

/// The monorepo, and where tags lead in it.
struct Obtained {
    std::optional<base::Scratch> folder;  ///< that the repository was fetched into, where no cache keeps it
    source::Repository repository;
    std::vector<std::string> commits;  ///< of the tags, in their order
};

/// Opens settings.harness, or fetches the tags from it into the cache; without one that can be written, into
/// scratch.
base::Result<Obtained> obtain_commits(const Settings& settings, const std::vector<std::string>& tags);

/// The Error when a set's tag does not lead to the commit that the set pins.
std::optional<base::Error> moved_tag(const manifest::Manifest& manifest, const std::string& commit);

}  // namespace drydock::rebuild
