#include "cli/command_status.hpp"

#include <algorithm>
#include <iterator>

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

/// Whether a note tells why a package's state is what it is.
bool explains(const base::Error& note, const install::PackageReport& package, ExitCode code) {
    if (note.package != package.name) return false;
    return exit_code(note.kind) == code ||
           (package.state == install::State::absent && note.kind == base::ErrorKind::io);
}

/// With --check a state counts: the notes that tell why it is not as it should be become problems, and a
/// state that no note tells of becomes one too. That something is missing is a check's no here, not a failure
/// of the system.
void count_states(install::Outcome& outcome) {
    for (base::Error& problem : outcome.problems) {
        if (problem.kind == base::ErrorKind::io) problem.kind = base::ErrorKind::check;
    }
    std::vector<bool> counted(outcome.notes.size(), false);
    for (const install::PackageReport& package : outcome.packages) {
        const ExitCode code = check_code(package);
        if (code == ExitCode::done) continue;
        bool told = false;
        for (std::size_t at = 0; at < counted.size(); ++at) {
            if (!explains(outcome.notes[at], package, code)) continue;
            told = true;
            if (counted[at]) continue;
            counted[at] = true;
            outcome.problems.push_back(outcome.notes[at]);
            outcome.problems.back().kind = kind_of(code);
        }
        if (!told) outcome.problems.push_back(state_problem(package, code));
    }
    std::size_t at = 0;
    std::erase_if(outcome.notes, [&](const base::Error&) { return counted[at++]; });
}

/// Without --check only a manifest that cannot be used counts.
void count_nothing(install::Outcome& outcome) {
    const auto is_usage = [](const base::Error& problem) { return problem.kind == base::ErrorKind::usage; };
    const auto others = std::stable_partition(outcome.problems.begin(), outcome.problems.end(), is_usage);
    outcome.notes.insert(outcome.notes.begin(), std::make_move_iterator(others),
                         std::make_move_iterator(outcome.problems.end()));
    outcome.problems.erase(others, outcome.problems.end());
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
        count_states(report.outcome);
    } else {
        count_nothing(report.outcome);
    }
    settle(report, false);
    return report;
}

}  // namespace drydock::cli
