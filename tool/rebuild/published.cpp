#include "rebuild/published.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/directory.hpp"
#include "base/process.hpp"

namespace drydock::rebuild {
namespace {

using base::Result;
using Folder = std::optional<std::string>;

constexpr std::chrono::minutes registry_limit{3};
constexpr std::uint64_t largest_package_json = 1U << 24U;
/// How npm says that there is no such package or version.
constexpr std::array<std::string_view, 3> not_there{"E404", "ETARGET", "ENOVERSIONS"};

std::string unscoped_name(const std::string& package) {
    return package.substr(package.find('/') + 1);
}

/// The version that a folder's package.json says; empty when it can't be told.
std::string version_in(const std::string& folder) {
    const Result<std::string> text = base::read_file(folder + "/package.json", largest_package_json);
    if (!text) return {};
    return field_of_package(*text, "version");
}

Folder find_in_folder(const std::string& package, const std::string& version, const std::string& folder) {
    const std::array candidates{fmt::format("{}/{}", folder, package),
                                fmt::format("{}/node_modules/{}", folder, package),
                                fmt::format("{}/{}-{}/package", folder, unscoped_name(package), version)};
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
        return version_in(candidate) == version;
    });
    if (found == candidates.end()) return std::nullopt;
    return *found;
}

/// The line of npm's output that tells why.
std::string reason_in(const std::string& output) {
    for (const std::string_view mark : {"npm ERR! ", "npm error "}) {
        std::size_t at = output.find(mark);
        while (at != std::string::npos) {
            std::string line = output.substr(at + mark.size(), output.find('\n', at) - at - mark.size());
            if (!line.starts_with("code ")) return line;
            at = output.find(mark, at + 1);
        }
    }
    return "npm did not say why";
}

Result<Folder> fetch_from_registry(const std::string& package, const std::string& version,
                                   const base::Scratch& scratch) {
    const std::string spec = package + "@" + version;
    const auto cannot = [&](std::string_view why) {
        return base::fail(base::ErrorKind::io,
                          fmt::format("{} cannot be had from the registry: {}", spec, why));
    };
    const std::string name = fmt::format("published-{}", unscoped_name(package));
    const Result<std::string> folder = scratch.directory(name);
    if (!folder) return base::fail(folder.error());
    base::ProcessOptions options;
    options.directory = *folder;
    options.time_limit = registry_limit;
    const Result<base::ProcessOutcome> packed = base::run_process(
        {"npm", "pack", "--no-update-notifier", "--loglevel=error", "--pack-destination", *folder, spec},
        options);
    if (!packed) return cannot(packed.error().message);
    if (packed->timed_out) return cannot("npm ran for longer than 180 s");
    if (packed->exit_code != 0) {
        const std::string said = packed->errors + packed->output;
        if (std::any_of(not_there.begin(), not_there.end(),
                        [&](std::string_view code) { return said.find(code) != std::string::npos; })) {
            return Folder();
        }
        return cannot(reason_in(said));
    }
    const base::Sys<base::Directory> directory = base::Directory::open(*folder);
    const base::Sys<std::vector<std::string>> names =
        directory ? directory->names() : tl::unexpected<base::Errno>(directory.error());
    if (!names || names->size() != 1) return cannot("npm left no archive");
    const Result<std::string> unpacked = scratch.directory(name + "-unpacked");
    if (!unpacked) return base::fail(unpacked.error());
    const Result<base::ProcessOutcome> tar =
        base::run_process({"tar", "-xzf", *folder + "/" + names->front(), "-C", *unpacked,
                           "--strip-components=1", "--no-same-owner"},
                          options);
    if (!tar) return cannot(tar.error().message);
    if (tar->exit_code != 0) return cannot("its archive cannot be unpacked");
    return Folder(*unpacked);
}

}  // namespace

std::string field_of_package(std::string_view package_json, std::string_view field) {
    const auto document = nlohmann::json::parse(package_json, nullptr, false);
    if (!document.is_object()) return {};
    const auto found = document.find(field);
    return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Folder> find_published(const std::string& package, const std::string& version,
                              const Settings& settings, const base::Scratch& scratch) {
    switch (settings.published) {
        case Published::directory:
            return find_in_folder(package, version, settings.published_directory);
        case Published::registry:
            return fetch_from_registry(package, version, scratch);
        case Published::nowhere:
            break;
    }
    return Folder();
}

}  // namespace drydock::rebuild
