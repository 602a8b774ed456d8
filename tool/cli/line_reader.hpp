#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/result.hpp"

namespace drydock::cli {

struct InputLine {
    std::string_view text;  ///< without its LF; good until the next one is read
    std::size_t number{0};  ///< counted from 1
    bool too_long{false};   ///< then the text is empty
};

/// The lines of a file of any size; what is behind the last LF is a line, too, unless it is empty. Holds the
/// longest line and a little more.
class LineReader {
  public:
    /// Lines of more than `longest` bytes are passed over.
    LineReader(base::FileDescriptor file, std::size_t longest) : file_(std::move(file)), longest_(longest) {}

    /// The next line; nothing at the end.
    base::Sys<std::optional<InputLine>> next();

  private:
    base::Sys<void> fill();
    InputLine line(std::size_t end);

    base::FileDescriptor file_;
    std::size_t longest_;
    std::string buffer_;
    std::size_t begin_{0};    ///< of the next line in the buffer
    std::size_t scanned_{0};  ///< up to here there is no LF
    std::size_t number_{0};
    bool too_long_{false};  ///< the line's beginning was thrown away
    bool at_end_{false};
};

}  // namespace drydock::cli
