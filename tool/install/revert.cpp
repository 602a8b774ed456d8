#include <algorithm>
#include <utility>

#include "install/install.hpp"
#include "install/lock.hpp"
#include "install/run.hpp"

namespace drydock::install {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;

/// One run of revert, by the manifest or by receipts alone.
class Revert {
  public:
    Revert(const manifest::Manifest* manifest, const Options& options) : options_(options) {
        if (manifest != nullptr) {
            outcome_.version = manifest->version;
            outcome_.revision = manifest->revision;
            session_ = open_session(*manifest, options, true, problems_);
            drop_packages_without_recipe(session_);
        } else {
            session_ = open_session(options, problems_);
        }
    }

    Outcome run() {
        look();
        plan_ = make_plan();
        const bool begun = !begun_.empty() ||
                           std::any_of(copies_.begin(), copies_.end(),
                                       [this](const Copy& copy) { return is_mine(copy) && is_begun(copy); });
        // A refusal without the lock may come from another process at work: it counts under the lock.
        const bool nothing = plan_.changes.empty() && plan_.problems.empty();
        if (options_.dry_run || (!begun && (nothing || !problems_.empty()))) return finish();
        const Result<Locks> locks = Locks::take(all_roots(session_), options_.wait);
        if (!locks) {
            problems_.push_back(locks.error());
            return finish();
        }
        look();
        if (settle(session_, copies_, Goal::stock, changed_, notes_)) look_again();
        plan_ = make_plan();
        if (problems_.empty() && plan_.problems.empty() && !plan_.changes.empty()) {
            outcome_.wrote = true;
            if (const Result<void> done = run_changes(plan_.changes, notes_); !done) {
                problems_.push_back(done.error());
            } else {
                for (const PackageChange& change : plan_.changes) changed_.insert(identity_of(change));
            }
        }
        for (const Location& package : begun_) clear_package(package, problems_, notes_);
        look_again();
        return finish();
    }

  private:
    void look() {
        unread_.clear();
        begun_.clear();
        copies_ = session_.manifest == nullptr ? survey_receipts(session_, &begun_, unread_)
                                               : survey(session_, true);
    }

    /// After writing. Without a manifest it was the receipts that told of the packages, and they are gone.
    void look_again() {
        const std::vector<Copy> before = std::move(copies_);
        look();
        add_taken_back(before, copies_);
    }

    [[nodiscard]] bool is_mine(const Copy& copy) const {
        return copy.recipe != nullptr && (copy.package == nullptr || selected(*copy.package, options_));
    }

    void plan_copy(Plan& plan, const Copy& copy) {
        if (copy.package != nullptr && !selected(*copy.package, options_)) return;
        if (copy.root_missing && !copy.may_be_missing) return;  // told once, for the root
        if (copy.location.missing) {
            const std::string why = copy.root_missing ? copy.trouble : "is not installed";
            if (!why.empty()) plan.skipped.push_back(about(copy, ErrorKind::io, why + "; nothing to revert"));
            return;
        }
        if (copy.package == nullptr && copy.recipe == nullptr) {
            plan.problems.push_back(
                about(copy, ErrorKind::io,
                      "cannot be used: " + copy.receipt_trouble +
                          "; revert with --manifest, which knows the files without it, or "
                          "reinstall the package",
                      std::string(receipt_name)));
            return;
        }
        const std::vector<Error> reasons = refusals(session_, copy);
        if (!reasons.empty()) {
            add_all(plan.problems, reasons);
            return;
        }
        auto change = plan_change(session_, copy, Goal::stock);
        if (!change) {
            add_all(plan.problems, change.error());
            return;
        }
        plan.levels[copy.location.identity] = 0;
        if (!change->empty()) plan.changes.push_back(*std::move(change));
    }

    /// What stays patched must not lose what it requires.
    void check_dependents(Plan& plan, const Copy& copy) {
        if (copy.recipe == nullptr || !holds_patched_bytes(copy)) return;
        if (plan.levels.count(copy.location.identity) > 0) return;
        if (!unmet_requirements(session_, copy, as_it_lies, plan.found).empty())
            return;  // not this run's doing
        for (Error& error : unmet_requirements(session_, copy, levels_of(plan), plan.found)) {
            error.message = "would be left patched over a stock core; revert it too";
            plan.problems.push_back(std::move(error));
        }
    }

    Plan make_plan() {
        Plan plan;
        plan.problems = unread_;
        for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) plan_copy(plan, *copy);
        for (const Copy& copy : copies_) check_dependents(plan, copy);
        return plan;
    }

    Outcome finish() {
        add_all(problems_, plan_.problems);
        add_all(notes_, plan_.notes);
        outcome_.skipped = std::move(plan_.skipped);
        outcome_.problems = std::move(problems_);
        outcome_.notes = std::move(notes_);
        outcome_.packages = reports(session_, copies_, {}, changed_);
        if (options_.dry_run && outcome_.problems.empty()) mark_planned(plan_, copies_, outcome_);
        for (std::size_t i = copies_.size(); i-- > 0;) {
            const manifest::Package* package = copies_[i].package;
            if (package == nullptr || selected(*package, options_)) continue;
            outcome_.packages.erase(outcome_.packages.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (PackageReport& package : outcome_.packages) {
            if (package.state != State::drifted && package.state != State::unreadable) package.advice.clear();
        }
        return std::move(outcome_);
    }

    const Options& options_;
    std::vector<Error> problems_;
    std::vector<Error> notes_;
    Session session_;
    std::vector<Copy> copies_;
    std::vector<Location> begun_;  ///< packages with temporaries and no receipt, which no manifest tells of
    std::vector<Error> unread_;    ///< folders that could not be looked into
    Plan plan_;
    std::set<base::Identity> changed_;
    Outcome outcome_;
};

}  // namespace

Outcome revert(const manifest::Manifest& manifest, const Options& options) {
    return Revert(&manifest, options).run();
}

Outcome revert_all(const Options& options) {
    return Revert(nullptr, options).run();
}

}  // namespace drydock::install
