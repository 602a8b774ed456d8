#include "session/feed.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <unistd.h>

#include "session/header.hpp"
#include "session/reader.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::Sys;

/// As many bytes before a place are enough to know it again: the last of a line, or a frame's checksum.
constexpr std::uint64_t known_again_by = 64;

Sys<std::string> bytes_at(const base::FileDescriptor& file, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t got =
            pread(file.get(), bytes.data() + filled, size - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return base::errno_now();
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

}  // namespace

void FeedObserver::on_unreadable(std::size_t /*line*/, std::string_view /*why*/) {}
void FeedObserver::on_again() {}
void FeedObserver::on_news() {}
bool FeedObserver::wants_more() const {
    return true;
}

Sys<Feed::Mark> Feed::mark_at(std::uint64_t offset) const {
    const std::uint64_t size = std::min(offset, known_again_by);
    Sys<std::string> before = bytes_at(file_, offset - size, static_cast<std::size_t>(size));
    if (!before) return tl::unexpected(before.error());
    return Mark{offset, *std::move(before)};
}

Sys<bool> Feed::stands(const Mark& mark) const {
    const Sys<std::string> now = bytes_at(file_, mark.offset - mark.before.size(), mark.before.size());
    if (!now) return tl::unexpected(now.error());
    return *now == mark.before;
}

/// Where what was read is no longer there, reading begins again: up to where it is still the same nothing is
/// new.
Sys<Feed::Change> Feed::find_change() {
    const Sys<base::FileInfo> info = base::info_of(file_);
    if (!info) return tl::unexpected(info.error());
    const std::uint64_t before = std::exchange(seen_, info->size);
    const bool cut = seen_ < before;
    const bool lines_cut = seen_ < read_.offset;
    const Sys<bool> same = lines_cut ? false : stands(read_);
    if (!same) return tl::unexpected(same.error());
    if (*same) return cut ? Change::cut : seen_ > before ? Change::grown : Change::none;
    const Sys<bool> accepted = seen_ < accepted_.offset ? false : stands(accepted_);
    if (!accepted) return tl::unexpected(accepted.error());
    again_ = *accepted ? accepted_.offset : lines_cut ? seen_ : 0;
    read_ = accepted_ = Mark();
    broken_ = damaged_ = false;
    line_ = 0;
    events_ = 0;
    observer_.on_again();
    if (again_ == 0) observer_.on_news();
    return cut ? Change::cut : Change::rewritten;
}

Sys<Feed::Change> Feed::read() {
    const Sys<Change> change = find_change();
    if (!change || *change == Change::none) return change;
    const Sys<void> got = encoding_ == Encoding::zstd ? read_frames() : read_lines();
    if (!got) return tl::unexpected(got.error());
    if (again_ != 0) news();
    Sys<Mark> read = mark_at(read_.offset);
    Sys<Mark> accepted = mark_at(accepted_.offset);
    if (!read || !accepted) return tl::unexpected(!read ? read.error() : accepted.error());
    read_ = *std::move(read);
    accepted_ = *std::move(accepted);
    return change;
}

/// A place that was read up to.
void Feed::pass(std::uint64_t offset) {
    read_.offset = offset;
    if (!damaged_) accepted_.offset = offset;
    if (again_ != 0 && offset >= again_) news();
}

void Feed::news() {
    again_ = 0;
    observer_.on_news();
}

Sys<void> Feed::read_lines() {
    Reader reader(file_, seen_);
    LineSplitter lines;
    std::uint64_t end = read_.offset;
    for (std::uint64_t at = end; at < reader.size() && observer_.wants_more();) {
        const Sys<std::string_view> bytes = reader.at(at, 1);
        if (!bytes) return tl::unexpected(bytes.error());
        at += bytes->size();
        lines.write(*bytes, [&](std::string_view text, bool too_long) {
            end += text.size() + 1;
            // What was there before may end within a line; that line is new, since it goes on otherwise.
            if (again_ != 0 && end > again_) news();
            take_line(text, too_long);
            pass(end);
            return observer_.wants_more();
        });
    }
    return {};
}

Sys<void> Feed::read_frames() {
    Reader reader(file_, seen_);
    while (read_.offset < reader.size() && !broken_ && observer_.wants_more()) {
        const Sys<Frame> frame = find_frame(reader, read_.offset);
        if (!frame) return tl::unexpected(frame.error());
        if (frame->state == FrameState::torn) return {};
        if (frame->state == FrameState::broken) {
            broken_ = true;
            observer_.on_unreadable(0, frame->reason);
            return {};
        }
        if (const Sys<void> decoded = decode(reader, *frame); !decoded) return decoded;
        pass(frame->end);
    }
    return {};
}

Sys<void> Feed::decode(Reader& reader, const Frame& frame) {
    LineSplitter lines;
    const auto wrong = decoder_.decode(reader, frame, [&](std::string_view piece) {
        return lines.write(piece, [this](std::string_view text, bool too_long) {
            take_line(text, too_long);
            return observer_.wants_more();
        });
    });
    if (!wrong) return tl::unexpected(wrong.error());
    const bool whole = frame.state == FrameState::complete;
    if (*wrong) observer_.on_unreadable(0, **wrong);
    if (!*wrong && whole && lines.ends_in_line())
        observer_.on_unreadable(0, "a zstd frame ends within a line");
    return {};
}

Sys<void> Feed::finish() {
    if (encoding_ == Encoding::plain || broken_ || read_.offset >= seen_) return {};
    Reader reader(file_, seen_);
    const Sys<Frame> frame = find_frame(reader, read_.offset);
    if (!frame) return tl::unexpected(frame.error());
    return frame->state == FrameState::torn ? decode(reader, *frame) : Sys<void>();
}

void Feed::unreadable(std::string_view why) {
    damaged_ = true;
    observer_.on_unreadable(line_, why);
}

void Feed::take_line(std::string_view text, bool too_long) {
    ++line_;
    if (too_long) return unreadable("the line is longer than node's longest string");
    if (line_ == 1) return take_header(text);
    take_event(text);
}

void Feed::take_header(std::string_view text) {
    const HeaderReading reading = read_header(text);
    if (!reading.header) return unreadable(reading.refusal);
    observer_.on_header(*reading.header);
}

void Feed::take_event(std::string_view text) {
    const ParsedLine parsed = parser_.parse(text);
    if (!parsed.readable || !parsed.row.type.is_string()) return unreadable("the line is no event");
    Row row{line_,        events_, parsed.row.events, parsed.row.packed, parsed.row.type.string(),
            parsed.value, text};
    if (is_count(parsed.row.seq)) row.seq = static_cast<std::uint64_t>(parsed.row.seq.number());
    damaged_ = damaged_ || row.seq != events_;
    events_ = row.seq + row.events;
    observer_.on_row(row);
}

}  // namespace drydock::session
