#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "session/session.hpp"
#include "session/surface.hpp"

namespace drydock::session {

/// A session that events are appended to: `Session.append`.
class Appender {
  public:
    /// `session_id`: of the session, whose log is empty.
    Appender(AppendRules rules, std::string_view session_id) : rules_(rules) { surface_.begin(session_id); }

    /// Appends an event, and gives it as JSON.stringify writes it. `time`: milliseconds since 1970.
    /// `options`: an object with surfaceOp, sourceEventSeqs and ignorable, or undefined. Errors: usage, for
    /// data that JSON would not keep (undefined, -0, infinities), retired request headers, and what breaks
    /// the surface's rules; then nothing is appended.
    base::Result<std::string> append(std::string_view type, base::JsonView data, base::JsonView options,
                                     std::int64_t time);

  private:
    AppendRules rules_;
    Surface surface_;
    std::uint64_t next_seq_{0};
};

}  // namespace drydock::session
