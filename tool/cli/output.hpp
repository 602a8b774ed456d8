#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/exit_code.hpp"

namespace drydock::cli {

enum class ColorChoice : std::uint8_t { automatic, always, never };

/// The options about printing, which every command has.
struct OutputOptions {
    bool json{false};
    bool quiet{false};
    bool verbose{false};
    ColorChoice color{ColorChoice::automatic};
};

/// How a text is set.
struct Style {
    bool color{false};
    bool quiet{false};
    bool verbose{false};
    std::size_t width{100};  ///< columns that lines are wrapped at
};

/// Takes a part of what is to be written; false: no more of it is wanted.
using TakePiece = std::function<bool(std::string_view)>;

/// What a command gives back. Nothing is written before all is done.
struct Reply {
    ExitCode exit{ExitCode::done};
    std::string out;                   ///< results, for standard output
    std::string err;                   ///< all else, for standard error
    bool changed{false};               ///< files were changed
    bool lenient{false};               ///< a boot without strict: exit 0 even if this cannot be written
    ExitCode unwritten{ExitCode::io};  ///< the exit code when it cannot be written
    /// Results that come before `out` and are too large to be held: tells them piece by piece.
    std::function<void(const TakePiece&)> large{};
};

/// Where a command that works on input of any size writes while it works.
struct Channels {
    std::function<base::Sys<void>(std::string_view)> out;  ///< results
    std::function<void(std::string_view)> err;             ///< all else
    /// Waits; false once nobody reads the results any more, or a signal asks us to end.
    std::function<bool(std::chrono::milliseconds)> wait{};
};

/// The process's standard output and standard error.
Channels standard_channels();

/// Writes a reply to standard output and standard error. Gives the exit code of the process: the reply's, or
/// `unwritten` when standard output could not be written, which is said on standard error, with whether files
/// were changed all the same. A reader that has gone away (EPIPE) is no failure: the work is done.
int write_reply(const Reply& reply);

}  // namespace drydock::cli
