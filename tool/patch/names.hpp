#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace drydock::patch {

/// A C-style quoted name as git writes it, and how many bytes of `text` it took; `text` starts at the opening
/// quote. Nothing when the quoting is broken.
struct Unquoted {
    std::string name;
    std::size_t length{0};
};
std::optional<Unquoted> unquote(std::string_view text);

/// The name as git writes it in a header: as it is, or quoted when it holds a control byte, a quote or a
/// backslash.
std::string quote_if_needed(std::string_view name);

/// The name in quotes in any case.
std::string quote(std::string_view name);

/// The path of a name: `strip` leading components taken off, doubled slashes and `.` components gone. The
/// error is what is wrong with the name, in words.
tl::expected<std::string, std::string> path_from_name(std::string_view name, unsigned strip);

/// Text for a message: control bytes, quotes, backslashes and what is not UTF-8 escaped, cut after 60 bytes,
/// in quotes.
std::string shown(std::string_view text);

}  // namespace drydock::patch
