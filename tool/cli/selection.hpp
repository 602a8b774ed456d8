#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "install/install.hpp"
#include "manifest/manifest.hpp"

namespace drydock::cli {

/// The name of a root and the directories that it stands for.
using Roots = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Which set, and what of it, as it was typed: the options that apply, status and revert share.
struct Selection {
    std::optional<std::string> manifest;  ///< a file or a folder
    std::optional<std::string> version;
    std::string stage;                  ///< `image`, `boot`, or empty
    std::vector<std::string> packages;  ///< with or without their scopes
    Roots roots;
    bool strict{false};
    std::optional<std::chrono::milliseconds> wait;
};

/// A selection, looked up.
struct Selected {
    manifest::Manifest manifest;
    install::Options options;
};

/// Finds and reads the manifest that a selection names, or the environment. Errors: usage.
base::Result<manifest::Manifest> load_manifest(const Selection& selection,
                                               const manifest::Environment& environment);

/// Finds the manifest and looks up packages and roots in it. Every reason why not, all of kind usage: no
/// manifest, no version, an unknown package or root (with the nearest one), an empty directory.
tl::expected<Selected, std::vector<base::Error>> select(const Selection& selection,
                                                        const manifest::Environment& environment);

/// The options of a selection as far as they need no manifest: stage, strict (also by DRYDOCK_STRICT), wait,
/// and the roots as they were typed.
install::Options options_without_manifest(const Selection& selection,
                                          const manifest::Environment& environment);

/// The options where there is no set for the installed version: beside the roots that were typed those of
/// every manifest there is, and its folders of links, as far as their variables are set.
install::Options options_of_every_set(const Selection& selection, const manifest::Environment& environment);

/// What a shell can complete: the `packages` or `roots` of the set that a selection names, or, where it names
/// none, of every set that can be read; or the `versions` that there are sets for. Empty where nothing can be
/// read.
std::vector<std::string> names_for_completion(std::string_view kind, const Selection& selection,
                                              const manifest::Environment& environment);

/// Whether what goes wrong is said but does not count: a boot without strict.
bool is_lenient(const Selection& selection, const manifest::Environment& environment);

}  // namespace drydock::cli
