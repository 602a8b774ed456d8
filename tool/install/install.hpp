#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"

namespace drydock::install {

/// The state of a file, of a package copy (its worst file's), as design has it. `partial` is a package's
/// only.
enum class State : std::uint8_t {
    stock,
    patched,
    other_revision,
    partial,
    drifted,
    wrong_version,
    absent,
    unreadable,
    unsafe,
};

/// `stock`, `other-revision`, ...
std::string_view state_name(State state);

struct FileReport {
    std::string path;
    State state{State::absent};
    manifest::FileHash sha256;  ///< what lies there; nothing when absent or unreadable
    manifest::FileHash stock;   ///< what that was made from; nothing when it is not known, or there was none
    std::optional<manifest::Origin> origin;  ///< of the stock hash; nothing where only a receipt tells
    std::string label;  ///< for other_revision: which patch's bytes; for stock: a variant's note
    std::vector<std::string> second_copies;  ///< files with the same code that the patch leaves stock
};

/// A patch whose bytes lie in a package.
struct HeldPatch {
    std::string label;               ///< `revision 2`, or a predecessor's
    unsigned revision{0};            ///< 0: a predecessor, another tool's patch
    std::vector<std::string> files;  ///< those that it made
    std::shared_ptr<const std::string> text;
};

/// One copy of a package.
struct PackageReport {
    std::string name;        ///< full npm name
    std::string root;        ///< the root's name
    std::string directory;   ///< absolute path of the copy, or where it was looked for
    std::string version;     ///< what package.json says; empty when it can't be known
    std::string found_name;  ///< what package.json says, where that is another name
    State state{State::absent};
    bool changed{false};          ///< this run changed it
    bool would_change{false};     ///< with dry_run: it would have
    bool receipt{false};          ///< it carries a receipt that fits its bytes
    bool missing_is_fine{false};  ///< absent, and its root may be missing at this stage
    std::string patch_sha256;     ///< of the set's patch for it
    std::string why;
    std::string resolves;
    std::vector<std::string> requirements;  ///< names of the packages it must find patched
    std::vector<HeldPatch> patches;         ///< whose bytes lie here
    std::string advice;                     ///< what to do, in words; empty when nothing
    std::vector<FileReport> files;
};

/// Where one hunk would go, for a dry run.
struct PlannedHunk {
    std::string package;
    std::string directory;  ///< of the copy
    std::string file;
    std::size_t hunk{0};  ///< from 1; 0: all of a patch that is taken backwards
    std::size_t line{0};
    std::ptrdiff_t offset{0};
    std::string patch;  ///< `revision 1 backwards`, `revision 2`
};

struct Outcome {
    std::string set;      ///< its name
    std::string version;  ///< of the set
    unsigned revision{0};
    std::vector<PackageReport> packages;
    std::vector<base::Error> problems;  ///< what refuses; the exit code follows from their kinds
    std::vector<base::Error> notes;     ///< what was left alone or settled, said without failing
    std::vector<base::Error> skipped;   ///< packages that need not be there and are not
    std::vector<PlannedHunk> hunks;     ///< dry run only
    bool wrote{false};                  ///< writing was begun, whatever became of it
};

struct Options {
    std::string stage;                  ///< `image`, `boot`, or empty: every stage's packages, image's policy
    std::vector<std::string> packages;  ///< full npm names; empty: all
    std::vector<std::pair<std::string, std::vector<std::string>>>
        roots;  ///< name and directories, instead of the manifest's
    bool dry_run{false};
    bool strict{false};
    std::chrono::milliseconds wait{10'000};  ///< for the lock
    manifest::Environment environment;
    std::vector<std::string>
        fallback_folders;       ///< folders of links that the program makes anew when it starts
    std::string fallback_root;  ///< the root whose copies those links lead to
};

/// Brings every selected file to patched.
Outcome apply(const manifest::Manifest& manifest, const Options& options);

/// Tells the state of every selected file; writes nothing and takes no lock.
Outcome status(const manifest::Manifest& manifest, const Options& options);

/// Brings every selected file back to stock.
Outcome revert(const manifest::Manifest& manifest, const Options& options);

/// Brings every package that carries a receipt beneath the options' roots back to stock, from the receipts
/// alone.
Outcome revert_all(const Options& options);

/// A boot at a version that there is no manifest for: providers whose core is not patched are taken back from
/// their receipts; nothing else is touched.
Outcome take_back_unsafe(const Options& options);

/// The stock texts of those files of one copy of a package that a known patch has changed, by path; a file of
/// unknown bytes is none of them. Errors: usage, for a patch of the manifest's; conflict, where one does not
/// lead back.
base::Result<std::vector<std::pair<std::string, std::string>>> stock_texts(const manifest::Manifest& manifest,
                                                                           const manifest::Package& package,
                                                                           const std::string& directory);

}  // namespace drydock::install
