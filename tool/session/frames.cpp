#include "session/frames.hpp"

#include <array>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <zstd.h>

namespace drydock::session {
namespace {

using base::Sys;

constexpr std::uint32_t frame_magic = 0xFD2FB528;
constexpr std::size_t block_header = 3;
constexpr std::size_t checksum_size = 4;
/// As the loader's decoder has it: libzstd takes a frame in one go where its text fits in here.
constexpr std::size_t text_capacity = 1U << 20U;

/// The lowest byte first.
std::uint32_t number_of(std::string_view bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
    return number;
}

/// How many bytes of a frame's header follow its descriptor.
std::size_t header_size(unsigned descriptor) {
    const unsigned size_flag = descriptor >> 6U;
    const bool single_segment = (descriptor & 0x20U) != 0;
    const unsigned dictionary_flag = descriptor & 3U;
    const std::size_t dictionary = dictionary_flag == 3 ? 4 : dictionary_flag;
    const std::size_t content_size =
        size_flag == 0 ? (single_segment ? 1U : 0U) : (std::size_t{1} << size_flag);
    return (single_segment ? 0U : 1U) + dictionary + content_size;
}

/// Walks over a frame's headers.
class Walk {
  public:
    Walk(Reader& reader, std::uint64_t offset) : reader_(reader), at_(offset) { frame_.begin = offset; }

    Sys<Frame> run() {
        while (step_ != Step::done) {
            const Sys<std::string_view> bytes = reader_.at(at_, needed_);
            if (!bytes) return tl::unexpected(bytes.error());
            if (bytes->size() < needed_) return torn();
            take(bytes->substr(0, needed_));
            if (frame_.state == FrameState::broken) return frame_;
        }
        if (at_ > reader_.size()) return torn();
        frame_.end = at_;
        return frame_;
    }

  private:
    enum class Step : std::uint8_t { magic, descriptor, block, done };

    Frame torn() {
        frame_.state = FrameState::torn;
        frame_.end = reader_.size();
        return frame_;
    }

    void refuse(std::string reason) {
        frame_.state = FrameState::broken;
        frame_.reason = std::move(reason);
    }

    void take(std::string_view bytes) {
        switch (step_) {
            case Step::magic:
                if (number_of(bytes) != frame_magic)
                    return refuse(fmt::format("no zstd frame begins at byte {}", at_));
                advance(bytes.size(), Step::descriptor, 1);
                return;
            case Step::descriptor:
                return take_descriptor(number_of(bytes));
            case Step::block:
                return take_block(number_of(bytes));
            case Step::done:
                return;
        }
    }

    void take_descriptor(unsigned descriptor) {
        if ((descriptor & 0x18U) != 0)
            return refuse(fmt::format("a reserved bit is set in the zstd frame header at byte {}", at_));
        has_checksum_ = (descriptor & 4U) != 0;
        advance(1 + header_size(descriptor), Step::block, block_header);
    }

    void take_block(unsigned header) {
        const bool last = (header & 1U) != 0;
        const unsigned type = header >> 1U & 3U;
        if (type == 3) return refuse(fmt::format("a zstd block of the reserved type at byte {}", at_));
        const std::size_t payload = type == 1 ? 1 : header >> 3U;
        const std::size_t rest = last && has_checksum_ ? checksum_size : 0;
        advance(block_header + payload + rest, last ? Step::done : Step::block, block_header);
    }

    void advance(std::size_t bytes, Step next, std::size_t needed) {
        at_ += bytes;
        step_ = next;
        needed_ = needed;
    }

    Reader& reader_;
    std::uint64_t at_;
    Frame frame_;
    Step step_{Step::magic};
    std::size_t needed_{sizeof frame_magic};
    bool has_checksum_{false};
};

}  // namespace

Sys<Frame> find_frame(Reader& reader, std::uint64_t offset) {
    return Walk(reader, offset).run();
}

class FrameDecoder::State {
  public:
    State() : context_(ZSTD_createDCtx()), text_(std::make_unique_for_overwrite<char[]>(text_capacity)) {
        if (context_ == nullptr) throw std::bad_alloc();
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { ZSTD_freeDCtx(context_); }

    Sys<std::optional<std::string>> decode(Reader& reader, const Frame& frame, const Take& take) {
        ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
        std::uint64_t at = frame.begin;
        bool full = false;
        while (at < frame.end || full) {
            const auto left =
                static_cast<std::size_t>(std::min<std::uint64_t>(frame.end - at, Reader::window));
            const Sys<std::string_view> bytes = reader.at(at, left);
            if (!bytes) return tl::unexpected(bytes.error());
            ZSTD_inBuffer input{bytes->data(), std::min(left, bytes->size()), 0};
            if (input.size == 0 && !full) return std::nullopt;  // someone cut the file
            ZSTD_outBuffer output{text_.get(), text_capacity, 0};
            const std::size_t result = ZSTD_decompressStream(context_, &output, &input);
            if (ZSTD_isError(result) != 0) {
                return fmt::format("the zstd frame at byte {} cannot be decoded: {}", frame.begin,
                                   ZSTD_getErrorName(result));
            }
            at += input.pos;
            full = output.pos == output.size;
            if (output.pos > 0 && !take({text_.get(), output.pos})) return std::nullopt;
        }
        return std::nullopt;
    }

  private:
    ZSTD_DCtx* context_;
    std::unique_ptr<char[]> text_;  ///< of which a small frame touches little
};

FrameDecoder::FrameDecoder() : state_(std::make_unique<State>()) {}
FrameDecoder::~FrameDecoder() = default;

Sys<std::optional<std::string>> FrameDecoder::decode(Reader& reader, const Frame& frame, const Take& take) {
    return state_->decode(reader, frame, take);
}

base::Result<std::string> make_frame(std::string_view text) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    std::string frame(ZSTD_compressBound(text.size()), '\0');
    std::size_t size = 0;
    if (context != nullptr) {
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
        size = ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size());
    }
    if (context == nullptr || ZSTD_isError(size) != 0)
        return base::fail(base::ErrorKind::io, "cannot compress: out of memory");
    frame.resize(size);
    return frame;
}

base::Result<std::string> make_log(std::string_view header_line, std::string_view event_lines) {
    base::Result<std::string> log = make_frame(header_line);
    if (!log || event_lines.empty()) return log;
    const base::Result<std::string> batch = make_frame(event_lines);
    if (!batch) return base::fail(batch.error());
    *log += *batch;
    return log;
}

}  // namespace drydock::session
