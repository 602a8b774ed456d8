#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "patch/patch_reader.hpp"

namespace drydock::patch {

/// All that the header of one file said, before it is judged as a whole: its hunks come first, and with them
/// maybe another piece of the text.
struct Header {
    std::size_t line{0};
    bool git{false};
    std::string git_names;  ///< the rest of the `diff --git` line
    bool created{false};
    bool removed{false};
    bool renamed{false};
    bool copied{false};
    bool dissimilar{false};  ///< less than 100 % similar: there must be hunks
    std::string moved_from;
    std::string moved_to;
    std::string old_token;  ///< the name as the text has it, with its quotes; empty: no such line
    std::string new_token;
    std::string old_name;
    std::string new_name;
    bool old_epoch{false};  ///< the timestamp with which diff -N says that there is no file
    bool new_epoch{false};
    bool converted{false};  ///< its lines end with CRLF because the whole patch was converted
    std::optional<unsigned> old_mode;
    std::optional<unsigned> new_mode;
    std::string old_hash;
    std::string new_hash;

    /// Whether there were `---` and `+++` lines.
    [[nodiscard]] bool has_names() const { return !new_token.empty(); }
};

/// Reads git's header: a `diff --git` line and those that belong to it.
base::Result<Header> parse_git_header(PatchReader& reader);

/// Reads a `---` and a `+++` line.
base::Result<Header> parse_plain_header(PatchReader& reader);

}  // namespace drydock::patch
