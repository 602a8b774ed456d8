#pragma once

#include <string>
#include <string_view>

#include "patch/model.hpp"

namespace drydock::patch {

/// The text of a patch, `a/` and `b/` before names; parse(print(p)) is p, but for where things stand in the
/// text. A file that only changes gets a plain header, any other git's.
std::string print(const Patch& patch);

/// Whether any file of a patch, which has hunks or not, needs git's header; then all have to have it: a plain
/// one after it would be read as a part of it.
bool needs_git(const FilePatch& file, bool has_hunks);

/// The lines before a file's hunks, and one of a hunk's, as print has them.
void print_header(const FilePatch& file, bool has_hunks, bool git, std::string& out);
void print_hunk_header(const Hunk& hunk, std::string& out);

/// What print puts after a line that has no line feed.
inline constexpr std::string_view after_last_line = "\n\\ No newline at end of file\n";

}  // namespace drydock::patch
