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
#include "session/reader.hpp"
#include "stream/stream.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;
using base::Sys;
using session::Feed;
using session::Verdict;

constexpr std::size_t shown_at_once = std::size_t{64} * 1024;
constexpr std::chrono::milliseconds between_looks{100};
/// After so many looks at a log that stands still, a text that is streamed is shown as far as it is there.
constexpr int looks_to_pause = 10;
constexpr std::size_t most_named = 10;

/// A log is judged from its beginning each time that it grew: not for more than a small part of the time.
constexpr int rest_after_judging = 20;

/// A log that can be shown.
struct Opened {
    FileDescriptor file;
    base::FileInfo info;  ///< when it was opened
};

Result<Opened> open_to_show(const std::string& path) {
    Result<FileDescriptor> file = open_log(path);
    if (!file) return base::fail(file.error());
    const Sys<base::FileInfo> info = base::info_of(*file);
    if (!info || info->type != base::FileType::regular)
        return base::fail(base::error_at(ErrorKind::io, path, 0, "not a regular file"));
    return Opened{*std::move(file), *info};
}

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
    void on_news() override {
        settle();
        muted_ = false;
    }

    [[nodiscard]] bool wants_more() const override { return failure_ == 0 && base::interrupted_by() == 0; }

    /// For another log.
    void begin_anew() {
        begin();
        muted_ = false;
    }

    void settle() { narrator_->settle(); }
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
         const Channels& channels, session::JudgeOptions judging)
        : options_(options),
          channels_(channels),
          judging_(std::move(judging)),
          screen_(options, output, style, channels) {}

    LogShowOutcome run(Opened log) {
        begin(std::move(log));
        const Sys<Feed::Change> read = feed_->read();
        Sys<void> done = read ? Sys<void>() : tl::unexpected(read.error());
        if (options_.follow) {
            screen_.settle();
        } else if (done) {
            done = feed_->finish();
            screen_.finish();
        }
        screen_.flush();
        if (done && screen_.wants_more()) judge();
        if (done && !options_.follow && screen_.wants_more()) done = look_for_writers();
        if (done && options_.follow) done = follow();
        screen_.flush();
        if (!done) refuse(base::io_error(done.error(), "cannot read " + options_.path));
        if (screen_.failure() != 0 && screen_.failure() != EPIPE)
            refuse(base::io_error({screen_.failure()}, "cannot write to standard output"));
        if (!options_.follow && screen_.wants_more()) look_for_child();
        return std::move(outcome_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    void begin(Opened log) {
        log_ = std::move(log);
        judging_.encoding = encoding_of_log(options_.path, log_.file);
        judging_.place = place_in_store(options_.path);
        feed_.emplace(log_.file, judging_.encoding, screen_);
        told_ = {};
        unjudged_ = false;
    }

    Sys<void> follow() {
        for (int still = 0; goes_on() && channels_.wait(between_looks);) {
            std::optional<Opened> successor = look_at_name();  // before the last that is read of this one
            const Sys<Feed::Change> change = feed_->read();
            if (!change) return tl::unexpected(change.error());
            screen_.settle();
            if (*change == Feed::Change::cut) {
                say(fmt::format("the log was cut to {} bytes, as a repair does; going on from there",
                                feed_->size()));
            }
            if (*change == Feed::Change::rewritten)
                say("other bytes stand where lines were shown; what follows is new");
            still = *change == Feed::Change::none ? std::min(still + 1, looks_to_pause + 1) : 0;
            if (still == looks_to_pause) screen_.pause();
            screen_.flush();
            unjudged_ = unjudged_ || *change != Feed::Change::none;
            if (unjudged_ && (successor || Clock::now() >= next_judgement_)) judge();
            if (!successor) continue;
            if (const Sys<void> finished = feed_->finish(); !finished) return finished;
            screen_.finish();
            screen_.flush();
            go_on_with(*std::move(successor));
        }
        return {};
    }

    [[nodiscard]] bool goes_on() const { return outcome_.problems.empty() && screen_.wants_more(); }

    /// The file that lies at the log's name, if that is another one by now.
    std::optional<Opened> look_at_name() {
        const Sys<base::FileInfo> info = base::info_at(options_.path);
        if (!info) {
            const int reason = info.error().value;
            miss(reason == ENOENT || reason == ENOTDIR
                     ? "the log was removed or renamed; waiting for a new one of this name"
                     : fmt::format("the log cannot be reached by its name: {}; waiting until it can be",
                                   base::errno_text(reason)));
            return std::nullopt;
        }
        if (info->identity == log_.info.identity) {
            if (!missed_.empty()) say("the log is there again; going on with it");
            missed_.clear();
            return std::nullopt;
        }
        if (info->type != base::FileType::regular) {
            miss("what lies at the log's name now is no regular file; waiting for a log");
            return std::nullopt;
        }
        Result<Opened> successor = open_to_show(options_.path);
        if (successor) return *std::move(successor);
        miss(fmt::format("the log that lies at this name now cannot be shown: {}; waiting until it can be",
                         base::describe(successor.error())));
        return std::nullopt;
    }

    void go_on_with(Opened successor) {
        say(missed_.empty() ? "another file took the log's place; going on with that from its beginning"
                            : "a new log is there; going on with that from its beginning");
        missed_.clear();
        screen_.begin_anew();
        begin(std::move(successor));
    }

    /// Says once why there is no log at the name.
    void miss(std::string why) {
        if (why == missed_) return;
        screen_.flush();
        say(why);
        missed_ = std::move(why);
    }

    void judge() {
        const Clock::time_point begin = Clock::now();
        const Result<session::Judgement> judgement = session::judge(log_.file, judging_);
        const Clock::time_point end = Clock::now();
        next_judgement_ = end + rest_after_judging * (end - begin);
        unjudged_ = false;
        if (!judgement) return refuse(about(judgement.error(), options_.path));
        if (options_.follow && judgement->headless) return;
        session::Opening opening = judgement->stock;
        // What is cut at its end may still be written.
        if (options_.follow && opening.verdict == Verdict::truncated && !feed_->damaged()) opening = {};
        if (opening == told_) return;
        if (opening.verdict == Verdict::opens) say("the log opens again");
        if (opening.verdict == Verdict::refused) {
            Error error = base::error_at(ErrorKind::check, options_.path, opening.line,
                                         "ERROR: the log does not open: " + opening.reason);
            if (options_.follow) {
                channels_.err(problems_text({error}));
            } else {
                refuse(std::move(error));
            }
            std::string hint = hint_of_name(options_.path, log_.file);
            if (!hint.empty()) say(std::move(hint));
        }
        if (opening.verdict == Verdict::truncated) {
            note(opening.line, "a loader drops what is behind the last whole event: " + opening.reason);
        }
        told_ = std::move(opening);
    }

    /// What was shown may be of no state that the log was in.
    Sys<void> look_for_writers() {
        const Sys<std::string> meanwhile = session::written_since(log_.info, log_.file);
        if (!meanwhile) return tl::unexpected(meanwhile.error());
        if (!meanwhile->empty()) note(0, *meanwhile + "; show it again, or with --follow");
        return {};
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

    void note(std::size_t line, std::string what) {
        Error note = base::error_at(ErrorKind::check, options_.path, line, std::move(what));
        if (options_.follow) return channels_.err(notes_text({note}, false));
        outcome_.notes.push_back(std::move(note));
    }
    void say(std::string what) { note(0, std::move(what)); }

    void refuse(Error error) {
        outcome_.exit = graver(outcome_.exit, exit_code(error.kind));
        outcome_.problems.push_back(std::move(error));
    }

    const LogShowOptions& options_;
    const Channels& channels_;
    session::JudgeOptions judging_;
    Screen screen_;
    Opened log_;
    std::optional<Feed> feed_;  ///< of log_
    session::Opening told_;     ///< of log_; opens: nothing was said
    bool unjudged_{false};      ///< it changed since it was judged
    Clock::time_point next_judgement_;
    std::string missed_;  ///< why there is no log at the name, as it was said; empty: there is
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
    Result<Opened> log = open_to_show(options.path);
    if (!log) return refused(log.error());
    if (options.follow) base::catch_interruptions();
    return Show(options, output, style, channels, *std::move(judging)).run(*std::move(log));
}

}  // namespace drydock::cli
