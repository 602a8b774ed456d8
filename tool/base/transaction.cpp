#include "base/transaction.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sys/resource.h>
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
    std::string value(std::size_t{64} * 1024, '\0');  // XATTR_SIZE_MAX, the kernel's bound
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

Sys<std::optional<Identity>> identity_at(const Directory& directory, const std::string& name) {
    const Sys<std::optional<FileInfo>> info = directory.info(name);
    if (!info) return tl::unexpected<Errno>(info.error());
    if (!*info) return std::optional<Identity>();
    return std::optional((*info)->identity);
}

Sys<void> rename_over(const Directory& from, const std::string& name, const Directory& to,
                      const std::string& new_name) {
    return check(renameat(from.fd(), name.c_str(), to.fd(), new_name.c_str()));
}

/// What whoever runs us can do about a system's no while writing.
std::string_view remedy_for(int reason) {
    switch (reason) {
        case ENOSPC:
        case EDQUOT:
            return "; make room, then run again";
        case EROFS:
            return "; mount it writable first";
        case EACCES:
        case EPERM:
            return "; run as root, or as its owner";
        case EIO:
            return "; look at the disk, then run again";
        case EFBIG:
            return "; raise the limit on file sizes (ulimit -f), then run again";
        default:
            return "";
    }
}

/// A rename that does not replace; where the file system or a filter has none, a look before it.
Sys<void> rename_new(const Directory& from, const std::string& name, const Directory& to,
                     const std::string& new_name) {
    if (renameat2(from.fd(), name.c_str(), to.fd(), new_name.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM) return errno_now();
    const Sys<std::optional<Identity>> there = identity_at(to, new_name);
    if (!there) return tl::unexpected<Errno>(there.error());
    if (*there) return tl::unexpected<Errno>(Errno{EEXIST});
    return rename_over(from, name, to, new_name);
}

/// Every step holds its directories open, and a patch may have more files than the soft limit allows.
void raise_open_files_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
}

/// The mode of a directory made below another: where everybody may write beside each other, nobody may below.
mode_t directory_mode(const FileInfo& above) {
    constexpr mode_t others_write = S_IWGRP | S_IWOTH;
    const mode_t permissions = above.mode & ACCESSPERMS;
    return (above.mode & S_ISVTX) != 0 ? permissions & ~others_write : above.mode;
}

/// All bytes of an open file, whatever was read of it before.
Sys<std::string> read_again(const FileDescriptor& file) {
    if (lseek(file.get(), 0, SEEK_SET) != 0) return errno_now();
    return read_all(file, UINT64_MAX / 2);
}

/// Whether two regular files have the same bytes, mode, owner and attributes.
Sys<bool> are_alike(const FileDescriptor& one, const FileDescriptor& other) {
    const Sys<FileInfo> info = info_of(other);
    if (!info) return tl::unexpected<Errno>(info.error());
    if (info->type != FileType::regular) return false;
    const Sys<Attributes> first = attributes_of(one);
    const Sys<Attributes> second = attributes_of(other);
    if (!first || !second) return tl::unexpected<Errno>(first ? second.error() : first.error());
    if (*first != *second) return false;
    const Sys<std::string> bytes = read_again(one);
    const Sys<std::string> kept = read_again(other);
    if (!bytes || !kept) return tl::unexpected<Errno>(bytes ? kept.error() : bytes.error());
    return *bytes == *kept;
}

std::string shown(std::string_view parent, std::string_view name) {
    return parent.empty() ? std::string(name) : fmt::format("{}/{}", parent, name);
}

}  // namespace

/// The directories that steps work in, each opened once and held: whoever swaps one afterwards gains nothing.
struct Transaction::Handles {
    std::map<std::pair<const Directory*, std::string>, std::shared_ptr<const Directory>> opened;

    Sys<std::shared_ptr<const Directory>> get(const Directory& root, const std::string& path) {
        std::shared_ptr<const Directory>& held = opened[{&root, path}];
        if (!held) {
            Sys<Directory> directory = root.open_directory(path);
            if (!directory) return tl::unexpected<Errno>(directory.error());
            held = std::make_shared<const Directory>(*std::move(directory));
        }
        return held;
    }
};

struct Transaction::Step {
    StepKind kind{};
    Target target;
    std::string bytes;
    Attributes attributes;
    std::optional<mode_t> wanted_mode;  ///< of a directory; nothing: by its parent's

    std::size_t number{0};
    std::string parent_path;
    std::string base_name;
    std::shared_ptr<const Directory> parent;  ///< opened when the directory is there
    std::shared_ptr<const Directory>
        staging;  ///< where the temporaries lie: the parent, or the nearest above
    std::string staging_path;
    std::string new_name;  ///< temporary with the new bytes; empty when there is none
    std::string old_name;  ///< second name of what is replaced or removed; empty when there is none
    std::optional<Identity> copied_up;  ///< what old_name tells of the file that is expected
    std::optional<Identity> made;       ///< the inode that the target must have in the end
    bool done{false};

    Result<void> open_staging(Handles& handles);
    Result<void> stage(Handles& handles);
    Result<void> run(Handles& handles);
    Sys<void> take_back();
    [[nodiscard]] Result<void> verify() const;
    Sys<void> remove_temporary(std::string& name) const;
    Sys<void> remove_empty_directory(Handles& handles) const;

    Sys<std::string> create_temporary(std::string_view ending, FileDescriptor& file) const;
    Sys<void> write_temporary(std::string_view ending, std::string_view content, const Attributes& wanted,
                              std::string& into, std::optional<Identity>& identity) const;
    [[nodiscard]] Result<FileDescriptor> hold_expected() const;
    [[nodiscard]] bool is_written_to(const FileInfo& now) const;
    [[nodiscard]] bool is_replaced() const;
    Result<void> follow(const FileDescriptor& held);
    Result<void> keep_old();
    Sys<void> copy_old(const FileDescriptor& held);
    Result<void> put_new();
    Result<void> put_away();
    Result<void> make();

    [[nodiscard]] std::string temporary_name(int attempt, std::string_view ending) const {
        return attempt == 0 ? fmt::format("{}{}.{}", temporary_prefix, number, ending)
                            : fmt::format("{}{}.{}.{}", temporary_prefix, number, attempt, ending);
    }
    [[nodiscard]] Error error(std::string message) const {
        Error error = target.about.value_or(Error());
        error.kind = ErrorKind::io;
        error.message = target.about ? std::move(message) : target.name + ": " + message;
        return error;
    }
    [[nodiscard]] Error error(Errno reason, std::string_view action) const {
        return error(
            fmt::format("cannot {}: {}{}", action, errno_text(reason.value), remedy_for(reason.value)));
    }
    [[nodiscard]] tl::unexpected<Error> changed() const {
        return fail(error("changed while we worked; run again"));
    }
};

Sys<void> write_all(const FileDescriptor& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno_now();
        if (put == 0) return tl::unexpected<Errno>(Errno{ENOSPC});
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Sys<void> sync(const FileDescriptor& file) {
    return sync(file.get());
}

Sys<void> sync_directory(const Directory& directory) {
    const Sys<void> synced = sync(directory.fd());
    if (!synced && synced.error().value == EINVAL) return {};
    return synced;
}

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

Transaction::Transaction() : handles_(std::make_unique<Handles>()) {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
}

Transaction::~Transaction() {
    // Nobody is left to tell; the next run removes what stays.
    static_cast<void>(remove_left());
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Transaction::Step& Transaction::add(Target target) {
    auto step = std::make_unique<Step>();
    step->target = std::move(target);
    step->number = steps_.size();
    std::tie(step->parent_path, step->base_name) = split_path(step->target.path);
    steps_.push_back(std::move(step));
    return *steps_.back();
}

void Transaction::write(Target target, std::string bytes, Attributes attributes) {
    Step& step = add(std::move(target));
    step.kind = StepKind::write;
    step.bytes = std::move(bytes);
    step.attributes = std::move(attributes);
}

void Transaction::remove(Target target) {
    add(std::move(target)).kind = StepKind::remove;
}

void Transaction::make_directory(Target target, std::optional<mode_t> mode) {
    Step& step = add(std::move(target));
    step.kind = StepKind::make_directory;
    step.wanted_mode = mode;
    step.attributes.mode = mode.value_or(0);
}

void Transaction::remove_directory(Target target) {
    add(std::move(target)).kind = StepKind::remove_directory;
}

std::vector<std::string> Transaction::remove_left() {
    std::vector<std::string> left;
    for (const std::unique_ptr<Step>& step : steps_) {
        for (std::string* name : {&step->new_name, &step->old_name}) {
            if (name->empty()) continue;
            if (!step->remove_temporary(*name)) left.push_back(shown(step->staging_path, *name));
            name->clear();
        }
    }
    return left;
}

Result<void> Transaction::stage() {
    raise_open_files_limit();
    for (const std::unique_ptr<Step>& step : steps_) {
        Result<void> staged = step->stage(*handles_);
        if (staged) continue;
        static_cast<void>(remove_left());
        return staged;
    }
    return {};
}

std::vector<StagedStep> Transaction::staged() const {
    std::vector<StagedStep> list;
    for (const std::unique_ptr<Step>& step : steps_) {
        StagedStep staged{step->kind, step->target.path, step->bytes, step->attributes.mode, false, {}, {}};
        staged.replaces = step->kind == StepKind::write && step->target.expected.has_value();
        if (!step->new_name.empty()) staged.new_path = shown(step->staging_path, step->new_name);
        if (!step->old_name.empty()) staged.old_path = shown(step->staging_path, step->old_name);
        if (step->kind == StepKind::remove) {
            staged.old_path = shown(step->staging_path, step->temporary_name(0, "old"));
        }
        list.push_back(std::move(staged));
    }
    return list;
}

Result<void> Transaction::sync_names() const {
    std::set<const Directory*> synced;
    for (const std::unique_ptr<Step>& step : steps_) {
        if (step->new_name.empty() || !synced.insert(step->staging.get()).second) continue;
        if (const Sys<void> done = sync_directory(*step->staging); !done) {
            return fail(step->error(done.error(), "sync its directory"));
        }
    }
    return {};
}

Result<void> Transaction::run() {
    Result<void> outcome;
    for (const std::unique_ptr<Step>& step : steps_) {
        outcome = step->run(*handles_);
        if (!outcome) break;
    }
    for (std::size_t i = 0; outcome && i < steps_.size(); ++i) {
        outcome = steps_[i]->verify();
    }
    if (!outcome) {
        take_back(outcome.error());
        static_cast<void>(remove_left());
    }
    return outcome;
}

Result<std::vector<std::string>> Transaction::commit() {
    if (const Result<void> outcome = run(); !outcome) return fail(outcome.error());
    return tidy();
}

std::vector<std::string> Transaction::tidy() {
    std::vector<std::string> left = remove_left();
    for (const std::unique_ptr<Step>& step : steps_) {
        if (!step->remove_empty_directory(*handles_)) left.push_back(step->target.path);
    }
    return left;
}

void Transaction::take_back(Error& error) {
    auto step = steps_.rbegin();
    for (; step != steps_.rend(); ++step) {
        const Sys<void> back = (*step)->take_back();
        if (back) continue;
        error.details.push_back(fmt::format("{}: cannot be taken back: {}; the next run settles it",
                                            (*step)->target.name, errno_text(back.error().value)));
        stuck_ = true;
        break;
    }
    // What comes before it stays: the later steps build on it. The old bytes may have no other name.
    for (; step != steps_.rend(); ++step) (*step)->old_name.clear();
}

Result<void> Transaction::Step::open_staging(Handles& handles) {
    std::string path = parent_path;
    while (true) {
        Sys<std::shared_ptr<const Directory>> opened = handles.get(*target.root, path);
        if (opened) {
            staging = *std::move(opened);
            staging_path = path;
            if (path == parent_path) parent = staging;
            return {};
        }
        if (opened.error().value != ENOENT || path.empty()) {
            return fail(error(opened.error(), "open its directory"));
        }
        path = split_path(path).first;
    }
}

Sys<std::string> Transaction::Step::create_temporary(std::string_view ending, FileDescriptor& file) const {
    for (int attempt = 0; attempt < name_attempts; ++attempt) {
        const std::string name = temporary_name(attempt, ending);
        file = FileDescriptor(
            openat(staging->fd(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (file.valid()) return name;
        if (errno != EEXIST) return errno_now();
    }
    return tl::unexpected<Errno>(Errno{EEXIST});
}

Sys<void> Transaction::Step::write_temporary(std::string_view ending, std::string_view content,
                                             const Attributes& wanted, std::string& into,
                                             std::optional<Identity>& identity) const {
    FileDescriptor file;
    Sys<std::string> name = create_temporary(ending, file);
    if (!name) return tl::unexpected<Errno>(name.error());
    into = *std::move(name);
    if (Sys<void> written = write_all(file, content); !written) return written;
    if (Sys<void> given = give_attributes(file.get(), wanted); !given) return given;
    if (Sys<void> synced = sync(file); !synced) return synced;
    const Sys<FileInfo> info = info_of(file);
    if (!info) return tl::unexpected<Errno>(info.error());
    identity = info->identity;
    return {};
}

/// Only a later time tells: an overlay's copy in a file system of coarser times can have an earlier one.
bool Transaction::Step::is_written_to(const FileInfo& now) const {
    return target.as_read && (now.size != target.as_read->size || now.written > target.as_read->written);
}

/// The file that is expected there, open.
Result<FileDescriptor> Transaction::Step::hold_expected() const {
    Sys<FileDescriptor> file = parent->open_file(base_name);
    if (!file) {
        const int reason = file.error().value;
        if (reason == ENOENT || reason == ELOOP) return changed();
        return fail(error(file.error(), "open it"));
    }
    const Sys<FileInfo> info = info_of(*file);
    if (!info) return fail(error(info.error(), "open it"));
    if (info->identity != target.expected || is_written_to(*info)) return changed();
    return *std::move(file);
}

/// Whether old_name is a name of the file held. Its identity may be another now: an overlay gives a file of a
/// lower layer a new one when its first change copies it up, and where the upper layer is another file
/// system, the names and descriptors from before go on telling the old one. Bytes and attributes tell then:
/// they are all that is kept for.
Result<void> Transaction::Step::follow(const FileDescriptor& held) {
    const Sys<FileInfo> now = info_of(held);
    const Sys<std::optional<Identity>> kept = identity_at(*staging, old_name);
    if (!now || !kept) return fail(error(now ? kept.error() : now.error(), "keep its old bytes"));
    if (!*kept) return changed();
    if (*kept != now->identity) {
        const Sys<FileDescriptor> other = staging->open_file(old_name);
        const Sys<bool> same = other ? are_alike(held, *other) : tl::unexpected<Errno>(other.error());
        if (!same) return fail(error(same.error(), "keep its old bytes"));
        if (!*same) return changed();
    }
    target.expected = now->identity;
    copied_up = *kept;
    return {};
}

Sys<void> Transaction::Step::copy_old(const FileDescriptor& held) {
    const Sys<std::string> content = read_all(held, UINT64_MAX / 2);
    if (!content) return tl::unexpected<Errno>(content.error());
    const Sys<Attributes> wanted = attributes_of(held);
    if (!wanted) return tl::unexpected<Errno>(wanted.error());
    std::optional<Identity> ignored;
    return write_temporary("old", *content, *wanted, old_name, ignored);
}

Result<void> Transaction::Step::keep_old() {
    const Result<FileDescriptor> held = hold_expected();
    if (!held) return fail(held.error());
    for (int attempt = 0; attempt < name_attempts; ++attempt) {
        std::string name = temporary_name(attempt, "old");
        if (linkat(parent->fd(), base_name.c_str(), staging->fd(), name.c_str(), 0) == 0) {
            old_name = std::move(name);
            return follow(*held);
        }
        if (errno == EEXIST) continue;
        // File systems without hard links, and files with too many: a copy serves as well.
        if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK && errno != ENOSYS) {
            return fail(error(Errno{errno}, "keep its old bytes"));
        }
        const Sys<void> copied = copy_old(*held);
        if (!copied) return fail(error(copied.error(), "keep its old bytes"));
        return {};
    }
    return fail(error(Errno{EEXIST}, "keep its old bytes"));
}

Result<void> Transaction::Step::stage(Handles& handles) {
    if (kind == StepKind::remove_directory) return {};
    if (Result<void> opened = open_staging(handles); !opened) return opened;
    if (kind != StepKind::write) return {};
    const Sys<void> written = write_temporary("new", bytes, attributes, new_name, made);
    if (!written) return fail(error(written.error(), "write its new bytes"));
    if (!target.expected) return {};
    if (!parent) return changed();
    return keep_old();
}

Result<void> Transaction::Step::run(Handles& handles) {
    if (kind == StepKind::remove_directory) return {};
    if (!parent) {
        const Sys<std::shared_ptr<const Directory>> opened = handles.get(*target.root, parent_path);
        if (!opened) return fail(error(opened.error(), "open its directory"));
        parent = *opened;
    }
    Result<void> result = kind == StepKind::write    ? put_new()
                          : kind == StepKind::remove ? put_away()
                                                     : make();
    if (!result) return result;
    if (const Sys<void> synced = sync_directory(*parent); !synced) {
        return fail(error(synced.error(), "sync its directory"));
    }
    return {};
}

Result<void> Transaction::Step::put_new() {
    if (target.expected) {
        // Looked at again at the last moment: the rename would take whatever lies there.
        const Sys<std::optional<FileInfo>> there = parent->info(base_name);
        if (there && !*there) return changed();
        if (there && (*there)->identity != target.expected && (*there)->identity != copied_up)
            return changed();
        if (there && is_written_to(**there)) return changed();
    }
    const Sys<void> renamed = target.expected ? rename_over(*staging, new_name, *parent, base_name)
                                              : rename_new(*staging, new_name, *parent, base_name);
    if (!renamed) return fail(error(renamed.error(), "rename its new bytes over it"));
    new_name.clear();
    done = true;
    return {};
}

Result<void> Transaction::Step::put_away() {
    const Result<FileDescriptor> held = hold_expected();
    if (!held) return fail(held.error());
    Sys<void> renamed = tl::unexpected<Errno>(Errno{EEXIST});
    for (int attempt = 0; attempt < name_attempts && !renamed; ++attempt) {
        old_name = temporary_name(attempt, "old");
        renamed = rename_new(*parent, base_name, *staging, old_name);
        if (!renamed && renamed.error().value != EEXIST) break;
    }
    if (!renamed) {
        old_name.clear();
        return fail(error(renamed.error(), "remove it"));
    }
    done = true;
    return follow(*held);
}

Result<void> Transaction::Step::make() {
    const Sys<FileInfo> above = parent->info();
    if (!above) return fail(error(above.error(), "make the directory"));
    // Under another name until it is as it must be: a run that is cut short leaves no half-made directory.
    Sys<void> result = tl::unexpected<Errno>(Errno{EEXIST});
    for (int attempt = 0; attempt < name_attempts && !result; ++attempt) {
        new_name = temporary_name(attempt, "new");
        result = check(mkdirat(parent->fd(), new_name.c_str(), 0700));
        if (!result && result.error().value != EEXIST) break;
    }
    if (!result) {
        new_name.clear();
        return fail(error(result.error(), "make the directory"));
    }
    staging = parent;
    staging_path = parent_path;
    const Sys<Directory> child = parent->open_directory(new_name);
    if (!child) result = tl::unexpected<Errno>(child.error());
    const bool other_owner = above->uid != geteuid() || above->gid != getegid();
    if (result && other_owner && !cannot_keep({above->mode, above->uid, above->gid, {}})) {
        result = check(fchown(child->fd(), above->uid, above->gid));
    }
    if (result) result = check(fchmod(child->fd(), wanted_mode.value_or(directory_mode(*above))));
    if (result) result = sync_directory(*child);
    if (result) result = rename_new(*parent, new_name, *parent, base_name);
    if (!result) {
        // Now, lest it be in the way when its parent is taken back.
        if (remove_temporary(new_name)) new_name.clear();
        return fail(error(result.error(), "make the directory"));
    }
    new_name.clear();
    done = true;
    return {};
}

/// Whether somebody else's file has taken the place of what was put there.
bool Transaction::Step::is_replaced() const {
    if (kind != StepKind::write) return false;
    const Sys<std::optional<Identity>> found = identity_at(*parent, base_name);
    return found && *found && *found != made;
}

Sys<void> Transaction::Step::take_back() {
    if (!done) return {};
    if (is_replaced()) {
        done = false;
        return {};
    }
    Sys<void> result;
    if (kind == StepKind::make_directory) {
        result = check(unlinkat(parent->fd(), base_name.c_str(), AT_REMOVEDIR));
    } else if (kind == StepKind::remove) {
        result = rename_new(*staging, old_name, *parent, base_name);
    } else if (target.expected) {
        result = rename_over(*staging, old_name, *parent, base_name);
    } else {
        result = check(unlinkat(parent->fd(), base_name.c_str(), 0));
    }
    if (!result) return result;
    old_name.clear();
    done = false;
    return sync_directory(*parent);
}

/// Whether what was put there still lies there.
Result<void> Transaction::Step::verify() const {
    if (kind != StepKind::write) return {};
    const Sys<std::optional<Identity>> found = identity_at(*parent, base_name);
    if (!found) return fail(error(found.error(), "look at it"));
    if (*found != made) return changed();
    return {};
}

Sys<void> Transaction::Step::remove_temporary(std::string& name) const {
    const int flags = kind == StepKind::make_directory ? AT_REMOVEDIR : 0;
    if (unlinkat(staging->fd(), name.c_str(), flags) != 0 && errno != ENOENT) return errno_now();
    return {};
}

Sys<void> Transaction::Step::remove_empty_directory(Handles& handles) const {
    if (kind != StepKind::remove_directory) return {};
    const auto passed_over = [](int reason) {
        return reason == ENOTEMPTY || reason == EEXIST || reason == ENOENT || reason == ENOTDIR;
    };
    const Sys<std::shared_ptr<const Directory>> above = handles.get(*target.root, parent_path);
    if (!above && passed_over(above.error().value)) return {};
    if (!above) return tl::unexpected<Errno>(above.error());
    if (unlinkat((*above)->fd(), base_name.c_str(), AT_REMOVEDIR) != 0) {
        if (passed_over(errno)) return {};
        return errno_now();
    }
    return sync_directory(**above);
}

bool holds(const std::vector<std::string>& names, std::string_view prefix) {
    return std::any_of(names.begin(), names.end(),
                       [prefix](const std::string& name) { return name.starts_with(prefix); });
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
        if (errno == EISDIR && unlinkat(directory.fd(), name.c_str(), AT_REMOVEDIR) == 0) continue;
        if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) return errno_now();
    }
    return {};
}

}  // namespace drydock::base
