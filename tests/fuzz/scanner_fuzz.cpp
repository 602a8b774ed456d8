// Any bytes as a log of lines: one verdict, in whatever pieces it is read, with lines read ahead or without,
// and in frames the same.

#include <fmt/format.h>

#include "session/frames.hpp"
#include "session/scanner.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/log_checks.hpp"
#include "tests/session/logs.hpp"

namespace drydock::fuzz {
namespace {

class Seen final : public session::Observer {
  public:
    void on_row(const session::Row& row) override {
        require(row.text == row.text.substr(0, row.text.find('\n')), "a row of several lines");
        fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", row.line, row.seq, row.events, row.text);
    }
    std::string text;
};

enum class Ahead : std::uint8_t { none, read };

/// What the scanner finds in the text, given pieces of `first` bytes, then of `later`.
std::string scanned(std::string_view text, std::size_t first, std::size_t later, Ahead way = Ahead::none) {
    const session::JudgeOptions options = options_of(session::Encoding::plain);
    session::LoadChecks checks(options);
    Seen seen;
    session::Scanner scanner(checks, &seen);
    session::LinesAhead ahead;
    const auto write = [&](std::string_view piece) {
        ahead.clear();
        if (way == Ahead::read) ahead.read(piece);
        return scanner.write(piece, &ahead);
    };
    bool going_on = write(text.substr(0, first));
    text.remove_prefix(std::min(first, text.size()));
    while (going_on && !text.empty()) {
        going_on = write(text.substr(0, later));
        text.remove_prefix(std::min(later, text.size()));
    }
    require(going_on == !scanner.refusal(), "it ends early without a refusal, or goes on behind one");
    checks.finish();
    const session::Opening* refusal = checks.refusal(false);
    const auto shown = [](const std::optional<session::Fault>& fault) {
        return fault ? fmt::format("{}: {}", fault->line, fault->message) : std::string("none");
    };
    return fmt::format("{} events, {} dropped, {} lines, cut {}, issue {}, refusal {}, check {}\n{}",
                       scanner.events(), scanner.dropped(), scanner.lines(),
                       going_on && scanner.ends_in_line(), shown(scanner.issue()), shown(scanner.refusal()),
                       refusal != nullptr ? refusal->reason : "", seen.text);
}

void check_frames(std::string_view text, const session::Judgement& plain) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const std::string frames = session::make_frame(text.substr(0, end + 1)).value() +
                               session::make_frame(text.substr(end + 1)).value();
    const session::Judgement framed = judged(frames, session::Encoding::zstd);
    const bool opens = plain.stock.verdict == session::Verdict::opens;
    require(opens == (framed.stock.verdict == session::Verdict::opens), "frames change the verdict");
    require(!opens || plain.events == framed.events, "frames change the number of events");
}

}  // namespace

void try_one(std::string_view input) {
    const std::string whole = scanned(input, input.size(), 1);
    require(whole == scanned(input, input.size() / 2, input.size()), "two pieces change what is found");
    require(whole == scanned(input, 1, 1 + input.size() % 61), "small pieces change what is found");
    require(whole == scanned(input, input.size(), 1, Ahead::read), "lines read ahead change what is found");
    require(whole == scanned(input, input.size() / 3, 1 + input.size() / 3, Ahead::read),
            "lines read ahead in pieces change what is found");
    const session::Judgement judgement = judged(input, session::Encoding::plain);
    require(whole.starts_with(fmt::format("{} events, ", judgement.events)), "judged, it has other events");
    check_mending(input, session::Encoding::plain);
    check_following(input, session::Encoding::plain, input.size() * 2 / 3);
    check_frames(input, judgement);
}

namespace {

const std::vector<std::string>& table() {
    static const std::vector<std::string> plain = [] {
        std::vector<std::string> result;
        for (test::LogFile& log : test::table_of_logs()) {
            if (log.suffix == ".jsonl") result.push_back(std::move(log.bytes));
        }
        return result;
    }();
    return plain;
}

}  // namespace

std::uint64_t fixed_inputs() {
    return table().size();
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    if (number < fixed_inputs()) return table()[number];
    return test::mutated_logs(1, (std::uint64_t{seed} << 32U) + number)[0].bytes;  // the first is of lines
}

std::vector<std::string_view> words() {
    return {"\n",
            "{",
            "}",
            ",",
            ":",
            "\"",
            "null",
            "-0",
            "1e400",
            "\xff",
            "\"type\":",
            "\"seq\":",
            "\"seq0\":",
            "\"time\":",
            "\"time0\":",
            "\"data\":",
            "\"dt\":",
            "\"texts\":",
            "turn/start",
            "turn/end",
            "text-chunks",
            "user/message",
            "assistant/message",
            "tool/result",
            "tool/call",
            "subagent/stream",
            ",\"ignorable\":true",
            ",\"surfaceOp\":\"append\"",
            "\"sourceEventSeqs\":[",
            "\"version\":0",
            "\"id\":",
            "\"createdAt\":",
            "\"delegationDepth\":0",
            "request/header",
            "\"childId\":",
            "\"index\":",
            "\"item\":",
            "\"kind\":",
            "steering/message"};
}

}  // namespace drydock::fuzz
