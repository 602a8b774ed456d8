#include "cli/command_log.hpp"

#include <cerrno>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/log_input.hpp"
#include "session/mend.hpp"
#include "session/store.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;
using base::Sys;

class Check {
  public:
    explicit Check(session::JudgeOptions options) : options_(std::move(options)) {}

    LogCheckOutcome run(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) collect(path);
        results_.resize(files_.size());
        on_all_cores(files_.size(), [this](std::size_t i) {
            try {
                check(files_[i], results_[i]);
            } catch (const std::exception& exception) {
                Error error;
                error.message = fmt::format("failed: {}", exception.what());
                results_[i].error = about(std::move(error), files_[i]);
            }
        });
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
        if (path == "-" || !base::is_directory(path)) return files_.push_back(path);
        const std::size_t before = files_.size();
        std::vector<session::Unreadable> unreadable = add_logs_below(path, files_);
        if (files_.size() == before && unreadable.empty()) return refuse(no_logs(path));
        std::set<std::string> told(files_.begin() + static_cast<std::ptrdiff_t>(before), files_.end());
        session::Store store;
        if (session::is_store(path)) store = session::read_store(path);
        std::move(store.unreadable.begin(), store.unreadable.end(), std::back_inserter(unreadable));
        // Of a log that cannot be read its check tells.
        for (session::Unreadable& each : unreadable) {
            if (told.insert(each.path).second) refuse(std::move(each.error));
        }
        for (const session::StoreFault& fault : store.refusals) refuse(store_problem(fault));
    }

    void check(const std::string& path, Slot& slot) const {
        const Result<FileDescriptor> file = open_log(path);
        if (!file) {
            slot.error = file.error();
            return;
        }
        session::JudgeOptions options = options_;
        options.encoding = encoding_of_log(path, *file);
        options.place = place_in_store(path);
        session::Review review;
        const Result<session::Judgement> judgement = session::judge(*file, options, &review);
        if (!judgement) {
            slot.error = about(judgement.error(), path);
            return;
        }
        slot.log = {path,
                    *judgement,
                    review.findings(),
                    review.unlisted(),
                    review.children(),
                    hint_of_name(path, *file)};
        if (judgement->meanwhile.empty()) return;
        std::vector<session::Finding>& findings = slot.log.findings;
        findings.insert(findings.begin(), {0, 0, "written", judgement->meanwhile + "; check it again"});
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

/// A loader goes by the name: under one that tells of the other encoding the copy would not open.
Result<void> check_name(const std::string& copy, const FileDescriptor& log, session::Encoding encoding) {
    if (encoding_of_log(copy, log) == encoding) return {};
    return base::fail(
        base::error_at(ErrorKind::usage, copy, 0,
                       encoding == session::Encoding::zstd
                           ? "the name says plain lines, and the log is zstd frames; end it in .jsonl.zstd"
                           : "the name says zstd frames, and the log is plain; end it in .jsonl"));
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
    judging->encoding = encoding_of_log(options.path, *file);
    if (const Result<void> named = check_name(options.copy, *file, judging->encoding); !named)
        return refused(named.error());
    const Result<session::Mending> mending = make_copy(*file, *judging, options.path, options.copy);
    if (!mending) return refused(mending.error());
    outcome.lines = mending->lines;
    outcome.tail_dropped = mending->tail_dropped;
    if (!outcome.lines.empty()) outcome.copy = options.copy;
    return outcome;
}

}  // namespace drydock::cli
