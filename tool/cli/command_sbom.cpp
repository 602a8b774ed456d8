#include "cli/command_sbom.hpp"

#include "cli/command_status.hpp"

namespace drydock::cli {

SetReport sbom(const SbomOptions& options, const manifest::Environment& environment) {
    SetReport report = status({options.selection, false}, environment);
    std::vector<base::Error>& notes = report.outcome.notes;
    notes.insert(notes.end(), report.outcome.skipped.begin(), report.outcome.skipped.end());
    report.outcome.skipped.clear();
    return report;
}

}  // namespace drydock::cli
