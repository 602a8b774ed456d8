#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.hpp"

namespace drydock::session {

/// What a line that is JSON stores.
struct StoredRow {
    bool malformed{false};  ///< it says that it is a packed row, and is none
    bool packed{false};
    std::uint64_t events{1};
    base::JsonView type;  ///< of the line
    base::JsonView seq;   ///< of its first event; undefined where there is none
};

StoredRow read_row(base::JsonView line);

}  // namespace drydock::session
