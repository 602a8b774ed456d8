#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/hunks.hpp"

namespace drydock::diff {

/// The text of a patch, piece by piece: it is never whole in memory.
class Printer {
  public:
    /// The files are the caller's; each of them changes.
    explicit Printer(const std::vector<ChangedFile>& files);

    /// The next piece, as patch::Pieces has it: whole lines, a header never divided. It stays until the next
    /// one is asked for; empty: the text is over.
    std::string_view next();

  private:
    bool step();
    void print_lines();

    const std::vector<ChangedFile>& files_;
    bool git_;
    std::size_t file_{0};
    std::optional<Hunks> hunks_;  ///< of the file at hand
    Hunks::Lines lines_;          ///< that are yet to be printed
    std::string buffer_;
};

}  // namespace drydock::diff
