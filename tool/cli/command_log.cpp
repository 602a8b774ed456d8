#include "cli/command_log.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "session/mend.hpp"
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

tl::unexpected<Error> cannot(std::string_view what, const std::string& path, int reason) {
    return base::fail(base::io_error({reason}, fmt::format("cannot {} {}", what, path)));
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

Result<FileDescriptor> open_log(const std::string& path) {
    if (path == "-") return spooled_input();
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return cannot("open", path, errno);
    return FileDescriptor(descriptor);
}

/// The two directories of a log that lies as in a store; else empty.
std::string place_in_store(const std::string& path) {
    const Sys<std::string> real = base::real_path(path);
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

std::string first_bytes(const FileDescriptor& file) {
    std::string bytes(4, '\0');
    const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
}

/// What a stock and a patched harness of the selected version know.
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

Error about(Error error, const std::string& path) {
    if (error.file.empty()) error.file = path;
    return error;
}

class Check {
  public:
    explicit Check(session::JudgeOptions options) : options_(std::move(options)) {}

    LogCheckOutcome run(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) collect(path);
        results_.resize(files_.size());
        std::vector<std::thread> helpers;
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        for (std::size_t i = 1; i < std::min(cores, files_.size()); ++i)
            helpers.emplace_back([this] { work(); });
        work();
        for (std::thread& helper : helpers) helper.join();
        for (std::size_t i = 0; i < files_.size(); ++i) settle(results_[i]);
        return std::move(outcome_);
    }

  private:
    /// What a core leaves for the end.
    struct Slot {
        CheckedLog log;
        std::optional<Error> error;
    };

    void refuse(Error error) {
        outcome_.exit = graver(outcome_.exit, exit_code(error.kind));
        outcome_.problems.push_back(std::move(error));
    }

    void collect(const std::string& path) {
        std::error_code failure;
        if (path == "-" || !std::filesystem::is_directory(path, failure)) {
            files_.push_back(path);
            return;
        }
        const std::size_t before = files_.size();
        std::filesystem::recursive_directory_iterator each(path, failure);
        for (; !failure && each != std::filesystem::recursive_directory_iterator(); each.increment(failure)) {
            std::error_code gone;
            if (each->symlink_status(gone).type() == std::filesystem::file_type::regular &&
                is_log_name(each->path().filename().native()))
                files_.push_back(each->path());
        }
        if (failure)
            refuse(base::io_error({failure.value()}, fmt::format("cannot read all that is below {}", path)));
        std::sort(files_.begin() + static_cast<std::ptrdiff_t>(before), files_.end());
        if (!failure && files_.size() == before) {
            refuse(base::error_at(ErrorKind::usage, path, 0,
                                  "no session log below it; expected *.jsonl or *.jsonl.zstd"));
        }
    }

    void work() {
        for (std::size_t i = next_++; i < files_.size(); i = next_++) {
            try {
                check(files_[i], results_[i]);
            } catch (const std::exception& exception) {
                Error error;
                error.message = fmt::format("failed: {}", exception.what());
                results_[i].error = about(std::move(error), files_[i]);
            }
        }
    }

    void check(const std::string& path, Slot& slot) const {
        const Result<FileDescriptor> file = open_log(path);
        if (!file) {
            slot.error = file.error();
            return;
        }
        session::JudgeOptions options = options_;
        options.encoding = session::encoding_of(path, first_bytes(*file));
        options.place = place_in_store(path);
        session::Review review;
        const Result<session::Judgement> judgement = session::judge(*file, options, &review);
        if (!judgement) {
            slot.error = about(judgement.error(), path);
            return;
        }
        slot.log = {path, *judgement, review.findings(), review.unlisted(), review.children()};
    }

    void settle(Slot& slot) {
        if (slot.error) return refuse(*std::move(slot.error));
        if (slot.log.judgement.stock.verdict != session::Verdict::opens || !slot.log.findings.empty())
            outcome_.exit = graver(outcome_.exit, ExitCode::check_failed);
        outcome_.logs.push_back(std::move(slot.log));
    }

    session::JudgeOptions options_;
    std::vector<std::string> files_;
    std::vector<Slot> results_;
    std::atomic<std::size_t> next_{0};
    LogCheckOutcome outcome_;
};

Sys<void> write_whole(const FileDescriptor& file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return base::errno_now();
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

/// The copy must open where the log did not.
Result<void> prove(const FileDescriptor& copy, const session::JudgeOptions& options) {
    const Result<session::Judgement> judgement = session::judge(copy, options);
    if (!judgement) return base::fail(judgement.error());
    if (judgement->stock.verdict != session::Verdict::refused) return {};
    return base::fail(ErrorKind::check, "the copy would not open either: " + judgement->stock.reason);
}

Result<session::Mending> make_copy(const FileDescriptor& file, const session::JudgeOptions& options,
                                   const std::string& from, const std::string& path) {
    const FileDescriptor copy(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!copy.valid()) return cannot("create", path, errno);
    Result<session::Mending> mending =
        session::mend(file, options, [&copy](std::string_view bytes) { return write_whole(copy, bytes); });
    if (!mending) mending = base::fail(about(mending.error(), from));
    Result<void> proven;
    if (mending && !mending->lines.empty()) proven = prove(copy, options);
    if (mending && !proven) mending = base::fail(proven.error());
    if (mending && fsync(copy.get()) != 0) mending = cannot("write", path, errno);
    if (!mending || mending->lines.empty()) unlink(path.c_str());
    return mending;
}

}  // namespace

LogCheckOutcome check_logs(const LogCheckOptions& options, const manifest::Environment& environment) {
    Result<session::JudgeOptions> known = known_types(options.selection, environment);
    if (known) return Check(*std::move(known)).run(options.paths);
    return {exit_code(known.error().kind), {}, {known.error()}};
}

LogMendOutcome mend_log(const LogMendOptions& options, const manifest::Environment& environment) {
    LogMendOutcome outcome;
    outcome.path = options.path;
    const auto refused = [&outcome](Error error) {
        outcome.exit = exit_code(error.kind);
        outcome.problems.push_back(std::move(error));
        return outcome;
    };
    Result<session::JudgeOptions> judging = known_types(options.selection, environment);
    if (!judging) return refused(judging.error());
    const Result<FileDescriptor> file = open_log(options.path);
    if (!file) return refused(file.error());
    judging->encoding = session::encoding_of(options.path, first_bytes(*file));
    const Result<session::Mending> mending = make_copy(*file, *judging, options.path, options.copy);
    if (!mending) return refused(mending.error());
    outcome.lines = mending->lines;
    outcome.tail_dropped = mending->tail_dropped;
    if (!outcome.lines.empty()) outcome.copy = options.copy;
    return outcome;
}

}  // namespace drydock::cli
