#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

namespace drydock::cli {

ExitCode graver(ExitCode a, ExitCode b) {
    static constexpr std::array gravest_first = {
        ExitCode::usage,   ExitCode::io,           ExitCode::wrong_version,
        ExitCode::drifted, ExitCode::conflict,     ExitCode::build_failed,
        ExitCode::busy,    ExitCode::check_failed, ExitCode::done,
    };
    return *std::find_if(gravest_first.begin(), gravest_first.end(),
                         [a, b](ExitCode code) { return code == a || code == b; });
}

ExitCode exit_code(const std::vector<base::Error>& problems) {
    ExitCode code = ExitCode::done;
    for (const base::Error& problem : problems) code = graver(code, exit_code(problem.kind));
    return code;
}

std::string_view kind_name(base::ErrorKind kind) {
    switch (kind) {
        case base::ErrorKind::check:
            return "check";
        case base::ErrorKind::usage:
            return "usage";
        case base::ErrorKind::wrong_version:
            return "wrong-version";
        case base::ErrorKind::drifted:
            return "drifted";
        case base::ErrorKind::conflict:
            return "conflict";
        case base::ErrorKind::io:
            return "io";
        case base::ErrorKind::busy:
            return "busy";
        case base::ErrorKind::build:
            return "build";
    }
    return "io";
}

}  // namespace drydock::cli
