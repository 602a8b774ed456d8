#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "patch/model.hpp"

namespace drydock::patch {

/// A text without the carriage return at its end, if it has one.
inline std::string_view without_cr(std::string_view text) {
    const bool has_cr = !text.empty() && text.back() == '\r';
    return {text.data(), text.size() - (has_cr ? 1 : 0)};
}

/// The bytes that an ending stands for.
constexpr std::string_view bytes_of(Ending ending) {
    switch (ending) {
        case Ending::lf:
            return "\n";
        case Ending::crlf:
            return "\r\n";
        case Ending::none:
            break;
    }
    return {};
}

/// A line of a file.
struct FileLine {
    std::string_view text;  ///< without its end
    Ending ending{Ending::lf};
    std::size_t next{0};  ///< where the line after it starts
};

/// The line that starts at `offset`, which lies before the end of the text.
FileLine line_at(std::string_view text, std::size_t offset);

/// Where the lines of a text start. It reads no further than it is asked, and remembers how many lines begin
/// before each block of bytes only, so that a large file with short lines costs no more memory than one with
/// long lines.
class LineTable {
  public:
    explicit LineTable(std::string_view text) : text_(text) {}

    [[nodiscard]] std::string_view text() const { return text_; }

    /// How many lines there are; what follows the last line feed is one, if it is not empty.
    std::size_t count();

    /// Where a line (counted from 0) starts; for the one after the last, the end of the text; nothing beyond
    /// it.
    std::optional<std::size_t> offset(std::size_t line);

    /// Where the lines from `first` up to, not with, `end` start; fewer when the text ends before.
    std::vector<std::size_t> offsets(std::size_t first, std::size_t end);

  private:
    static constexpr std::size_t block_size = 256;
    void read_block();
    [[nodiscard]] std::size_t offset_of_read(std::size_t line) const;
    [[nodiscard]] bool read_all() const { return read_ == text_.size(); }

    std::string_view text_;
    std::vector<std::uint32_t> feeds_before_{
        0};                     ///< line feeds before each block, and before what is not yet read
    std::size_t read_{0};       ///< bytes
    std::size_t last_line_{0};  ///< the last answer: many questions come twice
    std::size_t last_offset_{0};
};

}  // namespace drydock::patch
