#include "cli/report.hpp"

#include <iterator>
#include <utility>

namespace drydock::cli {

std::string_view command_name(SetCommand command) {
    switch (command) {
        case SetCommand::apply:
            return "apply";
        case SetCommand::status:
            return "status";
        case SetCommand::revert:
            return "revert";
    }
    return {};
}

std::string_view origin_name(manifest::Origin origin) {
    return origin == manifest::Origin::built ? "built" : "published";
}

void settle(SetReport& report, bool lenient) {
    std::vector<base::Error>& problems = report.outcome.problems;
    report.lenient = lenient;
    if (lenient) {
        std::move(problems.begin(), problems.end(), std::back_inserter(report.outcome.notes));
        problems.clear();
    }
    report.exit = exit_code(problems);
}

ExitCode check_code(const install::PackageReport& package) {
    switch (package.state) {
        case install::State::patched:
            return ExitCode::done;
        case install::State::absent:
            return package.missing_is_fine ? ExitCode::done : ExitCode::check_failed;
        case install::State::stock:
        case install::State::other_revision:
        case install::State::partial:
            return ExitCode::check_failed;
        case install::State::drifted:
            return ExitCode::drifted;
        case install::State::wrong_version:
            return ExitCode::wrong_version;
        case install::State::unreadable:
            return ExitCode::io;
        case install::State::unsafe:
            return ExitCode::conflict;
    }
    return ExitCode::io;
}

}  // namespace drydock::cli
