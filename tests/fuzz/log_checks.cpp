#include "tests/fuzz/log_checks.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/feed.hpp"
#include "session/mend.hpp"
#include "session/narrator.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace drydock::fuzz {
namespace {

void append_to(const base::FileDescriptor& file, std::string_view bytes) {
    require(write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "no memory file");
}

/// The console, and what a follower is told beside it.
class Console final : public session::FeedObserver {
  public:
    void on_header(const session::Header& header) override { narrator_.on_header(header); }
    void on_row(const session::Row& row) override { narrator_.on_row(row); }
    void on_unreadable(std::size_t line, std::string_view why) override {
        narrator_.on_unreadable(line, why);
    }
    void on_again() override { require(false, "a log that only grew is read again"); }

    std::string finish() {
        narrator_.finish();
        return std::move(text_);
    }

  private:
    void take(const session::ConsoleLine& line) {
        fmt::format_to(std::back_inserter(text_), "{} {} {} {} [{}] {}\n", line.line, line.seq,
                       session::role_name(line.label.role), line.head, line.note, line.text);
    }

    std::string text_;
    session::Narrator narrator_{[this](const session::ConsoleLine& line) { take(line); }};
};

}  // namespace

base::FileDescriptor file_of(std::string_view bytes) {
    base::FileDescriptor file(memfd_create("log", MFD_CLOEXEC));
    append_to(file, bytes);
    return file;
}

session::JudgeOptions options_of(session::Encoding encoding) {
    session::JudgeOptions options;
    options.encoding = encoding;
    options.known_types = {"turn/start",  "turn/end",      "user/message",    "assistant/message",
                           "tool/result", "step/start",    "assistant/chunk", "tool/call",
                           "step/end",    "request/header"};
    options.patched_types = {"subagent/stream"};
    return options;
}

session::Judgement judged(std::string_view bytes, session::Encoding encoding, session::Review* review) {
    session::Review unseen;
    const auto judgement =
        session::judge(file_of(bytes), options_of(encoding), review != nullptr ? review : &unseen);
    require(judgement.has_value(), "a log in memory cannot be read");
    const bool refused = judgement->stock.verdict == session::Verdict::refused;
    require(judgement->stock.reason.empty() == (judgement->stock.verdict == session::Verdict::opens),
            "a verdict without a reason, or a reason without need");
    require(refused || judgement->patched.verdict == judgement->stock.verdict,
            "a patched harness opens less");
    require(judgement->stock.verdict != session::Verdict::opens || judgement->lost == 0,
            "it opens whole, and loses");
    return *judgement;
}

void check_mending(std::string_view bytes, session::Encoding encoding) {
    std::string copy;
    const auto mending = session::mend(file_of(bytes), options_of(encoding), [&copy](std::string_view piece) {
        copy += piece;
        return base::Sys<void>();
    });
    if (!mending || mending->lines.empty()) return;
    require(judged(copy, encoding).stock.verdict != session::Verdict::refused, "a mended copy does not open");
}

void check_following(std::string_view bytes, session::Encoding encoding, std::size_t cut) {
    const auto told = [&](std::size_t first) {
        Console console;
        const base::FileDescriptor file = file_of(bytes.substr(0, first));
        session::Feed feed(file, encoding, console);
        require(feed.read().has_value(), "a log in memory cannot be followed");
        append_to(file, bytes.substr(first));
        require(feed.read().has_value() && feed.finish().has_value(), "a log in memory cannot be followed");
        return console.finish();
    };
    require(told(bytes.size()) == told(cut), "followed, it tells something else");
}

}  // namespace drydock::fuzz
