#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "stream/stream.hpp"

namespace drydock::cli {

struct StreamMapOptions {
    stream::Source source{stream::Source::claude_code};
    std::string child_id;
    std::string provider;
    std::uint64_t seq{0};              ///< of the first event
    std::optional<std::int64_t> time;  ///< of every event, in milliseconds since 1970; absent: the clock's
    std::string file;                  ///< `-`: standard input
};

struct StreamMapOutcome {
    ExitCode exit{ExitCode::done};  ///< check_failed when a line was left out
    std::vector<base::Error> problems;
};

/// Writes the events of recorded messages, one JSON a line, as the patched harness appends them. Works as it
/// reads: memory is bounded by the longest line. A line that is no JSON, or longer than 256 MiB, is told on
/// `channels.err` and left out; blank ones are passed over. Where `channels.out` has no reader any more it
/// ends.
StreamMapOutcome map_stream(const StreamMapOptions& options, const Channels& channels);

}  // namespace drydock::cli
