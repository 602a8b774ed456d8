#include "install/install.hpp"
#include "install/run.hpp"

namespace drydock::install {

Outcome status(const manifest::Manifest& manifest, const Options& options) {
    Outcome outcome;
    outcome.version = manifest.version;
    outcome.revision = manifest.revision;
    if (manifest.status == manifest::Status::adopted) return outcome;
    Session session = open_session(manifest, options, false, outcome.problems);
    if (session.recipes.size() < manifest.packages.size()) return outcome;
    const std::vector<Copy> copies = survey(session, false);
    const PlannedLevel as_it_is = [](const base::Identity&) { return std::optional<unsigned>(); };
    std::set<base::Identity> unsafe;
    for (const Copy& copy : copies) {
        add_all(outcome.notes, refusals(session, copy));
        if (!holds_patched_bytes(copy)) continue;
        const std::vector<base::Error> unmet = unmet_requirements(session, copy, as_it_is);
        if (unmet.empty()) continue;
        unsafe.insert(copy.location.identity);
        add_all(outcome.notes, unmet);
    }
    outcome.packages = reports(session, copies, unsafe, {});
    return outcome;
}

}  // namespace drydock::install
