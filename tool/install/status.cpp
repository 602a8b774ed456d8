#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "install/install.hpp"
#include "install/run.hpp"

namespace drydock::install {

namespace {

/// Whether apply brings a copy to patched, as far as the copy itself goes.
bool can_be_patched(const Copy& copy) {
    return copy.state == State::stock || copy.state == State::patched ||
           copy.state == State::other_revision || copy.state == State::partial;
}

/// The advice where apply would refuse: because of what a copy requires where Node would load it, or of
/// another package of the set, since an image gets all of a set or nothing.
void advise(const Session& session, const std::vector<Copy>& copies, Lookups& found,
            std::vector<PackageReport>& packages) {
    std::map<base::Identity, unsigned> levels;
    std::set<base::Identity> refused;
    std::string first_refused;
    for (const Copy& copy : copies) {
        const bool stands = can_be_patched(copy) || (copy.location.missing && copy.may_be_missing);
        if (!stands && first_refused.empty()) first_refused = short_name(copy.name);
        if (!copy.present()) continue;
        if (can_be_patched(copy)) {
            levels[copy.location.identity] = copy.package->provides;
        } else {
            refused.insert(copy.location.identity);
        }
    }
    const PlannedLevel after_apply = [&](const base::Identity& directory) {
        Planned planned;
        const auto level = levels.find(directory);
        if (level != levels.end()) planned.level = level->second;
        planned.refused = refused.count(directory) > 0;
        return planned;
    };
    const auto is_looked_at = [&copies](const auto& requirement) {
        return std::any_of(copies.begin(), copies.end(),
                           [&](const Copy& copy) { return copy.name == requirement.first; });
    };
    const bool boot = session.options->stage == manifest::stage_boot;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const auto required = copies[i].requirements();
        if (packages[i].advice != advice_to_apply) continue;
        if (!first_refused.empty() && !boot) {
            packages[i].advice = fmt::format("put {} right first, then drydock apply", first_refused);
            continue;
        }
        if (!std::all_of(required.begin(), required.end(), is_looked_at)) continue;
        const std::vector<base::Error> unmet = unmet_requirements(session, copies[i], after_apply, found);
        if (unmet.empty()) continue;
        packages[i].advice = unmet.front().message + ", or remove it, then drydock apply";
    }
}

/// What an operator should know of the receipt of a copy that is patched: `revert --all` has nothing else.
void tell_of_receipt(const Copy& copy, Outcome& outcome) {
    const std::string file(receipt_name);
    if (!copy.receipt_trouble.empty()) {
        outcome.notes.push_back(about(
            copy, base::ErrorKind::io,
            "cannot be used: " + copy.receipt_trouble + "; its files are known without it, so move it away",
            file));
    } else if (copy.receipt && !receipt_fits(copy)) {
        outcome.notes.push_back(about(
            copy, base::ErrorKind::io,
            fmt::format("is for {} {}; move it away", copy.receipt->package, copy.receipt->version), file));
    } else if (!copy.receipt && copy.state == State::patched) {
        outcome.notes.push_back(about(copy, base::ErrorKind::io,
                                      "is missing: revert --all, which goes by it, would pass this package "
                                      "over; drydock revert does not",
                                      file));
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
    const std::vector<Copy> copies = survey(session, true);
    std::set<base::Identity> unsafe;
    Lookups found = looked_up(copies);
    for (const Copy& copy : copies) {
        if (copy.location.missing && copy.may_be_missing) {
            if (!copy.trouble.empty())
                outcome.skipped.push_back(about(copy, base::ErrorKind::io, copy.trouble));
            continue;
        }
        add_all(outcome.notes, refusals(session, copy));
        tell_of_receipt(copy, outcome);
        if (!holds_patched_bytes(copy)) continue;
        const std::vector<base::Error> unmet = unmet_requirements(session, copy, as_it_lies, found);
        if (unmet.empty()) continue;
        unsafe.insert(copy.location.identity);
        add_all(outcome.notes, unmet);
    }
    outcome.packages = reports(session, copies, unsafe, {});
    advise(session, copies, found, outcome.packages);
    return outcome;
}

}  // namespace drydock::install
