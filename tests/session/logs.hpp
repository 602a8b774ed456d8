#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::test {

/// A log as it lies on disk.
struct LogFile {
    std::string name;    ///< what is tried
    std::string suffix;  ///< .jsonl or .jsonl.zstd
    std::string bytes;
};

/// The header line that logs have where nothing is said of it.
std::string usual_header();

/// Writes out a log's body. In it `#` becomes an event's seq and time, counted from 0, `@N` the seq0 and
/// time0 of a packed row of N members, and `$U`, `$A`, `$R` whole events: a user's message, an assistant's
/// with the tool call c1, and that call's result; `$B`, `$E` begin and end a turn. Lines end with a newline.
std::string written_out(std::string_view body);

/// The log in both encodings; the body is one frame.
std::vector<LogFile> both_encodings(const std::string& name, const std::string& header,
                                    const std::string& body);

/// Logs that hold each sentence on headers, envelopes, rows, torn tails, frames and checks to its word.
std::vector<LogFile> table_of_logs();

/// Logs that a session could have written, with a few bytes, lines, keys, values, numbers or frames changed;
/// the same ones for the same seed.
std::vector<LogFile> mutated_logs(std::size_t count, std::uint64_t seed);

}  // namespace drydock::test
