#include "cli/render_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json file_json(const install::FileReport& file) {
    Json entry = {{"path", file.path},
                  {"state", install::state_name(file.state)},
                  {"sha256", file.sha256 ? Json(base::to_hex(*file.sha256)) : Json()},
                  {"origin", file.origin ? Json(origin_name(*file.origin)) : Json()}};
    if (!file.label.empty()) entry["label"] = file.label;
    entry["secondCopies"] = file.second_copies;
    return entry;
}

Json package_json(const install::PackageReport& package, bool dry_run) {
    Json files = Json::array();
    for (const install::FileReport& file : package.files) files.push_back(file_json(file));
    Json entry = {{"name", package.name},
                  {"root", package.root},
                  {"dir", package.directory},
                  {"version", text_or_null(package.version)},
                  {"state", install::state_name(package.state)},
                  {"changed", package.changed}};
    if (dry_run) entry["wouldChange"] = package.would_change;
    entry["patchSha256"] = text_or_null(package.patch_sha256);
    entry["receipt"] = package.receipt;
    entry["missingIsFine"] = package.missing_is_fine;
    if (!package.why.empty()) entry["why"] = package.why;
    if (!package.advice.empty()) entry["advice"] = package.advice;
    entry["files"] = std::move(files);
    return entry;
}

Json hunks_json(const std::vector<install::PlannedHunk>& hunks) {
    Json list = Json::array();
    for (const install::PlannedHunk& hunk : hunks) {
        list.push_back({{"package", hunk.package},
                        {"dir", hunk.directory},
                        {"file", hunk.file},
                        {"patch", hunk.patch},
                        {"hunk", hunk.hunk},
                        {"line", hunk.line},
                        {"offset", hunk.offset}});
    }
    return list;
}

}  // namespace

std::string set_document(const SetReport& report) {
    const install::Outcome& outcome = report.outcome;
    Json document = document_head(command_name(report.command), report.exit, outcome.problems);
    std::vector<base::Error> notes = outcome.notes;
    notes.insert(notes.end(), outcome.skipped.begin(), outcome.skipped.end());
    document["notes"] = problems_json(notes);
    document["version"] = text_or_null(outcome.version);
    document["revision"] = outcome.version.empty() ? Json() : Json(outcome.revision);
    document["adopted"] = report.adopted;
    Json packages = Json::array();
    for (const install::PackageReport& package : outcome.packages) {
        packages.push_back(package_json(package, report.dry_run));
    }
    document["packages"] = std::move(packages);
    if (report.dry_run) document["hunks"] = hunks_json(outcome.hunks);
    return printed(document);
}

std::string version_document(std::string_view version) {
    Json document = document_head("version", ExitCode::done, {});
    document["version"] = version;
    return printed(document);
}

std::string error_document(std::string_view command, ExitCode exit,
                           const std::vector<base::Error>& problems) {
    return printed(document_head(command, exit, problems));
}

}  // namespace drydock::cli
