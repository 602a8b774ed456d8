#include "cli/command_apply.hpp"

#include <iterator>
#include <utility>

namespace drydock::cli {
namespace {

/// At a boot, whatever else is wrong: packages whose core is not patched are taken back, since the sessions
/// that they would write could not be opened.
install::Outcome take_back_at_boot(const ApplyOptions& options, const manifest::Environment& environment) {
    if (options.selection.stage != manifest::stage_boot) return {};
    install::Options known = options_of_every_set(options.selection, environment);
    known.dry_run = options.dry_run;
    return known.roots.empty() ? install::Outcome() : install::take_back_unsafe(known);
}

}  // namespace

SetReport apply(const ApplyOptions& options, const manifest::Environment& environment) {
    SetReport report;
    report.command = SetCommand::apply;
    report.dry_run = options.dry_run;
    tl::expected<Selected, std::vector<base::Error>> selected = select(options.selection, environment);
    if (!selected) {
        report.outcome = take_back_at_boot(options, environment);
        std::vector<base::Error>& problems = report.outcome.problems;
        problems.insert(problems.begin(), std::make_move_iterator(selected.error().begin()),
                        std::make_move_iterator(selected.error().end()));
    } else if (selected->manifest.status == manifest::Status::adopted) {
        report.adopted = true;
        report.outcome = take_back_at_boot(options, environment);
        report.outcome.set = selected->manifest.name;
        report.outcome.version = selected->manifest.version;
        report.outcome.revision = selected->manifest.revision;
    } else {
        selected->options.dry_run = options.dry_run;
        report.outcome = install::apply(selected->manifest, selected->options);
    }
    settle(report, is_lenient(options.selection, environment));
    return report;
}

}  // namespace drydock::cli
