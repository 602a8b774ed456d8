#include "cli/render_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using install::FileReport;
using install::PackageReport;
using install::State;

constexpr std::string_view none = "-";

Tone tone_of(State state) {
    switch (state) {
        case State::patched:
            return Tone::good;
        case State::stock:
        case State::other_revision:
        case State::partial:
        case State::absent:
            return Tone::attention;
        case State::drifted:
        case State::wrong_version:
        case State::unreadable:
        case State::unsafe:
            return Tone::bad;
    }
    return Tone::bad;
}

std::string version_of(const PackageReport& package) {
    return package.version.empty() ? std::string(none) : printable(package.version);
}

std::size_t copies_of(const std::vector<PackageReport>& packages, std::string_view name) {
    return static_cast<std::size_t>(std::count_if(
        packages.begin(), packages.end(), [name](const PackageReport& each) { return each.name == name; }));
}

/// What each package is called: its name without scope, with a number where there are several copies.
std::vector<std::string> titles_of(const std::vector<PackageReport>& packages) {
    std::vector<std::string> titles;
    for (std::size_t at = 0; at < packages.size(); ++at) {
        const std::string& name = packages[at].name;
        std::string title = printable(unscoped(name));
        if (copies_of(packages, name) > 1) {
            const auto end = packages.begin() + static_cast<std::ptrdiff_t>(at);
            const auto before = std::count_if(
                packages.begin(), end, [&name](const PackageReport& each) { return each.name == name; });
            title += fmt::format(" ({})", before + 1);
        }
        titles.push_back(std::move(title));
    }
    return titles;
}

std::string summary(const std::vector<PackageReport>& packages) {
    std::set<std::string_view> names;
    for (const PackageReport& package : packages) names.insert(package.name);
    std::string text = counted(names.size(), "package", "packages");
    if (names.size() < packages.size()) text = counted(packages.size(), "copy", "copies") + " of " + text;
    std::string_view before = ": ";
    static constexpr std::array states = {State::patched,       State::stock,  State::other_revision,
                                          State::partial,       State::unsafe, State::drifted,
                                          State::wrong_version, State::absent, State::unreadable};
    for (const State state : states) {
        const auto count =
            std::count_if(packages.begin(), packages.end(),
                          [state](const PackageReport& package) { return package.state == state; });
        if (count == 0) continue;
        text += fmt::format("{}{} {}", before, count, install::state_name(state));
        before = ", ";
    }
    return text;
}

std::string set_name(const install::Outcome& outcome) {
    return fmt::format("{} (revision {})", printable(outcome.version), outcome.revision);
}

// ---- status

std::string revision_of(const FileReport& file, const install::Outcome& outcome) {
    if (file.state == State::patched || file.state == State::unsafe) return std::to_string(outcome.revision);
    if (file.state != State::other_revision) return std::string(none);
    static constexpr std::string_view word = "revision ";
    const std::string_view label = file.label;
    return printable(label.starts_with(word) ? label.substr(word.size()) : label);
}

Cell state_cell(State state, const PackageReport& package) {
    if (state == State::absent && package.missing_is_fine) return {"absent (may be)", Tone::faint};
    return {std::string(install::state_name(state)), tone_of(state)};
}

void append_rows(std::vector<std::vector<Cell>>& rows, const PackageReport& package, const std::string& title,
                 const install::Outcome& outcome) {
    const std::string version = version_of(package);
    if (package.files.empty()) {
        rows.push_back({{title},
                        {version},
                        {std::string(none)},
                        {std::string(none)},
                        state_cell(package.state, package),
                        {std::string(none)}});
    }
    for (const FileReport& file : package.files) {
        const bool first = &file == &package.files.front();
        rows.push_back({{first ? title : std::string()},
                        {first ? version : std::string()},
                        {revision_of(file, outcome)},
                        {printable(file.path)},
                        state_cell(file.state, package),
                        {file.origin ? std::string(origin_name(*file.origin)) : "-"}});
    }
}

/// A line below a copy's, wrapped. Line ends in the detail are blanks: names of files come printable.
void append_detail(std::string& text, std::string_view label, std::string_view detail, const Style& style) {
    static constexpr std::size_t indent = 4;
    const std::string head = std::string(indent, ' ') + std::string(label);
    text += head + wrapped(detail, style.width, display_width(head), indent + 2) + '\n';
}

void append_hashes(std::string& text, const PackageReport& package, const Style& style) {
    for (const FileReport& file : package.files) {
        const std::string hash = file.sha256 ? base::to_hex(*file.sha256) : std::string(none);
        append_detail(text, "sha256: ", hash + " " + printable(file.path), style);
    }
    if (!package.patch_sha256.empty()) append_detail(text, "patch: ", package.patch_sha256, style);
    append_detail(text, "receipt: ", package.receipt ? "yes" : "no", style);
}

/// Where a copy lies, and what an operator should know about it.
void append_details(std::string& text, const PackageReport& package, const std::string& title,
                    const Style& style) {
    text += fmt::format("\n{} in {} (root {})\n", toned(title, Tone::bold, style.color),
                        printable(package.directory), printable(package.root));
    if (!package.why.empty()) append_detail(text, "why: ", package.why, style);
    for (const FileReport& file : package.files) {
        if (file.state == State::stock && !file.label.empty()) {
            append_detail(text, "stock: ", printable(file.path) + " is " + file.label, style);
        }
        for (const std::string& copy : file.second_copies) {
            append_detail(text, "also in ", printable(copy) + ", which stays stock", style);
        }
    }
    if (style.verbose) append_hashes(text, package, style);
    if (!package.advice.empty()) append_detail(text, "do: ", package.advice, style);
}

// ---- apply and revert

/// Its files; after a way back those that are stock, where another one has drifted or is unknown.
std::string files_of(const PackageReport& package, bool back) {
    std::string files;
    for (const FileReport& file : package.files) {
        if (back && package.state == State::drifted && file.state != State::stock) continue;
        files += (files.empty() ? ": " : ", ") + printable(file.path);
    }
    return files;
}

/// Whether a change of this package is one back to stock.
bool goes_back(const SetReport& report, const PackageReport& package) {
    if (report.command == SetCommand::revert) return true;
    if (report.dry_run) return package.state == State::unsafe || package.state == State::wrong_version;
    return package.state != State::patched;
}

void append_change(std::string& text, const SetReport& report, const PackageReport& package,
                   const Style& style) {
    const bool back = goes_back(report, package);
    std::string_view word = back ? "reverted" : "patched";
    if (report.dry_run) word = back ? "would revert" : "would patch";
    text += fmt::format("{} {} {}", toned(word, back ? Tone::attention : Tone::good, style.color),
                        printable(package.name), printable(package.version));
    if (!back) text += fmt::format(" (revision {})", report.outcome.revision);
    if (copies_of(report.outcome.packages, package.name) > 1) text += " in " + printable(package.directory);
    text += files_of(package, back) + '\n';
}

/// The hunks of a dry run below the copy that they are for.
void append_hunks(std::string& text, const install::Outcome& outcome, const PackageReport& package) {
    for (const install::PlannedHunk& hunk : outcome.hunks) {
        if (hunk.package != package.name || hunk.directory != package.directory) continue;
        text += "  " + printable(hunk.file) + ": ";
        if (hunk.hunk > 0) text += hunk_text(hunk.hunk, hunk.line, hunk.offset) + ", ";
        text += printable(hunk.patch) + '\n';
    }
}

void append_unchanged(std::string& text, const PackageReport& package) {
    text += fmt::format("unchanged {} {}: {} in {}\n", printable(package.name), version_of(package),
                        install::state_name(package.state), printable(package.directory));
}

/// The one line of a run that changed nothing.
std::string nothing_text(const SetReport& report) {
    const install::Outcome& outcome = report.outcome;
    if (report.adopted) {
        return fmt::format("{}: upstream has this change; nothing to do\n", printable(outcome.version));
    }
    if (!outcome.problems.empty()) return {};
    std::string text = outcome.notes.empty() && outcome.skipped.empty() ? "nothing to do" : "nothing changed";
    if (!outcome.version.empty()) text += ": " + set_name(outcome);
    if (!outcome.packages.empty()) text += ": " + summary(outcome.packages);
    return text + '\n';
}

}  // namespace

std::string status_text(const SetReport& report, const Style& style) {
    const install::Outcome& outcome = report.outcome;
    if (outcome.version.empty()) return {};
    std::string text = set_name(outcome);
    if (report.adopted) text += ", adopted: upstream has this change";
    text += '\n';
    if (outcome.packages.empty()) return text;
    const std::vector<std::string> titles = titles_of(outcome.packages);
    std::vector<std::vector<Cell>> rows = {
        {{"PACKAGE"}, {"VERSION"}, {"REVISION"}, {"FILE"}, {"STATE"}, {"ORIGIN"}}};
    std::string details;
    for (std::size_t at = 0; at < titles.size(); ++at) {
        append_rows(rows, outcome.packages[at], titles[at], outcome);
        append_details(details, outcome.packages[at], titles[at], style);
    }
    return text + '\n' + table_text(std::move(rows), style.color) + details + '\n' +
           summary(outcome.packages) + '\n';
}

std::string change_text(const SetReport& report, const Style& style) {
    std::string text;
    for (const PackageReport& package : report.outcome.packages) {
        const bool changes = package.changed || package.would_change;
        if (changes) append_change(text, report, package, style);
        if (!changes && style.verbose) append_unchanged(text, package);
        if (changes) append_hunks(text, report.outcome, package);
    }
    const bool changed =
        std::any_of(report.outcome.packages.begin(), report.outcome.packages.end(),
                    [](const PackageReport& each) { return each.changed || each.would_change; });
    return changed ? text : text + nothing_text(report);
}

}  // namespace drydock::cli
