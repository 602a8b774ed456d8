#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "patch/patch.hpp"

namespace drydock::install {

struct Receipt;

/// A file's bytes, and whether its owner may execute it: all of a file that a patch can change.
struct FileVersion {
    std::string bytes;
    bool executable{false};
    friend bool operator==(const FileVersion&, const FileVersion&) = default;
};

/// Files of a package by path; nothing for one that is absent.
using Tree = std::map<std::string, std::optional<FileVersion>>;

/// A parsed patch with the text that its lines point into.
struct KnownPatch {
    std::string label;     ///< `revision 2`, or a predecessor's
    unsigned revision{0};  ///< 0 for a predecessor
    unsigned provides{0};
    std::string text;  ///< empty, as the patch, where the recipe was made with Patches::unread
    patch::Patch patch;
};

/// Whether patches are read, or only what the manifest says of them is taken. With that alone files can be
/// recognised, and nothing can be changed.
enum class Patches : std::uint8_t { read, unread };

enum class Knowledge : std::uint8_t { stock, patched, other };

/// One content that a file may have, and what it is.
struct KnownBytes {
    Knowledge knowledge{Knowledge::stock};
    manifest::FileHash hash;
    std::optional<bool> executable;  ///< set only where the patch changes the mode
    std::size_t variant{0};          ///< which of the stock contents it is, or is made from
    std::size_t patch{0};            ///< which of the recipe's patches made it; for stock without meaning
    std::string note;
};

struct Rule {
    std::string path;
    std::optional<manifest::Origin> origin;  ///< of the stock hash; a receipt does not tell it
    std::vector<std::string> second_copies;
    std::vector<KnownBytes> known;
};

/// All that is known of one package's files: what they may hold, and the patches that lead from one to the
/// other. The first patch is the one that makes `patched`.
struct Recipe {
    std::string package;
    std::vector<Rule> rules;
    std::vector<std::shared_ptr<const KnownPatch>> patches;

    [[nodiscard]] const Rule* find(std::string_view path) const;
};

/// From the manifest: its patches are read and held against their pins, and against the files it lists. All
/// that is wrong (kind usage) is given, not the first only.
tl::expected<std::shared_ptr<const Recipe>, std::vector<base::Error>> recipe_of(
    const manifest::Manifest& manifest, const manifest::Package& package, Patches patches = Patches::read);

/// From a receipt alone. An Error (usage) where its patch can't be read or doesn't fit its files.
base::Result<std::shared_ptr<const Recipe>> recipe_of(const Receipt& receipt);

/// What a receipt adds to a manifest's recipe: its patched bytes, as another revision's, where its stock hash
/// is one that the manifest knows, or the manifest says nothing of the file. Gives the recipe itself when it
/// adds nothing.
std::shared_ptr<const Recipe> with_receipt(const std::shared_ptr<const Recipe>& recipe,
                                           const Receipt& receipt);

/// What the bytes of a file are, or null for unknown ones.
const KnownBytes* recognise(const Rule& rule, const manifest::FileHash& hash, bool executable);

/// What to_stock does with a file whose bytes are unknown.
enum class Unknown : std::uint8_t { refuse, keep };

/// Every file as stock, proven by the stock hashes. Errors: conflict.
base::Result<Tree> to_stock(const Recipe& recipe, const Tree& now, Unknown unknown = Unknown::refuse);

struct PatchedTree {
    Tree tree;
    std::vector<std::pair<std::string, std::vector<patch::Placement>>> placements;  ///< by path
};

/// Every file as the first patch leaves it, from stock ones; proven by the patched hashes. Errors: conflict.
base::Result<PatchedTree> to_patched(const Recipe& recipe, const Tree& stock);

}  // namespace drydock::install
