#include "base/directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace drydock::base {
namespace {

constexpr int openat2_attempts = 100;  // EAGAIN: somebody renames along the path while the kernel resolves it

/// One component at a time, for kernels and filters without openat2.
Sys<FileDescriptor> walk(int directory, std::string_view path, int flags) {
    FileDescriptor held;
    int here = directory;
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string component(path.substr(0, slash));
        const bool last = slash == std::string_view::npos;
        const int how = last ? flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW;
        const int fd = openat(here, component.c_str(), how | O_CLOEXEC);
        if (fd < 0) {
            // A link where a directory is wanted gives ENOTDIR here and ELOOP from openat2: one answer for
            // both.
            const int reason = errno;
            struct stat entry {};
            const bool link =
                fstatat(here, component.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(entry.st_mode);
            return tl::unexpected<Errno>(Errno{link ? ELOOP : reason});
        }
        held = FileDescriptor(fd);
        if (last) return held;
        here = held.get();
        path.remove_prefix(slash + 1);
    }
}

Sys<FileDescriptor> open_beneath(int directory, std::string_view path, int flags) {
    if (path.empty()) path = ".";
    if (path != "." && !is_safe_relative(path)) return tl::unexpected<Errno>(Errno{EINVAL});
    const std::string name(path);
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    for (int attempt = 0; attempt < openat2_attempts; ++attempt) {
        const long fd = syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how);
        if (fd >= 0) return FileDescriptor(static_cast<int>(fd));
        if (errno == ENOSYS || errno == EPERM) return walk(directory, path, flags);
        if (errno != EAGAIN && errno != EINTR) return errno_now();
    }
    return tl::unexpected<Errno>(Errno{EAGAIN});
}

Identity identity_of(unsigned major, unsigned minor, std::uint64_t inode) {
    return {(static_cast<std::uint64_t>(major) << 32U) | minor, inode};
}

FileType type_of(unsigned mode) {
    if (S_ISREG(mode)) return FileType::regular;
    if (S_ISDIR(mode)) return FileType::directory;
    if (S_ISLNK(mode)) return FileType::link;
    return FileType::other;
}

std::int64_t nanoseconds(std::int64_t seconds, std::int64_t rest) {
    return seconds * 1'000'000'000 + rest;
}

Sys<FileInfo> stat_at(int fd, const char* name, int flags) {
    struct statx buffer {};
    FileInfo info;
    if (statx(fd, name, flags | AT_STATX_SYNC_AS_STAT, STATX_BASIC_STATS, &buffer) == 0) {
        info.type = type_of(buffer.stx_mode);
        info.mode = buffer.stx_mode & 07777U;
        info.uid = buffer.stx_uid;
        info.gid = buffer.stx_gid;
        info.size = buffer.stx_size;
        info.written = nanoseconds(buffer.stx_mtime.tv_sec, buffer.stx_mtime.tv_nsec);
        info.identity = identity_of(buffer.stx_dev_major, buffer.stx_dev_minor, buffer.stx_ino);
        info.frozen = (buffer.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
        return info;
    }
    if (errno != ENOSYS && errno != EPERM) return errno_now();
    // A filter that knows no statx; what it can't tell (frozen) a failing rename will.
    struct stat plain {};
    if (fstatat(fd, name, &plain, flags) != 0) return errno_now();
    info.type = type_of(plain.st_mode);
    info.mode = plain.st_mode & 07777U;
    info.uid = plain.st_uid;
    info.gid = plain.st_gid;
    info.size = static_cast<std::uint64_t>(plain.st_size);
    info.written = nanoseconds(plain.st_mtim.tv_sec, plain.st_mtim.tv_nsec);
    info.identity = identity_of(major(plain.st_dev), minor(plain.st_dev), plain.st_ino);
    return info;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
        if (fd_ >= 0) ::close(fd_);
        fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
}

bool is_safe_relative(std::string_view path) {
    if (path.empty() || path.find('\0') != std::string_view::npos) return false;
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string_view component = path.substr(0, slash);
        if (component.empty() || component == "." || component == "..") return false;
        if (slash == std::string_view::npos) return true;
        path.remove_prefix(slash + 1);
    }
}

std::pair<std::string, std::string> split_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {std::string(), std::string(path)};
    return {std::string(path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

Sys<Directory> Directory::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno_now();
    return Directory(FileDescriptor(fd));
}

Sys<Directory> Directory::open_for_lookups(const std::string& path) {
    const int fd = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno_now();
    return Directory(FileDescriptor(fd));
}

Sys<Directory> Directory::open_directory(std::string_view path) const {
    Sys<FileDescriptor> fd = open_beneath(this->fd(), path, O_RDONLY | O_DIRECTORY);
    if (!fd) return tl::unexpected<Errno>(fd.error());
    return Directory(*std::move(fd));
}

Sys<FileDescriptor> Directory::open_file(std::string_view path) const {
    return open_beneath(fd(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

Sys<std::optional<FileInfo>> Directory::info(std::string_view path) const {
    if (!is_safe_relative(path)) return tl::unexpected<Errno>(Errno{EINVAL});
    const auto [parent, name] = split_path(path);
    Directory held;
    int here = fd();
    if (!parent.empty()) {
        Sys<Directory> opened = open_directory(parent);
        if (!opened) {
            if (opened.error().value == ENOENT) return std::optional<FileInfo>();
            return tl::unexpected<Errno>(opened.error());
        }
        held = *std::move(opened);
        here = held.fd();
    }
    const Sys<FileInfo> found = stat_at(here, name.c_str(), AT_SYMLINK_NOFOLLOW);
    if (!found) {
        if (found.error().value == ENOENT) return std::optional<FileInfo>();
        return tl::unexpected<Errno>(found.error());
    }
    return std::optional<FileInfo>(*found);
}

Sys<FileInfo> Directory::info() const {
    return stat_at(fd(), "", AT_EMPTY_PATH);
}

namespace {

/// From a handle that nobody else has: the position in a directory is shared by all duplicates. The call
/// itself, since a stream costs three more.
Sys<std::vector<std::string>> read_names(const FileDescriptor& own) {
    std::vector<std::string> found;
    alignas(dirent64) std::array<char, 32768> buffer;  // NOLINT(*-member-init): filled by the call
    while (true) {
        const long size = syscall(SYS_getdents64, own.get(), buffer.data(), buffer.size());
        if (size < 0) return errno_now();
        if (size == 0) break;
        for (long at = 0; at < size;) {
            const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
            const std::string_view name = static_cast<const char*>(entry->d_name);
            if (name != "." && name != "..") found.emplace_back(name);
            at += entry->d_reclen;
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

Sys<std::vector<std::string>> Directory::names() const {
    const FileDescriptor own(openat(this->fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!own.valid()) return errno_now();
    return read_names(own);
}

Sys<std::pair<Directory, std::vector<std::string>>> Directory::list(std::string_view path) const {
    Sys<FileDescriptor> own = open_beneath(this->fd(), path, O_RDONLY | O_DIRECTORY);
    if (!own) return tl::unexpected<Errno>(own.error());
    Sys<std::vector<std::string>> names = read_names(*own);
    if (!names) return tl::unexpected<Errno>(names.error());
    return std::pair(Directory(*std::move(own)), *std::move(names));
}

Sys<Directory> Directory::duplicate() const {
    const int fd = fcntl(this->fd(), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return errno_now();
    return Directory(FileDescriptor(fd));
}

Sys<FileInfo> info_at(const std::string& path) {
    return stat_at(AT_FDCWD, path.c_str(), 0);
}

Sys<FileInfo> info_of(const FileDescriptor& file) {
    return stat_at(file.get(), "", AT_EMPTY_PATH);
}

Sys<std::string> read_all(const FileDescriptor& file, std::uint64_t limit) {
    const Sys<FileInfo> info = info_of(file);
    if (!info) return tl::unexpected<Errno>(info.error());
    return read_all(file, *info, limit);
}

Sys<std::string> read_all(const FileDescriptor& file, const FileInfo& info, std::uint64_t limit) {
    if (info.size > limit) return tl::unexpected<Errno>(Errno{EFBIG});
    std::string bytes;
    std::size_t filled = 0;
    // One byte more than the file says it has: the read that fills it would be a file that grows.
    bytes.resize(static_cast<std::size_t>(info.size) + 1);
    while (true) {
        const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
        if (got < 0) {
            if (errno == EINTR) continue;
            return errno_now();
        }
        filled += static_cast<std::size_t>(got);
        // All that a regular file said it has, and not the one byte more that was asked for: it ends here.
        const bool whole = info.size > 0 && info.type == FileType::regular && filled == info.size;
        if (got == 0 || whole) break;
        if (filled > limit) return tl::unexpected<Errno>(Errno{EFBIG});
        if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
    }
    bytes.resize(filled);
    return bytes;
}

Sys<Digest> hash_all(const FileDescriptor& file, const FileInfo& info, std::uint64_t limit) {
    std::array<char, 16U << 10U> buffer;  // NOLINT(*-member-init): filled by read
    Sha256 hash;
    std::uint64_t size = 0;
    while (true) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0) {
            if (errno == EINTR) continue;
            return errno_now();
        }
        if (got == 0) return hash.digest();
        size += static_cast<std::uint64_t>(got);
        if (size > limit) return tl::unexpected<Errno>(Errno{EFBIG});
        hash.add({buffer.data(), static_cast<std::size_t>(got)});
        if (size == info.size) return hash.digest();
    }
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
    if (!file.valid()) return fail(io_error(Errno{errno}, "cannot read " + path));
    const Sys<FileInfo> info = info_of(file);
    if (info && info->type == FileType::directory)
        return fail(io_error(Errno{EISDIR}, "cannot read " + path));
    Sys<std::string> bytes = read_all(file, limit);
    if (!bytes && bytes.error().value == EFBIG) {
        return fail(ErrorKind::io, fmt::format("cannot read {}: larger than {} bytes", path, limit));
    }
    if (!bytes) return fail(io_error(bytes.error(), "cannot read " + path));
    return *std::move(bytes);
}

bool is_directory(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

namespace {

/// Opens a path only if it holds no links, by one call where realpath(3) asks for each component.
Errno try_without_links(const std::string& path) {
    if (!path.starts_with('/') || !is_safe_relative(std::string_view(path).substr(1))) return Errno{EINVAL};
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const FileDescriptor file(
        static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
    return Errno{file.valid() ? 0 : errno};
}

/// Where a path leads whose last component alone is a link to another, as pnpm's packages are: four calls
/// where realpath(3) makes one for each component on both ways.
std::optional<std::string> follow_last_link(const std::string& path) {
    std::string parent = path.substr(0, path.rfind('/'));
    if (parent.empty() || try_without_links(parent).value != 0) return std::nullopt;
    std::array<char, PATH_MAX> buffer;  // NOLINT(*-member-init): filled by readlink
    const ssize_t length = readlink(path.c_str(), buffer.data(), buffer.size());
    if (length <= 0 || static_cast<std::size_t>(length) == buffer.size()) return std::nullopt;
    std::string_view target(buffer.data(), static_cast<std::size_t>(length));
    // Above a directory that is reached without links lies the one that its path names.
    while (target.starts_with("../") && !parent.empty()) {
        target.remove_prefix(3);
        parent.resize(parent.rfind('/'));
    }
    std::string real = target.starts_with('/') ? std::string(target) : fmt::format("{}/{}", parent, target);
    if (try_without_links(real).value != 0) return std::nullopt;
    return real;
}

}  // namespace

Sys<std::string> real_path(const std::string& path) {
    const Errno reason = try_without_links(path);
    if (reason.value == 0) return path;
    if (reason.value == ENOENT) return tl::unexpected<Errno>(reason);
    if (reason.value == ELOOP) {
        if (std::optional<std::string> real = follow_last_link(path)) return *std::move(real);
    }
    std::array<char, PATH_MAX> buffer{};
    if (realpath(path.c_str(), buffer.data()) == nullptr) return errno_now();
    return std::string(buffer.data());
}

Sys<std::string> executable_path() {
    // What the kernel was asked to run, where that is a whole path: it costs a third of asking /proc.
    const auto* run =
        reinterpret_cast<const char*>(getauxval(AT_EXECFN));  // NOLINT(*-no-int-to-ptr): its API
    if (run != nullptr && *run == '/') {
        if (Sys<std::string> real = real_path(run)) return real;
    }
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size());
    if (length < 0) return errno_now();
    return std::string(buffer.data(), static_cast<std::size_t>(length));
}

}  // namespace drydock::base
