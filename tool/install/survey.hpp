#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "install/install.hpp"
#include "install/locate.hpp"
#include "install/receipt.hpp"
#include "install/recipe.hpp"
#include "install/resolve.hpp"

namespace drydock::install {

/// A file as it lies there.
struct FoundFile {
    State state{State::absent};
    std::optional<base::FileInfo> info;
    std::optional<FileVersion> version;  ///< nothing when absent or unreadable
    bool kept{true};  ///< whether the bytes are in `version`, not only hashed; see Copy::tree
    manifest::FileHash hash;
    const KnownBytes* match{nullptr};  ///< into the copy's recipe
    bool neutral{false};               ///< this set leaves it as it is: stock and patched are one
    std::string trouble;               ///< why it is unreadable
};

/// One copy of a package as it lies there.
struct Copy {
    const manifest::Package* package{nullptr};  ///< null for one that only its receipt tells of
    std::string name;
    std::string root;
    Location location;
    std::string version;
    std::string found_name;  ///< what package.json says, where that is another name
    std::shared_ptr<const Recipe> recipe;
    std::vector<FoundFile> files;  ///< in the order of the recipe's rules
    std::optional<Receipt> receipt;
    bool has_our_receipt{false};        ///< by a glance, where it was not read
    std::string receipt_trouble;        ///< why its receipt can't be read
    std::vector<std::string> littered;  ///< directories in it that hold temporaries of ours
    State state{State::absent};
    std::string trouble;  ///< why it is unreadable, absent or wrong-version
    bool may_be_missing{false};
    bool root_missing{false};  ///< its whole root is not there, or can't be opened

    [[nodiscard]] bool present() const { return !location.missing && location.trouble.empty(); }
    /// Its files' bytes by path; every file must be readable. Errors: io, where one that is not kept can't be
    /// read again, or has changed since.
    [[nodiscard]] base::Result<Tree> tree() const;
    /// The identity of what lies at a path, of a file that the recipe has.
    [[nodiscard]] const FoundFile* find(std::string_view path) const;
    /// The package it requires by name, with levels.
    [[nodiscard]] std::map<std::string, unsigned> requirements() const;
};

/// The manifest, which may be missing, with its roots opened and its patches read.
struct Session {
    const manifest::Manifest* manifest{nullptr};
    const Options* options{nullptr};
    std::vector<std::unique_ptr<OpenRoot>> roots;
    std::map<const manifest::Package*, std::shared_ptr<const Recipe>> recipes;
    std::vector<const manifest::Package*> packages;  ///< selected, in `requires` order

    [[nodiscard]] std::vector<const OpenRoot*> roots_named(const std::string& name) const;
    /// The copy that a link in a fallback folder will lead to.
    [[nodiscard]] std::optional<std::string> copy_for_links(const std::string& package) const;
    [[nodiscard]] FallbackFolders fallback() const;
};

/// Opens the roots of the packages that the options select, or of every package, and reads the patches.
/// Whatever is wrong with them is added to `problems`.
Session open_session(const manifest::Manifest& manifest, const Options& options, bool every_package,
                     std::vector<base::Error>& problems, Patches patches = Patches::read);

/// Opens the roots that the options name, without a manifest.
Session open_session(const Options& options, std::vector<base::Error>& problems);

/// Every copy of the session's packages as it lies there; a package comes after all that it requires.
/// `receipts`: read them also where nothing asks for it.
std::vector<Copy> survey(const Session& session, bool receipts);

/// The same where each copy is as a boot leaves it: patched, with this set's receipt or none, and without
/// temporaries. Nothing as soon as one is not. The session's patches may be unread.
std::optional<std::vector<Copy>> settled_copies(const Session& session);

/// Every copy beneath the session's roots that carries a receipt, by that alone; a package comes after all
/// that it requires. A receipt that can't be read gives a copy with `receipt_trouble` and no recipe; a folder
/// that can't be looked into is added to `problems`, a package with temporaries where its receipt was to be
/// to `begun`, where that is asked for.
std::vector<Copy> survey_receipts(const Session& session, std::vector<Location>* begun,
                                  std::vector<base::Error>& problems);

/// Adds the copies that only their receipts told of `before`, and that have none any more, as they lie there
/// now.
void add_taken_back(const std::vector<Copy>& before, std::vector<Copy>& now);

/// A copy as its receipt alone tells of it, with its files read; nothing when that can't be done.
std::optional<Copy> by_receipt(const Copy& copy);

/// Whether a copy's receipt is for the package that lies there.
bool receipt_fits(const Copy& copy);

/// Whether what the receipt intends is not what lies there, or temporaries are left: a run was cut short.
bool is_begun(const Copy& copy);

/// What a report says of a copy that apply brings to patched.
inline constexpr std::string_view advice_to_apply = "drydock apply";

/// Whether a package's stage list holds the stage that was asked for.
bool selected(const manifest::Package& package, const Options& options);

/// What a plan makes of a directory.
struct Planned {
    std::optional<unsigned> level;  ///< that its end state provides; nothing: look there
    bool refused{false};            ///< for a reason that is told apart
};
using PlannedLevel = std::function<Planned(const base::Identity& directory)>;

/// No plan: everything is as it lies there.
Planned as_it_lies(const base::Identity& directory);

/// What a package provides as it lies there.
struct FoundLevel {
    unsigned level{0};
    std::string state;  ///< in words
};

/// What was looked up where Node loads from, so that what several require is read once. Good as long as no
/// file changes, and its session lives.
struct Lookups {
    std::map<std::pair<base::Identity, std::string>, FoundLevel> levels;  ///< by directory and name
    std::map<std::string, std::optional<base::Identity>> identities;  ///< nothing for what can't be opened
    std::optional<FallbackFolders> fallback;
    ModuleFolders folders;
};

/// What the copies of a survey provide.
Lookups looked_up(const std::vector<Copy>& copies);

/// Why a copy's requirements are not met where Node would load them; empty when they are. Each as an Error of
/// kind conflict.
std::vector<base::Error> unmet_requirements(const Session& session, const Copy& copy,
                                            const PlannedLevel& planned, Lookups& found);

/// An Error about a copy, with its package, and its directory in the details.
base::Error about(const Copy& copy, base::ErrorKind kind, std::string message, std::string file = {});

/// What refuses a copy as it lies there (not: what could be patched or is), every reason.
std::vector<base::Error> refusals(const Session& session, const Copy& copy);

PackageReport report(const Session& session, const Copy& copy);

/// A package's name without its scope, for messages.
std::string short_name(const std::string& package);

}  // namespace drydock::install
