#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "patch/patch_reader.hpp"

namespace drydock::patch {

inline constexpr const char* binary_patch =
    "a git binary patch, whose data (literal, delta) drydock does not read; put that file in place with git "
    "apply, and leave it out of this patch";
inline constexpr const char* binary_without_contents =
    "a binary file that differs, without its contents; drydock reads text patches only";
inline constexpr const char* ed_script =
    "an ed script; drydock reads unified diffs only and runs no commands";

/// Recognises, between the files of a patch, the formats that are refused by name. Text around a patch is
/// free, so each needs evidence that prose does not give.
class ForeignFormats {
  public:
    /// What is refused about the line at hand, in words.
    std::optional<std::string> look_at(const PatchReader& reader);

    /// What to say when the whole text had no unified diff.
    [[nodiscard]] std::string nothing_found() const;

  private:
    std::optional<std::string> look_at(std::string_view line, std::string_view next);

    bool begun_{false};      ///< a line that is not blank was seen
    bool ed_begins_{false};  ///< the first of them is a command of an ed script
    bool ed_insert_{false};  ///< a command was seen that text has to follow, up to a `.`
};

/// Whether a line could be a command of an ed script: `3d`, `1,2c`, `5a`, `s/x/y/`, `!COMMAND`, `r FILE`.
bool is_ed_command(std::string_view line);

/// Whether a line starts a mail (`From HASH DATE`) or a commit of git log (`commit HASH`).
bool starts_commit(std::string_view line);

/// Whether a timestamp after a name (with the tab before it) is 1970-01-01 00:00:00 UTC, as diff -N writes
/// for a file that is not there, in whatever time zone.
bool is_epoch(std::string_view timestamp);

}  // namespace drydock::patch
