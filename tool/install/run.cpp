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

/// The first thing that went wrong.
Sys<void> clear_directory(const base::Directory& directory, int depth) {
    Sys<void> cleared = base::remove_temporaries(directory);
    const Sys<std::vector<std::string>> names = directory.names();
    if (!names) return tl::unexpected<base::Errno>(names.error());
    for (const std::string& name : *names) {
        if (name == "node_modules" || depth == deepest_in_a_package) continue;
        const Sys<std::optional<base::FileInfo>> info = directory.info(name);
        if (!info || !*info || (*info)->type != base::FileType::directory) continue;
        const Sys<base::Directory> below = directory.open_directory(name);
        const Sys<void> done =
            below ? clear_directory(*below, depth + 1) : tl::unexpected<base::Errno>(below.error());
        if (cleared && !done) cleared = done;
    }
    return cleared;
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

void clear_package(const Location& package, std::vector<Error>& notes) {
    const Sys<void> cleared = clear_directory(package.handle, 0);
    Error note;
    note.message = cleared ? "removed what a run left that was cut short before its first rename"
                           : "temporaries of an earlier run cannot be removed: " +
                                 base::errno_text(cleared.error().value);
    note.message = package.directory + ": " + note.message;
    notes.push_back(std::move(note));
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
