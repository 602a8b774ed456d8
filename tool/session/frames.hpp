#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "session/reader.hpp"

namespace drydock::session {

enum class FrameState : std::uint8_t { complete, torn, broken };

/// Where a zstd frame lies, told from its headers alone.
struct Frame {
    FrameState state{FrameState::complete};
    std::uint64_t begin{0};
    std::uint64_t end{0};  ///< of what is there of it
    std::string reason;    ///< why it is broken
};

/// The frame that begins at `offset`, which lies before the file's end.
base::Sys<Frame> find_frame(Reader& reader, std::uint64_t offset);

/// The home of libzstd.
class FrameDecoder {
  public:
    /// Takes a piece of text; false to end the decoding.
    using Take = std::function<bool(std::string_view)>;

    FrameDecoder();
    FrameDecoder(const FrameDecoder&) = delete;
    FrameDecoder& operator=(const FrameDecoder&) = delete;
    ~FrameDecoder();

    /// Decodes what is there of a frame, piece by piece. What zstd says is wrong with it is a value.
    base::Sys<std::optional<std::string>> decode(Reader& reader, const Frame& frame, const Take& take);

  private:
    class State;
    std::unique_ptr<State> state_;
};

/// One frame with a checksum, as the harness writes them. Errors: io, when memory runs out.
base::Result<std::string> make_frame(std::string_view text);

}  // namespace drydock::session
