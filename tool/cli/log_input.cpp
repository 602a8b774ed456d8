#include "cli/log_input.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/stream.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;
using base::Sys;

constexpr std::size_t copied_at_once = std::size_t{1} << 18U;

bool is_log_name(std::string_view name) {
    return name.ends_with(".jsonl") || name.ends_with(".jsonl.zstd");
}

/// Standard input in a file without a name: frames are read twice.
Result<FileDescriptor> spooled_input() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    if (!file) return cannot("make a temporary file for", "standard input", errno);
    std::string buffer(copied_at_once, '\0');
    while (true) {
        const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot("read", "standard input", errno);
        if (got == 0) break;
        const auto size = static_cast<std::size_t>(got);
        if (std::fwrite(buffer.data(), 1, size, file.get()) != size)
            return cannot("keep", "standard input", errno);
    }
    if (std::fflush(file.get()) != 0) return cannot("keep", "standard input", errno);
    const int descriptor = fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return cannot("keep", "standard input", errno);
    return FileDescriptor(descriptor);
}

/// A file is read where it lies, so that it is seen when another process writes to it; not from within.
Result<FileDescriptor> opened_input() {
    struct stat about {};
    const bool readable = (fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE) != O_WRONLY;
    const bool whole =
        fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
    if (!readable || !whole) return spooled_input();
    const int descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return cannot("read", "standard input", errno);
    return FileDescriptor(descriptor);
}

std::string first_bytes(const FileDescriptor& file) {
    std::string bytes(4, '\0');
    const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
}

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

/// Adds what lies in a folder.
Sys<void> read_folder(const std::string& path, std::vector<std::string>& folders,
                      std::vector<std::string>& files) {
    const Sys<base::Directory> folder = base::Directory::open(path);
    const Sys<std::vector<std::string>> names = folder ? folder->names() : tl::unexpected(folder.error());
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : *names) {
        const Sys<std::optional<base::FileInfo>> info = folder->info(name);
        if (!info) return tl::unexpected(info.error());
        if (!*info) continue;
        const std::string below = fmt::format("{}{}{}", path, path.ends_with('/') ? "" : "/", name);
        if ((*info)->type == base::FileType::directory) folders.push_back(below);
        if ((*info)->type == base::FileType::regular && is_log_name(name)) files.push_back(below);
    }
    return {};
}

}  // namespace

tl::unexpected<Error> cannot(std::string_view what, const std::string& path, int reason) {
    return base::fail(base::io_error({reason}, fmt::format("cannot {} {}", what, path)));
}

Result<FileDescriptor> open_log(const std::string& path) {
    if (path == "-") return opened_input();
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return cannot("open", path, errno);
    return FileDescriptor(descriptor);
}

std::string place_in_store(const std::string& path) {
    const Sys<std::string> real = base::real_path(path == "-" ? "/dev/stdin" : path);
    if (!real) return {};
    const std::filesystem::path whole(*real);
    const std::string name = whole.filename();
    const std::string project = whole.parent_path().parent_path().filename();
    const bool in_store = (name == "session.jsonl" || name == "session.jsonl.zstd") &&
                          (project == "_no-cwd" ||
                           (project.size() > 4 && project.starts_with("--") && project.ends_with("--")));
    if (!in_store) return {};
    return project + '/' + whole.parent_path().filename().string();
}

session::Encoding encoding_of_log(const std::string& path, const FileDescriptor& file) {
    return session::encoding_of(path, first_bytes(file));
}

std::string hint_of_name(const std::string& path, const FileDescriptor& file) {
    static constexpr std::string_view zstd_end = ".zstd";
    const std::string bytes = first_bytes(file);
    const std::string name = std::filesystem::path(path).filename();
    if (name.ends_with(".jsonl") && session::encoding_of({}, bytes) == session::Encoding::zstd)
        return fmt::format("its bytes are zstd frames: named {}{} it would be read as such", name, zstd_end);
    if (name.ends_with(".jsonl.zstd") && bytes.starts_with('{')) {
        return fmt::format("its bytes are plain lines: named {} it would be read as such",
                           name.substr(0, name.size() - zstd_end.size()));
    }
    return {};
}

std::vector<session::Unreadable> add_logs_below(const std::string& path, std::vector<std::string>& files) {
    const auto before = static_cast<std::ptrdiff_t>(files.size());
    std::vector<session::Unreadable> unreadable;
    std::vector<std::string> folders = {without_slashes(path)};
    while (!folders.empty()) {
        const std::string folder = std::move(folders.back());
        folders.pop_back();
        if (const Sys<void> read = read_folder(folder, folders, files); !read)
            unreadable.push_back({folder, base::io_error(read.error(), "cannot read " + folder)});
    }
    std::sort(files.begin() + before, files.end());
    std::sort(unreadable.begin(), unreadable.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return unreadable;
}

Error no_logs(const std::string& path) {
    return base::error_at(ErrorKind::usage, path, 0,
                          "no session log below it; expected *.jsonl or *.jsonl.zstd");
}

Result<session::JudgeOptions> known_types(const Selection& selection,
                                          const manifest::Environment& environment) {
    const Result<manifest::Manifest> manifest = load_manifest(selection, environment);
    if (!manifest) return base::fail(manifest.error());
    if (!manifest->harness || manifest->harness->known_event_types.empty()) {
        return base::fail(base::error_at(
            ErrorKind::usage, manifest->file, 0,
            "no harness section with known-event-types; expected one, by which logs are judged"));
    }
    session::JudgeOptions options;
    const std::vector<std::string>& types = manifest->harness->known_event_types;
    options.known_types.insert(types.begin(), types.end());
    options.patched_types.emplace(stream::event_type);
    return options;
}

Result<session::JudgeOptions> known_types_if_chosen(const Selection& selection,
                                                    const manifest::Environment& environment) {
    const bool chosen =
        selection.manifest || selection.version || !environment("DSH_VERSION").value_or("").empty();
    if (chosen) return known_types(selection, environment);
    session::JudgeOptions options;
    options.any_type = true;
    options.patched_types.emplace(stream::event_type);
    return options;
}

Error about(Error error, const std::string& path) {
    if (error.file.empty()) error.file = path;
    return error;
}

Error store_problem(const session::StoreFault& fault) {
    return base::error_at(
        ErrorKind::check, fault.path, 0,
        fmt::format("{}; the harness lists no session of this store ({})", fault.message, fault.code));
}

void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
        for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    std::vector<std::thread> helpers;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t i = 1; i < std::min(cores, count); ++i) helpers.emplace_back(take);
    take();
    for (std::thread& helper : helpers) helper.join();
}

}  // namespace drydock::cli
