#include "cli/render_log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using nlohmann::ordered_json;
using session::Opening;
using session::Verdict;

std::string reason_text(const Opening& opening) {
    const std::string line = opening.line == 0 ? "" : fmt::format("line {}: ", opening.line);
    return line + printable(opening.reason);
}

bool differ(const session::Judgement& judgement) {
    return judgement.stock.verdict != judgement.patched.verdict ||
           judgement.stock.reason != judgement.patched.reason;
}

std::string opening_text(const session::Judgement& judgement, const Opening& opening, bool color) {
    switch (opening.verdict) {
        case Verdict::opens:
            return toned("opens", Tone::good, color) + ", " + counted(judgement.events, "event", "events");
        case Verdict::truncated:
            return toned("opens", Tone::attention, color) +
                   fmt::format(" with {} and {} lost: {}", counted(judgement.events, "event", "events"),
                               judgement.lost, reason_text(opening));
        case Verdict::refused:
            break;
    }
    return toned("refused", Tone::bad, color) + ": " + reason_text(opening);
}

std::string log_text(const CheckedLog& log, bool color) {
    const session::Judgement& judgement = log.judgement;
    std::string text =
        fmt::format("{}: {}", printable(log.path), opening_text(judgement, judgement.stock, color));
    if (judgement.closers > 0 && judgement.stock.verdict != Verdict::refused)
        text +=
            fmt::format("; {} would end its interrupted turn", counted(judgement.closers, "event", "events"));
    text += '\n';
    if (!log.hint.empty()) text += fmt::format("  {}\n", printable(log.hint));
    if (differ(judgement))
        text += "  on a patched harness: " + opening_text(judgement, judgement.patched, color) + '\n';
    for (const session::Finding& finding : log.findings) {
        const std::string place =
            finding.line == 0 ? "" : fmt::format("line {} (seq {}): ", finding.line, finding.seq);
        text += fmt::format("  {}{}: {}\n", place, finding.code, printable(finding.message));
    }
    if (log.unlisted > 0)
        text += fmt::format("  and {} more\n", counted(log.unlisted, "finding", "findings"));
    for (const session::ChildSummary& child : log.children) {
        text += fmt::format("  child {} ({}): {}", printable(child.child_id), printable(child.provider),
                            counted(child.steps, "step", "steps"));
        text += child.truncated > 0 ? fmt::format(", {} truncated\n", child.truncated) : "\n";
    }
    return text;
}

void add_opening(ordered_json& target, const Opening& opening) {
    target["verdict"] = session::verdict_name(opening.verdict);
    target["reason"] = opening.reason;
    if (opening.line > 0) target["line"] = opening.line;
}

ordered_json log_json(const CheckedLog& log) {
    ordered_json json = {{"path", log.path}};
    add_opening(json, log.judgement.stock);
    if (differ(log.judgement)) add_opening(json["patched"], log.judgement.patched);
    json["events"] = log.judgement.events;
    json["lost"] = log.judgement.lost;
    json["closers"] = log.judgement.closers;
    json["remembered"] = log.judgement.remembered;
    json["findings"] = ordered_json::array();
    for (const session::Finding& finding : log.findings) {
        json["findings"].push_back({{"line", finding.line},
                                    {"seq", finding.seq},
                                    {"code", finding.code},
                                    {"message", finding.message}});
    }
    if (log.unlisted > 0) json["unlistedFindings"] = log.unlisted;
    json["children"] = ordered_json::array();
    for (const session::ChildSummary& child : log.children) {
        json["children"].push_back({{"childId", child.child_id},
                                    {"provider", child.provider},
                                    {"steps", child.steps},
                                    {"truncated", child.truncated}});
    }
    return json;
}

}  // namespace

std::string log_check_text(const LogCheckOutcome& outcome, const Style& style) {
    std::string text;
    for (const CheckedLog& log : outcome.logs) text += log_text(log, style.color);
    return text;
}

std::string log_check_document(const LogCheckOutcome& outcome) {
    ordered_json document = document_head("log check", outcome.exit, outcome.problems);
    document["logs"] = ordered_json::array();
    for (const CheckedLog& log : outcome.logs) document["logs"].push_back(log_json(log));
    return printed(document);
}

std::string log_check_lines(const LogCheckOutcome& outcome) {
    std::string lines;
    for (const CheckedLog& log : outcome.logs)
        lines += log_json(log).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
    return lines;
}

std::string log_mend_text(const LogMendOutcome& outcome) {
    if (!outcome.problems.empty()) return {};
    if (outcome.copy.empty())
        return fmt::format("{}: opens as it is; no copy was made\n", printable(outcome.path));
    std::string text = fmt::format("{}: marked {}:", printable(outcome.copy),
                                   counted(outcome.lines.size(), "event", "events"));
    for (std::size_t i = 0; i < outcome.lines.size() && i < 20; ++i)
        text += fmt::format("{} line {}", i > 0 ? "," : "", outcome.lines[i]);
    text += outcome.lines.size() > 20 ? ", ...\n" : "\n";
    if (outcome.tail_dropped) text += "  the last zstd frame was cut: its whole lines are in the copy\n";
    return text;
}

std::string log_mend_document(const LogMendOutcome& outcome) {
    ordered_json document = document_head("log mend", outcome.exit, outcome.problems);
    document["path"] = outcome.path;
    document["copy"] = outcome.copy;
    document["lines"] = outcome.lines;
    document["tailDropped"] = outcome.tail_dropped;
    return printed(document);
}

}  // namespace drydock::cli
