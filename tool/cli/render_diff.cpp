#include "cli/render_diff.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

Json file_json(const diff::FileSummary& summary) {
    const patch::FilePatch& file = summary.head;
    Json entry = {{"path", patch::path_of(file)}, {"operation", patch::operation_name(file.operation)}};
    if (file.operation == patch::Operation::modify && file.old_mode && file.new_mode) {
        entry["oldMode"] = fmt::format("{:o}", *file.old_mode);
        entry["newMode"] = fmt::format("{:o}", *file.new_mode);
    }
    entry["hunks"] = summary.hunks;
    entry["removed"] = summary.removed;
    entry["added"] = summary.added;
    return entry;
}

}  // namespace

std::string unpatched_text(const DiffOutcome& outcome) {
    std::string text;
    for (const Unpatched& difference : outcome.unpatched) text += printable(difference.text) + '\n';
    return text;
}

std::string diff_document(const DiffOutcome& outcome) {
    Json files = Json::array();
    for (const diff::FileSummary& file : outcome.patch.summaries()) files.push_back(file_json(file));
    Json unpatched = Json::array();
    for (const Unpatched& difference : outcome.unpatched) {
        unpatched.push_back({{"path", difference.path}, {"message", difference.text}});
    }
    Json document = document_head("diff", outcome.exit, outcome.problems);
    document["files"] = std::move(files);
    document["unpatched"] = std::move(unpatched);
    return printed(document);
}

}  // namespace drydock::cli
