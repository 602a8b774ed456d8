#include "diff/diff.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "diff/edits.hpp"
#include "diff/hunks.hpp"
#include "diff/printer.hpp"
#include "diff/prove.hpp"

namespace drydock::diff {
namespace {

base::Error problem(const std::string& path, std::string message) {
    return base::error_at(base::ErrorKind::usage, path, 0, std::move(message));
}

base::Result<void> check(const FilePair& pair) {
    if (!base::is_safe_relative(pair.path)) {
        return base::fail(
            problem(pair.path,
                    "cannot stand in a patch; expected a relative path without empty parts, '.' and '..'"));
    }
    for (const std::optional<FileSide>& side : {pair.old_side, pair.new_side}) {
        if (!side || side->text.size() <= largest_text) continue;
        return base::fail(problem(pair.path, fmt::format("is {} bytes long; at most {} can be compared",
                                                         side->text.size(), largest_text)));
    }
    return {};
}

patch::FilePatch without_hunks(const FilePair& pair) {
    patch::FilePatch file;
    if (!pair.old_side) {
        file.operation = patch::Operation::create;
    } else {
        file.old_path = pair.path;
        file.old_mode = pair.old_side->mode;
    }
    if (!pair.new_side) {
        file.operation = patch::Operation::remove;
    } else {
        file.new_path = pair.path;
        file.new_mode = pair.new_side->mode;
    }
    if (file.operation == patch::Operation::modify &&
        (!file.old_mode || !file.new_mode || file.old_mode == file.new_mode)) {
        file.old_mode.reset();
        file.new_mode.reset();
    }
    return file;
}

bool changes(const ChangedFile& file) {
    return file.head.operation != patch::Operation::modify || file.head.new_mode || !file.changes.empty();
}

std::string_view text_of(const std::optional<FileSide>& side) {
    return side ? side->text : std::string_view();
}

}  // namespace

ProvenPatch::ProvenPatch() = default;
ProvenPatch::ProvenPatch(std::vector<ChangedFile> files, std::size_t size)
    : files_(std::move(files)), size_(size) {}
ProvenPatch::ProvenPatch(ProvenPatch&&) noexcept = default;
ProvenPatch& ProvenPatch::operator=(ProvenPatch&&) noexcept = default;
ProvenPatch::~ProvenPatch() = default;

bool ProvenPatch::empty() const {
    return files_.empty();
}

std::vector<FileSummary> ProvenPatch::summaries() const {
    std::vector<FileSummary> all;
    for (const ChangedFile& file : files_) {
        FileSummary& summary = all.emplace_back();
        summary.head = file.head;
        Hunks hunks(file);
        while (hunks.next()) ++summary.hunks;
        for (const Change& change : file.changes) {
            summary.removed += change.old_end - change.old_begin;
            summary.added += change.new_end - change.new_begin;
        }
    }
    return all;
}

void ProvenPatch::print(const std::function<bool(std::string_view)>& take) const {
    Printer printer(files_);
    for (std::string_view piece = printer.next(); !piece.empty() && take(piece);) piece = printer.next();
}

std::string ProvenPatch::text() const {
    std::string text;
    text.reserve(size_);
    print([&](std::string_view piece) {
        text += piece;
        return true;
    });
    return text;
}

base::Result<ProvenPatch> make_patch(const std::vector<FilePair>& pairs, const DiffOptions& options) {
    std::vector<ChangedFile> files;
    std::vector<const FilePair*> changed;
    for (const FilePair& pair : pairs) {
        if (base::Result<void> checked = check(pair); !checked) return base::fail(std::move(checked.error()));
        ChangedFile file{without_hunks(pair), text_of(pair.old_side), text_of(pair.new_side), {}, 0};
        file.context = std::max<std::size_t>(options.context, 1);
        if (file.old_text != file.new_text) file.changes = find_changes(file.old_text, file.new_text);
        if (!changes(file) || (!pair.old_side && !pair.new_side)) continue;
        files.push_back(std::move(file));
        changed.push_back(&pair);
    }
    if (files.empty()) return ProvenPatch();
    Printer printer(files);
    std::size_t size = 0;
    const auto next = [&] {
        const std::string_view piece = printer.next();
        size += piece.size();
        return piece;
    };
    if (base::Result<void> proven = prove(next, changed); !proven)
        return base::fail(std::move(proven.error()));
    return ProvenPatch(std::move(files), size);
}

base::Result<std::string> make_patch_text(const std::vector<FilePair>& pairs, const DiffOptions& options) {
    return make_patch(pairs, options).map([](const ProvenPatch& patch) { return patch.text(); });
}

}  // namespace drydock::diff
