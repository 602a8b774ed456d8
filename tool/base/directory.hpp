#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/hash.hpp"
#include "base/result.hpp"

namespace drydock::base {

/// An open file descriptor, closed when it goes.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();
    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool valid() const { return fd_ >= 0; }

  private:
    int fd_{-1};
};

enum class FileType : std::uint8_t { regular, directory, link, other };

/// Which inode a path leads to: two paths with one identity are one file.
struct Identity {
    std::uint64_t device{0};
    std::uint64_t inode{0};
    friend bool operator==(const Identity&, const Identity&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 that it compares with for a pointer
    friend auto operator<=>(const Identity&, const Identity&) = default;
};

struct FileInfo {
    FileType type{FileType::other};
    mode_t mode{0};  ///< permission bits with set-user-ID, set-group-ID and sticky, without the type
    uid_t uid{0};
    gid_t gid{0};
    std::uint64_t size{0};    ///< bytes
    std::int64_t written{0};  ///< when its bytes changed last: nanoseconds since 1970
    Identity identity;
    bool frozen{false};  ///< immutable or append-only (chattr +i, +a): a rename over it would fail
};

/// Whether a relative path is one that may be opened beneath a directory: not empty, not absolute, no empty,
/// `.` or `..` component, no NUL.
bool is_safe_relative(std::string_view path);

/// The two parts of a relative path: `lib/types/a.js` gives `lib/types` and `a.js`; `a.js` gives `` and
/// `a.js`.
std::pair<std::string, std::string> split_path(std::string_view path);

/// A directory by handle. Everything below it is reached through the handle without following a link, with
/// openat2 (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS), or, where the kernel or a filter refuses that call
/// (ENOSYS, EPERM), by a walk component by component with O_NOFOLLOW. So whoever swaps a directory for a link
/// while we work gets an error (ELOOP, ENOTDIR, EXDEV), not our writes. Relative paths must satisfy
/// is_safe_relative, else EINVAL; the empty path means the directory itself.
class Directory {
  public:
    Directory() = default;

    /// Opens a directory that the operator named; links on the way are followed.
    static Sys<Directory> open(const std::string& path);

    /// The same, only to look at it and to read what is beneath it: it can be neither locked nor synced.
    /// Costs less, most of all on an overlay.
    static Sys<Directory> open_for_lookups(const std::string& path);

    [[nodiscard]] Sys<Directory> open_directory(std::string_view path) const;

    /// Opens a file for reading; a FIFO or a device does not block. The caller checks the type.
    [[nodiscard]] Sys<FileDescriptor> open_file(std::string_view path) const;

    /// About the entry itself, a link not followed. ENOENT is a value: nothing there.
    [[nodiscard]] Sys<std::optional<FileInfo>> info(std::string_view path) const;

    /// About the directory itself.
    [[nodiscard]] Sys<FileInfo> info() const;

    /// Names in it, without `.` and `..`, sorted by bytes.
    [[nodiscard]] Sys<std::vector<std::string>> names() const;

    /// Opens a directory beneath it and reads the names in it, which takes fewer calls than one after the
    /// other.
    [[nodiscard]] Sys<std::pair<Directory, std::vector<std::string>>> list(std::string_view path) const;

    /// A second handle on the same directory.
    [[nodiscard]] Sys<Directory> duplicate() const;

    [[nodiscard]] int fd() const { return fd_.get(); }

  private:
    explicit Directory(FileDescriptor fd) : fd_(std::move(fd)) {}
    FileDescriptor fd_;
};

/// Whether a path, links followed, leads to a directory.
bool is_directory(const std::string& path);

/// About what a path leads to, links followed.
Sys<FileInfo> info_at(const std::string& path);

/// About an open file.
Sys<FileInfo> info_of(const FileDescriptor& file);

/// All bytes of an open file. More than `limit` bytes: EFBIG.
Sys<std::string> read_all(const FileDescriptor& file, std::uint64_t limit);

/// The same, where info_of(file) is known.
Sys<std::string> read_all(const FileDescriptor& file, const FileInfo& info, std::uint64_t limit);

/// SHA-256 of all bytes of an open file from its beginning, a piece at a time. `info` is info_of(file); what
/// is added to the file meanwhile may be left out. More than `limit` bytes: EFBIG.
Sys<Digest> hash_all(const FileDescriptor& file, const FileInfo& info, std::uint64_t limit);

/// All bytes of a file that the operator named, to its end, also of a pipe (`<(git diff)`, `/dev/stdin`);
/// links are followed. More than `limit` bytes, or a directory: an io Error that names the path.
Result<std::string> read_file(const std::string& path, std::uint64_t limit);

/// The path without links, `.` and `..`, as realpath(3).
Sys<std::string> real_path(const std::string& path);

/// Where the running executable lies, without links.
Sys<std::string> executable_path();

}  // namespace drydock::base
