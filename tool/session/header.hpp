#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/session.hpp"

namespace drydock::session {

/// What the header line's reading gives: a header, or why there is none. `later` is what the loader finds
/// wrong with it only when it builds the session.
struct HeaderReading {
    std::optional<Header> header;
    std::string refusal;
    std::string later;
};

/// Reads the first line, without its newline; any bytes.
HeaderReading read_header(std::string_view line);

/// What the harness's listing of a store makes of a first line: it does not mind the format's version.
struct ListedHeader {
    std::optional<Header> header;  ///< none: the log is passed over
    bool retired{false};           ///< the header has a retired key, at which the listing fails
};

ListedHeader list_header(std::string_view line);

}  // namespace drydock::session
