#include "cli/selection.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directory.hpp"
#include "base/suggest.hpp"
#include "cli/arguments.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

constexpr std::string_view below_prefix = "/share/drydock/manifests";
constexpr std::string_view libexec = "/libexec/drydock";
constexpr std::string_view system_folder = "/usr/share/drydock/manifests";

base::Error usage(std::string message) {
    base::Error error;
    error.kind = base::ErrorKind::usage;
    error.message = std::move(message);
    return error;
}

/// Whether there is nothing; what is there and cannot be opened must be told of.
bool is_absent(const std::string& path) {
    const base::Sys<base::Directory> directory = base::Directory::open(path);
    return !directory && directory.error().value == ENOENT;
}

std::optional<std::string> set_variable(const manifest::Environment& environment, std::string_view name) {
    std::optional<std::string> value = environment(name);
    if (value && value->empty()) value.reset();
    return value;
}

bool is_strict(const Selection& selection, const manifest::Environment& environment) {
    return selection.strict || set_variable(environment, "DRYDOCK_STRICT").value_or("0") != "0";
}

/// The folder of an installation that the executable belongs to: `PREFIX/bin/drydock`, or
/// `PREFIX/libexec/drydock/drydock-rebuild`.
std::optional<std::string> folder_beside_executable() {
    const base::Sys<std::string> executable = base::executable_path();
    if (!executable) return std::nullopt;
    const std::string bin = executable->substr(0, executable->rfind('/'));
    const std::size_t end = bin.ends_with(libexec) ? bin.size() - libexec.size() : bin.rfind('/');
    if (end == std::string::npos) return std::nullopt;
    return bin.substr(0, end) + std::string(below_prefix);
}

/// Where the manifests are. The current directory is no default: a boot runs as root, and others may write
/// there.
base::Result<std::string> manifest_path(const Selection& selection,
                                        const manifest::Environment& environment) {
    if (selection.manifest) {
        if (selection.manifest->empty()) return base::fail(empty_path("--manifest", "PATH"));
        return *selection.manifest;
    }
    if (std::optional<std::string> path = set_variable(environment, "DRYDOCK_MANIFESTS"))
        return *std::move(path);
    std::vector<std::string> folders;
    if (std::optional<std::string> folder = folder_beside_executable()) folders.push_back(*std::move(folder));
    if (folders.empty() || folders.front() != system_folder) folders.emplace_back(system_folder);
    for (const std::string& folder : folders) {
        if (base::is_directory(folder)) return folder;
    }
    return base::fail(usage(fmt::format("no manifests in {}; give --manifest or set DRYDOCK_MANIFESTS",
                                        fmt::join(folders, " or "))));
}

}  // namespace

base::Result<manifest::Manifest> load_manifest(const Selection& selection,
                                               const manifest::Environment& environment) {
    const base::Result<std::string> path = manifest_path(selection, environment);
    if (!path) return base::fail(path.error());
    if (selection.version && selection.version->empty()) return base::fail(usage("--dsh-version is empty"));
    const std::optional<std::string> version =
        selection.version ? selection.version : set_variable(environment, "DSH_VERSION");
    return manifest::load(*path, version.value_or(std::string()));
}

namespace {

std::vector<std::string> unscoped_names(const manifest::Manifest& manifest) {
    std::vector<std::string> names;
    for (const manifest::Package& package : manifest.packages) {
        std::string name(unscoped(package.name));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

base::Result<std::string> find_package(const manifest::Manifest& manifest, const std::string& typed) {
    std::vector<std::string> meant;
    for (const manifest::Package& package : manifest.packages) {
        if (package.name == typed) return typed;
        const bool known = std::find(meant.begin(), meant.end(), package.name) != meant.end();
        if (unscoped(package.name) == typed && !known) meant.push_back(package.name);
    }
    if (meant.size() == 1) return meant.front();
    if (!meant.empty()) {
        return base::fail(
            usage(fmt::format("package '{}' is {}; give the scope too", typed, fmt::join(meant, " or "))));
    }
    const std::vector<std::string> names = unscoped_names(manifest);
    return base::fail(
        usage(fmt::format("no package '{}' in the set for {}{}; it has {}", typed, manifest.version,
                          base::did_you_mean(unscoped(typed), names), fmt::join(names, ", "))));
}

std::optional<base::Error> root_problem(const manifest::Manifest& manifest, const std::string& name,
                                        const std::vector<std::string>& directories) {
    if (manifest.find_root(name) == nullptr) {
        std::vector<std::string> names;
        for (const manifest::Root& root : manifest.roots) names.push_back(root.name);
        return usage(fmt::format("no root '{}' in the set for {}{}; it has {}", name, manifest.version,
                                 base::did_you_mean(name, names), fmt::join(names, ", ")));
    }
    if (std::find(directories.begin(), directories.end(), std::string()) != directories.end()) {
        return empty_path(fmt::format("the path of --root {}=", name), "NAME=DIR");
    }
    return std::nullopt;
}

/// The directories that a name stands for; a new name gets none.
std::vector<std::string>& directories_of(Roots& roots, const std::string& name) {
    for (auto& [known, directories] : roots) {
        if (known == name) return directories;
    }
    return roots.emplace_back(name, std::vector<std::string>()).second;
}

void add_roots(Roots& roots, const manifest::Manifest& manifest, const manifest::Environment& environment) {
    for (const manifest::Root& root : manifest.roots) {
        base::Result<std::string> directory = manifest::expand(root.path, environment);
        if (!directory || is_absent(*directory)) continue;
        std::vector<std::string>& directories = directories_of(roots, root.name);
        const bool known = std::find(directories.begin(), directories.end(), *directory) != directories.end();
        if (!known) directories.push_back(*std::move(directory));
    }
}

/// The harness's folders of links, for the rooms that know no harness. One whose variable is not set is none.
void add_fallback(install::Options& options, const manifest::Manifest& manifest) {
    if (!manifest.harness) return;
    for (const std::string& folder : manifest.harness->fallback_folders) {
        base::Result<std::string> path = manifest::expand(folder, options.environment);
        if (path) options.fallback_folders.push_back(*std::move(path));
    }
    options.fallback_root = manifest.harness->fallback_root;
}

/// Every manifest that can be read, of the folder or the one file.
std::vector<manifest::Manifest> all_manifests(const Selection& selection,
                                              const manifest::Environment& environment) {
    std::vector<manifest::Manifest> manifests;
    const base::Result<std::string> path = manifest_path(selection, environment);
    if (!path) return manifests;
    const std::vector<std::string> versions =
        base::is_directory(*path) ? manifest::versions_in(*path) : std::vector<std::string>{std::string()};
    for (const std::string& version : versions) {
        base::Result<manifest::Manifest> manifest = manifest::load(*path, version);
        if (manifest) manifests.push_back(*std::move(manifest));
    }
    return manifests;
}

}  // namespace

tl::expected<Selected, std::vector<base::Error>> select(const Selection& selection,
                                                        const manifest::Environment& environment) {
    base::Result<manifest::Manifest> manifest = load_manifest(selection, environment);
    if (!manifest) return tl::unexpected(std::vector{manifest.error()});
    std::vector<base::Error> problems;
    install::Options options = options_without_manifest(selection, environment);
    for (const std::string& typed : selection.packages) {
        base::Result<std::string> name = find_package(*manifest, typed);
        if (name) {
            options.packages.push_back(*std::move(name));
        } else {
            problems.push_back(name.error());
        }
    }
    for (const auto& [name, directories] : selection.roots) {
        if (std::optional<base::Error> problem = root_problem(*manifest, name, directories)) {
            problems.push_back(*std::move(problem));
        }
    }
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    add_fallback(options, *manifest);
    return Selected{*std::move(manifest), std::move(options)};
}

install::Options options_without_manifest(const Selection& selection,
                                          const manifest::Environment& environment) {
    using namespace std::chrono_literals;
    install::Options options;
    options.stage = selection.stage;
    options.roots = selection.roots;
    options.strict = is_strict(selection, environment);
    options.wait = selection.wait.value_or(selection.stage == manifest::stage_boot ? 5s : 10s);
    options.environment = environment;
    return options;
}

install::Options options_of_every_set(const Selection& selection, const manifest::Environment& environment) {
    install::Options options = options_without_manifest(selection, environment);
    Roots roots;
    for (const manifest::Manifest& manifest : all_manifests(selection, environment)) {
        add_roots(roots, manifest, environment);
        add_fallback(options, manifest);
    }
    for (auto [name, directories] : selection.roots) {
        std::erase(directories, std::string());  // told of by select()
        directories_of(roots, name) = std::move(directories);
    }
    options.roots = std::move(roots);
    return options;
}

std::vector<std::string> names_for_completion(std::string_view kind, const Selection& selection,
                                              const manifest::Environment& environment) {
    if (kind == "versions") {
        const base::Result<std::string> path = manifest_path(selection, environment);
        return path ? manifest::versions_in(*path) : std::vector<std::string>();
    }
    std::vector<manifest::Manifest> manifests;
    if (base::Result<manifest::Manifest> one = load_manifest(selection, environment)) {
        manifests.push_back(*std::move(one));
    } else {
        manifests = all_manifests(selection, environment);
    }
    std::vector<std::string> names;
    for (const manifest::Manifest& manifest : manifests) {
        std::vector<std::string> more;
        if (kind == "packages") more = unscoped_names(manifest);
        if (kind == "roots") {
            for (const manifest::Root& root : manifest.roots) more.push_back(root.name);
        }
        for (std::string& name : more) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
        }
    }
    return names;
}

bool is_lenient(const Selection& selection, const manifest::Environment& environment) {
    return selection.stage == manifest::stage_boot && !is_strict(selection, environment);
}

}  // namespace drydock::cli
