#include "cli/render_rebuild.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "cli/json_document.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view file_state(const rebuild::SetFile& file, bool written) {
    if (file.same) return "same";
    if (!written) return file.missing ? "missing" : "differs";
    return file.missing ? "made" : "changed";
}

Tone tone_of(const rebuild::SetFile& file, bool written) {
    if (file.same) return Tone::faint;
    return written ? Tone::good : Tone::bad;
}

Tone tone_of(rebuild::HunkClass hunk_class) {
    return hunk_class == rebuild::HunkClass::conflict ? Tone::bad : Tone::plain;
}

std::string files_table(const std::vector<rebuild::SetFile>& files, bool written, bool color) {
    if (files.empty()) return {};
    std::vector<std::vector<Cell>> rows{{{"FILE"}, {"STATE"}}};
    for (const rebuild::SetFile& file : files) {
        rows.push_back(
            {{printable(file.path)}, {std::string(file_state(file, written)), tone_of(file, written)}});
    }
    return table_text(std::move(rows), color);
}

std::string seconds_text(std::chrono::milliseconds time) {
    return fmt::format("{:.1f} s", std::chrono::duration<double>(time).count());
}

/// What was proven, and what it cost.
std::string proof_text(const rebuild::BuildReport& build) {
    std::string text;
    for (const std::string& package : build.proven) {
        text += fmt::format("{}: the stock build equals the published package\n", unscoped(package));
    }
    text += build.cached ? "built before"
                         : fmt::format("checkout {}, builds {}", seconds_text(build.checkout),
                                       seconds_text(build.building));
    if (build.asking.count() > 0) text += fmt::format(", npm {}", seconds_text(build.asking));
    return text + fmt::format(", own work {}\n", seconds_text(build.own));
}

Json files_json(const std::vector<rebuild::SetFile>& files) {
    Json list = Json::array();
    for (const rebuild::SetFile& file : files) {
        Json entry = {{"path", file.path}, {"same", file.same}};
        if (!file.difference.empty()) entry["difference"] = file.difference;
        entry["sha256"] = base::to_hex(base::sha256(file.bytes));
        list.push_back(std::move(entry));
    }
    return list;
}

Json build_json(const rebuild::BuildReport& build) {
    return {{"cached", build.cached},
            {"proven", build.proven},
            {"buildSeconds", std::chrono::duration<double>(build.building).count()},
            {"checkoutSeconds", std::chrono::duration<double>(build.checkout).count()},
            {"npmSeconds", std::chrono::duration<double>(build.asking).count()},
            {"ownSeconds", std::chrono::duration<double>(build.own).count()},
            {"notes", problems_json(build.notes)}};
}

std::string line_text(const rebuild::CarriedHunk& hunk) {
    if (hunk.new_line == 0) return fmt::format("{}", hunk.old_line);
    if (hunk.new_line == hunk.old_line) return fmt::format("{}", hunk.old_line);
    return fmt::format("{} → {}", hunk.old_line, hunk.new_line);
}

std::string file_text(const rebuild::CarriedHunk& hunk) {
    if (hunk.new_file.empty() || hunk.new_file == hunk.file) return hunk.file;
    return fmt::format("{} → {}", hunk.file, hunk.new_file);
}

/// `12 carried, 1 moved`.
std::string counts_text(const rebuild::Bumped& result) {
    std::vector<std::string> counts;
    for (const rebuild::HunkClass hunk_class : {rebuild::HunkClass::carried, rebuild::HunkClass::moved,
                                                rebuild::HunkClass::upstream, rebuild::HunkClass::conflict}) {
        const auto count =
            std::count_if(result.hunks.begin(), result.hunks.end(),
                          [&](const rebuild::CarriedHunk& hunk) { return hunk.hunk_class == hunk_class; });
        if (count > 0) counts.push_back(fmt::format("{} {}", count, rebuild::class_name(hunk_class)));
    }
    return fmt::format("{}", fmt::join(counts, ", "));
}

/// A table cell of Markdown.
std::string cell(std::string_view text) {
    std::string safe;
    for (const char letter : printable(text)) {
        if (std::string_view("|\\`*_<>[]").find(letter) != std::string_view::npos) safe += '\\';
        safe += letter;
    }
    return safe;
}

}  // namespace

std::string regenerated_text(const rebuild::Regenerated& result, bool written, const Style& style) {
    if (result.files.empty()) return {};
    return files_table(result.files, written, style.color) + "\n" + proof_text(result.build);
}

std::string regenerated_document(const rebuild::Regenerated& result, ExitCode exit) {
    Json document = document_head("regenerate", exit, result.problems);
    document["files"] = files_json(result.files);
    document.update(build_json(result.build));
    return printed(document);
}

std::string bumped_text(const rebuild::Bumped& result, bool written, const Style& style) {
    if (result.hunks.empty()) return {};
    std::string text = fmt::format("{} ({}) to {} ({}): {}\n\n", result.from, printable(result.from_tag),
                                   result.to, printable(result.to_tag), counts_text(result));
    std::vector<std::vector<Cell>> rows{{{"FILE"}, {"HUNK"}, {"CLASS"}, {"LINE"}, {"NOTE"}}};
    for (const rebuild::CarriedHunk& hunk : result.hunks) {
        if (!style.verbose && hunk.hunk_class == rebuild::HunkClass::carried && hunk.note.empty()) continue;
        rows.push_back({{printable(file_text(hunk))},
                        {fmt::format("{}", hunk.hunk)},
                        {std::string(rebuild::class_name(hunk.hunk_class)), tone_of(hunk.hunk_class)},
                        {line_text(hunk)},
                        {printable(hunk.note)}});
    }
    if (rows.size() > 1) text += table_text(std::move(rows), style.color) + "\n";
    if (result.adopted) text += "upstream has all of it: the new set is adopted\n\n";
    text += files_table(result.files, written, style.color);
    if (!result.files.empty() && !result.adopted) text += "\n" + proof_text(result.build);
    return text;
}

std::string bumped_document(const rebuild::Bumped& result, ExitCode exit) {
    Json document = document_head("bump", exit, result.problems);
    document["from"] = {{"version", result.from}, {"tag", result.from_tag}, {"commit", result.from_commit}};
    document["to"] = {{"version", result.to}, {"tag", result.to_tag}, {"commit", result.to_commit}};
    document["adopted"] = result.adopted;
    Json hunks = Json::array();
    for (const rebuild::CarriedHunk& hunk : result.hunks) {
        Json entry = {
            {"file", hunk.file}, {"hunk", hunk.hunk}, {"class", rebuild::class_name(hunk.hunk_class)}};
        entry["newFile"] = hunk.new_file.empty() ? Json(nullptr) : Json(hunk.new_file);
        entry["oldLine"] = hunk.old_line;
        entry["newLine"] = hunk.new_line == 0 ? Json(nullptr) : Json(hunk.new_line);
        if (!hunk.note.empty()) entry["note"] = hunk.note;
        hunks.push_back(std::move(entry));
    }
    document["hunks"] = std::move(hunks);
    Json conflicts = Json::array();
    for (const rebuild::ConflictFile& conflict : result.conflicts) {
        conflicts.push_back({{"path", conflict.path}, {"note", conflict.note}});
    }
    document["conflicts"] = std::move(conflicts);
    document["files"] = files_json(result.files);
    document.update(build_json(result.build));
    return printed(document);
}

std::string bumped_markdown(const rebuild::Bumped& result) {
    std::string text =
        fmt::format("# Bump of the patch set: {} to {}\n\n", cell(result.from), cell(result.to));
    text += "| | version | tag | commit |\n|---|---|---|---|\n";
    text += fmt::format("| from | {} | {} | {} |\n", cell(result.from), cell(result.from_tag),
                        result.from_commit);
    text += fmt::format("| to | {} | {} | {} |\n\n", cell(result.to), cell(result.to_tag), result.to_commit);
    text += fmt::format("Hunks: {}.\n\n", counts_text(result));
    if (result.adopted)
        text += "Upstream has all of it: the new set is adopted, and nothing is patched any more.\n\n";
    for (const base::Error& problem : result.problems) {
        text += fmt::format("- **{}**\n", cell(base::describe(problem)));
        if (!problem.details.empty()) text += "\n";
        for (const std::string& detail : problem.details) text += "      " + printable(detail) + "\n";
    }
    if (!result.problems.empty()) text += "\n";
    if (result.files.empty() && !result.source_patch.empty())
        text += "What was carried is in `source.patch` beside this report.\n\n";
    text += "| file | hunk | class | line | note |\n|---|---|---|---|---|\n";
    for (const rebuild::CarriedHunk& hunk : result.hunks) {
        text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(file_text(hunk)), hunk.hunk,
                            rebuild::class_name(hunk.hunk_class), line_text(hunk), cell(hunk.note));
    }
    if (!result.conflicts.empty()) {
        text +=
            "\nTo decide, in the folder `conflicts` beside this report; then go on with `--resolved`:\n\n";
        for (const rebuild::ConflictFile& conflict : result.conflicts) {
            text += fmt::format("- {}: {}\n", cell(conflict.path), cell(conflict.note));
        }
    }
    if (!result.files.empty()) {
        text += "\n| file of the new set | sha256 |\n|---|---|\n";
        for (const rebuild::SetFile& file : result.files) {
            text += fmt::format("| {} | {} |\n", cell(file.path), base::to_hex(base::sha256(file.bytes)));
        }
    }
    for (const std::string& package : result.build.proven) {
        text += fmt::format("\n{}: the stock build equals the published package.\n", cell(package));
    }
    for (const base::Error& note : result.build.notes)
        text += fmt::format("\nNote: {}.\n", cell(base::describe(note)));
    return text;
}

}  // namespace drydock::cli
