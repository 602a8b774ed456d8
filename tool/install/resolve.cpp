#include "install/resolve.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/directory.hpp"

namespace drydock::install {
namespace {

/// A link, or nothing at all: what the program would make anew when it starts.
bool is_link_or_missing(const std::string& path) {
    struct stat entry {};
    return lstat(path.c_str(), &entry) != 0 || S_ISLNK(entry.st_mode);
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::optional<std::string> real_directory(const std::string& path) {
    if (!base::is_directory(path)) return std::nullopt;
    const base::Sys<std::string> real = base::real_path(path);
    if (!real) return std::nullopt;
    return *real;
}

std::string real_folder(const std::string& folder) {
    if (const base::Sys<std::string> real = base::real_path(folder)) return *real;
    const base::Sys<std::string> above = base::real_path(parent_of(folder));
    const std::size_t slash = folder.rfind('/');
    if (!above || slash == std::string::npos) return folder;
    return *above + folder.substr(slash);
}

std::optional<std::string> node_resolve(const std::string& from, const std::string& package,
                                        const FallbackFolders& fallback, ModuleFolders& folders) {
    for (std::string here = from;; here = parent_of(here)) {
        const std::string modules = here == "/" ? "/node_modules" : here + "/node_modules";
        const std::string candidate = fmt::format("{}/{}", modules, package);
        const bool made_anew = fallback.folders.count(modules) > 0;
        if (made_anew && is_link_or_missing(candidate)) {
            if (std::optional<std::string> copy = fallback.copy_of(package)) return copy;
        }
        const auto [there, is_new] = folders.try_emplace(modules);
        if (is_new) there->second = base::is_directory(modules);
        std::optional<std::string> real = there->second ? real_directory(candidate) : std::nullopt;
        if (real) return real;
        if (here == "/") return std::nullopt;
    }
}

}  // namespace drydock::install
