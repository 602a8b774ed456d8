#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"

namespace drydock::session {

/// Where a frame ends in a batch's text, and what zstd says is wrong with it.
struct FrameEnd {
    std::size_t at{0};
    std::optional<std::string> wrong;
};

/// A part of a log's text.
struct Batch {
    std::string text;
    std::vector<FrameEnd> ends;        ///< of zstd frames
    std::optional<base::Errno> error;  ///< reading failed behind this text
};

/// A log's text, read and decoded by a thread of its own while the text before it is looked at. A few batches
/// of about a mebibyte are kept, however fast it is.
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

    /// The next one, good until the call after; null behind the last. Throws what the thread threw.
    const Batch* next();

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
    template <class Source>
    explicit Batches(Source source);

    void produce(const Lines& source);
    void produce(const Frames& source);
    Batch empty_batch();
    bool put(Batch batch);
    void finish();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Batch> ready_;
    std::vector<Batch> spare_;
    std::optional<Batch> current_;
    std::exception_ptr failure_;
    bool ended_{false};     ///< nothing follows what is ready
    bool unwanted_{false};  ///< nobody reads on
    std::thread thread_;    ///< last: it uses the others
};

}  // namespace drydock::session
