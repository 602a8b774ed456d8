#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "session/rows.hpp"

namespace drydock::session {

/// UTF-16 units of the longest string that node has.
inline constexpr std::size_t longest_line = 0x1FFFFFE8;

/// The lines of a text that comes in pieces.
class LineSplitter {
  public:
    /// Gives each line that is whole with this piece to `take(line, too_long)`, without its newline, good
    /// during the call only. `too_long`: no node could hold it, and it was not kept. False as soon as `take`
    /// gave false; the rest of the piece is dropped then.
    template <class Take>
    bool write(std::string_view piece, const Take& take) {
        while (!piece.empty()) {
            const void* found = std::memchr(piece.data(), '\n', piece.size());
            if (found == nullptr) {
                keep_part(piece);
                return true;
            }
            const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - piece.data());
            std::string_view line = piece.substr(0, size);
            piece.remove_prefix(size + 1);
            if (!part_.empty() || part_too_long_) {
                keep_part(line);
                line = part_;
            }
            const bool going_on = take(line, part_too_long_);
            part_.clear();
            part_units_ = 0;
            part_too_long_ = false;
            if (!going_on) return false;
        }
        return true;
    }

    /// Whether there is text behind the last newline.
    [[nodiscard]] bool ends_in_line() const { return !part_.empty() || part_too_long_; }

  private:
    /// At most as many as there are UTF-16 units once the bytes are decoded.
    static std::size_t least_units(std::string_view bytes) {
        return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char each) {
            return (static_cast<unsigned char>(each) & 0xC0U) != 0x80U;
        }));
    }

    void keep_part(std::string_view part) {
        part_units_ += least_units(part);
        if (part_units_ > longest_line) {
            part_too_long_ = true;
            part_ = std::string();
        }
        if (!part_too_long_) part_ += part;
    }

    std::string part_;  ///< of a line that is not complete
    std::size_t part_units_{0};
    bool part_too_long_{false};
};

/// A line that was read.
struct ParsedLine {
    bool readable{false};  ///< it is JSON, and no packed row that is malformed
    base::JsonView value;
    StoredRow row;
};

/// Reads lines, any bytes.
class LineParser {
  public:
    /// What it gives is good until the next line is read so; its memory serves one at a time.
    ParsedLine parse(std::string_view text);

    /// What it gives is good until forget().
    ParsedLine add(std::string_view text);

    void forget();

  private:
    base::JsonDocument document_;
};

/// Lines that a thread read before they are asked for.
class LinesAhead {
  public:
    /// Reads the lines of `text` that stand between two newlines, the first few thousand. `text` must outlive
    /// this, or clear().
    void read(std::string_view text);

    void clear();

    /// The line that lies there, if it was read. Lines are asked for in their order.
    const ParsedLine* find(std::string_view line);

  private:
    struct Known {
        const char* begin;
        ParsedLine line;
    };
    LineParser parser_;
    std::vector<Known> lines_;
    std::size_t next_{0};
};

}  // namespace drydock::session
