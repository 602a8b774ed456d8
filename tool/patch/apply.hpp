#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "patch/model.hpp"

namespace drydock::patch {

/// The largest file that is patched, in bytes.
inline constexpr std::size_t largest_file = 1U << 30U;

struct ApplyOptions {
    unsigned fuzz{0};  ///< context lines that may be left out at each end of a hunk
};

/// Where one hunk went.
struct Placement {
    std::size_t hunk{0};  ///< counted from 1
    std::size_t line{
        0};  ///< in the old text, counted from 1: where its first old line, or what it adds, stands
    std::ptrdiff_t offset{0};  ///< lines away from where the hunk said
    unsigned fuzz{0};
    friend bool operator==(const Placement&, const Placement&) = default;
};

struct Applied {
    std::string text;
    std::vector<Placement> placements;
};

/// The text that a file's hunks make of `old_text`; locate.hpp says where a hunk goes. An Error of kind
/// conflict when one does not fit, with file, hunk number, the nearest place, a short comparison there in the
/// details and whether it seems applied already; when several do not, it is the first one's, and its details
/// say how many more.
///
/// Line endings: a hunk that fits with the endings that the patch says is written with them. Only where all
/// of the patch's lines for this file have one and the same ending, the file's lines may have the other one;
/// the lines that such a hunk adds take the ending of their neighbours in the file. A hunk without old lines
/// fits exactly unless the file has lines of the other ending only.
base::Result<Applied> apply(const FilePatch& file, std::string_view old_text,
                            const ApplyOptions& options = {});

/// A file as it stands, for apply_all.
struct SourceFile {
    std::string bytes;
    bool executable{false};
};

/// Reads a file of the tree: nothing when there is none.
using Reader = std::function<base::Result<std::optional<SourceFile>>(const std::string& path)>;

/// What one file becomes. `bytes` empty optional: it will be gone.
struct Change {
    std::string path;
    std::optional<std::string> bytes;
    std::optional<bool> executable;  ///< set when the patch says so
    std::string attributes_from;  ///< the path whose mode, owner and attributes it keeps; empty when created
    std::vector<Placement> placements;
};

/// What a whole patch makes of a tree: every change, in the order the patch first names the paths, or every
/// reason why not. Files that end as they began are left out.
///
/// Later files of one patch see what earlier ones made, with git's exception: a rename or copy starts from
/// its source as it was before the commit that it belongs to (FilePatch::commit), and may land where the same
/// commit takes a file away. Creating a file that is there, changing or removing one that is not, and a
/// removal that would leave lines behind are conflicts; links and submodules are refused as usage errors.
tl::expected<std::vector<Change>, std::vector<base::Error>> apply_all(const Patch& patch,
                                                                      const Reader& reader,
                                                                      const ApplyOptions& options = {});

}  // namespace drydock::patch
