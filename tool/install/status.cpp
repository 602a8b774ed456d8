#include <algorithm>
#include <map>

#include "install/install.hpp"
#include "install/run.hpp"

namespace drydock::install {

namespace {

/// Where apply would refuse a copy because Node loads a copy of what it requires that is none of the set's,
/// so that apply does not patch it, that is the advice.
void advise(const Session& session, const std::vector<Copy>& copies, std::vector<PackageReport>& packages) {
    std::map<base::Identity, unsigned> levels;
    for (const Copy& copy : copies) {
        if (copy.present()) levels[copy.location.identity] = copy.package->provides;
    }
    const PlannedLevel after_apply = [&levels](const base::Identity& directory) -> std::optional<unsigned> {
        const auto found = levels.find(directory);
        return found == levels.end() ? std::nullopt : std::optional(found->second);
    };
    const auto is_looked_at = [&copies](const auto& requirement) {
        return std::any_of(copies.begin(), copies.end(),
                           [&](const Copy& copy) { return copy.name == requirement.first; });
    };
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const auto required = copies[i].requirements();
        if (packages[i].advice != advice_to_apply) continue;
        if (!std::all_of(required.begin(), required.end(), is_looked_at)) continue;
        const std::vector<base::Error> unmet = unmet_requirements(session, copies[i], after_apply);
        if (unmet.empty()) continue;
        packages[i].advice = unmet.front().message + ", or remove it, then drydock apply";
    }
}

}  // namespace

Outcome status(const manifest::Manifest& manifest, const Options& options) {
    Outcome outcome;
    outcome.set = manifest.name;
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
        if (!copy.receipt_trouble.empty()) {
            outcome.notes.push_back(about(copy, base::ErrorKind::io,
                                          "cannot be used: " + copy.receipt_trouble +
                                              "; its files are known without it, so move it away",
                                          std::string(receipt_name)));
        }
        if (!holds_patched_bytes(copy)) continue;
        const std::vector<base::Error> unmet = unmet_requirements(session, copy, as_it_is);
        if (unmet.empty()) continue;
        unsafe.insert(copy.location.identity);
        add_all(outcome.notes, unmet);
    }
    outcome.packages = reports(session, copies, unsafe, {});
    advise(session, copies, outcome.packages);
    return outcome;
}

}  // namespace drydock::install
