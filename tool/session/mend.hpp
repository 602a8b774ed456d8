#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "session/session.hpp"

namespace drydock::session {

struct Mending {
    std::vector<std::size_t>
        lines;                 ///< that were marked; none: the log opens as it is, and nothing was written
    bool tail_dropped{false};  ///< a last zstd frame that was cut: only its accepted lines are in the copy
};

/// Writes a log with a marker on each `subagent/stream` event that has none, and all else as it is: its text
/// byte for byte, in the same encoding. Errors: check, when the log is refused for another reason, or would
/// still be, or another process writes to it; io.
base::Result<Mending> mend(const base::FileDescriptor& file, const JudgeOptions& options,
                           const std::function<base::Sys<void>(std::string_view)>& write);

}  // namespace drydock::session
