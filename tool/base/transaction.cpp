#include "base/transaction.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace drydock::base {
namespace {

constexpr int name_attempts = 100;  // somebody else may have put files with our names there

bool has_capability(unsigned capability) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> data{};
    if (syscall(SYS_capget, &header, data.data()) != 0) return geteuid() == 0;
    return (data.at(capability / 32).effective & (1U << (capability % 32))) != 0;
}

bool in_group(gid_t gid) {
    if (gid == getegid()) return true;
    std::array<gid_t, 65536> groups{};
    const int count = getgroups(static_cast<int>(groups.size()), groups.data());
    return count > 0 && std::find(groups.begin(), groups.begin() + count, gid) != groups.begin() + count;
}

Sys<std::vector<std::string>> extended_names(int fd) {
    while (true) {
        const ssize_t size = flistxattr(fd, nullptr, 0);
        if (size < 0) {
            if (errno == ENOTSUP) return std::vector<std::string>();
            return errno_now();
        }
        std::string list(static_cast<std::size_t>(size), '\0');
        const ssize_t got = size == 0 ? 0 : flistxattr(fd, list.data(), list.size());
        if (got < 0) {
            if (errno == ERANGE) continue;  // it grew between the two calls
            return errno_now();
        }
        std::vector<std::string> names;
        for (std::size_t start = 0; start < static_cast<std::size_t>(got);) {
            names.emplace_back(list.c_str() + start);
            start += names.back().size() + 1;
        }
        std::sort(names.begin(), names.end());
        return names;
    }
}

Sys<std::string> extended_value(int fd, const std::string& name) {
    std::string value(64 * 1024, '\0');  // XATTR_SIZE_MAX, the kernel's bound
    const ssize_t got = fgetxattr(fd, name.c_str(), value.data(), value.size());
    if (got < 0) return errno_now();
    value.resize(static_cast<std::size_t>(got));
    return value;
}

/// The module that labels files gives a new one its label itself.
bool is_label(std::string_view name) {
    return name == "security.selinux" || name == "security.SMACK64";
}

Sys<void> give_attributes(int fd, const Attributes& wanted) {
    struct stat made {};
    if (fstat(fd, &made) != 0) return errno_now();
    if ((made.st_uid != wanted.uid || made.st_gid != wanted.gid) && fchown(fd, wanted.uid, wanted.gid) != 0) {
        return errno_now();
    }
    const Sys<std::vector<std::string>> present = extended_names(fd);
    if (!present) return tl::unexpected<Errno>(present.error());
    for (const std::string& name : *present) {
        const bool keep = std::any_of(wanted.extended.begin(), wanted.extended.end(),
                                      [&name](const auto& attribute) { return attribute.first == name; });
        if (!keep && !is_label(name) && fremovexattr(fd, name.c_str()) != 0) return errno_now();
    }
    for (const auto& [name, value] : wanted.extended) {
        const Sys<std::string> there = extended_value(fd, name);
        if (there && *there == value) continue;
        if (fsetxattr(fd, name.c_str(), value.data(), value.size(), 0) != 0) return errno_now();
    }
    if (fchmod(fd, wanted.mode) != 0) return errno_now();
    return {};
}

Sys<void> write_fully(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno_now();
        if (put == 0) return tl::unexpected<Errno>(Errno{ENOSPC});
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Sys<void> sync(int fd) {
    while (fsync(fd) != 0) {
        if (errno != EINTR) return errno_now();
    }
    return {};
}

Sys<void> check(int result) {
    if (result != 0) return errno_now();
    return {};
}

Sys<std::optional<Identity>> identity_at(int directory, const std::string& name) {
    struct statx entry {};
    if (statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO, &entry) == 0) {
        return std::optional(Identity{
            (static_cast<std::uint64_t>(entry.stx_dev_major) << 32U) | entry.stx_dev_minor, entry.stx_ino});
    }
    if (errno == ENOENT) return std::optional<Identity>();
    return errno_now();
}

/// A rename that does not replace, where the file system has one.
Sys<void> rename_new(int from_directory, const std::string& from, int to_directory, const std::string& to) {
    if (renameat2(from_directory, from.c_str(), to_directory, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EINVAL && errno != ENOSYS) return errno_now();
    return check(renameat(from_directory, from.c_str(), to_directory, to.c_str()));
}

std::string shown(std::string_view parent, std::string_view name) {
    return parent.empty() ? std::string(name) : fmt::format("{}/{}", parent, name);
}

}  // namespace

enum class StepKind : std::uint8_t { write, remove, make_directory, remove_directory };

struct Transaction::Step {
    StepKind kind{};
    Target target;
    std::string bytes;
    Attributes attributes;

    std::string parent_path;
    std::string base_name;
    std::optional<Directory> parent;  ///< opened when the directory is there
    Directory staging;                ///< where the temporaries lie: the parent, or the nearest one above it
    std::string new_name;             ///< temporary with the new bytes; empty when there is none
    std::string old_name;          ///< second name of what is replaced or removed; empty when there is none
    std::optional<Identity> made;  ///< the inode that the target must have in the end
    bool done{false};

    Result<void> open_staging();
    Result<void> stage(std::size_t number);
    Result<void> run();
    Sys<void> take_back();
    [[nodiscard]] Sys<void> verify() const;
    Sys<void> remove_temporary(std::string& name);

    Result<void> open_parent();
    Sys<std::string> create_temporary(std::size_t number, std::string_view ending,
                                      FileDescriptor& file) const;
    Sys<void> write_temporary(std::size_t number, std::string_view ending, std::string_view content,
                              const Attributes& wanted, std::string& into, std::optional<Identity>& identity);
    Result<void> keep_old(std::size_t number);
    Sys<void> copy_old(std::size_t number);
    [[nodiscard]] Error error(Errno reason, std::string_view action) const {
        return io_error(reason, fmt::format("{}: cannot {}", target.name, action));
    }
};

Sys<Attributes> attributes_of(const FileDescriptor& file) {
    const Sys<FileInfo> info = info_of(file);
    if (!info) return tl::unexpected<Errno>(info.error());
    Attributes attributes{info->mode, info->uid, info->gid, {}};
    const Sys<std::vector<std::string>> names = extended_names(file.get());
    if (!names) return tl::unexpected<Errno>(names.error());
    for (const std::string& name : *names) {
        Sys<std::string> value = extended_value(file.get(), name);
        if (!value) return tl::unexpected<Errno>(value.error());
        attributes.extended.emplace_back(name, *std::move(value));
    }
    return attributes;
}

std::optional<std::string> cannot_keep(const Attributes& wanted) {
    const bool own = wanted.uid == geteuid();
    if (!own && !(has_capability(CAP_CHOWN) && has_capability(CAP_FOWNER)))
        return fmt::format("owner {}", wanted.uid);
    if (!in_group(wanted.gid) && !has_capability(CAP_CHOWN)) return fmt::format("group {}", wanted.gid);
    for (const auto& [name, value] : wanted.extended) {
        const bool trusted = name.rfind("trusted.", 0) == 0;
        const bool security = name.rfind("security.", 0) == 0 && !is_label(name);
        const unsigned needed = name == "security.capability" ? CAP_SETFCAP : CAP_SYS_ADMIN;
        if ((trusted || security) && !has_capability(needed)) return "attribute " + name;
    }
    return std::nullopt;
}

Transaction::Transaction() = default;

Transaction::~Transaction() {
    for (const std::unique_ptr<Step>& step : steps_) {
        // Nobody is left to tell; the next run removes what stays.
        static_cast<void>(step->remove_temporary(step->new_name));
        static_cast<void>(step->remove_temporary(step->old_name));
    }
}

void Transaction::write(Target target, std::string bytes, Attributes attributes) {
    auto step = std::make_unique<Step>();
    step->kind = StepKind::write;
    step->target = std::move(target);
    step->bytes = std::move(bytes);
    step->attributes = std::move(attributes);
    steps_.push_back(std::move(step));
}

void Transaction::remove(Target target) {
    auto step = std::make_unique<Step>();
    step->kind = StepKind::remove;
    step->target = std::move(target);
    steps_.push_back(std::move(step));
}

void Transaction::make_directory(Target target) {
    auto step = std::make_unique<Step>();
    step->kind = StepKind::make_directory;
    step->target = std::move(target);
    steps_.push_back(std::move(step));
}

void Transaction::remove_directory(Target target) {
    auto step = std::make_unique<Step>();
    step->kind = StepKind::remove_directory;
    step->target = std::move(target);
    steps_.push_back(std::move(step));
}

Result<void> Transaction::stage() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Result<void> staged = steps_[i]->stage(i);
        if (staged) continue;
        for (const std::unique_ptr<Step>& step : steps_) {
            static_cast<void>(step->remove_temporary(step->new_name));
            static_cast<void>(step->remove_temporary(step->old_name));
        }
        return staged;
    }
    return {};
}

Result<std::vector<std::string>> Transaction::commit() {
    Result<void> outcome;
    for (const std::unique_ptr<Step>& step : steps_) {
        outcome = step->run();
        if (!outcome) break;
    }
    for (std::size_t i = 0; outcome && i < steps_.size(); ++i) {
        const Sys<void> verified = steps_[i]->verify();
        if (!verified) outcome = fail(steps_[i]->error(verified.error(), "find what was put there"));
    }
    if (!outcome) {
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            const Sys<void> back = (*step)->take_back();
            if (back) continue;
            outcome.error().details.push_back(
                describe((*step)->error(back.error(), "be taken back; the next run settles it")));
        }
    }
    std::vector<std::string> left;
    for (const std::unique_ptr<Step>& step : steps_) {
        for (std::string* name : {&step->new_name, &step->old_name}) {
            const std::string text = shown(step->parent_path, *name);
            if (!step->remove_temporary(*name)) left.push_back(text);
        }
    }
    if (!outcome) return fail(outcome.error());
    return left;
}

Result<void> Transaction::Step::open_parent() {
    Sys<Directory> opened = target.root->open_directory(parent_path);
    if (!opened) return fail(error(opened.error(), "open its directory"));
    parent = *std::move(opened);
    return {};
}

Result<void> Transaction::Step::open_staging() {
    std::tie(parent_path, base_name) = split_path(target.path);
    std::string path = parent_path;
    while (true) {
        Sys<Directory> opened = target.root->open_directory(path);
        if (opened) {
            staging = *std::move(opened);
            if (path == parent_path) {
                Sys<Directory> second = staging.duplicate();
                if (!second) return fail(error(second.error(), "open its directory"));
                parent = *std::move(second);
            }
            return {};
        }
        if (opened.error().value != ENOENT || path.empty())
            return fail(error(opened.error(), "open its directory"));
        path = split_path(path).first;
    }
}

Sys<std::string> Transaction::Step::create_temporary(std::size_t number, std::string_view ending,
                                                     FileDescriptor& file) const {
    for (int attempt = 0; attempt < name_attempts; ++attempt) {
        const std::string name = attempt == 0
                                     ? fmt::format("{}{}.{}", temporary_prefix, number, ending)
                                     : fmt::format("{}{}.{}.{}", temporary_prefix, number, attempt, ending);
        file = FileDescriptor(
            openat(staging.fd(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (file.valid()) return name;
        if (errno != EEXIST) return errno_now();
    }
    return tl::unexpected<Errno>(Errno{EEXIST});
}

Sys<void> Transaction::Step::write_temporary(std::size_t number, std::string_view ending,
                                             std::string_view content, const Attributes& wanted,
                                             std::string& into, std::optional<Identity>& identity) {
    FileDescriptor file;
    Sys<std::string> name = create_temporary(number, ending, file);
    if (!name) return tl::unexpected<Errno>(name.error());
    into = *std::move(name);
    if (Sys<void> written = write_fully(file.get(), content); !written) return written;
    if (Sys<void> given = give_attributes(file.get(), wanted); !given) return given;
    if (Sys<void> synced = sync(file.get()); !synced) return synced;
    const Sys<FileInfo> info = info_of(file);
    if (!info) return tl::unexpected<Errno>(info.error());
    identity = info->identity;
    return {};
}

Sys<void> Transaction::Step::copy_old(std::size_t number) {
    const Sys<FileDescriptor> file = parent->open_file(base_name);
    if (!file) return tl::unexpected<Errno>(file.error());
    const Sys<std::string> content = read_all(*file, UINT64_MAX / 2);
    if (!content) return tl::unexpected<Errno>(content.error());
    const Sys<Attributes> wanted = attributes_of(*file);
    if (!wanted) return tl::unexpected<Errno>(wanted.error());
    std::optional<Identity> ignored;
    return write_temporary(number, "old", *content, *wanted, old_name, ignored);
}

Result<void> Transaction::Step::keep_old(std::size_t number) {
    for (int attempt = 0; attempt < name_attempts; ++attempt) {
        std::string name = fmt::format("{}{}.{}.old", temporary_prefix, number, attempt);
        if (linkat(parent->fd(), base_name.c_str(), staging.fd(), name.c_str(), 0) == 0) {
            old_name = std::move(name);
            break;
        }
        if (errno == EEXIST) continue;
        // File systems without hard links, and files with too many: a copy serves as well.
        if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK && errno != ENOSYS) {
            return fail(error(Errno{errno}, "keep its old bytes"));
        }
        const Sys<void> copied = copy_old(number);
        if (!copied) return fail(error(copied.error(), "keep its old bytes"));
        return {};
    }
    if (old_name.empty()) return fail(error(Errno{EEXIST}, "keep its old bytes"));
    const Sys<std::optional<Identity>> kept = identity_at(staging.fd(), old_name);
    if (!kept) return fail(error(kept.error(), "keep its old bytes"));
    if (*kept != target.expected)
        return fail(ErrorKind::io, target.name + ": changed while we worked; run again");
    return {};
}

Result<void> Transaction::Step::stage(std::size_t number) {
    if (const Result<void> opened = open_staging(); !opened) return opened;
    if (kind != StepKind::write) return {};
    const Sys<void> written = write_temporary(number, "new", bytes, attributes, new_name, made);
    if (!written) return fail(error(written.error(), "write its new bytes"));
    if (target.expected) return keep_old(number);
    return {};
}

Result<void> Transaction::Step::run() {
    if (!parent) {
        if (const Result<void> opened = open_parent(); !opened) return opened;
    }
    Sys<void> result;
    switch (kind) {
        case StepKind::write:
            result = target.expected
                         ? check(renameat(staging.fd(), new_name.c_str(), parent->fd(), base_name.c_str()))
                         : rename_new(staging.fd(), new_name, parent->fd(), base_name);
            if (!result) return fail(error(result.error(), "rename its new bytes over it"));
            new_name.clear();
            break;
        case StepKind::remove:
            old_name = fmt::format("{}{}.gone", temporary_prefix, base_name).substr(0, 250);
            result = rename_new(parent->fd(), base_name, staging.fd(), old_name);
            if (!result) {
                old_name.clear();
                return fail(error(result.error(), "remove it"));
            }
            break;
        case StepKind::make_directory: {
            const Sys<FileInfo> above = parent->info();
            if (!above) return fail(error(above.error(), "make the directory"));
            if (mkdirat(parent->fd(), base_name.c_str(), 0700) != 0) {
                return fail(error(Errno{errno}, "make the directory"));
            }
            done = true;
            const Sys<Directory> child = parent->open_directory(base_name);
            result = child ? Sys<void>() : tl::unexpected<Errno>(child.error());
            if (result && (above->uid != geteuid() || above->gid != getegid())) {
                result = check(fchown(child->fd(), above->uid, above->gid));
            }
            if (result) result = check(fchmod(child->fd(), above->mode));
            if (!result) return fail(error(result.error(), "make the directory"));
            break;
        }
        case StepKind::remove_directory:
            if (unlinkat(parent->fd(), base_name.c_str(), AT_REMOVEDIR) != 0) {
                if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT || errno == ENOTDIR) return {};
                return fail(error(Errno{errno}, "remove the directory"));
            }
            break;
    }
    done = true;
    if (const Sys<void> synced = sync(parent->fd()); !synced)
        return fail(error(synced.error(), "sync its directory"));
    return {};
}

Sys<void> Transaction::Step::take_back() {
    if (!done) return {};
    Sys<void> result;
    switch (kind) {
        case StepKind::write:
            if (target.expected) {
                result = check(renameat(staging.fd(), old_name.c_str(), parent->fd(), base_name.c_str()));
                if (result) old_name.clear();
            } else {
                result = check(unlinkat(parent->fd(), base_name.c_str(), 0));
            }
            break;
        case StepKind::remove:
            result = rename_new(staging.fd(), old_name, parent->fd(), base_name);
            if (result) old_name.clear();
            break;
        case StepKind::make_directory:
            result = check(unlinkat(parent->fd(), base_name.c_str(), AT_REMOVEDIR));
            break;
        case StepKind::remove_directory:
            result = check(mkdirat(parent->fd(), base_name.c_str(), 0755));
            break;
    }
    if (!result) return result;
    done = false;
    return sync(parent->fd());
}

Sys<void> Transaction::Step::verify() const {
    if (kind != StepKind::write) return {};
    const Sys<std::optional<Identity>> found = identity_at(parent->fd(), base_name);
    if (!found) return tl::unexpected<Errno>(found.error());
    if (*found != made) return tl::unexpected<Errno>(Errno{ESTALE});
    return {};
}

Sys<void> Transaction::Step::remove_temporary(std::string& name) {
    if (name.empty()) return {};
    if (unlinkat(staging.fd(), name.c_str(), 0) != 0 && errno != ENOENT) return errno_now();
    name.clear();
    return {};
}

Sys<std::vector<std::string>> temporaries_in(const Directory& directory) {
    Sys<std::vector<std::string>> names = directory.names();
    if (!names) return names;
    names->erase(std::remove_if(names->begin(), names->end(),
                                [](const std::string& name) { return name.rfind(temporary_prefix, 0) != 0; }),
                 names->end());
    return names;
}

Sys<void> remove_temporaries(const Directory& directory) {
    const Sys<std::vector<std::string>> names = temporaries_in(directory);
    if (!names) return tl::unexpected<Errno>(names.error());
    for (const std::string& name : *names) {
        if (unlinkat(directory.fd(), name.c_str(), 0) == 0) continue;
        if (errno != ENOENT && errno != EISDIR) return errno_now();
    }
    return {};
}

}  // namespace drydock::base
