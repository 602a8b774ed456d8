#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"

namespace drydock::install {

/// A root's directory, opened once; everything beneath it is reached from the handle.
struct OpenRoot {
    std::string name;
    std::string path;  ///< as it was given
    base::Directory directory;
    base::Identity identity;
    bool missing{false};   ///< there is no such directory
    std::string variable;  ///< the reason why the path can't be known; then it is missing too
    std::string trouble;   ///< it is there and can't be opened
};

/// Where a copy of a package lies.
struct Location {
    std::string directory;  ///< absolute or as the root was given: for messages, and to walk up from
    std::string real;       ///< without links: where Node starts to look for what it imports
    base::Directory handle;
    base::Identity identity;
    std::string trouble;     ///< why it can't be opened; empty when it is open
    bool missing{false};     ///< nothing is there
    bool no_receipt{false};  ///< found by temporaries of ours, which lie where its receipt was to be
    std::string no_package;  ///< of a missing one: a folder that `*` found, without a package.json
};

/// A folder that is there and can't be looked into, so that what lies in it is not known.
struct Unread {
    std::string path;  ///< beneath its root
    base::Errno reason;
};

/// What a `*` stands for in a folder: directories, and links that may lead to one.
struct Listing {
    std::vector<std::string> names;
    std::vector<Unread> unread;
};

/// By root and path, so that a folder is listed once for several packages. Good as long as no file changes.
using Listings = std::map<std::pair<const OpenRoot*, std::string>, Listing>;

/// Every copy of a package beneath a root: each place of `at`, `*` filled in, each directory once however
/// many paths lead to it. Links that lead to a package are followed when they end beneath the root. A
/// folder that `*` finds and that has no package.json is none. A folder that is there and can't be looked
/// into is a Location with trouble: what lies in it is not known. One missing Location when there is none.
std::vector<Location> locate(const OpenRoot& root, const std::vector<std::string>& at, Listings& listings);

/// Every package beneath a root that carries a receipt, or, if `begun`, temporaries where it was to be: in
/// node_modules, scopes, packages' own node_modules, and pnpm's store folder. Links are not followed: what
/// they lead to is found where it lies, or is not beneath the root. A folder that is there and can't be
/// looked into is a Location with trouble.
std::vector<Location> find_receipts(const OpenRoot& root, bool begun);

struct PackageJson {
    std::string name;
    std::string version;
};

/// Name and version in a package.json's text, read as Node reads it; empty where they are no text. Nothing
/// where it is no JSON object.
std::optional<PackageJson> parse_package_json(std::string_view text);

/// Name and version of the package in a directory. Errors: io; a file that is not there gives nothing.
base::Result<std::optional<PackageJson>> read_package_json(const base::Directory& package);

}  // namespace drydock::install
