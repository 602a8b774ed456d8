#include "cli/render_log_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using nlohmann::ordered_json;
using session::ChildFacts;
using session::Link;
using session::Relation;
using session::TreeRow;
using session::Verdict;

/// `340 ms`, `1.2 s`, `3 min 5 s`, `2 h 3 min`.
std::string duration_text(std::uint64_t milliseconds) {
    const std::uint64_t seconds = milliseconds / 1'000;
    if (milliseconds < 1'000) return fmt::format("{} ms", milliseconds);
    if (seconds < 60) return fmt::format("{}.{} s", seconds, milliseconds % 1'000 / 100);
    if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3'600, seconds % 3'600 / 60);
}

std::string errors_text(std::uint64_t errors, bool color) {
    return errors == 0 ? "" : ", " + toned(counted(errors, "error", "errors"), Tone::bad, color);
}

std::string link_text(const ChildFacts& child) {
    const Link& link = child.link;
    switch (link.how) {
        case Link::How::only_open:
            return ", of call " + printable(link.calls.front());
        case Link::How::ambiguous:
            return fmt::format(", of one of {} open calls, and the log does not say which ({}{})",
                               link.calls.size() + link.unlisted,
                               printable(fmt::format("{}", fmt::join(link.calls, ", "))),
                               link.unlisted > 0 ? ", ..." : "");
        case Link::How::told:
            if (!link.calls.empty()) return ", of call " + printable(link.calls.front());
            return child.workflow.empty() ? ", of a workflow"
                                          : ", of the workflow " + printable(child.workflow);
        case Link::How::none:
            break;
    }
    return child.steps > 0 ? ", of no open call" : "";
}

std::string quoted(const std::string& label) {
    return label.empty() ? "" : fmt::format(" \"{}\"", printable(label));
}

std::string session_text(const TreeLog& log, const TreeRow& row, bool color) {
    const session::Judgement& judgement = log.judgement;
    std::string text = toned(printable(log.header.id), Tone::bold, color);
    if (row.relation == Relation::fork) text += " fork";
    if (row.relation == Relation::orphan)
        text += fmt::format(" {} of {}, which is not here", log.header.is_subagent ? "child" : "fork",
                            printable(*log.header.parent));
    if (row.relation == Relation::looped) text += toned(" among its own ancestors", Tone::bad, color);
    const std::optional<session::Descriptor>& descriptor = log.family->descriptor();
    if (log.header.is_subagent && descriptor) {
        text += fmt::format(" {} by {}{}", session::mode_name(descriptor->mode),
                            printable(descriptor->provider), quoted(descriptor->label.value_or("")));
    } else if (!log.header.is_subagent) {
        text += quoted(log.family->title());
    }
    const std::string_view diagnostic = diagnostic_of(log);
    if (!diagnostic.empty()) text += ' ' + toned(diagnostic, Tone::bad, color);
    if (judgement.stock.verdict == Verdict::refused) {
        text += ": " + toned("does not open", Tone::bad, color);
    } else {
        text += ": " + counted(judgement.events, "event", "events");
    }
    if (judgement.stock.verdict == Verdict::truncated)
        text += ", " + toned(fmt::format("{} lost", judgement.lost), Tone::attention, color);
    if (judgement.stock.verdict != Verdict::refused && judgement.closers > 0)
        text += ", " + toned("interrupted", Tone::attention, color);
    text += fmt::format(", {} in {}", duration_text(log.family->milliseconds()),
                        counted(log.family->turns(), "turn", "turns"));
    text += errors_text(log.family->errors(), color);
    if (row.child != nullptr && row.child->in_workflow) text += link_text(*row.child);
    return text;
}

std::string child_text(const ChildFacts& child, const TreeRow& row, bool color) {
    std::string text = toned(printable(child.child_id), Tone::bold, color);
    text += row.relation == Relation::external  ? " external"
            : row.relation == Relation::foreign ? " elsewhere in this tree"
                                                : toned(" no log here", Tone::attention, color);
    if (row.relation == Relation::unseen && child.mode)
        text += fmt::format(", {}", session::mode_name(*child.mode));
    if (!child.provider.empty()) text += " by " + printable(child.provider);
    text += quoted(child.label.value_or(""));
    if (child.steps > 0) {
        text += fmt::format(": {}, {}", counted(child.steps, "step", "steps"),
                            duration_text(child.span.milliseconds()));
    }
    if (child.truncated > 0) text += fmt::format(", {} cut", child.truncated);
    return text + errors_text(child.errors, color) + link_text(child);
}

ordered_json link_json(const Link& link) {
    ordered_json json = {{"how", session::link_name(link.how)}, {"calls", link.calls}};
    if (link.unlisted > 0) json["unlistedCalls"] = link.unlisted;
    return json;
}

ordered_json row_json(const LogTreeOutcome& outcome, const TreeRow& row) {
    ordered_json json;
    const TreeLog* log = row.session == TreeRow::none ? nullptr : &outcome.logs[row.session];
    json["id"] = log != nullptr ? log->header.id : row.child->child_id;
    json["relation"] = session::relation_name(row.relation);
    json["depth"] = row.depth;
    if (row.parent != TreeRow::none) json["parent"] = outcome.logs[row.parent].header.id;
    if (log != nullptr && row.relation != Relation::foreign) {
        if (row.parent == TreeRow::none && log->header.parent) json["parent"] = *log->header.parent;
        json["path"] = log->path;
        json["createdAt"] = log->header.created_at;
        if (log->header.cwd) json["cwd"] = *log->header.cwd;
        if (!log->family->title().empty()) json["title"] = log->family->title();
        const std::optional<session::Descriptor>& descriptor = log->family->descriptor();
        if (log->header.is_subagent && descriptor) {
            json["mode"] = session::mode_name(descriptor->mode);
            json["provider"] = descriptor->provider;
            if (descriptor->label) json["label"] = *descriptor->label;
        }
        if (!diagnostic_of(*log).empty()) json["diagnostic"] = diagnostic_of(*log);
        json["verdict"] = session::verdict_name(log->judgement.stock.verdict);
        json["reason"] = log->judgement.stock.reason;
        json["events"] = log->judgement.events;
        json["lost"] = log->judgement.lost;
        json["closers"] = log->judgement.closers;
        json["turns"] = log->family->turns();
        json["errors"] = log->family->errors();
        json["durationMs"] = log->family->milliseconds();
    }
    if (row.child == nullptr) return json;
    const ChildFacts& child = *row.child;
    if (log == nullptr) {
        if (child.mode) json["mode"] = session::mode_name(*child.mode);
        json["provider"] = child.provider;
        if (child.label) json["label"] = *child.label;
        json["steps"] = child.steps;
        json["truncated"] = child.truncated;
        json["errors"] = child.errors;
        json["durationMs"] = child.span.milliseconds();
    }
    json["link"] = link_json(child.link);
    if (!child.workflow.empty()) json["workflow"] = child.workflow;
    return json;
}

}  // namespace

std::string log_tree_text(const LogTreeOutcome& outcome, const Style& style) {
    if (outcome.rows.empty() && outcome.exit != ExitCode::done) return {};
    std::string text;
    std::size_t children = 0;
    for (const TreeRow& row : outcome.rows) {
        if (row.session == TreeRow::none) ++children;
        // A depth that no terminal is wide enough for is written as a number.
        text += row.depth <= 20 ? std::string(row.depth * 2, ' ') : fmt::format("{:40}{}> ", "", row.depth);
        const bool is_session = row.session != TreeRow::none && row.relation != Relation::foreign;
        text += is_session ? session_text(outcome.logs[row.session], row, style.color)
                           : child_text(*row.child, row, style.color);
        text += '\n';
    }
    return text + fmt::format("{}, {} without a session\n",
                              counted(outcome.logs.size(), "session", "sessions"),
                              counted(children, "child", "children"));
}

std::string log_tree_document(const LogTreeOutcome& outcome) {
    ordered_json document = document_head("log tree", outcome.exit, outcome.problems);
    document["notes"] = problems_json(outcome.notes);
    document["store"] = outcome.store;
    document["nodes"] = ordered_json::array();
    for (const TreeRow& row : outcome.rows) document["nodes"].push_back(row_json(outcome, row));
    return printed(document);
}

}  // namespace drydock::cli
