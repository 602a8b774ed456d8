#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace drydock::patch {

using Done = base::Result<void>;

/// Gives a text piece by piece, and no bytes once it is over. A piece ends where a line does, all lines of a
/// file's header are in one, and it stays until the next one is asked for.
using Pieces = std::function<std::string_view()>;

/// Goes through a patch's text line by line. Plain pointers: this is what most of a large patch's time goes
/// into.
class PatchReader {
  public:
    PatchReader(std::string_view text, const std::string& name)
        : at_(text.data()), text_end_(text.data() + text.size()), name_(name) {
        find_end();
    }

    /// Of a text in pieces: a line's bytes are there until the reader advances.
    PatchReader(const Pieces& pieces, const std::string& name) : PatchReader(pieces(), name) {
        pieces_ = &pieces;
    }

    [[nodiscard]] bool at_end() const { return at_ == text_end_; }

    /// The line at hand without its line feed; empty at the end.
    [[nodiscard]] std::string_view line() const { return {at_, static_cast<std::size_t>(line_end_ - at_)}; }

    /// The line after it; empty when there is none.
    [[nodiscard]] std::string_view second_line() const;

    /// The number of the line at hand, counted from 1.
    [[nodiscard]] std::size_t number() const { return number_; }

    /// Bytes from the line at hand on, in its piece.
    [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(text_end_ - at_); }

    void advance() {
        at_ = next();
        ++number_;
        if (at_end() && pieces_ != nullptr) take_piece();
        find_end();
    }

    /// A refusal of the text at one of its lines; 0: of all of it.
    [[nodiscard]] tl::unexpected<base::Error> fail_at(std::size_t line, std::string message) const;
    [[nodiscard]] tl::unexpected<base::Error> fail_here(std::string message) const {
        return fail_at(number_, std::move(message));
    }

    /// What errors call the text.
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    [[nodiscard]] const char* next() const { return line_end_ == text_end_ ? text_end_ : line_end_ + 1; }
    void take_piece() {
        const std::string_view piece = (*pieces_)();
        at_ = piece.data();
        text_end_ = at_ + piece.size();
    }
    void find_end() {
        const void* const feed = at_end() ? nullptr : std::memchr(at_, '\n', bytes_left());
        line_end_ = feed == nullptr ? text_end_ : static_cast<const char*>(feed);
    }

    const char* at_;
    const char* text_end_;
    const char* line_end_{nullptr};  ///< of the line at hand
    std::size_t number_{1};
    const std::string& name_;
    const Pieces* pieces_{nullptr};  ///< where more comes from
};

/// Whether the lines at hand are `--- ` and `+++ `.
bool at_file_names(const PatchReader& reader);

}  // namespace drydock::patch
