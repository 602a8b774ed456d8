#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "rebuild/builds.hpp"
#include "rebuild/rebuild.hpp"

namespace drydock::rebuild {

/// A set that is being made: its manifest as it stands, and its source.patch.
struct Draft {
    manifest::Manifest manifest;
    std::string manifest_text;  ///< what `manifest` was parsed from
    SourcePatch source_patch;
    bool fresh{false};  ///< its hashes are another set's: all of them are new, and where they come from too
};

/// The lib.patch files and the manifest that a draft becomes.
struct Composed {
    std::vector<SetFile> files;
    BuildReport report;
    std::vector<base::Error> problems;
};

/// Builds a draft (or takes the builds from the cache), proves stock, and makes its files.
Composed compose(const Draft& draft, const source::Repository& repository, const Settings& settings);

/// Reads a patch file of a set, whatever its hash. Errors: usage, with the manifest's line.
base::Result<std::string> read_any(const manifest::Manifest& manifest,
                                   const manifest::PatchReference& reference);

/// Reads a source.patch's text; the patch points into it. Errors: usage.
base::Result<SourcePatch> read_source_patch(std::string text, const std::string& name);

/// What a manifest must have to be rebuilt: source, source.patch, build steps.
std::optional<base::Error> cannot_rebuild(const manifest::Manifest& manifest);

/// Where a patch file lies: the manifest's folder and its own path in one.
std::string path_of(const manifest::Manifest& manifest, const manifest::PatchReference& reference);

/// A file of a set, held against what is there.
SetFile set_file(std::string path, std::string bytes);

}  // namespace drydock::rebuild
