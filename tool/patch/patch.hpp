#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drydock::patch {

enum class LineKind : std::uint8_t { context, removed, added };

/// A line of a hunk. The text has no line end; `ending` says which one it had in the patch.
enum class Ending : std::uint8_t { lf, crlf, none };

struct Line {
    LineKind kind{LineKind::context};
    std::string_view text;  ///< into the text that was parsed, which must outlive the patch
    Ending ending{Ending::lf};
};

/// `@@ -old_start,old_count +new_start,new_count @@ section`, lines counted from 1.
struct Hunk {
    std::size_t old_start{0};
    std::size_t old_count{0};
    std::size_t new_start{0};
    std::size_t new_count{0};
    std::string section;
    std::vector<Line> lines;
    std::size_t line{0};  ///< where its `@@` stands in the patch text
};

enum class Operation : std::uint8_t { modify, create, remove, rename, copy };

/// What a patch does with one file.
struct FilePatch {
    Operation operation{Operation::modify};
    std::string old_path;              ///< after strip; empty for create
    std::string new_path;              ///< after strip; empty for remove
    std::optional<unsigned> old_mode;  ///< octal git mode, as 0100644
    std::optional<unsigned> new_mode;
    std::vector<Hunk> hunks;
    std::size_t line{0};  ///< where its first header stands
};

struct Patch {
    std::vector<FilePatch> files;
};

struct ParseOptions {
    unsigned strip{1};          ///< leading components taken from names, as -p
    std::string name{"patch"};  ///< what errors call it
};

/// Reads git's and plain unified diffs. Errors: usage, with the patch's name and line, for all that design.md
/// (7) refuses, and for a name that leaves the tree (absolute, `..`).
base::Result<Patch> parse(std::string_view text, const ParseOptions& options = {});

/// The text of a patch, `a/` and `b/` before names; parse(print(p)) is p.
std::string print(const Patch& patch);

/// The same patch the other way.
Patch reverse(const Patch& patch);
FilePatch reverse(const FilePatch& file);

struct ApplyOptions {
    unsigned fuzz{0};  ///< context lines that may be left out at each end of a hunk
};

/// Where one hunk went.
struct Placement {
    std::size_t hunk{0};       ///< counted from 1
    std::size_t line{0};       ///< in the old text, counted from 1
    std::ptrdiff_t offset{0};  ///< lines away from where the hunk said
    unsigned fuzz{0};
};

struct Applied {
    std::string text;
    std::vector<Placement> placements;
};

/// The text that a file's hunks make of `old_text`. An Error of kind conflict when one does not fit, with
/// file, hunk number, the nearest place and a short comparison in the details.
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

/// What a whole patch makes of a tree: every change, or every reason why not. Later files of one patch see
/// what earlier ones made. Creating a file that is there, changing or removing one that is not: conflicts.
tl::expected<std::vector<Change>, std::vector<base::Error>> apply_all(const Patch& patch,
                                                                      const Reader& reader,
                                                                      const ApplyOptions& options = {});

}  // namespace drydock::patch
