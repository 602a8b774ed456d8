#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drydock::patch {

using Done = base::Result<void>;

/// Goes through a patch's text line by line.
class PatchReader {
  public:
    PatchReader(std::string_view text, const std::string& name) : rest_(text), name_(name) { find_end(); }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    /// The line at hand without its line feed; empty at the end.
    [[nodiscard]] std::string_view line() const { return rest_.substr(0, end_); }

    /// The line after it; empty when there is none.
    [[nodiscard]] std::string_view second_line() const;

    /// The number of the line at hand, counted from 1.
    [[nodiscard]] std::size_t number() const { return number_; }

    /// Bytes from the line at hand on.
    [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }

    void advance() {
        rest_.remove_prefix(end_ < rest_.size() ? end_ + 1 : end_);
        ++number_;
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
    void find_end() {
        const std::size_t feed = rest_.find('\n');
        end_ = feed == std::string_view::npos ? rest_.size() : feed;
    }

    std::string_view rest_;
    std::size_t end_{0};  ///< of the line at hand, in the rest
    std::size_t number_{1};
    const std::string& name_;
};

/// Whether the lines at hand are `--- ` and `+++ `.
bool at_file_names(const PatchReader& reader);

}  // namespace drydock::patch
