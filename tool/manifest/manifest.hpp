#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/result.hpp"

namespace drydock::manifest {

/// What a file is known by: its SHA-256, or nothing for `absent`.
using FileHash = std::optional<base::Digest>;

/// Whether a hash is all zeros: a new set's, which regenerate fills in.
inline bool is_unknown(const FileHash& hash) {
    return hash == base::Digest();
}

/// Where a stock hash comes from: seen in the registry's package, or built by us and never seen published.
enum class Origin : std::uint8_t { published, built };

enum class Status : std::uint8_t { active, adopted };

/// A patch file beside the manifest, with its pin.
struct PatchReference {
    std::string path;  ///< relative to the manifest's folder
    base::Digest sha256;
    std::size_t line{0};
};

/// Other published contents of the same version, with what the patch makes of them.
struct Variant {
    FileHash stock;
    FileHash patched;
    Origin origin{Origin::published};
    std::string note;
};

struct File {
    std::string path;  ///< in the package, as base::is_safe_relative has it
    FileHash stock;
    FileHash patched;
    Origin origin{Origin::published};
    std::optional<bool> stock_executable;  ///< only where the patch changes the mode: both are given
    std::optional<bool> patched_executable;
    std::vector<Variant> variants;
    std::vector<std::string> second_copies;  ///< files that carry the same code and stay stock
    std::size_t line{0};
};

/// A file as an earlier revision or another tool's patch leaves it.
struct KnownFile {
    std::string path;
    FileHash stock;  ///< the set's own, or, for a file that the set leaves alone, the one given here
    FileHash patched;
};

/// Bytes that a known patch makes of the stock ones: an earlier (or later) revision of this set, or a
/// predecessor, another tool's patch. What it says nothing of, it leaves stock.
struct OtherPatch {
    std::string label;  ///< `revision 1`, or a predecessor's label
    bool predecessor{false};
    unsigned revision{0};  ///< 0 for a predecessor
    unsigned provides{0};  ///< the level its bytes provide, 0 for none
    PatchReference patch;
    std::vector<KnownFile> files;
    std::size_t line{0};
};

struct Requirement {
    std::string package;  ///< full npm name
    unsigned level{1};
    std::size_t line{0};
};

struct Package {
    std::string name;  ///< full npm name
    std::string root;
    std::vector<std::string> at;  ///< where beneath the root; `*` is any one component; never empty
    std::vector<std::string> stages;
    std::string source_directory;  ///< in the monorepo; empty without a source
    std::string why;
    std::string resolves;
    std::vector<Requirement> requirements;
    unsigned provides{0};  ///< level of the interface, 0 for none
    PatchReference patch;
    std::vector<File> files;
    std::vector<OtherPatch> others;
    std::size_t line{0};
};

struct Root {
    std::string name;
    std::string path;                         ///< with variables not yet filled in
    std::vector<std::string> may_be_missing;  ///< the stages at which it may
    std::size_t line{0};
};

struct Source {
    std::string tag;
    std::string commit;  ///< 40 hexadecimal digits
    std::optional<PatchReference> patch;
};

/// One build step, run without a shell.
struct BuildStep {
    std::string name;
    std::vector<std::string> command;
    std::string directory;  ///< in the monorepo; empty: its top
    std::vector<std::pair<std::string, std::string>> environment;
    bool once{false};  ///< installs inputs: run for the stock build, and not again for the patched one
    std::size_t line{0};
};

/// What only the rooms that know the harness read.
struct Harness {
    std::vector<std::string> known_event_types;
    std::vector<std::string>
        fallback_folders;       ///< paths with variables; those whose variable is unset don't count
    std::string fallback_root;  ///< the root whose copy its links lead to
};

struct Manifest {
    std::string file;    ///< the path that it was read from
    std::string folder;  ///< where its patches' paths start
    std::string name;
    std::string version;
    unsigned revision{1};
    Status status{Status::active};
    std::optional<Source> source;
    std::vector<Root> roots;
    std::vector<Package> packages;
    std::vector<BuildStep> build;
    std::optional<Harness> harness;

    [[nodiscard]] const Package* find_package(std::string_view package) const;
    [[nodiscard]] const Root* find_root(std::string_view root) const;
};

/// The stages there are.
inline constexpr std::string_view stage_image = "image";
inline constexpr std::string_view stage_boot = "boot";

/// The largest manifest that is read, in bytes.
inline constexpr std::size_t largest_manifest = 1U << 20U;

/// Reads a manifest's text. `file` is the path that errors name. All that is wrong with a value is an Error
/// of kind usage with file, line, what was found and what was expected.
base::Result<Manifest> parse(std::string_view text, const std::string& file);

/// Finds and reads the manifest: `path` names a file or a folder; in a folder it is `<version>.yaml`. A file
/// whose set has another version than `version` (when that is not empty) is refused. Errors: usage, for a
/// missing file or version too, naming the versions that there are and the nearest one.
base::Result<Manifest> load(const std::string& path, const std::string& version);

/// The versions that a folder has manifests for (by file name), sorted; empty when it can't be read.
std::vector<std::string> versions_in(const std::string& folder);

/// Gives a variable's value, or nothing when it is unset.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Fills in `${NAME}` and `${NAME:-default}`. A variable that is unset or empty and has no default: an Error
/// of kind usage that names it.
base::Result<std::string> expand(std::string_view text, const Environment& environment);

/// Reads a patch file and holds it against its pin. Errors: usage, missing and mismatching.
base::Result<std::string> read_patch(const Manifest& manifest, const PatchReference& reference);

}  // namespace drydock::manifest
