#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/suggest.hpp"
#include "manifest/manifest.hpp"
#include "manifest/names.hpp"
#include "manifest/yaml.hpp"

namespace drydock::manifest {

namespace {

constexpr std::string_view extension = ".yaml";
constexpr std::uint64_t largest_patch = 64ULL << 20U;

/// All bytes of a file, links followed, or why not in words. What is too large is not read.
tl::expected<std::string, std::string> read_whole(const std::string& path, std::uint64_t limit) {
    const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return tl::unexpected(base::errno_text(errno));
    const base::Sys<base::FileInfo> info = base::info_of(file);
    if (!info) return tl::unexpected(base::errno_text(info.error().value));
    if (info->type != base::FileType::regular) return tl::unexpected<std::string>("not a regular file");
    if (info->size > limit) {
        return tl::unexpected(fmt::format("{} bytes long; expected at most {}", info->size, limit));
    }
    base::Sys<std::string> bytes = base::read_all(file, *info, limit);
    if (!bytes) return tl::unexpected(base::errno_text(bytes.error().value));
    return *std::move(bytes);
}

std::string known_versions(const std::vector<std::string>& versions) {
    return versions.empty() ? "there are none" : fmt::format("there are {}", fmt::join(versions, ", "));
}

std::string file_of(const std::string& folder, const std::string& version) {
    return folder + (folder.ends_with('/') ? "" : "/") + version + std::string(extension);
}

base::Result<std::string> file_in_folder(const std::string& folder, const std::string& version) {
    const std::vector<std::string> versions = versions_in(folder);
    if (version.empty()) {
        return refused(
            folder, 0,
            fmt::format("holds a set for each version; give one with --dsh-version or DSH_VERSION; {}",
                        known_versions(versions)));
    }
    if (!is_plain_version(version)) {
        return refused(folder, 0,
                       fmt::format("{} is no version; {}", in_quotes(version), known_versions(versions)));
    }
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
        return refused(folder, 0,
                       fmt::format("no set for version {}; {}{}", version, known_versions(versions),
                                   base::did_you_mean(version, versions)));
    }
    return file_of(folder, version);
}

/// Whether bytes are what the pin names, but for line ends that a checkout made CRLF.
bool is_converted(std::string_view bytes, const base::Digest& pin) {
    std::string converted;
    converted.reserve(bytes.size());
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        const bool crlf = bytes[index] == '\r' && index + 1 < bytes.size() && bytes[index + 1] == '\n';
        if (!crlf) converted += bytes[index];
    }
    return converted.size() != bytes.size() && base::sha256(converted) == pin;
}

}  // namespace

base::Result<Manifest> load(const std::string& path, const std::string& version) {
    // A folder that holds it, as a rule; the other questions are for those who mistyped.
    std::string file = file_of(path, version);
    tl::expected<std::string, std::string> text = tl::unexpected<std::string>("no version");
    if (is_plain_version(version)) text = read_whole(file, largest_manifest);
    if (!text) {
        file = path;
        if (base::is_directory(path)) {
            base::Result<std::string> in_folder = file_in_folder(path, version);
            if (!in_folder) return base::fail(in_folder.error());
            file = *std::move(in_folder);
        }
        text = read_whole(file, largest_manifest);
    }
    if (!text) {
        const bool missing = text.error() == base::errno_text(ENOENT);
        return refused(
            file, 0,
            fmt::format("this manifest cannot be read: {}{}", text.error(),
                        missing ? "; name a file or a folder with --manifest or DRYDOCK_MANIFESTS" : ""));
    }
    base::Result<Manifest> manifest = parse(*text, file);
    if (manifest && !version.empty() && manifest->version != version) {
        return refused(file, 0,
                       fmt::format("holds the set for version {}; expected {}", manifest->version, version));
    }
    return manifest;
}

std::vector<std::string> versions_in(const std::string& folder) {
    std::vector<std::string> versions;
    const base::Sys<base::Directory> directory = base::Directory::open(folder);
    if (!directory) return versions;
    const base::Sys<std::vector<std::string>> names = directory->names();
    if (!names) return versions;
    for (const std::string& name : *names) {
        const std::string stem = name.substr(0, name.size() - std::min(name.size(), extension.size()));
        if (name.ends_with(extension) && is_plain_version(stem)) versions.push_back(stem);
    }
    std::sort(versions.begin(), versions.end());
    return versions;
}

base::Result<std::string> read_patch(const Manifest& manifest, const PatchReference& reference) {
    const std::string path = manifest.folder + "/" + reference.path;
    const auto refuse = [&](std::string_view reason) {
        return refused(manifest.file, reference.line, fmt::format("patch {}: {}", reference.path, reason));
    };
    auto bytes = read_whole(path, largest_patch);
    if (!bytes) {
        const std::string folder = path.substr(0, path.rfind('/'));
        if (!base::is_directory(folder)) {
            return refuse(
                fmt::format("there is no folder {}; copy the patches along with the manifests", folder));
        }
        return refuse(fmt::format("cannot be read: {}", bytes.error()));
    }
    const base::Digest digest = base::sha256(*bytes);
    if (digest == reference.sha256) return *std::move(bytes);
    if (is_converted(*bytes, reference.sha256)) {
        return refuse(
            "its line ends were converted to CRLF; check it out without conversion (*.patch -text in "
            ".gitattributes)");
    }
    return refuse(
        fmt::format("has sha256 {}; expected {}", base::to_hex(digest), base::to_hex(reference.sha256)));
}

}  // namespace drydock::manifest
