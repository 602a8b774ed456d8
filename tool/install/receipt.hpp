#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"

namespace drydock::install {

/// The file in a package that records what was applied, and, while a run is under way, what was begun.
inline constexpr std::string_view receipt_name = ".drydock-receipt.json";

/// The largest receipt that is read or written, in bytes, and the most hunks of a patch in one: whoever can
/// write to a package can put anything there, and it must not cost a boot much.
inline constexpr std::size_t largest_receipt = 4U << 20U;
inline constexpr std::size_t most_receipt_hunks = 20'000;

/// What a deleted file gets back beside its bytes. No owner and no attribute that means power: whoever can
/// write to a package can write a receipt. The owner is the directory's.
struct Restore {
    mode_t mode{0644};                                          ///< permission bits only
    std::vector<std::pair<std::string, std::string>> extended;  ///< names in `user.` only
};

/// Whether an extended attribute may come back from a receipt.
bool is_restorable(std::string_view attribute);

struct ReceiptFile {
    std::string path;
    manifest::FileHash stock;
    manifest::FileHash patched;
    std::optional<bool> stock_executable;
    std::optional<bool> patched_executable;
    std::optional<Restore> restore;  ///< of a file that the patch deletes
};

/// What a package was patched with before this receipt's patch, kept until the new one is in place.
struct ReceiptOrigin {
    std::string label;
    unsigned revision{0};
    std::vector<ReceiptFile> files;
    std::string patch;
};

/// No clock and no host name: the same work gives the same bytes.
struct Receipt {
    std::string set;
    std::string package;
    std::string version;
    unsigned revision{0};
    unsigned provides{0};
    std::map<std::string, unsigned> requirements;
    std::vector<ReceiptFile> files;
    std::vector<std::string> created_directories;  ///< outermost first
    std::string patch;
    std::vector<ReceiptOrigin> from;
};

std::vector<std::string> listed_paths_of(const std::vector<ReceiptFile>& files);

/// The receipt's text: JSON with two spaces of indent and a final line end.
std::string print(const Receipt& receipt);

/// Reads a receipt's text. Whatever does not belong there is an Error of kind io: a receipt is a file found
/// on disk.
base::Result<Receipt> parse_receipt(std::string_view text);

/// Whether the receipt in a package's directory begins as one of this set, package, version and revision
/// does; also when there is none. A glance of one read, for the run that finds all files patched.
bool is_absent_or_of(const base::Directory& package, const Receipt& expected);

/// Whether the receipt in a package's directory has the very bytes of this one, which is given without its
/// patch. What says no where a full reading would say yes costs that reading only.
bool is_receipt(const base::Directory& package, const Receipt& expected, std::string_view patch,
                const base::Digest& patch_digest);

/// The receipt in a package's directory; nothing when there is none. Errors: io, for one that can't be read.
base::Result<std::optional<Receipt>> read_receipt(const base::Directory& package);

}  // namespace drydock::install
