#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"

namespace drydock::source {

/// What a tree holds under a name.
enum class EntryKind : std::uint8_t { file, executable, link, directory, submodule };

struct Entry {
    std::string path;  ///< from the top of the tree, `/` between the parts
    EntryKind kind{EntryKind::file};
    std::string id;  ///< of the blob, tree or commit: 40 hexadecimal digits
};

/// What lies at a path: the bytes of a file, the target of a link; nothing for a directory or a submodule.
struct Content {
    EntryKind kind{EntryKind::file};
    std::string bytes;
};

struct Tag {
    std::string name;    ///< without `refs/tags/`
    std::string commit;  ///< 40 hexadecimal digits, whatever tags lie between
};

/// Where a file of one commit is in another.
struct Destination {
    enum class Kind : std::uint8_t { same, renamed, deleted };
    Kind kind{Kind::same};
    std::string path;        ///< there; empty when deleted
    unsigned similarity{0};  ///< in percent, for renamed; 100: the same bytes
};

/// A git repository, read only: its objects and tags. Nothing of the user's, the system's or the repository's
/// configuration, attributes, filters, hooks or replacements has a say, and a repository that another user
/// owns is read like any other, since nothing in it is run. SHA-1 repositories only.
///
/// Commits are named by their full id. Errors are of kind io, and of kind usage where a name or an id is
/// wrong. An object that is missing is an io Error that says whether the clone is shallow or partial.
class Repository {
  public:
    /// A work tree (its top), a `.git` folder, or a bare repository; a path, or one as a `file://` URL. It is
    /// read where it lies.
    static base::Result<Repository> open(const std::string& location);

    Repository(Repository&&) noexcept;
    Repository& operator=(Repository&&) noexcept;
    Repository(const Repository&) = delete;
    Repository& operator=(const Repository&) = delete;
    ~Repository();

    /// As it was named to open() or obtain(), for messages.
    [[nodiscard]] const std::string& location() const;

    /// All tags that lead to a commit, sorted by name.
    [[nodiscard]] base::Result<std::vector<Tag>> tags() const;

    /// The commit that a tag (without `refs/tags/`) leads to, through annotated tags. An unknown one is a
    /// usage Error that names the nearest.
    [[nodiscard]] base::Result<std::string> commit_of_tag(const std::string& name) const;

    /// Whether there is such a commit: nothing, or an Error.
    [[nodiscard]] base::Result<void> check_commit(const std::string& commit) const;

    /// What lies at a path, in full; nothing when there is nothing. The empty path is the top directory.
    [[nodiscard]] base::Result<std::optional<Content>> content(const std::string& commit,
                                                               const std::string& path) const;

    /// Files, links and submodules beneath a folder at any depth, sorted by path; the empty folder means all.
    /// Nothing beneath it, or no such folder: an empty list.
    [[nodiscard]] base::Result<std::vector<Entry>> list(const std::string& commit,
                                                        const std::string& folder) const;

    /// Where each file of `from` is in `to`: at its path, if anything lies there; else at the new file that
    /// has most of its lines, at least half; else nowhere. One answer for each path, in their order.
    [[nodiscard]] base::Result<std::vector<Destination>> follow(const std::string& from,
                                                                const std::string& to,
                                                                const std::vector<std::string>& paths) const;

    /// Writes a commit's tree into an empty directory: the blobs' bytes, executable bits, links as they are
    /// (also one that leads out; none is followed), submodules as empty directories. The umask applies. All
    /// of the tree is looked at first: a path that would leave the directory or that git keeps for itself
    /// (`..`, `.git`, a `/` in a name, one name twice) is a usage Error, and so are more than half a million
    /// entries; a missing object is an io Error. On any error the directory is empty again.
    [[nodiscard]] base::Result<void> check_out(const std::string& commit, const std::string& directory,
                                               base::Progress& progress) const;

    struct State;  ///< the room's own

  private:
    explicit Repository(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// For transfers. The environment's proxy is used (`http_proxy`, `https_proxy`, `no_proxy`), no credentials.
struct TransferLimits {
    std::chrono::milliseconds silence{std::chrono::seconds(60)};  ///< without a byte from the other side
    std::chrono::milliseconds total{std::chrono::minutes(30)};    ///< one attempt as a whole
    int attempts{3};                                              ///< after a connection that broke
};

/// Whether a location is a URL to fetch from (`git://`, `http://`, `https://`), not a path or `file://`.
bool is_remote(std::string_view location);

/// The tags of a repository behind such a URL, without fetching objects, sorted by name. Only a look at a
/// whole repository tells which of them lead to commits.
base::Result<std::vector<Tag>> remote_tags(const std::string& url, const TransferLimits& limits,
                                           base::Progress& progress);

/// Fetches tags, and all that they lead to, from such a URL into `folder`, a bare repository that is
/// replaced if it is there; its parent must be there. The work is done by a child process that is killed at a
/// limit, in a temporary folder beside it that gets the name when all is there. An unknown tag is a usage
/// Error that names the nearest; anything else is an io Error.
base::Result<Repository> fetch(const std::string& url, const std::vector<std::string>& tags,
                               const std::string& folder, const TransferLimits& limits,
                               base::Progress& progress);

/// open() for a path or `file://` URL; fetch() for the others. Whatever else looks like a URL (ssh,
/// `host:path`) is a usage Error that says what can be had.
base::Result<Repository> obtain(const std::string& location, const std::vector<std::string>& tags,
                                const std::string& folder, const TransferLimits& limits,
                                base::Progress& progress);

/// One side of a three-way merge.
struct Side {
    std::string bytes;
    std::string label;  ///< behind the conflict marker, on one line
};

struct Merged {
    std::string text;          ///< the merged bytes; with conflicts, markers in them
    std::size_t conflicts{0};  ///< how many
};

/// Merges by lines. A conflict shows ours, base and theirs (`<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`), with
/// markers longer than any such line of the texts. Where both sides changed and any is binary (it holds a
/// NUL), a conflict Error.
base::Result<Merged> merge(const Side& base, const Side& ours, const Side& theirs);

}  // namespace drydock::source
