#include <cerrno>
#include <filesystem>
#include <unordered_set>

#include <fcntl.h>
#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "source/library.hpp"
#include "source/source.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

using base::Errno;
using base::errno_now;
using base::ErrorKind;
using base::fail;
using base::Result;
using base::Sys;

constexpr std::size_t entries_between_reports = 64;

Sys<void> write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file, bytes.data(), bytes.size());
        if (put < 0 && errno != EINTR) return errno_now();
        if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

/// Puts entries, sorted by path, beneath a directory.
class Writer {
  public:
    explicit Writer(const base::Directory& root) : root_(root) {}

    Sys<void> put(const Entry& entry, const std::string& bytes) {
        const auto [folder, name] = base::split_path(entry.path);
        if (Sys<void> entered = enter(folder); !entered) return entered;
        if (entry.kind == EntryKind::submodule)
            return mkdirat(here().fd(), name.c_str(), 0777) == 0 ? Sys<void>() : errno_now();
        if (entry.kind == EntryKind::link) {
            if (bytes.find('\0') != std::string::npos) return tl::unexpected<Errno>(Errno{EINVAL});
            return symlinkat(bytes.c_str(), here().fd(), name.c_str()) == 0 ? Sys<void>() : errno_now();
        }
        const mode_t mode = entry.kind == EntryKind::executable ? 0777 : 0666;
        const base::FileDescriptor file(
            openat(here().fd(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
        if (!file.valid()) return errno_now();
        return write_all(file.get(), bytes);
    }

  private:
    [[nodiscard]] const base::Directory& here() const { return folder_.empty() ? root_ : held_; }

    Sys<void> enter(const std::string& folder) {
        if (folder == folder_) return {};
        for (std::size_t end = 0; end != std::string::npos && !folder.empty();) {
            end = folder.find('/', end == 0 ? 0 : end + 1);
            if (Sys<void> there = make(folder.substr(0, end)); !there) return there;
        }
        if (!folder.empty()) {
            Sys<base::Directory> opened = root_.open_directory(folder);
            if (!opened) return tl::unexpected<Errno>(opened.error());
            held_ = *std::move(opened);
        }
        folder_ = folder;
        return {};
    }

    Sys<void> make(const std::string& folder) {
        if (!made_.insert(folder).second) return {};
        const auto [parent, name] = base::split_path(folder);
        const Sys<base::Directory> above = root_.open_directory(parent);
        if (!above) return tl::unexpected<Errno>(above.error());
        if (mkdirat(above->fd(), name.c_str(), 0777) != 0) return errno_now();
        return {};
    }

    const base::Directory& root_;
    std::string folder_;  ///< the one that held_ is; the empty one is root_
    base::Directory held_;
    std::unordered_set<std::string> made_;
};

void empty_again(const std::string& directory) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        std::filesystem::remove_all(entry.path(), ignored);
}

/// Asked before the first byte is written.
Result<void> check_blobs(const Repository::State& state, const std::vector<Entry>& entries) {
    git_odb* odb = nullptr;
    if (const int code = git_repository_odb(&odb, state.repository); code != 0)
        return fail(state.unreadable(code, "the objects folder"));
    const Handle<git_odb, git_odb_free> held(odb);
    for (const Entry& entry : entries) {
        git_oid id;
        git_oid_fromstr(&id, entry.id.c_str());
        if (entry.kind != EntryKind::submodule && git_odb_exists(odb, &id) == 0)
            return fail(state.missing(fmt::format("the blob {} ('{}')", entry.id, printable(entry.path))));
    }
    return {};
}

Result<void> write_entries(const Repository::State& state, const std::vector<Entry>& entries,
                           const base::Directory& root, const std::string& directory,
                           base::Progress& progress) {
    Writer writer(root);
    std::size_t done = 0;
    for (const Entry& entry : entries) {
        Result<std::string> bytes = std::string();
        if (entry.kind != EntryKind::submodule) bytes = blob(state, entry);
        if (!bytes) return fail(bytes.error());
        if (const Sys<void> put = writer.put(entry, *bytes); !put) {
            return fail(io_error(put.error(),
                                 fmt::format("cannot write '{}' into {}", printable(entry.path), directory)));
        }
        ++done;
        if (done % entries_between_reports == 0 || done == entries.size())
            progress.update("writing files", done, entries.size());
    }
    return {};
}

}  // namespace

Result<void> Repository::check_out(const std::string& commit, const std::string& directory,
                                   base::Progress& progress) const {
    const Sys<base::Directory> root = base::Directory::open(directory);
    if (!root) return fail(io_error(root.error(), "cannot check out into " + directory));
    const Sys<std::vector<std::string>> there = root->names();
    if (!there) return fail(io_error(there.error(), "cannot check out into " + directory));
    if (!there->empty()) {
        return fail(ErrorKind::usage,
                    fmt::format("cannot check out into {}: it holds '{}'; expected an empty "
                                "directory",
                                directory, printable(there->front())));
    }
    const Result<git_tree*> tree = state_->tree_of(commit);
    if (!tree) return fail(tree.error());
    const Handle<git_tree, git_tree_free> held(*tree);
    const Result<std::vector<Entry>> entries = walk(*state_, commit, **tree, {});
    if (!entries) return fail(entries.error());
    if (Result<void> present = check_blobs(*state_, *entries); !present) return present;
    Result<void> written = write_entries(*state_, *entries, *root, directory, progress);
    if (!written) empty_again(directory);
    return written;
}

}  // namespace drydock::source
