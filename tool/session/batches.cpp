#include "session/batches.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <unistd.h>

#include "session/frames.hpp"
#include "session/reader.hpp"

namespace drydock::session {
namespace {

constexpr std::size_t most_ready = 4;
constexpr std::size_t enough_ready = 2;
constexpr std::size_t batch_size = 1U << 17U;
constexpr std::size_t most_ends = 1U << 12U;     // frames may have no text
constexpr std::uint64_t small_file = 1U << 18U;  // a thread costs more than it saves

}  // namespace

void Batch::clear() {
    ahead.clear();
    ends.clear();
    error.reset();
}

Batches Batches::of_lines(const base::FileDescriptor& file, std::uint64_t end) {
    return Batches(Lines{file, end});
}

Batches Batches::of_frames(const base::FileDescriptor& file, std::uint64_t size, std::uint64_t end) {
    return Batches(Frames{file, size, end});
}

Batches::~Batches() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        unwanted_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Batches::produce() {
    std::visit([this](const auto& source) { produce(source); }, source_);
}

void Batches::run_thread() {
    try {
        produce();
    } catch (...) {
        failure_ = std::current_exception();
    }
    finish();
}

void Batches::each(const std::function<bool(Batch&)>& take) {
    const std::uint64_t size = std::visit([](const auto& source) { return source.end; }, source_);
    if (size <= small_file) {
        take_ = &take;
        return produce();
    }
    thread_ = std::thread([this] { run_thread(); });
    for (Batch* batch = next(); batch != nullptr && take(*batch);) batch = next();
}

Batch* Batches::next() {
    std::unique_lock lock(mutex_);
    if (current_) spare_.push_back(std::move(current_));
    changed_.wait(lock, [this] { return !ready_.empty() || ended_; });
    if (ready_.empty()) {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return nullptr;
    }
    current_ = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return current_.get();
}

/// With the memory of one that was read.
Batches::Held Batches::empty_batch() {
    std::unique_lock lock(mutex_);
    if (spare_.empty()) return std::make_unique<Batch>();
    Held batch = std::move(spare_.back());
    spare_.pop_back();
    lock.unlock();
    batch->clear();
    return batch;
}

bool Batches::is_waited_for() {
    const std::lock_guard lock(mutex_);
    return ready_.size() < enough_ready || unwanted_;
}

/// False when nobody reads on.
bool Batches::put(Held batch) {
    if (take_ != nullptr) {
        const bool wanted = (*take_)(*batch);
        spare_.push_back(std::move(batch));
        return wanted;
    }
    if (!is_waited_for()) batch->ahead.read(batch->text);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.size() < most_ready || unwanted_; });
    if (unwanted_) return false;
    ready_.push_back(std::move(batch));
    lock.unlock();
    changed_.notify_all();
    return true;
}

void Batches::finish() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

void Batches::produce(const Lines& source) {
    std::uint64_t at = 0;
    while (at < source.end) {
        Held batch = empty_batch();
        batch->text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch_size, source.end - at)));
        std::size_t filled = 0;
        while (filled < batch->text.size()) {
            const ssize_t got = pread(source.file.get(), batch->text.data() + filled,
                                      batch->text.size() - filled, static_cast<off_t>(at + filled));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) batch->error = base::Errno{errno};
            if (got <= 0) break;
            filled += static_cast<std::size_t>(got);
        }
        const bool cut = filled < batch->text.size();
        batch->text.resize(filled);
        at += filled;
        if (!put(std::move(batch)) || cut) return;
    }
}

void Batches::produce(const Frames& source) {
    Reader reader(source.file, source.size);
    FrameDecoder decoder;
    Held batch = empty_batch();
    batch->text.clear();
    bool wanted = true;
    const auto hand_over = [&] {
        wanted = put(std::exchange(batch, empty_batch()));
        batch->text.clear();
        return wanted;
    };
    for (std::uint64_t at = 0; at < source.end && wanted;) {
        const base::Sys<Frame> frame = find_frame(reader, at);
        if (!frame) batch->error = frame.error();
        if (!frame || frame->state != FrameState::complete) break;  // someone changed it
        const auto wrong = decoder.decode(reader, *frame, [&](std::string_view text) {
            while (!text.empty()) {
                const std::size_t size = std::min(batch_size - batch->text.size(), text.size());
                batch->text += text.substr(0, size);
                text.remove_prefix(size);
                if (batch->text.size() == batch_size && !hand_over()) return false;
            }
            return true;
        });
        if (!wrong) batch->error = wrong.error();
        if (!wrong || !wanted) break;
        batch->ends.push_back({batch->text.size(), *wrong});
        if (*wrong || (batch->ends.size() == most_ends && !hand_over())) break;
        at = frame->end;
    }
    if (wanted) put(std::move(batch));
}

}  // namespace drydock::session
