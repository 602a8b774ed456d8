#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "patch/patch.hpp"
#include "rebuild/rebuild.hpp"
#include "source/source.hpp"

namespace drydock::rebuild {

/// A file at the new tag, and as the carried patch leaves it. No bytes: it is not there.
struct CarriedFile {
    std::string path;
    std::optional<std::string> before;
    std::optional<std::string> after;
    bool executable_before{false};
    bool executable_after{false};
};

struct Carry {
    std::vector<CarriedFile> files;  ///< those that still change, in the patch's order
    std::vector<CarriedHunk> hunks;
    std::vector<ConflictFile> conflicts;
    std::vector<base::Error> problems;  ///< for conflicts none
};

/// From where a patch is carried, and to where.
struct Route {
    const source::Repository& repository;
    std::string from_commit;
    std::string to_commit;
    std::string from_name;  ///< for conflict markers
    std::string to_name;
    std::string resolved;  ///< as Target::resolved
    std::vector<std::pair<std::string, std::string>>
        moved_folders;  ///< packages that lie elsewhere at the new tag
};

/// Carries every file of a patch from one commit to another.
Carry carry(const patch::Patch& patch, const Route& route);

}  // namespace drydock::rebuild
