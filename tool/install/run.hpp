#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "install/change.hpp"
#include "install/survey.hpp"

namespace drydock::install {

/// What a run would do, and what stands against it. Copies are those of the survey, which must outlive it.
struct Plan {
    std::vector<PackageChange> changes;
    std::vector<base::Error> problems;
    std::vector<base::Error> notes;
    std::vector<base::Error> skipped;           ///< as Outcome has it
    std::map<base::Identity, unsigned> levels;  ///< what each copy provides once the plan is carried out
    std::set<base::Identity> refused;           ///< copies that problems tell of
    std::set<base::Identity> unsafe;            ///< patched copies whose requirements are not met
    Lookups found;                              ///< before it is carried out
};

/// The levels of a plan, as unmet_requirements asks for them.
PlannedLevel levels_of(const Plan& plan);

/// The directory of a change's copy.
base::Identity identity_of(const PackageChange& change);

/// Whether a copy holds patched bytes, of this set or another.
bool holds_patched_bytes(const Copy& copy);

/// Ends what an earlier run began, under the lock: temporaries are removed, and a package that was cut short
/// goes to `goal`, or, where it holds unknown bytes too, its known files go back to stock. Says so in
/// `notes`. Whether there was anything to end: then look again.
bool settle(const Session& session, const std::vector<Copy>& copies, Goal goal,
            std::set<base::Identity>& changed, std::vector<base::Error>& notes);

/// Removes the temporaries in a package's directory and all beneath it but node_modules, and says so in
/// `notes`, or in `problems` why it can't. For a package without a receipt: nothing tells in which of them
/// they are. What lies beneath a journal of `drydock patch` is left alone. Under the lock.
void clear_package(const Location& package, std::vector<base::Error>& problems,
                   std::vector<base::Error>& notes);

/// The reports of all copies, with `unsafe` and `changed` filled in.
std::vector<PackageReport> reports(const Session& session, const std::vector<Copy>& copies,
                                   const std::set<base::Identity>& unsafe,
                                   const std::set<base::Identity>& changed);

/// What a dry run shows: which packages would change, and where the hunks would go. For a run that nothing
/// stops.
void mark_planned(const Plan& plan, const std::vector<Copy>& copies, Outcome& outcome);

/// Packages whose patches can't be used are told of when the session is opened; all else goes on without
/// them. Whether there were any.
bool drop_packages_without_recipe(Session& session);

/// Adds one list to another.
void add_all(std::vector<base::Error>& to, const std::vector<base::Error>& more);

std::vector<const OpenRoot*> all_roots(const Session& session);

}  // namespace drydock::install
