#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"

namespace drydock::rebuild {

/// Where published packages come from, to hold the stock build against.
enum class Published : std::uint8_t { registry, directory, nowhere };

struct Settings {
    std::string harness;  ///< the monorepo: a path or a URL, as source::obtain takes it
    Published published{Published::registry};
    /// For Published::directory: holds `<name>/`, `node_modules/<name>/` or `<unscoped
    /// name>-<version>/package/`.
    std::string published_directory;
    std::string cache;    ///< a folder that is made when it is missing; empty: nothing is kept
    std::string scratch;  ///< an existing folder, in which checkouts are made and removed again
    std::string log;      ///< the file that gets the output of the build steps; it is begun anew
    std::chrono::milliseconds step_limit{std::chrono::minutes(30)};
    bool keep_scratch{false};
    base::Progress* progress{nullptr};  ///< never null when it is used
};

/// A file of a set, as it should be.
struct SetFile {
    std::string path;  ///< where it is or belongs; the manifest's folder and its own path in one
    std::string bytes;
    bool same{false};        ///< whether it holds these bytes already
    bool missing{false};     ///< whether nothing lies there
    std::string difference;  ///< what it holds instead, in words; empty when it is the same
};

/// What a build proved and cost.
struct BuildReport {
    bool cached{false};                     ///< the builds' outputs were taken from the cache
    std::vector<std::string> proven;        ///< packages whose stock build equals the published one
    std::vector<base::Error> notes;         ///< what a person should know, and what no package proved
    std::chrono::milliseconds checkout{0};  ///< writing the checkout, and removing it with what was built
    std::chrono::milliseconds building{0};  ///< the build steps
    std::chrono::milliseconds asking{0};    ///< npm, for published packages
    std::chrono::milliseconds own{0};       ///< all else, from the first to the last

    /// Sets `own`, given the whole time.
    void count_own(std::chrono::steady_clock::duration whole) {
        own = std::chrono::duration_cast<std::chrono::milliseconds>(whole) - checkout - building - asking;
    }
};

struct Regenerated {
    std::vector<SetFile> files;  ///< lib.patches in the manifest's order, then the manifest
    BuildReport build;
    std::vector<base::Error> problems;  ///< why there are no files
};

/// Makes a set's lib.patch files, and the hashes in its manifest, from its source.patch (which may be newer
/// than its pin) at the pinned commit: builds stock, holds it against the published packages, applies
/// source.patch, builds again, compares. Writes nothing but the cache, the log and scratch.
///
/// Problems: usage, for a manifest without source, patch or build steps, a tag that is not at the pinned
/// commit, a source.patch that changes nothing; conflict, where source.patch does not apply or a package's
/// files do not change by it; build, where a step fails, runs out of time, or where the stock build does not
/// equal the published package.
Regenerated regenerate(const manifest::Manifest& manifest, const Settings& settings);

enum class HunkClass : std::uint8_t {
    carried,   ///< it fits at its line
    moved,     ///< it fits at another line, or in a file that was renamed
    upstream,  ///< the new tag has it already
    conflict,  ///< a person must decide
};

/// `carried`, ...
std::string_view class_name(HunkClass hunk_class);

/// What became of one hunk of source.patch.
struct CarriedHunk {
    std::string file;      ///< as source.patch names it
    std::string new_file;  ///< at the new tag; empty where it is gone
    std::size_t hunk{0};   ///< counted from 1 within its file
    HunkClass hunk_class{HunkClass::carried};
    std::size_t old_line{0};  ///< of its first change, at the old tag
    std::size_t new_line{0};  ///< at the new tag, 0 where there is none
    std::string note;         ///< why, where the class alone does not tell
};

/// A file that a person must look at, with conflict markers.
struct ConflictFile {
    std::string path;  ///< at the new tag
    std::string text;
    std::string note;  ///< one line: what collided
};

struct Target {
    std::string version;
    std::string tag;
    std::string folder;    ///< that the new manifest goes to; empty: the old one's
    std::string resolved;  ///< a folder with files that a person has mended, by their paths; empty: none
};

struct Bumped {
    std::string from;  ///< versions, tags and commits, for reports
    std::string to;
    std::string from_tag;
    std::string to_tag;
    std::string from_commit;
    std::string to_commit;
    std::vector<CarriedHunk> hunks;
    std::vector<ConflictFile> conflicts;
    std::string source_patch;    ///< as it was carried; empty with a conflict, or when upstream has it
    bool adopted{false};         ///< upstream has all of it
    std::vector<SetFile> files;  ///< source.patch, lib.patches, manifest; empty with a problem or conflict
    BuildReport build;
    std::vector<base::Error> problems;  ///< for conflicts one for each file
};

/// Carries a set to another tag: per file a three-way merge of the file at the old tag, that with
/// source.patch, and the file at the new tag, renames followed; then as regenerate(). Whether a version was
/// published is asked of settings.published. Writes nothing but the cache, the log and scratch.
Bumped bump(const manifest::Manifest& from, const Target& target, const Settings& settings);

/// Writes the files that are not the same: all or none, directories made. Errors: io.
base::Result<void> write(const std::vector<SetFile>& files);

}  // namespace drydock::rebuild
