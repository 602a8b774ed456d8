#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace drydock::install {

/// A folder of links that is made anew whenever the program starts: a link in it, right, stale or not there
/// yet, stands for the copy that `copy_of` gives.
struct FallbackFolders {
    std::set<std::string> folders;  ///< each as real_folder gives it
    /// A directory without links.
    std::function<std::optional<std::string>(const std::string& package)> copy_of;
};

/// A directory's path without links; nothing where there is none.
std::optional<std::string> real_directory(const std::string& path);

/// A folder's path without links, also while the folder itself is not there yet.
std::string real_folder(const std::string& folder);

/// Whether there is a node_modules folder at a path, for those that were asked for: most are not there, and
/// one question serves for all packages. Good as long as no file changes.
using ModuleFolders = std::map<std::string, bool>;

/// The directory from which Node would load `package` for a module in `from`, a directory without links: up
/// through every parent's node_modules, links followed wherever they lead, as Node's ESM and CommonJS
/// resolvers do. Without links itself; nothing when Node finds none.
std::optional<std::string> node_resolve(const std::string& from, const std::string& package,
                                        const FallbackFolders& fallback, ModuleFolders& folders);

}  // namespace drydock::install
