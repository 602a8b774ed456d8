#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drydock::cli {

/// The text as it may be sent to a terminal: control characters, what reorders text (bidirectional marks) and
/// bytes that are not UTF-8 are written as `\n`, `\t`, `\xNN` or `\u{NNNN}`, so that no file name can act
/// there.
std::string printable(std::string_view bytes);

/// How many columns a terminal gives the text, which must be printable: wide East Asian characters and emoji
/// count two, combining marks none.
std::size_t display_width(std::string_view text);

/// The text with blanks after it, up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

/// The words of a text set in lines of at most `width` columns, the first after `first_indent`, the others
/// after `indent` blanks; a longer word has a line of its own. The first line's blanks are not written: they
/// are for what stands there already. No line end after the last line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t first_indent, std::size_t indent);

/// An npm name without its scope: `@deepseek-ai/dsh-session` gives `dsh-session`.
std::string_view unscoped(std::string_view package);

/// Where a hunk goes: `hunk 2 at line 130`, with ` (3 lines later)` where it is not where it said.
std::string hunk_text(std::size_t hunk, std::size_t line, std::ptrdiff_t offset);

/// `1 package`, `2 packages`.
std::string counted(std::size_t count, std::string_view singular, std::string_view plural);

}  // namespace drydock::cli
