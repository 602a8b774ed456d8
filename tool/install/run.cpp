#include "install/run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/suggest.hpp"

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using base::Sys;

void remove_litter(const Copy& copy, std::vector<Error>& notes) {
    for (const std::string& path : copy.littered) {
        const Sys<base::Directory> directory = copy.location.handle.open_directory(path);
        const Sys<void> removed =
            directory ? base::remove_temporaries(*directory) : tl::unexpected<base::Errno>(directory.error());
        if (removed) continue;
        notes.push_back(about(
            copy, ErrorKind::io,
            "temporaries of an earlier run cannot be removed: " + base::errno_text(removed.error().value),
            path));
    }
}

constexpr int deepest_in_a_package = 64;

/// How many are gone: a directory of such a name with something in it stays.
Sys<std::size_t> clear_temporaries(const base::Directory& directory) {
    const Sys<std::vector<std::string>> before = base::temporaries_in(directory);
    const Sys<void> removed = base::remove_temporaries(directory);
    if (!removed) return tl::unexpected<base::Errno>(removed.error());
    const Sys<std::vector<std::string>> after = base::temporaries_in(directory);
    if (!before || !after) return 0;
    return before->size() - std::min(before->size(), after->size());
}

/// How many were removed; or the first thing that went wrong.
Sys<std::size_t> clear_directory(const base::Directory& directory, int depth) {
    const Sys<std::vector<std::string>> names = directory.names();
    if (!names) return tl::unexpected<base::Errno>(names.error());
    if (base::holds(*names, base::patch_journal_name)) return 0;
    Sys<std::size_t> all = 0;
    const auto add = [&all](const Sys<std::size_t>& more) {
        if (!all) return;
        all = more ? Sys<std::size_t>(*all + *more) : more;
    };
    if (base::holds(*names, base::temporary_prefix)) add(clear_temporaries(directory));
    for (const std::string& name : *names) {
        if (name == "node_modules" || depth == deepest_in_a_package) continue;
        const Sys<std::optional<base::FileInfo>> info = directory.info(name);
        if (!info || !*info || (*info)->type != base::FileType::directory) continue;
        const Sys<base::Directory> below = directory.open_directory(name);
        add(below ? clear_directory(*below, depth + 1) : tl::unexpected<base::Errno>(below.error()));
    }
    return all;
}

bool has_unknown(const Copy& copy) {
    return std::any_of(copy.files.begin(), copy.files.end(),
                       [](const FoundFile& file) { return file.match == nullptr; });
}

/// Whether all was done but for the receipt, which still tells of the patch before.
bool lacks_record(const Copy& copy, Goal goal) {
    return goal == Goal::patched && copy.state == State::patched && receipt_fits(copy) &&
           !copy.receipt->from.empty();
}

bool has_unreadable(const Copy& copy) {
    return std::any_of(copy.files.begin(), copy.files.end(),
                       [](const FoundFile& file) { return file.state == State::unreadable; });
}

/// Whether renames of the run that was cut short have to be completed or taken back, not just its litter
/// removed.
bool is_half_done(const Copy& copy) {
    if (copy.recipe == nullptr || has_unreadable(copy)) return false;
    return receipt_fits(copy) && (copy.state != State::patched && copy.state != State::stock);
}

/// The files that it wrote.
std::vector<std::string> write_change(const Session& session, const Copy& copy, Goal goal, Unknown unknown,
                                      std::vector<Error>& notes) {
    const auto change = plan_change(session, copy, goal, unknown);
    if (!change) {
        add_all(notes, change.error());
        return {};
    }
    if (const Result<void> done = run_changes({*change}, notes); !done) {
        notes.push_back(done.error());
        return {};
    }
    std::vector<std::string> paths;
    for (const FileChange& file : change->files) paths.push_back(file.path);
    return paths;
}

/// Forward where that is known to be safe, else back. Whether files were written.
bool settle_copy(const Session& session, const Copy& copy, Goal goal, std::vector<Error>& notes) {
    // Whoever is cut short between renames leaves temporaries.
    std::string said = copy.littered.empty() ? "settled files that were not as its receipt says"
                                             : "settled what an earlier run began";
    Unknown unknown = Unknown::refuse;
    Plan as_it_is;
    if (has_unknown(copy)) {
        goal = Goal::stock;
        unknown = Unknown::keep;
        said += ": taken back, since a file of it has drifted";
    } else if (goal == Goal::patched &&
               !unmet_requirements(session, copy, levels_of(as_it_is), as_it_is.found).empty()) {
        if (copy.state != State::partial) return false;
        goal = Goal::stock;
        said += ": taken back, since what it requires is not patched";
    }
    const std::vector<std::string> written = write_change(session, copy, goal, unknown, notes);
    if (written.empty()) return false;
    said += fmt::format(" ({})", base::first_names(written));
    notes.push_back(about(copy, ErrorKind::io, std::move(said)));
    return true;
}

}  // namespace

PlannedLevel levels_of(const Plan& plan) {
    return [&plan](const base::Identity& directory) {
        Planned planned;
        const auto found = plan.levels.find(directory);
        if (found != plan.levels.end()) planned.level = found->second;
        planned.refused = plan.refused.count(directory) > 0;
        return planned;
    };
}

base::Identity identity_of(const PackageChange& change) {
    return change.copy->location.identity;
}

bool holds_patched_bytes(const Copy& copy) {
    return std::any_of(copy.files.begin(), copy.files.end(), [](const FoundFile& file) {
        return !file.neutral && (file.state == State::patched || file.state == State::other_revision);
    });
}

bool settle(const Session& session, const std::vector<Copy>& copies, Goal goal,
            std::set<base::Identity>& changed, std::vector<Error>& notes) {
    bool begun = false;
    for (const Copy& copy : copies) {
        if (copy.recipe == nullptr || !is_begun(copy)) continue;
        begun = true;
        // By the litter we see that the record is missing, so here it goes last.
        if (lacks_record(copy, goal)) write_change(session, copy, goal, Unknown::refuse, notes);
        remove_litter(copy, notes);
        if (is_half_done(copy) && settle_copy(session, copy, goal, notes)) {
            changed.insert(copy.location.identity);
        }
    }
    return begun;
}

void clear_package(const Location& package, std::vector<Error>& problems, std::vector<Error>& notes) {
    const Sys<std::size_t> cleared = clear_directory(package.handle, 0);
    if (cleared && *cleared == 0) return;
    Error told;
    told.message =
        fmt::format("{}: {}", package.directory,
                    cleared ? "removed what a run left that was cut short before its first rename"
                            : "temporaries of an earlier run cannot be removed: " +
                                  base::errno_text(cleared.error().value) + "; run as root, or as its owner");
    (cleared ? notes : problems).push_back(std::move(told));
}

std::vector<PackageReport> reports(const Session& session, const std::vector<Copy>& copies,
                                   const std::set<base::Identity>& unsafe,
                                   const std::set<base::Identity>& changed) {
    std::vector<PackageReport> list;
    for (const Copy& copy : copies) {
        list.push_back(report(session, copy));
        if (!copy.present()) continue;
        if (unsafe.count(copy.location.identity) > 0) {
            list.back().state = State::unsafe;
            list.back().advice = "patch what it requires";
        }
        list.back().changed = changed.count(copy.location.identity) > 0;
    }
    return list;
}

void mark_planned(const Plan& plan, const std::vector<Copy>& copies, Outcome& outcome) {
    for (const PackageChange& change : plan.changes) {
        outcome.hunks.insert(outcome.hunks.end(), change.hunks.begin(), change.hunks.end());
        for (std::size_t i = 0; i < copies.size(); ++i) {
            if (copies[i].present() && copies[i].location.identity == identity_of(change)) {
                outcome.packages[i].would_change = true;
            }
        }
    }
}

bool drop_packages_without_recipe(Session& session) {
    return std::erase_if(session.packages, [&session](const manifest::Package* package) {
               return session.recipes.count(package) == 0;
           }) > 0;
}

void add_all(std::vector<Error>& to, const std::vector<Error>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

std::vector<const OpenRoot*> all_roots(const Session& session) {
    std::vector<const OpenRoot*> roots;
    for (const auto& root : session.roots) roots.push_back(root.get());
    return roots;
}

}  // namespace drydock::install
