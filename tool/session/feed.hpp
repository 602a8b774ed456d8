#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "session/frames.hpp"
#include "session/lines.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// Sees a log while it is followed.
class FeedObserver : public Observer {
  public:
    /// A line that is no event, or with line 0 bytes of the file that hold no lines.
    virtual void on_unreadable(std::size_t line, std::string_view why);

    /// What was seen is gone over again, from the first line on, to get to where the file was cut.
    virtual void on_again();
    /// From here on it is new.
    virtual void on_news();

    /// False ends the reading.
    [[nodiscard]] virtual bool wants_more() const;
};

/// Reads a log as it grows, line by line, and gives every line that can be read, whether a loader would
/// accept it or not. A row's `seq` is what it says, or the next one where it says none. Holds one line, or
/// what zstd needs for a window.
class Feed {
  public:
    enum class Change : std::uint8_t {
        none,
        grown,
        cut,        ///< the file got shorter, as by a loader's repair
        rewritten,  ///< other bytes stand where lines were read
    };

    /// Both outlive it.
    Feed(const base::FileDescriptor& file, Encoding encoding, FeedObserver& observer)
        : file_(file), encoding_(encoding), observer_(observer) {}

    /// Gives what was added since the last call, as far as lines (frames) are whole; the rest waits. Of a
    /// file that was cut, what is new is given. Errors: of the file.
    base::Sys<Change> read();

    /// Gives the whole lines of a last frame that is cut, for when nothing more is waited for.
    base::Sys<void> finish();

    /// Whether a whole line is no event, or leaves a gap: a loader drops it, and what is behind it.
    [[nodiscard]] bool damaged() const { return damaged_; }

    /// The file's size when it was read last.
    [[nodiscard]] std::uint64_t size() const { return seen_; }

  private:
    /// A place up to which lines were read, and the bytes before it.
    struct Mark {
        std::uint64_t offset{0};
        std::string before;
    };

    [[nodiscard]] base::Sys<Mark> mark_at(std::uint64_t offset) const;
    [[nodiscard]] base::Sys<bool> stands(const Mark& mark) const;
    base::Sys<Change> find_change();
    base::Sys<void> read_lines();
    base::Sys<void> read_frames();
    base::Sys<void> decode(Reader& reader, const Frame& frame);
    void take_line(std::string_view text, bool too_long);
    void take_header(std::string_view text);
    void take_event(std::string_view text);
    void unreadable(std::string_view why);
    void pass(std::uint64_t offset);
    void news();

    const base::FileDescriptor& file_;
    Encoding encoding_;
    FeedObserver& observer_;
    LineParser parser_;
    FrameDecoder decoder_;
    std::uint64_t seen_{0};   ///< the file's size
    Mark read_;               ///< everything before it was given
    Mark accepted_;           ///< the end of the lines before the first that a loader does not accept
    std::uint64_t again_{0};  ///< up to here it was given before
    bool broken_{false};      ///< no frame begins where one should
    bool damaged_{false};     ///< a line was no event, or left a gap
    std::size_t line_{0};
    std::uint64_t events_{0};
};

}  // namespace drydock::session
