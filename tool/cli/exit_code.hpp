#pragma once

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

}  // namespace drydock::cli
