#include "cli/command_status.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace drydock::cli {
namespace {

base::ErrorKind kind_of(ExitCode code) {
    switch (code) {
        case ExitCode::wrong_version:
            return base::ErrorKind::wrong_version;
        case ExitCode::drifted:
            return base::ErrorKind::drifted;
        case ExitCode::conflict:
            return base::ErrorKind::conflict;
        case ExitCode::io:
            return base::ErrorKind::io;
        default:
            return base::ErrorKind::check;
    }
}

/// What is wrong with a package, told by its state.
base::Error state_problem(const install::PackageReport& package, ExitCode code) {
    base::Error problem;
    problem.kind = kind_of(code);
    problem.package = package.name;
    problem.message =
        fmt::format("{}, expected patched, in {}", install::state_name(package.state), package.directory);
    if (!package.advice.empty()) problem.message += "; " + package.advice;
    return problem;
}

void check_states(install::Outcome& outcome) {
    const std::vector<base::Error> found = outcome.problems;
    for (const install::PackageReport& package : outcome.packages) {
        const ExitCode code = check_code(package);
        if (code == ExitCode::done) continue;
        const bool said =
            std::any_of(found.begin(), found.end(), [&package, code](const base::Error& problem) {
                return problem.package == package.name && exit_code(problem.kind) == code;
            });
        if (!said) outcome.problems.push_back(state_problem(package, code));
    }
}

}  // namespace

SetReport status(const StatusOptions& options, const manifest::Environment& environment) {
    SetReport report;
    report.command = SetCommand::status;
    tl::expected<Selected, std::vector<base::Error>> selected = select(options.selection, environment);
    if (!selected) {
        report.outcome.problems = std::move(selected.error());
        settle(report, false);
        return report;
    }
    report.adopted = selected->manifest.status == manifest::Status::adopted;
    report.outcome = install::status(selected->manifest, selected->options);
    if (options.check) {
        check_states(report.outcome);
        settle(report, false);
    } else if (exit_code(report.outcome.problems) == ExitCode::usage) {
        report.exit = ExitCode::usage;
    }
    return report;
}

}  // namespace drydock::cli
