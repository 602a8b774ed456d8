#include "cli/render_diff.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/json_document.hpp"
#include "cli/text.hpp"
#include "patch/parse.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

Json file_json(const patch::FilePatch& file) {
    std::size_t removed = 0;
    std::size_t added = 0;
    for (const patch::Hunk& hunk : file.hunks) {
        for (const patch::Line& line : hunk.lines) {
            removed += line.kind == patch::LineKind::removed ? 1U : 0U;
            added += line.kind == patch::LineKind::added ? 1U : 0U;
        }
    }
    Json entry = {{"path", patch::path_of(file)}, {"operation", patch::operation_name(file.operation)}};
    if (file.operation == patch::Operation::modify && file.old_mode && file.new_mode) {
        entry["oldMode"] = fmt::format("{:o}", *file.old_mode);
        entry["newMode"] = fmt::format("{:o}", *file.new_mode);
    }
    entry["hunks"] = file.hunks.size();
    entry["removed"] = removed;
    entry["added"] = added;
    return entry;
}

}  // namespace

std::string diff_text(DiffOutcome outcome) {
    std::string text = std::move(outcome.patch);
    for (const Unpatched& difference : outcome.unpatched) text += printable(difference.text) + '\n';
    return text;
}

std::string diff_document(const DiffOutcome& outcome) {
    Json files = Json::array();
    if (!outcome.patch.empty()) {
        if (const auto patch = patch::parse(outcome.patch)) {
            for (const patch::FilePatch& file : patch->files) files.push_back(file_json(file));
        }
    }
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
