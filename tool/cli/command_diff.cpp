#include "cli/command_diff.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "cli/input.hpp"

namespace drydock::cli {
namespace {

using base::Directory;
using base::Error;
using base::ErrorKind;
using base::FileType;
using base::Result;
using base::Sys;

constexpr std::string_view standard_input = "-";
constexpr std::string_view no_file = "/dev/null";
constexpr std::size_t bytes_looked_at = 8000;  ///< for a NUL, as git does

bool is_binary(std::string_view text) {
    return text.substr(0, bytes_looked_at).find('\0') != std::string_view::npos;
}

unsigned git_mode(mode_t mode) {
    return (mode & S_IXUSR) != 0 ? 0100755 : 0100644;
}

/// What lies at a path below a directory; nothing when there is nothing.
using Entry = std::optional<base::FileInfo>;

bool is(const Entry& entry, FileType type) {
    return entry && entry->type == type;
}

/// In the words of diff(1), what lies at an entry, which is there.
std::string_view type_name(const std::optional<Directory>& folder, const std::string& name,
                           const Entry& entry) {
    switch (entry->type) {
        case FileType::regular:
            return "a regular file";
        case FileType::directory:
            return "a directory";
        case FileType::link:
            return "a symbolic link";
        case FileType::other:
            break;
    }
    struct stat about {};
    if (fstatat(folder->fd(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) return "a special file";
    if (S_ISFIFO(about.st_mode)) return "a fifo";
    if (S_ISSOCK(about.st_mode)) return "a socket";
    if (S_ISCHR(about.st_mode)) return "a character special file";
    return S_ISBLK(about.st_mode) ? "a block special file" : "a special file";
}

/// The components of a path from its last one on.
std::vector<std::string_view> components_backwards(std::string_view path) {
    std::vector<std::string_view> components;
    while (!path.empty()) {
        const std::size_t slash = path.rfind('/');
        const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
        components.push_back(path.substr(begin));
        path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    }
    return components;
}

/// What the patch calls two files.
std::string common_name(const std::string& old_path, const std::string& new_path) {
    const bool only_new = old_path == standard_input || old_path == no_file;
    const bool only_old = new_path == standard_input || new_path == no_file;
    const auto olds = components_backwards(only_new ? new_path : old_path);
    const auto news = components_backwards(only_old ? old_path : new_path);
    std::string name(olds.empty() ? std::string_view() : olds.front());
    if (only_old || only_new) return name;
    for (std::size_t i = 0; i < std::min(olds.size(), news.size()) && olds[i] == news[i]; ++i) {
        if (!base::is_safe_relative(olds[i])) break;
        if (i > 0) name = fmt::format("{}/{}", olds[i], name);
    }
    return name;
}

/// A directory on each side, if it is there, and their path.
struct Folders {
    std::optional<Directory> old_folder;
    std::optional<Directory> new_folder;
    std::string path;  ///< empty: what was named, else with a slash at the end
};

class Comparison {
  public:
    explicit Comparison(const DiffOptions& options) : options_(options) {}

    DiffOutcome run() {
        compare();
        if (problems().empty() || !pairs_.empty()) make_patch();
        outcome_.exit = !problems().empty()                                    ? ExitCode::usage
                        : outcome_.patch.empty() && outcome_.unpatched.empty() ? ExitCode::done
                                                                               : ExitCode::check_failed;
        return std::move(outcome_);
    }

  private:
    void compare();
    void compare_files();
    void compare_folders(const Folders& folders);
    void compare_entries(const Folders& folders, const std::string& name);
    void compare_texts(const std::string& path, std::optional<diff::FileSide> old_side,
                       std::optional<diff::FileSide> new_side);
    void make_patch();

    std::optional<FileType> type_of(const std::string& path);
    std::optional<diff::FileSide> named_side(const std::string& path);
    std::optional<diff::FileSide> side_in(const std::optional<Directory>& folder, const std::string& name,
                                          const Entry& entry, const std::string& path);
    std::optional<std::string> target_of(const Directory& folder, const std::string& name,
                                         const std::string& path);
    Entry entry_in(const std::optional<Directory>& folder, const std::string& name, const std::string& path);
    std::vector<std::string> names_in(const std::optional<Directory>& folder, const std::string& path);
    std::optional<Directory> folder_in(const std::optional<Directory>& folder, const std::string& name,
                                       const Entry& entry, const std::string& path);

    std::vector<Error>& problems() { return outcome_.problems; }
    void refuse(Error error) { problems().push_back(std::move(error)); }
    void refuse(base::Errno reason, const std::string& path) {
        refuse(base::io_error(reason, "cannot read " + path));
    }
    /// What is below the directories that were named, and cannot be compared; all else is.
    void leave_out(Error error) {
        error.message += "; the patch is without it";
        refuse(std::move(error));
    }
    void leave_out(base::Errno reason, const std::string& path) {
        leave_out(base::io_error(reason, "cannot read " + path));
    }
    void tell(const std::string& path, std::string text) {
        outcome_.unpatched.push_back({path, std::move(text)});
    }

    const DiffOptions& options_;
    DiffOutcome outcome_;
    std::vector<diff::FilePair> pairs_;
};

std::optional<FileType> Comparison::type_of(const std::string& path) {
    if (path == standard_input || path == no_file) return FileType::regular;
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) {
        refuse({errno}, path);
        return std::nullopt;
    }
    return S_ISDIR(about.st_mode) ? FileType::directory : FileType::regular;
}

void Comparison::compare() {
    const std::string& old_path = options_.old_path;
    const std::string& new_path = options_.new_path;
    if (old_path == new_path && (old_path == standard_input || old_path == no_file)) {
        Error error;
        error.kind = ErrorKind::usage;
        error.message = fmt::format("{} cannot be both sides", old_path);
        return refuse(std::move(error));
    }
    const std::optional<FileType> old_type = type_of(old_path);
    const std::optional<FileType> new_type = type_of(new_path);
    if (!old_type || !new_type) return;
    if (*old_type != *new_type) {
        Error error;
        error.kind = ErrorKind::usage;
        error.message =
            fmt::format("{} is a directory, the other side is not; expected two files or two directories",
                        *old_type == FileType::directory ? old_path : new_path);
        return refuse(std::move(error));
    }
    if (*old_type == FileType::regular) return compare_files();
    Sys<Directory> old_folder = Directory::open(old_path);
    Sys<Directory> new_folder = Directory::open(new_path);
    if (!old_folder) refuse(old_folder.error(), old_path);
    if (!new_folder) refuse(new_folder.error(), new_path);
    if (old_folder && new_folder) compare_folders({*std::move(old_folder), *std::move(new_folder), {}});
}

void Comparison::compare_files() {
    std::optional<diff::FileSide> old_side = named_side(options_.old_path);
    std::optional<diff::FileSide> new_side = named_side(options_.new_path);
    if (!problems().empty()) return;
    // What standard input's mode would be is not known.
    if (old_side && new_side && (!old_side->mode || !new_side->mode)) old_side->mode = new_side->mode = {};
    compare_texts(common_name(options_.old_path, options_.new_path), old_side, new_side);
}

std::optional<diff::FileSide> Comparison::named_side(const std::string& path) {
    if (path == no_file) return std::nullopt;
    Result<std::string> text = read_input(path, diff::largest_text);
    if (!text) {
        refuse(std::move(text.error()));
        return std::nullopt;
    }
    diff::FileSide side{outcome_.texts.emplace_back(*std::move(text)), std::nullopt};
    struct stat about {};
    if (path != standard_input && stat(path.c_str(), &about) == 0) side.mode = git_mode(about.st_mode);
    return side;
}

void Comparison::compare_folders(const Folders& folders) {
    const std::size_t before = problems().size();
    std::vector<std::string> names = names_in(folders.old_folder, options_.old_path + '/' + folders.path);
    for (std::string& name : names_in(folders.new_folder, options_.new_path + '/' + folders.path)) {
        names.push_back(std::move(name));
    }
    if (problems().size() > before) return;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) compare_entries(folders, name);
}

void Comparison::compare_entries(const Folders& folders, const std::string& name) {
    const std::string path = folders.path + name;
    const std::string old_path = options_.old_path + '/' + path;
    const std::string new_path = options_.new_path + '/' + path;
    const std::size_t before = problems().size();
    const Entry old_entry = entry_in(folders.old_folder, name, old_path);
    const Entry new_entry = entry_in(folders.new_folder, name, new_path);
    if (problems().size() > before) return;
    if (!old_entry && !new_entry) return;  // it went meanwhile
    const bool special = is(old_entry, FileType::other) || is(new_entry, FileType::other);
    if (special || (old_entry && new_entry && old_entry->type != new_entry->type)) {
        const auto named = [&name](const std::optional<Directory>& folder, const Entry& entry) {
            return entry ? type_name(folder, name, entry) : "not there";
        };
        const std::string_view old_type = named(folders.old_folder, old_entry);
        const std::string_view new_type = named(folders.new_folder, new_entry);
        if (!special)
            return tell(path,
                        fmt::format("File a/{0} is {1} while file b/{0} is {2}", path, old_type, new_type));
        Error error;
        error.message = fmt::format("cannot compare {}, which is {}, with {}, which is {}", old_path,
                                    old_type, new_path, new_type);
        return leave_out(std::move(error));
    }
    const FileType type = (old_entry ? old_entry : new_entry)->type;
    if (type == FileType::directory) {
        const Folders below{folder_in(folders.old_folder, name, old_entry, old_path),
                            folder_in(folders.new_folder, name, new_entry, new_path), path + '/'};
        if (problems().size() == before) compare_folders(below);
        return;
    }
    if (type == FileType::regular) {
        const std::optional<diff::FileSide> old_side = side_in(folders.old_folder, name, old_entry, old_path);
        const std::optional<diff::FileSide> new_side = side_in(folders.new_folder, name, new_entry, new_path);
        if (problems().size() == before) compare_texts(path, old_side, new_side);
        return;
    }
    if (!old_entry || !new_entry) {
        return tell(path, fmt::format("Symbolic link {}/{} is only there", old_entry ? 'a' : 'b', path));
    }
    const std::optional<std::string> old_target = target_of(*folders.old_folder, name, old_path);
    const std::optional<std::string> new_target = target_of(*folders.new_folder, name, new_path);
    if (old_target && new_target && *old_target != *new_target)
        tell(path, fmt::format("Symbolic links a/{0} and b/{0} differ", path));
}

Entry Comparison::entry_in(const std::optional<Directory>& folder, const std::string& name,
                           const std::string& path) {
    if (!folder) return std::nullopt;
    Sys<Entry> entry = folder->info(name);
    if (entry) return *entry;
    leave_out(entry.error(), path);
    return std::nullopt;
}

std::vector<std::string> Comparison::names_in(const std::optional<Directory>& folder,
                                              const std::string& path) {
    if (!folder) return {};
    Sys<std::vector<std::string>> names = folder->names();
    if (names) return *std::move(names);
    leave_out(names.error(), path);
    return {};
}

std::optional<Directory> Comparison::folder_in(const std::optional<Directory>& folder,
                                               const std::string& name, const Entry& entry,
                                               const std::string& path) {
    if (!entry) return std::nullopt;
    Sys<Directory> below = folder->open_directory(name);
    if (below) return *std::move(below);
    leave_out(below.error(), path);
    return std::nullopt;
}

std::optional<diff::FileSide> Comparison::side_in(const std::optional<Directory>& folder,
                                                  const std::string& name, const Entry& entry,
                                                  const std::string& path) {
    if (!entry) return std::nullopt;
    const Sys<base::FileDescriptor> file = folder->open_file(name);
    Sys<std::string> text = file ? base::read_all(*file, diff::largest_text)
                                 : Sys<std::string>(tl::unexpected<base::Errno>(file.error()));
    if (text) return diff::FileSide{outcome_.texts.emplace_back(*std::move(text)), git_mode(entry->mode)};
    leave_out(text.error(), path);
    return std::nullopt;
}

std::optional<std::string> Comparison::target_of(const Directory& folder, const std::string& name,
                                                 const std::string& path) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = readlinkat(folder.fd(), name.c_str(), target.data(), target.size());
    if (size >= 0) return std::string(target.data(), static_cast<std::size_t>(size));
    leave_out({errno}, path);
    return std::nullopt;
}

/// Keeps the texts only where there is a patch to be made of them.
void Comparison::compare_texts(const std::string& path, std::optional<diff::FileSide> old_side,
                               std::optional<diff::FileSide> new_side) {
    const auto binary = [](const std::optional<diff::FileSide>& side) {
        return side && is_binary(side->text);
    };
    const bool same_text = old_side && new_side && old_side->text == new_side->text;
    if (!same_text && (binary(old_side) || binary(new_side))) {
        tell(path, fmt::format("Binary files {} and {} differ", old_side ? "a/" + path : no_file,
                               new_side ? "b/" + path : no_file));
    } else if (!same_text || old_side->mode != new_side->mode) {
        pairs_.push_back({path, old_side, new_side});
        return;
    }
    for (int sides = (old_side ? 1 : 0) + (new_side ? 1 : 0); sides > 0; --sides) outcome_.texts.pop_back();
}

void Comparison::make_patch() {
    Result<diff::ProvenPatch> patch = diff::make_patch(pairs_, {options_.context});
    if (patch) {
        outcome_.patch = *std::move(patch);
    } else {
        refuse(std::move(patch.error()));
    }
}

/// What a step of the comparison gives back the next one needs again: from the system it would come page by
/// page, and each page by a fault, in which half of the time went.
void keep_memory() {
    static constexpr int always = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, always);
    mallopt(M_TRIM_THRESHOLD, always);
}

}  // namespace

DiffOutcome diff_files(const DiffOptions& options) {
    keep_memory();
    return Comparison(options).run();
}

}  // namespace drydock::cli
