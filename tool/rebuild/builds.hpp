#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "patch/patch.hpp"
#include "rebuild/rebuild.hpp"
#include "source/source.hpp"

namespace drydock::rebuild {

/// A file that a build left, or did not: then it has no bytes.
struct BuiltFile {
    std::optional<std::string> bytes;
    bool executable{false};
    friend bool operator==(const BuiltFile&, const BuiltFile&) = default;
};

/// What both builds left of one package.
struct BuiltPackage {
    std::vector<BuiltFile> stock;  ///< in the order of the manifest's files
    std::vector<BuiltFile> patched;
    std::vector<std::string>
        also_changed;  ///< files beside those, in the same top folders, that stock has too and that differ
};

struct Builds {
    std::vector<BuiltPackage> packages;  ///< in the manifest's order
    /// `name@version` of packages that the registry has with these very stock files.
    std::vector<std::string> proven{};
};

/// A source.patch, read.
struct SourcePatch {
    std::unique_ptr<const std::string> text;
    patch::Patch patch;  ///< points into the text
};

/// What is built, and of what.
struct Plan {
    const manifest::Manifest& manifest;
    const source::Repository& repository;
    const SourcePatch& source_patch;
    const Settings& settings;
};

/// Called when stock is built, before anything is patched; an Error ends the work.
using StockCheck = std::function<std::vector<base::Error>(const std::vector<BuiltPackage>& stock)>;

/// Checks the manifest's commit out, builds, applies source.patch, builds again. Every reason why not: what
/// the repository, the patch engine, the steps and the check say; usage, when source.patch changes nothing.
/// The report gets the time that the steps took, and notes.
tl::expected<Builds, std::vector<base::Error>> build_both(const Plan& plan, const StockCheck& check,
                                                          BuildReport& report);

/// Names everything that the builds depend on, as far as it can be told: commit, source.patch, steps, the
/// files that are asked for, and the programs (and other files outside the checkout) that the steps name.
std::string cache_key(const Plan& plan);

/// What store_builds() kept under the key; nothing when there is none, or it is not whole.
std::optional<Builds> load_builds(const Plan& plan, const std::string& key);

/// Keeps builds. Errors: io.
base::Result<void> store_builds(const std::string& cache, const std::string& key, const Builds& builds);

}  // namespace drydock::rebuild
