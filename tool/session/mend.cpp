#include "session/mend.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "session/frames.hpp"
#include "session/reader.hpp"
#include "stream/stream.hpp"

namespace drydock::session {
namespace {

using base::ErrorKind;
using base::Result;
using base::Sys;

/// The lines of the events that lack their marker, and where the accepted part ends.
class Unmarked final : public Observer {
  public:
    void on_row(const Row& row) override {
        last_ = row.line;
        if (row.type == stream::event_type && !row.value["ignorable"].is_true()) lines_.push_back(row.line);
    }
    [[nodiscard]] const std::vector<std::size_t>& lines() const { return lines_; }
    [[nodiscard]] std::size_t last() const { return last_; }

  private:
    std::vector<std::size_t> lines_;
    std::size_t last_{1};
};

/// A text on its way into the copy. Hands out whole lines.
class Marker {
  public:
    explicit Marker(const std::vector<std::size_t>& lines) : lines_(lines) {}

    void take(std::string_view piece, std::string& target) {
        while (!piece.empty()) {
            const std::size_t end = piece.find('\n');
            part_ += piece.substr(0, end == std::string_view::npos ? end : end + 1);
            if (end == std::string_view::npos) return;
            piece.remove_prefix(end + 1);
            finish_line(target);
        }
    }

    [[nodiscard]] const std::string& rest() const { return part_; }
    [[nodiscard]] std::size_t line() const { return line_; }

  private:
    void finish_line(std::string& target) {
        ++line_;
        if (next_ < lines_.size() && lines_[next_] == line_) {
            ++next_;
            // There is a brace, unless someone changed the file since the line was judged.
            const std::size_t end = part_.rfind('}');
            if (end != std::string::npos) part_.insert(end, ",\"ignorable\":true");
        }
        target += part_;
        part_.clear();
    }

    const std::vector<std::size_t>& lines_;
    std::size_t next_{0};
    std::size_t line_{0};
    std::string part_;
};

class Copy {
  public:
    Copy(Reader& reader, const Unmarked& unmarked, const std::function<Sys<void>(std::string_view)>& write)
        : reader_(reader), unmarked_(unmarked), marker_(unmarked.lines()), write_(write) {}

    Sys<void> plain() {
        for (std::uint64_t at = 0; at < reader_.size();) {
            const Sys<std::string_view> bytes = reader_.at(at, 1);
            if (!bytes) return tl::unexpected(bytes.error());
            at += bytes->size();
            std::string text;
            marker_.take(*bytes, text);
            if (const Sys<void> written = write_(text); !written) return written;
        }
        return write_(marker_.rest());
    }

    /// Gives whether a cut frame was replaced.
    Result<bool> frames() {
        bool torn = false;
        for (std::uint64_t at = 0; at < reader_.size() && !torn;) {
            const Sys<Frame> frame = find_frame(reader_, at);
            if (!frame) return failed(frame.error());
            if (frame->state == FrameState::broken) return torn;  // someone changed it
            torn = frame->state == FrameState::torn;
            std::string text;
            const auto wrong = decoder_.decode(reader_, *frame, [&](std::string_view piece) {
                if (!torn || marker_.line() < unmarked_.last()) marker_.take(piece, text);
                return true;
            });
            if (!wrong) return failed(wrong.error());
            at = frame->end;
            if (text.empty()) continue;
            const Result<std::string> made = make_frame(text);
            if (!made) return base::fail(made.error());
            if (const Sys<void> written = write_(*made); !written) return failed(written.error());
        }
        return torn;
    }

  private:
    static tl::unexpected<base::Error> failed(base::Errno reason) {
        return base::fail(base::io_error(reason, "cannot copy the log"));
    }

    Reader& reader_;
    const Unmarked& unmarked_;
    Marker marker_;
    FrameDecoder decoder_;
    const std::function<Sys<void>(std::string_view)>& write_;
};

}  // namespace

Result<Mending> mend(const base::FileDescriptor& file, const JudgeOptions& options,
                     const std::function<Sys<void>(std::string_view)>& write) {
    const Sys<base::FileInfo> info = base::info_of(file);
    if (!info) return base::fail(base::io_error(info.error(), "cannot read the log"));
    Unmarked unmarked;
    const Result<Judgement> judgement = judge(file, options, &unmarked);
    if (!judgement) return base::fail(judgement.error());
    if (!judgement->meanwhile.empty()) return base::fail(ErrorKind::check, judgement->meanwhile);
    if (judgement->stock.verdict != Verdict::refused) return Mending();
    if (judgement->patched.verdict == Verdict::refused) {
        return base::fail(base::error_at(
            ErrorKind::check, {}, judgement->patched.line,
            judgement->patched.reason + "; only unmarked subagent/stream events can be mended"));
    }
    Reader reader(file, info->size);
    Copy copy(reader, unmarked, write);
    Mending mending{unmarked.lines(), false};
    if (options.encoding == Encoding::plain) {
        const Sys<void> copied = copy.plain();
        if (!copied) return base::fail(base::io_error(copied.error(), "cannot copy the log"));
    } else {
        const Result<bool> torn = copy.frames();
        if (!torn) return base::fail(torn.error());
        mending.tail_dropped = *torn;
    }
    const Sys<std::string> meanwhile = written_since(*info, file);
    if (!meanwhile) return base::fail(base::io_error(meanwhile.error(), "cannot read the log"));
    if (!meanwhile->empty()) return base::fail(ErrorKind::check, *meanwhile);
    return mending;
}

}  // namespace drydock::session
