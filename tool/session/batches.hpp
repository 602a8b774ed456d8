#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "session/lines.hpp"

namespace drydock::session {

/// Where a frame ends in a batch's text, and what zstd says is wrong with it.
struct FrameEnd {
    std::size_t at{0};
    std::optional<std::string> wrong;
};

/// A part of a log's text.
struct Batch {
    Batch() = default;
    Batch(const Batch&) = delete;  // the lines lie in the text
    Batch& operator=(const Batch&) = delete;
    ~Batch() = default;

    void clear();  ///< all but the text, which need not be filled with zeros before it is read again

    std::string text;
    LinesAhead ahead;                  ///< the text's lines, where there was time to read them
    std::vector<FrameEnd> ends;        ///< of zstd frames
    std::optional<base::Errno> error;  ///< reading failed behind this text
};

/// A log's text. Of a large file it is read and decoded by a thread of its own while the text before it is
/// looked at; when that is slower, the thread reads the lines too. A few small batches are kept, however fast
/// it is.
class Batches {
  public:
    /// The bytes of a file up to `end`, or to where somebody cut it. The file must outlive this.
    static Batches of_lines(const base::FileDescriptor& file, std::uint64_t end);

    /// The text of the complete zstd frames from the beginning of a file of `size` bytes to `end`, up to the
    /// first one that is wrong.
    static Batches of_frames(const base::FileDescriptor& file, std::uint64_t size, std::uint64_t end);

    Batches(const Batches&) = delete;
    Batches& operator=(const Batches&) = delete;
    ~Batches();

    /// Gives them in their order, each good during the call only, until `take` says false.
    void each(const std::function<bool(Batch&)>& take);

  private:
    struct Lines {
        const base::FileDescriptor& file;
        std::uint64_t end;
    };
    struct Frames {
        const base::FileDescriptor& file;
        std::uint64_t size;
        std::uint64_t end;
    };
    using Source = std::variant<Lines, Frames>;
    explicit Batches(Source source) : source_(source) {}

    void produce();
    void produce(const Lines& source);
    void produce(const Frames& source);
    void run_thread();
    using Held = std::unique_ptr<Batch>;
    Batch* next();
    Held empty_batch();
    bool put(Held batch);
    bool is_waited_for();
    void finish();

    Source source_;
    const std::function<bool(Batch&)>* take_{nullptr};  ///< where there is no thread
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Held> ready_;
    std::vector<Held> spare_;
    Held current_;
    std::exception_ptr failure_;
    bool ended_{false};     ///< nothing follows what is ready
    bool unwanted_{false};  ///< nobody reads on
    std::thread thread_;    ///< last: it uses the others
};

}  // namespace drydock::session
