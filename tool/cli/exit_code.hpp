#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drydock::cli {

/// The exit codes of every command; their meaning for users is in the README.
enum class ExitCode : int {
    done = 0,
    check_failed = 1,
    usage = 2,
    wrong_version = 3,
    drifted = 4,
    conflict = 5,
    io = 6,
    busy = 7,
    build_failed = 8,
};

constexpr ExitCode exit_code(base::ErrorKind kind) {
    switch (kind) {
        case base::ErrorKind::check:
            return ExitCode::check_failed;
        case base::ErrorKind::usage:
            return ExitCode::usage;
        case base::ErrorKind::wrong_version:
            return ExitCode::wrong_version;
        case base::ErrorKind::drifted:
            return ExitCode::drifted;
        case base::ErrorKind::conflict:
            return ExitCode::conflict;
        case base::ErrorKind::io:
            return ExitCode::io;
        case base::ErrorKind::busy:
            return ExitCode::busy;
        case base::ErrorKind::build:
            return ExitCode::build_failed;
    }
    return ExitCode::io;
}

/// The one of two that a command exits with: 2 before 6 before 3, 4, 5, 8, 7 and 1, and any of them before 0.
ExitCode graver(ExitCode a, ExitCode b);

/// The gravest of the problems' codes; done without a problem.
ExitCode exit_code(const std::vector<base::Error>& problems);

/// The word for a kind, as `code` in --json: `wrong-version`, `io`, ...
std::string_view kind_name(base::ErrorKind kind);

}  // namespace drydock::cli
