#include "cli/command_log_show.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/process.hpp"
#include "base/suggest.hpp"
#include "cli/log_input.hpp"
#include "cli/render_log_show.hpp"
#include "cli/render_problems.hpp"
#include "session/feed.hpp"
#include "stream/stream.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;
using base::Sys;
using session::Feed;

constexpr std::size_t shown_at_once = std::size_t{64} * 1024;
constexpr std::chrono::milliseconds between_looks{100};
/// After so many looks at a log that stands still, a text that is streamed is shown as far as it is there.
constexpr int looks_to_pause = 10;
constexpr std::size_t most_named = 10;

/// A log on its way to standard output.
class Screen final : public session::FeedObserver {
  public:
    Screen(const LogShowOptions& options, const OutputOptions& output, const Style& style,
           const Channels& channels)
        : options_(options), output_(output), channels_(channels), console_(style, options.full) {
        begin();
    }

    void on_header(const session::Header& header) override {
        if (!options_.raw) narrator_->on_header(header);
    }

    void on_row(const session::Row& row) override {
        if (!options_.raw) return narrator_->on_row(row);
        const session::Label label = session::label_of(row);
        if (label.role == session::Role::stream && !muted_) children_.emplace(label.child);
        if (muted_ || !options_.filter.takes(label, row.type, false)) return;
        add(row.text);
        add("\n");
    }

    void on_unreadable(std::size_t line, std::string_view why) override {
        if (!options_.raw) narrator_->on_unreadable(line, why);
    }

    void on_again() override {
        begin();
        muted_ = true;
    }
    void on_news() override { muted_ = false; }

    [[nodiscard]] bool wants_more() const override { return failure_ == 0 && base::interrupted_by() == 0; }

    void pause() { narrator_->pause(); }
    void finish() { narrator_->finish(); }

    void flush() {
        const Sys<void> written = failure_ == 0 ? channels_.out(buffer_) : Sys<void>();
        buffer_.clear();
        if (!written) failure_ = written.error().value;
    }

    /// The errno of a write that failed; 0 without one.
    [[nodiscard]] int failure() const { return failure_; }

    /// The ids of all children that had steps.
    [[nodiscard]] const std::set<std::string, std::less<>>& children() const {
        return options_.raw ? children_ : narrator_->children();
    }

  private:
    void begin() {
        narrator_.emplace([this](const session::ConsoleLine& entry) { show(entry); });
    }

    void show(const session::ConsoleLine& entry) {
        if (muted_ || !options_.filter.takes(entry.label, entry.type, entry.minor)) return;
        add(output_.json ? log_entry_line(entry) : console_.text(entry));
    }

    void add(std::string_view text) {
        if (failure_ != 0) return;
        buffer_ += text;
        if (buffer_.size() >= shown_at_once) flush();
    }

    const LogShowOptions& options_;
    const OutputOptions& output_;
    const Channels& channels_;
    LogConsole console_;
    std::optional<session::Narrator> narrator_;
    std::set<std::string, std::less<>> children_;
    bool muted_{false};
    std::string buffer_;
    int failure_{0};
};

class Show {
  public:
    Show(const LogShowOptions& options, const OutputOptions& output, const Style& style,
         const Channels& channels)
        : options_(options), channels_(channels), screen_(options, output, style, channels) {}

    LogShowOutcome run(const FileDescriptor& file, session::JudgeOptions judging) {
        judging.encoding = encoding_of_log(options_.path, file);
        judging.place = place_in_store(options_.path);
        Feed feed(file, judging.encoding, screen_);
        Sys<void> done = read(feed);
        if (done && !options_.follow) {
            done = feed.finish();
            screen_.finish();
        }
        screen_.flush();
        if (done && screen_.wants_more()) judge(file, judging);
        if (done && options_.follow) done = follow(feed, file, judging);
        screen_.flush();
        if (!done) refuse(base::io_error(done.error(), "cannot read " + options_.path));
        if (screen_.failure() != 0 && screen_.failure() != EPIPE)
            refuse(base::io_error({screen_.failure()}, "cannot write to standard output"));
        if (!options_.follow && screen_.wants_more()) look_for_child();
        return std::move(outcome_);
    }

  private:
    Sys<void> read(Feed& feed) {
        const Sys<Feed::Change> change = feed.read();
        if (!change) return tl::unexpected(change.error());
        screen_.flush();
        return {};
    }

    Sys<void> follow(Feed& feed, const FileDescriptor& file, const session::JudgeOptions& judging) {
        for (int still = 0; screen_.wants_more() && channels_.wait(between_looks);) {
            const Sys<Feed::Change> change = feed.read();
            if (!change) return tl::unexpected(change.error());
            if (*change == Feed::Change::cut) {
                say(fmt::format("the log was cut to {} bytes, as a repair does; going on from there",
                                feed.size()));
            }
            if (*change == Feed::Change::rewritten)
                say("other bytes stand where lines were shown; what follows is new");
            still = *change == Feed::Change::none ? std::min(still + 1, looks_to_pause + 1) : 0;
            if (still == looks_to_pause) screen_.pause();
            screen_.flush();
            if (!judged_ && *change != Feed::Change::none) judge(file, judging);
        }
        return {};
    }

    void judge(const FileDescriptor& file, const session::JudgeOptions& judging) {
        const Result<session::Judgement> judgement = session::judge(file, judging);
        if (judgement && judgement->headless && options_.follow) return;
        judged_ = true;
        if (!judgement) return refuse(about(judgement.error(), options_.path));
        const session::Opening& opening = judgement->stock;
        if (opening.verdict == session::Verdict::refused) {
            Error error = base::error_at(ErrorKind::check, options_.path, opening.line,
                                         "ERROR: the log does not open: " + opening.reason);
            if (options_.follow) return channels_.err(problems_text({error}));
            refuse(std::move(error));
        } else if (opening.verdict == session::Verdict::truncated && !options_.follow) {
            outcome_.notes.push_back(
                base::error_at(ErrorKind::check, options_.path, opening.line,
                               "a loader drops what is behind the last whole event: " + opening.reason));
        }
    }

    /// An id that no step bears is mistyped, as a rule.
    void look_for_child() {
        const std::string& child = options_.filter.child;
        const std::set<std::string, std::less<>>& known = screen_.children();
        const auto next = known.lower_bound(child);
        if (child.empty() || (next != known.end() && next->starts_with(child))) return;
        std::vector<std::string> named;
        for (const std::string& each : known) {
            if (named.size() < most_named) named.push_back(each);
        }
        refuse(base::error_at(
            ErrorKind::check, options_.path, 0,
            known.empty() ? fmt::format("no step of the child {}: no child has steps in this log", child)
                          : fmt::format("no step of the child {}; there are steps of {}{}", child,
                                        fmt::join(named, ", "), known.size() > most_named ? ", ..." : "")));
    }

    void say(const std::string& what) {
        channels_.err(notes_text({base::error_at(ErrorKind::check, options_.path, 0, what)}, false));
    }

    void refuse(Error error) {
        outcome_.exit = graver(outcome_.exit, exit_code(error.kind));
        outcome_.problems.push_back(std::move(error));
    }

    const LogShowOptions& options_;
    const Channels& channels_;
    Screen screen_;
    bool judged_{false};  ///< not while a header is waited for
    LogShowOutcome outcome_;
};

}  // namespace

bool LogFilter::takes(const session::Label& label, std::string_view type, bool minor) const {
    if (!child.empty() && !label.child.starts_with(child)) return false;
    if (names.contains(type)) return true;
    if (minor && !all) return false;
    if (roles.empty() && names.empty()) return true;
    return roles.contains(label.role) || names.contains(label.kind) ||
           (label.is_error && roles.contains(session::Role::error));
}

Result<void> add_kind(LogFilter& filter, const std::string& typed) {
    const std::optional<session::Role> role = session::role_of(typed);
    if (role) filter.roles.insert(*role);
    const bool kind = stream::kind_of(typed).has_value();
    if (kind || typed.find('/') != std::string::npos) filter.names.insert(typed);
    if (role || kind || typed.find('/') != std::string::npos) return {};
    std::vector<std::string> known = {"tool-call", "tool-result", "system", "assistant",
                                      "thought",   "plan",        "other"};
    for (std::size_t i = 0; i <= static_cast<std::size_t>(session::Role::turn); ++i) {
        std::string name(session::role_name(static_cast<session::Role>(i)));
        for (char& each : name) each = static_cast<char>(each | 0x20);
        known.push_back(std::move(name));
    }
    return base::fail(
        ErrorKind::usage,
        fmt::format("--kind is a role (user, ctx, think, assist, call, result, stream, sys, error, turn), a "
                    "kind of a child's step, or an event's type with a slash, found '{}'{}",
                    typed, base::did_you_mean(typed, known)));
}

LogShowOutcome show_log(const LogShowOptions& options, const OutputOptions& output, const Style& style,
                        const manifest::Environment& environment, const Channels& channels) {
    const auto refused = [](Error error) {
        LogShowOutcome outcome;
        outcome.exit = exit_code(error.kind);
        outcome.problems.push_back(std::move(error));
        return outcome;
    };
    Result<session::JudgeOptions> judging = known_types_if_chosen(options.selection, environment);
    if (!judging) return refused(judging.error());
    const Result<FileDescriptor> file = open_log(options.path);
    if (!file) return refused(file.error());
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info || info->type != base::FileType::regular)
        return refused(base::error_at(ErrorKind::io, options.path, 0, "not a regular file"));
    if (options.follow) base::catch_interruptions();
    return Show(options, output, style, channels).run(*file, *std::move(judging));
}

}  // namespace drydock::cli
