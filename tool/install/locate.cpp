#include "install/locate.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/transaction.hpp"
#include "base/utf.hpp"
#include "install/receipt.hpp"

namespace drydock::install {
namespace {

using base::Errno;
using base::Result;
using base::Sys;

constexpr std::uint64_t largest_package_json = 1U << 20U;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr int deepest_nesting = 32;  // node_modules in node_modules; npm's own trees stay far below

std::string joined(std::string_view directory, std::string_view path) {
    if (path.empty()) return std::string(directory);
    if (directory.empty()) return std::string(path);
    return fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", path);
}

void add(std::vector<Location>& locations, Location location) {
    const bool known = std::any_of(locations.begin(), locations.end(), [&location](const Location& other) {
        return other.trouble.empty() && location.trouble.empty() && other.identity == location.identity;
    });
    if (!known) locations.push_back(std::move(location));
}

Location troubled(std::string directory, std::string trouble) {
    Location location;
    location.directory = std::move(directory);
    location.trouble = std::move(trouble);
    return location;
}

void add_opened(std::vector<Location>& locations, base::Directory handle, std::string directory,
                std::string real) {
    const Sys<base::FileInfo> info = handle.info();
    if (!info) {
        locations.push_back(troubled(std::move(directory), base::errno_text(info.error().value)));
        return;
    }
    Location location;
    location.directory = std::move(directory);
    location.real = std::move(real);
    location.handle = std::move(handle);
    location.identity = info->identity;
    add(locations, std::move(location));
}

/// A place that a link leads to. The link's end is taken from the file system and then opened without links
/// from the root's handle, so that a swap between the two fails instead of leading out.
void add_linked(std::vector<Location>& locations, const OpenRoot& root, const std::string& path) {
    const std::string directory = joined(root.path, path);
    const Sys<std::string> real_root = base::real_path(root.path);
    const Sys<std::string> real = base::real_path(directory);
    if (!real && real.error().value == ENOENT) {
        locations.push_back(troubled(directory, "it is a link that leads nowhere"));
        return;
    }
    if (!real_root || !real) {
        const Errno reason = real ? real_root.error() : real.error();
        locations.push_back(troubled(directory, base::errno_text(reason.value)));
        return;
    }
    const std::string prefix = *real_root == "/" ? *real_root : *real_root + "/";
    if (real->rfind(prefix, 0) != 0) {
        locations.push_back(troubled(directory, "it is a link that leads out of the root, to " + *real));
        return;
    }
    Sys<base::Directory> opened = root.directory.open_directory(real->substr(prefix.size()));
    if (!opened) {
        locations.push_back(troubled(directory, base::errno_text(opened.error().value)));
        return;
    }
    add_opened(locations, *std::move(opened), directory, *real);
}

void add_place(std::vector<Location>& locations, const OpenRoot& root, const std::string& path) {
    Sys<base::Directory> opened = root.directory.open_directory(path);
    const std::string directory = joined(root.path, path);
    if (opened) {
        add_opened(locations, *std::move(opened), directory, {});
    } else if (opened.error().value == ELOOP) {
        add_linked(locations, root, path);
    } else if (opened.error().value != ENOENT) {
        locations.push_back(troubled(directory, base::errno_text(opened.error().value)));
    }
}

/// Whether an error says that no folder is there: nothing, a file, or a link, which lookups don't follow.
bool is_nothing(Errno reason) {
    return reason.value == ENOENT || reason.value == ENOTDIR || reason.value == ELOOP;
}

/// pnpm's store folder holds files of its own beside the directories.
Listing list_folder(const OpenRoot& root, const std::string& path) {
    Listing listing;
    const auto listed = root.directory.list(path);
    if (!listed) {
        if (!is_nothing(listed.error())) listing.unread.push_back({path, listed.error()});
        return listing;
    }
    const auto& [directory, names] = *listed;
    for (const std::string& name : names) {
        const Sys<std::optional<base::FileInfo>> info = directory.info(name);
        if (!info && info.error().value == EACCES) {
            // It may be read, but not searched: that holds for every name in it.
            return Listing{{}, {{path, info.error()}}};
        }
        if (!info) {
            listing.unread.push_back({joined(path, name), info.error()});
        } else if (*info &&
                   ((*info)->type == base::FileType::directory || (*info)->type == base::FileType::link)) {
            listing.names.push_back(name);
        }
    }
    return listing;
}

/// The places that a path with `*` components names.
void expand(const OpenRoot& root, const std::string& done, std::string_view rest, Listings& listings,
            std::vector<std::string>& places, std::vector<Unread>& unread) {
    const std::size_t star = rest.find('*');
    const bool whole = star != std::string_view::npos && (star == 0 || rest[star - 1] == '/') &&
                       (star + 1 == rest.size() || rest[star + 1] == '/');
    if (!whole) {
        places.push_back(joined(done, rest));
        return;
    }
    const std::string before = joined(done, rest.substr(0, star == 0 ? 0 : star - 1));
    const auto [known, is_new] = listings.try_emplace({&root, before});
    if (is_new) known->second = list_folder(root, before);
    const Listing& listing = known->second;
    unread.insert(unread.end(), listing.unread.begin(), listing.unread.end());
    const std::string_view after = star + 2 <= rest.size() ? rest.substr(star + 2) : std::string_view();
    for (const std::string& name : listing.names) {
        const std::string here = joined(before, name);
        if (after.empty()) {
            places.push_back(here);
        } else {
            expand(root, here, after, listings, places, unread);
        }
    }
}

/// False for a folder without a package.json; what can't be looked into counts as one.
bool is_package(const Location& location) {
    if (!location.trouble.empty()) return true;
    const Sys<std::optional<base::FileInfo>> json = location.handle.info("package.json");
    return !json || json->has_value();
}

void scan_modules(const base::Directory& modules, const std::string& directory, int depth, bool begun,
                  std::vector<Location>& found);

/// Whether a run was cut short before the package's receipt was in place: its temporary lies there. One of
/// `drydock patch` is told by its journal, and is that command's to settle.
bool is_begun(const base::Directory& package) {
    const Sys<std::vector<std::string>> names = package.names();
    if (!names) return false;
    return base::holds(*names, base::temporary_prefix) && !base::holds(*names, base::patch_journal_name);
}

/// Nothing for what is no folder.
void add_unread(std::vector<Location>& found, const std::string& directory, Errno reason) {
    if (!is_nothing(reason)) found.push_back(troubled(directory, base::errno_text(reason.value)));
}

void scan_package(const base::Directory& package, const std::string& directory, int depth, bool begun,
                  std::vector<Location>& found) {
    const Sys<std::optional<base::FileInfo>> receipt = package.info(receipt_name);
    if (!receipt) return add_unread(found, directory, receipt.error());
    if (*receipt || (begun && depth > 0 && is_begun(package))) {
        Sys<base::Directory> handle = package.duplicate();
        if (!handle) return add_unread(found, directory, handle.error());
        add_opened(found, *std::move(handle), directory, {});
        found.back().no_receipt = !*receipt;
    }
    const std::string path = joined(directory, "node_modules");
    const Sys<base::Directory> modules = package.open_directory("node_modules");
    if (!modules) return add_unread(found, path, modules.error());
    scan_modules(*modules, path, depth + 1, begun, found);
}

void scan_store(const base::Directory& store, const std::string& directory, int depth, bool begun,
                std::vector<Location>& found) {
    const Sys<std::vector<std::string>> stored = store.names();
    if (!stored) return add_unread(found, directory, stored.error());
    for (const std::string& package : *stored) {
        const std::string path = joined(directory, package + "/node_modules");
        const Sys<base::Directory> inner = store.open_directory(package + "/node_modules");
        if (inner) {
            scan_modules(*inner, path, depth + 1, begun, found);
        } else {
            add_unread(found, path, inner.error());
        }
    }
}

void scan_modules(const base::Directory& modules, const std::string& directory, int depth, bool begun,
                  std::vector<Location>& found) {
    if (depth > deepest_nesting) return;
    const Sys<std::vector<std::string>> names = modules.names();
    if (!names) return add_unread(found, directory, names.error());
    for (const std::string& name : *names) {
        if (name.front() == '.' && name != ".pnpm") continue;
        const std::string path = joined(directory, name);
        const Sys<base::Directory> entry = modules.open_directory(name);
        if (!entry) {
            add_unread(found, path, entry.error());
        } else if (name == ".pnpm") {
            scan_store(*entry, path, depth, begun, found);
        } else if (name.front() == '@') {
            scan_modules(*entry, path, depth + 1, begun, found);
        } else {
            scan_package(*entry, path, depth, begun, found);
        }
    }
}

}  // namespace

std::vector<Location> locate(const OpenRoot& root, const std::vector<std::string>& at, Listings& listings) {
    std::vector<Location> locations;
    std::string no_package;
    for (const std::string& path : at) {
        std::vector<std::string> places;
        std::vector<Unread> unread;
        expand(root, {}, path, listings, places, unread);
        for (const Unread& folder : unread) {
            locations.push_back(
                troubled(joined(root.path, folder.path), base::errno_text(folder.reason.value)));
        }
        const bool wildcard = path.find('*') != std::string::npos;
        for (const std::string& place : places) {
            const std::size_t before = locations.size();
            add_place(locations, root, place);
            if (!wildcard || locations.size() == before || is_package(locations.back())) continue;
            no_package = locations.back().directory;
            locations.pop_back();
        }
    }
    if (locations.empty()) {
        Location none;
        none.no_package = std::move(no_package);
        none.directory = joined(root.path, at.front());
        none.missing = true;
        locations.push_back(std::move(none));
    }
    return locations;
}

std::vector<Location> find_receipts(const OpenRoot& root, bool begun) {
    std::vector<Location> found;
    scan_package(root.directory, root.path, 0, begun, found);
    return found;
}

std::optional<PackageJson> parse_package_json(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::string repaired = base::is_utf8(text) ? std::string() : base::repair_utf8(text);
    base::JsonDocument document;
    const auto root = document.parse(repaired.empty() ? text : repaired);
    if (!root || !root->is_object()) return std::nullopt;
    return PackageJson{std::string((*root)["name"].string()), std::string((*root)["version"].string())};
}

Result<std::optional<PackageJson>> read_package_json(const base::Directory& package) {
    const auto trouble = [](std::string message) {
        base::Error error;
        error.kind = base::ErrorKind::io;
        error.file = "package.json";
        error.message = std::move(message);
        return base::fail(std::move(error));
    };
    const Sys<base::FileDescriptor> file = package.open_file("package.json");
    if (!file && file.error().value == ENOENT) return std::optional<PackageJson>();
    if (!file && file.error().value == ELOOP) return trouble("is a link where a regular file is expected");
    if (!file) return trouble("cannot be read: " + base::errno_text(file.error().value));
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info) return trouble("cannot be read: " + base::errno_text(info.error().value));
    if (info->type != base::FileType::regular) return trouble("is no regular file");
    const Sys<std::string> text = base::read_all(*file, *info, largest_package_json);
    if (!text) return trouble("cannot be read: " + base::errno_text(text.error().value));
    std::optional<PackageJson> json = parse_package_json(*text);
    if (!json) return trouble("is no JSON object");
    if (json->name.empty() || json->version.empty()) return trouble("has no name and version");
    return json;
}

}  // namespace drydock::install
