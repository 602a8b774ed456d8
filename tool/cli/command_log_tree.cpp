#include "cli/command_log_tree.hpp"

#include <exception>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/log_input.hpp"
#include "session/store.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileDescriptor;
using base::Result;

class Forest {
  public:
    explicit Forest(session::JudgeOptions options) : options_(std::move(options)) {}

    LogTreeOutcome run(const std::string& path) {
        find_logs(path);
        std::vector<Slot> slots(files_.size());
        on_all_cores(files_.size(), [&](std::size_t i) {
            try {
                read(files_[i], slots[i]);
            } catch (const std::exception& exception) {
                slots[i].error =
                    base::error_at(ErrorKind::io, files_[i], 0, fmt::format("failed: {}", exception.what()));
            }
        });
        for (Slot& slot : slots) settle(slot);
        std::vector<session::TreeSession> sessions;
        sessions.reserve(outcome_.logs.size());
        for (const TreeLog& log : outcome_.logs) sessions.push_back({&log.header, log.family.get()});
        outcome_.rows = session::tree_of(sessions);
        for (const session::TreeRow& row : outcome_.rows) look_at(row);
        return std::move(outcome_);
    }

  private:
    /// What a core leaves for the end.
    struct Slot {
        TreeLog log;
        bool has_header{false};
        std::optional<Error> error;
    };

    void refuse(Error error) {
        outcome_.exit = graver(outcome_.exit, exit_code(error.kind));
        outcome_.problems.push_back(std::move(error));
    }

    void note(const std::string& path, std::string message) {
        outcome_.notes.push_back(base::error_at(ErrorKind::check, path, 0, std::move(message)));
    }

    void find_logs(const std::string& path) {
        if (path == "-" || !base::is_directory(path)) {
            files_ = {path};
            return;
        }
        outcome_.store = session::is_store(path);
        if (!outcome_.store) {
            std::vector<session::Unreadable> unreadable = add_logs_below(path, files_);
            if (files_.empty() && unreadable.empty()) refuse(no_logs(path));
            for (session::Unreadable& each : unreadable) refuse(std::move(each.error));
            return;
        }
        session::Store store = session::read_store(path);
        for (session::StoredLog& log : store.logs) files_.push_back(std::move(log.path));
        for (session::Unreadable& each : store.unreadable) refuse(std::move(each.error));
        for (const session::StoreFault& fault : store.refusals) refuse(store_problem(fault));
        for (const std::string& skipped : store.skipped)
            note(skipped, "its first line is no header, and the harness's listing passes it over");
    }

    void read(const std::string& path, Slot& slot) const {
        const Result<FileDescriptor> file = open_log(path);
        if (!file) {
            slot.error = file.error();
            return;
        }
        session::JudgeOptions options = options_;
        options.encoding = encoding_of_log(path, *file);
        options.place = place_in_store(path);
        slot.log.path = path;
        slot.log.family = std::make_unique<session::Family>();
        Result<session::Judgement> judgement = session::judge(*file, options, slot.log.family.get());
        if (!judgement) {
            slot.error = about(judgement.error(), path);
            return;
        }
        slot.log.judgement = *std::move(judgement);
        // A log that does not open may be listed all the same.
        const Result<std::optional<session::Header>> header = session::listed_header(*file, options.encoding);
        slot.has_header = header && *header;
        if (slot.has_header) slot.log.header = **header;
    }

    void settle(Slot& slot) {
        if (slot.error) return refuse(*std::move(slot.error));
        const std::string& meanwhile = slot.log.judgement.meanwhile;
        if (!meanwhile.empty()) note(slot.log.path, meanwhile + "; look at the tree again");
        const session::Opening& opening = slot.log.judgement.stock;
        if (opening.verdict == session::Verdict::refused) {
            refuse(base::error_at(ErrorKind::check, slot.log.path, opening.line,
                                  "the log does not open: " + opening.reason));
        }
        if (!slot.has_header) return;
        for (const std::string& fault : slot.log.family->catalog_faults()) note(slot.log.path, fault);
        if (!outcome_.store) {
            const auto [first, fresh] = ids_.emplace(slot.log.header.id, slot.log.path);
            if (!fresh) {
                refuse(base::error_at(ErrorKind::check, slot.log.path, 0,
                                      fmt::format("has the id {}, as {} has; children are shown with the "
                                                  "first of them",
                                                  slot.log.header.id, first->second)));
            }
        }
        outcome_.logs.push_back(std::move(slot.log));
    }

    /// What the tree alone can tell.
    void look_at(const session::TreeRow& row) {
        if (row.relation == session::Relation::looped) {
            const TreeLog& log = outcome_.logs[row.session];
            refuse(base::error_at(ErrorKind::check, log.path, 0,
                                  fmt::format("the session {} is among its own ancestors", log.header.id)));
        } else if (row.relation == session::Relation::foreign) {
            const TreeLog& log = outcome_.logs[row.session];
            note(log.path,
                 fmt::format("the session {} is told of as a child of {}, which its own header does not say",
                             log.header.id, outcome_.logs[row.parent].header.id));
        }
    }

    session::JudgeOptions options_;
    std::vector<std::string> files_;
    std::map<std::string, std::string, std::less<>> ids_;  ///< the paths of the logs that have them
    LogTreeOutcome outcome_;
};

}  // namespace

LogTreeOutcome grow_tree(const LogTreeOptions& options, const manifest::Environment& environment) {
    Result<session::JudgeOptions> known = known_types_if_chosen(options.selection, environment);
    if (known) return Forest(*std::move(known)).run(options.path);
    LogTreeOutcome outcome;
    outcome.exit = exit_code(known.error().kind);
    outcome.problems.push_back(known.error());
    return outcome;
}

std::string_view diagnostic_of(const TreeLog& log) {
    if (!log.header.is_subagent) return "";
    if (log.judgement.stock.verdict == session::Verdict::refused) return "unavailable";
    return log.family->descriptor() ? "" : "corrupt";
}

}  // namespace drydock::cli
