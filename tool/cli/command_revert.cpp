#include "cli/command_revert.hpp"

namespace drydock::cli {
namespace {

base::Error no_roots() {
    base::Error error;
    error.kind = base::ErrorKind::usage;
    error.message =
        "no root is known; give --root NAME=DIR, or --manifest and the variables that its roots name";
    return error;
}

install::Outcome revert_set(const RevertOptions& options, const manifest::Environment& environment) {
    tl::expected<Selected, std::vector<base::Error>> selected = select(options.selection, environment);
    if (!selected) {
        install::Outcome outcome;
        outcome.problems = std::move(selected.error());
        return outcome;
    }
    selected->options.dry_run = options.dry_run;
    return install::revert(selected->manifest, selected->options);
}

install::Outcome revert_everything(const RevertOptions& options, const manifest::Environment& environment) {
    install::Options known = options_of_every_set(options.selection, environment);
    known.dry_run = options.dry_run;
    if (known.roots.empty()) {
        install::Outcome outcome;
        outcome.problems.push_back(no_roots());
        return outcome;
    }
    return install::revert_all(known);
}

}  // namespace

SetReport revert(const RevertOptions& options, const manifest::Environment& environment) {
    SetReport report;
    report.command = SetCommand::revert;
    report.dry_run = options.dry_run;
    report.outcome = options.all ? revert_everything(options, environment) : revert_set(options, environment);
    settle(report, is_lenient(options.selection, environment));
    return report;
}

}  // namespace drydock::cli
