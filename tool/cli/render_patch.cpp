#include "cli/render_patch.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/render_problems.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

struct Word {
    std::string_view done;
    std::string_view would;
};

Word word_of(patch::Operation operation) {
    switch (operation) {
        case patch::Operation::modify:
            return {"patched", "would patch"};
        case patch::Operation::create:
            return {"created", "would create"};
        case patch::Operation::remove:
            return {"removed", "would remove"};
        case patch::Operation::rename:
            return {"renamed", "would rename"};
        case patch::Operation::copy:
            return {"copied", "would copy"};
    }
    return {};
}

void append_file(std::string& text, const PatchedFile& file, bool dry_run, const Style& style) {
    const Word word = word_of(file.operation);
    text += toned(dry_run ? word.would : word.done, Tone::good, style.color) + ' ';
    if (!file.from.empty()) text += printable(file.from) + " to ";
    text += printable(file.path) + '\n';
    for (const patch::Placement& place : file.hunks) {
        const bool moved = place.offset != 0 || place.fuzz != 0;
        if (!moved && !dry_run && !style.verbose) continue;
        text += "  " + hunk_text(place.hunk, place.line, place.offset);
        if (place.fuzz != 0)
            text += fmt::format(", without {} of context", counted(place.fuzz, "line", "lines"));
        text += '\n';
    }
}

bool is_about_a_hunk(const base::Error& problem) {
    return problem.kind == base::ErrorKind::conflict && problem.message.starts_with("hunk ");
}

}  // namespace

std::string patch_text(const PatchOutcome& outcome, const Style& style) {
    std::string text;
    for (const PatchedFile& file : outcome.files) append_file(text, file, outcome.dry_run, style);
    return text;
}

std::string patch_problems_text(const std::vector<base::Error>& problems) {
    static constexpr std::size_t most_hunks_told = 20;
    std::string text;
    for (auto problem = problems.begin(); problem != problems.end();) {
        const auto of_this_file = [&](const base::Error& other) {
            return is_about_a_hunk(other) && other.file == problem->file;
        };
        const auto end =
            is_about_a_hunk(*problem) ? std::find_if_not(problem, problems.end(), of_this_file) : problem + 1;
        const auto count = static_cast<std::size_t>(end - problem);
        const auto told = static_cast<std::ptrdiff_t>(std::min(count, most_hunks_told));
        text += problems_text({problem, problem + told});
        if (count > most_hunks_told) {
            const std::size_t more = count - most_hunks_told;
            text +=
                fmt::format("drydock: … and {} of {} {} not fit\n", counted(more, "more hunk", "more hunks"),
                            printable(problem->file), more == 1 ? "does" : "do");
        }
        problem = end;
    }
    return text;
}

std::string patch_document(const PatchOutcome& outcome) {
    using Json = nlohmann::ordered_json;
    Json files = Json::array();
    for (const PatchedFile& file : outcome.files) {
        Json entry = {{"path", file.path}, {"operation", patch::operation_name(file.operation)}};
        if (!file.from.empty()) entry["from"] = file.from;
        Json hunks = Json::array();
        for (const patch::Placement& place : file.hunks) {
            hunks.push_back(
                {{"hunk", place.hunk}, {"line", place.line}, {"offset", place.offset}, {"fuzz", place.fuzz}});
        }
        entry["hunks"] = std::move(hunks);
        files.push_back(std::move(entry));
    }
    Json document = document_head("patch", outcome.exit, outcome.problems);
    document["notes"] = problems_json(outcome.notes);
    document["dryRun"] = outcome.dry_run;
    document["files"] = std::move(files);
    return printed(document);
}

}  // namespace drydock::cli
