#include <algorithm>
#include <map>
#include <utility>

#include "install/install.hpp"
#include "install/lock.hpp"
#include "install/run.hpp"

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Identity;
using base::Result;

/// Another version's copy that its own set has patched is not a stock one, nor somebody else's.
std::string_view left_as(const Copy& copy) {
    if (copy.state != State::wrong_version) return {};
    const std::optional<Copy> told = by_receipt(copy);
    const bool patched = told && told->state == State::patched;
    return patched ? "; it stays patched, by that version's set" : "";
}

/// One run of apply, or of a boot that only takes back.
class Apply {
  public:
    Apply(const manifest::Manifest* manifest, const Options& options)
        : manifest_(manifest), options_(options) {
        lenient_ = options.stage == manifest::stage_boot && !options.strict;
        boot_ = options.stage == manifest::stage_boot;
        if (manifest != nullptr) {
            outcome_.version = manifest->version;
            outcome_.revision = manifest->revision;
        }
    }

    Outcome run() {
        if (is_settled()) return finish({}, false);
        std::vector<Error> problems;
        session_ = manifest_ == nullptr ? open_session(options_, problems)
                                        : open_session(*manifest_, options_, false, problems);
        dropped_ = drop_packages_without_recipe(session_);
        look();
        plan_ = make_plan();
        if (options_.dry_run) return finish(problems, true);
        const bool begun = std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) {
            return copy.recipe != nullptr && is_begun(copy);
        });
        // A set that is refused stays as it is, but what was begun is settled all the same. A refusal without
        // the lock may come from another process at work: it counts when it stands under the lock.
        const bool nothing = plan_.changes.empty() && plan_.problems.empty();
        const bool hopeless = !lenient_ && !boot_ && !problems.empty();
        if (!begun && (nothing || hopeless)) return finish(problems, false);

        const Result<Locks> locks = Locks::take(all_roots(session_), options_.wait);
        if (!locks) {
            problems.push_back(locks.error());
            return finish(problems, false);
        }
        look();
        if (manifest_ != nullptr && settle(session_, copies_, Goal::patched, changed_, notes_)) look();
        plan_ = make_plan();
        if (boot_ && !plan_.unsafe.empty()) {
            // Where one is unsafe, another that only its receipt tells of may be, too.
            look_by_receipts();
            plan_ = make_plan();
        }
        if (boot_ && (lenient_ || problems.empty())) {
            write_one_by_one(problems);
        } else if (problems.empty() && plan_.problems.empty()) {
            write_all(problems);
        }
        look_at_the_end();
        std::vector<Error> refused = std::move(plan_.problems);
        std::vector<Error> said = std::move(plan_.notes);
        plan_ = make_plan();
        plan_.problems = std::move(refused);
        plan_.notes = std::move(said);
        return finish(problems, false);
    }

  private:
    /// Whether a boot finds everything as it leaves it. The manifest's hashes tell that, without the patches:
    /// nearly every boot ends here.
    bool is_settled() {
        if (!boot_ || manifest_ == nullptr || options_.dry_run) return false;
        std::vector<Error> problems;
        session_ = open_session(*manifest_, options_, false, problems, Patches::unread);
        if (!problems.empty()) return false;
        std::optional<std::vector<Copy>> copies = settled_copies(session_);
        if (!copies) return false;
        copies_ = *std::move(copies);
        plan_ = make_plan();
        return plan_.changes.empty() && plan_.problems.empty() && plan_.notes.empty() && plan_.unsafe.empty();
    }

    void look() {
        unread_.clear();
        copies_ =
            manifest_ == nullptr ? survey_receipts(session_, nullptr, unread_) : survey(session_, false);
        const bool all_patched = std::all_of(copies_.begin(), copies_.end(),
                                             [](const Copy& copy) { return copy.state == State::patched; });
        if (boot_ && (dropped_ || !all_patched)) look_by_receipts();
    }

    /// A package that only its receipt told of has lost that when it was taken back, and is still to be told
    /// of.
    void look_at_the_end() {
        const std::vector<Copy> before = std::move(copies_);
        look();
        add_taken_back(before, copies_);
    }

    /// Packages whose patches can't be used, or that this set no longer lists, may still have to be taken
    /// back, which their receipts can do. Looked for only where something is not patched: that takes a walk
    /// through all packages.
    void look_by_receipts() {
        for (Copy& copy : survey_receipts(session_, nullptr, unread_)) {
            const auto is_known = [&copy](const Copy& other) {
                return other.present() && other.location.identity == copy.location.identity;
            };
            if (copy.recipe == nullptr) continue;
            if (std::none_of(copies_.begin(), copies_.end(), is_known)) copies_.push_back(std::move(copy));
        }
    }

    void refuse(Plan& plan, const Copy& copy, const std::vector<Error>& reasons) {
        add_all(plan.problems, reasons);
        if (!copy.present()) return;
        plan.levels[copy.location.identity] = 0;
        plan.refused.insert(copy.location.identity);
    }

    void add_change(Plan& plan, const Copy& copy, Goal goal) {
        auto change = plan_change(session_, copy, goal);
        if (!change) {
            refuse(plan, copy, change.error());
            return;
        }
        if (!change->empty()) plan.changes.push_back(*std::move(change));
        plan.levels[copy.location.identity] = goal == Goal::patched ? copy.package->provides : 0;
    }

    /// A patched provider over a core that is not: what it writes could not be opened again.
    void add_unsafe(Plan& plan, const Copy& copy, std::vector<Error> unmet) {
        plan.unsafe.insert(copy.location.identity);
        if (!boot_) {
            refuse(plan, copy, unmet);
            return;
        }
        unsafe_[copy.location.identity] = std::move(unmet);
        add_change(plan, copy, Goal::stock);
    }

    /// A copy that the manifest can't judge, but that its receipt can: at boot it is taken back when it is
    /// unsafe.
    void plan_by_receipt(Plan& plan, const Copy& copy) {
        std::optional<Copy> told = by_receipt(copy);
        if (!told || !holds_patched_bytes(*told)) return;
        std::vector<Error> unmet = unmet_requirements(session_, *told, levels_of(plan), plan.found);
        if (unmet.empty()) return;
        told_.push_back(std::make_unique<Copy>(*std::move(told)));
        add_unsafe(plan, *told_.back(), std::move(unmet));
    }

    void plan_copy(Plan& plan, const Copy& copy) {
        if (failed_.count(copy.location.identity) > 0) return;
        if (copy.package == nullptr) {
            if (copy.recipe != nullptr) plan_by_receipt(plan, copy);
            return;
        }
        if (copy.root_missing && !copy.may_be_missing) return;  // told once, for the root
        if (copy.location.missing && (copy.may_be_missing || boot_)) {
            const std::string why = copy.root_missing ? copy.trouble : "is not installed";
            if (why.empty()) return;
            (copy.may_be_missing ? plan.skipped : plan.notes)
                .push_back(about(copy, ErrorKind::io, why + "; skipped"));
            return;
        }
        const std::vector<Error> reasons = refusals(session_, copy);
        if (!reasons.empty()) {
            if (boot_ && copy.present()) plan_by_receipt(plan, copy);
            add_all(plan.problems, reasons);
            if (copy.state == State::drifted) plan.levels[copy.location.identity] = 0;
            if (copy.present()) plan.refused.insert(copy.location.identity);
            return;
        }
        std::vector<Error> unmet = unmet_requirements(session_, copy, levels_of(plan), plan.found);
        if (!unmet.empty()) {
            if (holds_patched_bytes(copy)) {
                add_unsafe(plan, copy, std::move(unmet));
            } else {
                refuse(plan, copy, unmet);
            }
            return;
        }
        if (copy.state == State::patched) {
            plan.levels[copy.location.identity] = copy.package->provides;
        } else {
            add_change(plan, copy, Goal::patched);
        }
    }

    /// A copy may be judged before one that it requires turns out to be unsafe, and is taken back: then all
    /// are judged again with what is known of those.
    Plan make_plan() {
        std::map<Identity, unsigned> taken_back;
        while (true) {
            told_.clear();
            std::erase_if(unsafe_, [this](const auto& found) {
                return changed_.count(found.first) == 0 && failed_.count(found.first) == 0;
            });
            Plan plan;
            plan.problems = unread_;
            plan.levels = taken_back;
            for (const Copy& copy : copies_) plan_copy(plan, copy);
            const std::size_t known = taken_back.size();
            if (boot_) {
                for (const Identity& directory : plan.unsafe) taken_back[directory] = 0;
            }
            if (taken_back.size() > known) continue;
            if (!boot_ && !options_.packages.empty() && !plan.changes.empty()) check_dependents(plan);
            return plan;
        }
    }

    /// What is not selected must not lose what it requires: another revision may provide less.
    void check_dependents(Plan& plan) {
        Options everything = options_;
        everything.packages.clear();
        everything.stage.clear();
        std::vector<Error> ignored;
        Session session = open_session(*manifest_, everything, true, ignored);
        drop_packages_without_recipe(session);
        Lookups lookups;
        for (const Copy& found : survey(session, true)) {
            if (selected(*found.package, options_) || found.recipe == nullptr || !holds_patched_bytes(found))
                continue;
            // What lies there may be of another revision, which requires something else: its receipt tells.
            std::optional<Copy> other = found.state == State::patched ? std::nullopt : by_receipt(found);
            const Copy& copy = other ? *other : found;
            if (!unmet_requirements(session, copy, as_it_lies, lookups).empty()) continue;
            for (Error& error : unmet_requirements(session, copy, levels_of(plan), lookups)) {
                error.message = "would be left over a core that provides less than it requires; apply it too";
                plan.problems.push_back(std::move(error));
            }
        }
    }

    void write_all(std::vector<Error>& problems) {
        if (plan_.changes.empty()) return;
        outcome_.wrote = true;
        if (const Result<void> done = run_changes(plan_.changes, notes_); !done) {
            problems.push_back(done.error());
            return;
        }
        for (const PackageChange& change : plan_.changes) changed_.insert(identity_of(change));
    }

    /// At boot a package that can't be written does not hold up those that don't need it; those that do are
    /// planned again without it.
    void write_one_by_one(std::vector<Error>& problems) {
        bool again = true;
        while (again) {
            again = false;
            for (const PackageChange& change : plan_.changes) {
                outcome_.wrote = true;
                if (const Result<void> done = run_changes({change}, notes_); !done) {
                    problems.push_back(done.error());
                    failed_.insert(identity_of(change));
                    again = true;
                    break;
                }
                changed_.insert(identity_of(change));
            }
            if (!again) return;
            std::vector<Error> said = std::move(plan_.notes);
            look_at_the_end();
            plan_ = make_plan();
            for (Error& note : said) {
                const auto same = [&note](const Error& other) {
                    return other.package == note.package && other.message == note.message;
                };
                if (std::none_of(plan_.notes.begin(), plan_.notes.end(), same)) plan_.notes.push_back(note);
            }
        }
    }

    /// What was unsafe, and what became of it. A strict boot fails by it even where it could be taken back.
    void tell_of_unsafe(std::vector<Error>& problems) {
        for (auto& [directory, unmet] : unsafe_) {
            std::string_view became = "; it is still patched, and unsafe to start";
            if (options_.dry_run) {
                became = "; would be taken back to stock";
            } else if (changed_.count(directory) > 0) {
                became = "; taken back to stock";
            } else {
                plan_.unsafe.insert(directory);
            }
            for (Error& error : unmet) error.message += became;
            add_all(lenient_ ? notes_ : problems, unmet);
        }
    }

    /// After the last note of each copy that was left alone.
    void tell_what_stays() {
        for (const Copy& copy : copies_) {
            if (!copy.present() || changed_.count(copy.location.identity) > 0) continue;
            const std::string place = about(copy, ErrorKind::io, {}).details.front();
            const auto last = std::find_if(notes_.rbegin(), notes_.rend(), [&](const Error& note) {
                return note.package == copy.name && !note.details.empty() && note.details.front() == place;
            });
            if (last != notes_.rend()) last->message += left_as(copy);
        }
    }

    Outcome finish(std::vector<Error> problems, bool dry_run) {
        tell_of_unsafe(problems);
        add_all(problems, plan_.problems);
        add_all(notes_, plan_.notes);
        outcome_.skipped = std::move(plan_.skipped);
        if (lenient_) {
            add_all(notes_, problems);
            problems.clear();
        }
        if (lenient_ && !dry_run) tell_what_stays();
        outcome_.problems = std::move(problems);
        outcome_.notes = std::move(notes_);
        outcome_.packages = reports(session_, copies_, plan_.unsafe, changed_);
        if (dry_run && outcome_.problems.empty()) mark_planned(plan_, copies_, outcome_);
        return std::move(outcome_);
    }

    const manifest::Manifest* manifest_;
    const Options& options_;
    bool boot_{false};
    bool lenient_{false};
    bool dropped_{false};
    Session session_;
    std::vector<Copy> copies_;
    std::vector<Error> unread_;                ///< folders that could not be looked into
    std::vector<std::unique_ptr<Copy>> told_;  ///< copies seen by their receipts, which changes point to
    Plan plan_;
    std::map<Identity, std::vector<Error>> unsafe_;  ///< what a boot is to take back, or has, and why
    std::set<Identity> changed_;
    std::set<Identity> failed_;
    std::vector<Error> notes_;
    Outcome outcome_;
};

}  // namespace

Outcome apply(const manifest::Manifest& manifest, const Options& options) {
    if (manifest.status == manifest::Status::adopted) {
        Outcome outcome;
        outcome.set = manifest.name;
        outcome.version = manifest.version;
        outcome.revision = manifest.revision;
        return outcome;
    }
    return Apply(&manifest, options).run();
}

Outcome take_back_unsafe(const Options& options) {
    return Apply(nullptr, options).run();
}

}  // namespace drydock::install
