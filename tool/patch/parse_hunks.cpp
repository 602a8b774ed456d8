#include "patch/parse_hunks.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "patch/lines.hpp"
#include "patch/names.hpp"

namespace drydock::patch {
namespace {

/// `-LINE,COUNT` of a hunk header.
struct Range {
    std::size_t start{0};
    std::size_t count{1};
};

class HunkParser {
  public:
    HunkParser(PatchReader& reader, bool converted, HunkVisitor* visitor)
        : reader_(reader), converted_(converted), visitor_(visitor) {}

    base::Result<std::vector<Hunk>> run();

  private:
    base::Result<Hunk> header() const;
    base::Result<Range> range(std::string_view& text) const;
    base::Result<std::size_t> number(std::string_view& text) const;
    [[nodiscard]] tl::unexpected<base::Error> no_header() const;
    Done check_order(const std::vector<Hunk>& before, const Hunk& hunk) const;
    Done body(Hunk& hunk);
    [[nodiscard]] std::optional<Line> line_at_hand() const;
    bool take_line();
    [[nodiscard]] tl::unexpected<base::Error> why_not(const Hunk& hunk) const;
    [[nodiscard]] tl::unexpected<base::Error> truncated(const Hunk& hunk) const;
    Done no_newline();
    Done after_hunks();

    PatchReader& reader_;
    bool converted_;
    HunkVisitor* visitor_;
    std::vector<Line> lines_;  ///< of the hunk at hand, or, with a visitor, its last one
    bool changes_{false};      ///< one of them is no context
    std::size_t old_left_{0};  ///< lines that its header promises
    std::size_t new_left_{0};
    bool old_side_ended_{false};  ///< it had a last line without a newline
    bool new_side_ended_{false};
};

/// How many hunks may come, if all are of the first one's size: growing a vector of many costs more than
/// parsing them.
std::size_t estimated_hunks(std::size_t bytes_of_first, std::size_t bytes_left) {
    static constexpr std::size_t most = 1U << 16U;
    return std::min(most, 1 + bytes_left / bytes_of_first);
}

base::Result<std::vector<Hunk>> HunkParser::run() {
    std::vector<Hunk> hunks;
    while (reader_.line().starts_with("@@ ")) {
        const std::size_t bytes_before = reader_.bytes_left();
        base::Result<Hunk> hunk = header();
        if (!hunk) return base::fail(std::move(hunk.error()));
        if (Done done = check_order(hunks, *hunk); !done) return base::fail(std::move(done.error()));
        reader_.advance();
        if (Done done = body(*hunk); !done) return base::fail(std::move(done.error()));
        if (hunks.empty() && visitor_ == nullptr) {
            hunks.reserve(estimated_hunks(bytes_before - reader_.bytes_left(), reader_.bytes_left()));
        }
        hunks.push_back(*std::move(hunk));
    }
    if (hunks.empty()) return hunks;
    if (Done done = after_hunks(); !done) return base::fail(std::move(done.error()));
    return hunks;
}

tl::unexpected<base::Error> HunkParser::no_header() const {
    return reader_.fail_here(
        fmt::format("{} is no hunk header; expected '@@ -LINE,COUNT +LINE,COUNT @@'", shown(reader_.line())));
}

base::Result<std::size_t> HunkParser::number(std::string_view& text) const {
    static constexpr std::size_t largest = std::size_t{1} << 40U;
    static constexpr std::size_t most_digits_shown = 40;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length == 0) return no_header();
    if (error != std::errc() || value > largest) {
        return reader_.fail_here(fmt::format("the number {} of a hunk header is too large",
                                             text.substr(0, std::min(length, most_digits_shown))));
    }
    text.remove_prefix(length);
    return value;
}

base::Result<Range> HunkParser::range(std::string_view& text) const {
    Range result;
    base::Result<std::size_t> value = number(text);
    if (!value) return base::fail(std::move(value.error()));
    result.start = *value;
    if (text.starts_with(',')) {
        text.remove_prefix(1);
        value = number(text);
        if (!value) return base::fail(std::move(value.error()));
        result.count = *value;
    }
    if (result.start == 0 && result.count > 0) {
        return reader_.fail_here(
            fmt::format("a hunk header with {} lines from line 0; lines are counted from 1", result.count));
    }
    return result;
}

base::Result<Hunk> HunkParser::header() const {
    std::string_view text = without_cr(reader_.line());
    const auto take = [&text](std::string_view what) {
        const bool there = text.starts_with(what);
        if (there) text.remove_prefix(what.size());
        return there;
    };
    if (!take("@@ -")) return no_header();
    base::Result<Range> old_range = range(text);
    if (!old_range) return base::fail(std::move(old_range.error()));
    if (!take(" +")) return no_header();
    base::Result<Range> new_range = range(text);
    if (!new_range) return base::fail(std::move(new_range.error()));
    if (!take(" @@")) return no_header();
    take(" ");
    Hunk hunk;
    hunk.old_start = old_range->start;
    hunk.old_count = old_range->count;
    hunk.new_start = new_range->start;
    hunk.new_count = new_range->count;
    hunk.section = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    hunk.line = reader_.number();
    return hunk;
}

Done HunkParser::check_order(const std::vector<Hunk>& before, const Hunk& hunk) const {
    if (before.empty()) return {};
    const Hunk& last = before.back();
    const std::size_t first = hunk.old_count == 0 ? hunk.old_start + 1 : hunk.old_start;
    const std::size_t end = last.old_count == 0 ? last.old_start + 1 : last.old_start + last.old_count;
    if (first < end) {
        const std::string_view how = hunk.old_start < last.old_start ? "goes backwards" : "overlaps";
        return reader_.fail_here(
            fmt::format("hunk {} {}: it starts at line {}, but hunk {} reaches to line {}", before.size() + 1,
                        how, first, before.size(), end - 1));
    }
    if (old_side_ended_ || new_side_ended_) {
        return reader_.fail_here(fmt::format("hunk {} comes after the end of the file that hunk {} reached",
                                             before.size() + 1, before.size()));
    }
    return {};
}

Done HunkParser::body(Hunk& hunk) {
    lines_.clear();
    changes_ = false;
    if (visitor_ != nullptr) visitor_->hunk(hunk);
    old_left_ = hunk.old_count;
    new_left_ = hunk.new_count;
    old_side_ended_ = false;
    new_side_ended_ = false;
    while (old_left_ > 0 || new_left_ > 0) {
        if (reader_.at_end()) return truncated(hunk);
        if (reader_.line().starts_with('\\')) {
            if (Done done = no_newline(); !done) return done;
        } else if (!take_line()) {
            return why_not(hunk);
        }
        reader_.advance();
    }
    if (reader_.line().starts_with("\\ ")) {
        if (Done done = no_newline(); !done) return done;
        reader_.advance();
    }
    if (!changes_) {
        return reader_.fail_at(hunk.line, "a hunk that changes nothing; the patch was cut or edited?");
    }
    if (visitor_ != nullptr) return {};
    // A large hunk keeps its lines where they are; of many small ones each gets just what it needs.
    static constexpr std::size_t large = 4096;
    if (lines_.size() >= large) {
        hunk.lines = std::exchange(lines_, {});
    } else {
        hunk.lines.assign(lines_.begin(), lines_.end());
    }
    return {};
}

/// The line at hand, what it is by its first character; nothing when it is no line of a hunk.
std::optional<Line> HunkParser::line_at_hand() const {
    std::string_view text = converted_ ? without_cr(reader_.line()) : reader_.line();
    Line line;
    // Of an empty context line, editors and mailers strip the blank.
    const bool blank = text.empty() || (text.size() == 1 && text[0] == '\r');
    if (!blank) {
        switch (text[0]) {
            case ' ':
                break;
            case '-':
                line.kind = LineKind::removed;
                break;
            case '+':
                line.kind = LineKind::added;
                break;
            default:
                return std::nullopt;
        }
        text.remove_prefix(1);
    }
    line.text = without_cr(text);
    line.ending = line.text.size() < text.size() ? Ending::crlf : Ending::lf;
    return line;
}

/// Takes the line at hand if the hunk has room for it.
bool HunkParser::take_line() {
    const std::optional<Line> line = line_at_hand();
    if (!line) return false;
    const bool in_old = line->kind != LineKind::added;
    const bool in_new = line->kind != LineKind::removed;
    if ((in_old && (old_left_ == 0 || old_side_ended_)) || (in_new && (new_left_ == 0 || new_side_ended_)))
        return false;
    old_left_ -= in_old ? 1 : 0;
    new_left_ -= in_new ? 1 : 0;
    changes_ = changes_ || line->kind != LineKind::context;
    if (visitor_ != nullptr) {
        visitor_->line(*line);
        lines_.clear();
    }
    lines_.push_back(*line);
    return true;
}

/// Why the line at hand was not taken.
tl::unexpected<base::Error> HunkParser::why_not(const Hunk& hunk) const {
    const std::optional<Line> line = line_at_hand();
    if (!line) return truncated(hunk);
    const bool too_many_old = line->kind != LineKind::added && old_left_ == 0;
    const bool too_many_new = line->kind != LineKind::removed && new_left_ == 0;
    if (!too_many_old && !too_many_new) {
        return reader_.fail_here("a line after the last one, which has no newline at its end");
    }
    return reader_.fail_here(fmt::format("the hunk of line {} has more {} lines than its header says ({})",
                                         hunk.line, too_many_old ? "old" : "new",
                                         too_many_old ? hunk.old_count : hunk.new_count));
}

tl::unexpected<base::Error> HunkParser::truncated(const Hunk& hunk) const {
    const std::string missing =
        fmt::format("the hunk of line {} is truncated: {} old and {} new lines are missing", hunk.line,
                    old_left_, new_left_);
    if (reader_.at_end()) return reader_.fail_at(reader_.number() - 1, missing);
    return reader_.fail_here(fmt::format("{}, and {} is none of them", missing, shown(reader_.line())));
}

Done HunkParser::no_newline() {
    if (lines_.empty() || lines_.back().ending == Ending::none) {
        return reader_.fail_here("'\\ No newline at end of file' without a line before it");
    }
    Line& last = lines_.back();
    // The CR was no part of a line end, then.
    if (last.ending == Ending::crlf) last.text = {last.text.data(), last.text.size() + 1};
    last.ending = Ending::none;
    old_side_ended_ = old_side_ended_ || last.kind != LineKind::added;
    new_side_ended_ = new_side_ended_ || last.kind != LineKind::removed;
    if (visitor_ != nullptr) visitor_->no_newline();
    return {};
}

/// Whatever looks like more of a hunk that is complete would be lost without a word.
Done HunkParser::after_hunks() {
    bool blank_before = false;
    while (!reader_.at_end()) {
        const std::string_view text = without_cr(reader_.line());
        const bool signature = text == "--" || text == "-- ";
        if (signature || at_file_names(reader_)) return {};
        const bool change = text.starts_with('+') || text.starts_with('-');
        const bool context = text.starts_with(' ') || text.starts_with("\\ ");
        if (change || (context && !blank_before)) {
            return reader_.fail_here("a hunk has more lines than its header says");
        }
        if (!text.empty() && !context) return {};
        blank_before = true;
        reader_.advance();
    }
    return {};
}

}  // namespace

base::Result<std::vector<Hunk>> parse_hunks(PatchReader& reader, bool converted, HunkVisitor* visitor) {
    return HunkParser(reader, converted, visitor).run();
}

}  // namespace drydock::patch
