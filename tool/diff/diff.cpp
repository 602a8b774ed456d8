#include "diff/diff.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "diff/edits.hpp"
#include "diff/lines.hpp"
#include "diff/prove.hpp"
#include "patch/lines.hpp"
#include "patch/print.hpp"

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

/// Makes the hunks of a file from its edits.
class HunkMaker {
  public:
    HunkMaker(const Lines& old_lines, const Lines& new_lines, std::size_t context)
        : old_lines_(old_lines), new_lines_(new_lines), context_(std::max<std::size_t>(context, 1)) {}

    std::vector<patch::Hunk> make(const std::vector<Edit>& edits) const {
        std::vector<patch::Hunk> hunks;
        for (std::size_t first = 0; first < edits.size();) {
            std::size_t end = first + 1;
            // Their contexts would touch or overlap.
            while (end < edits.size() && edits[end].old_begin - edits[end - 1].old_end <= 2 * context_) ++end;
            hunks.push_back(hunk(edits, first, end));
            first = end;
        }
        return hunks;
    }

  private:
    [[nodiscard]] patch::Hunk hunk(const std::vector<Edit>& edits, std::size_t first, std::size_t end) const {
        const std::size_t before = std::min(context_, edits[first].old_begin);
        const std::size_t after = std::min(context_, old_lines_.count() - edits[end - 1].old_end);
        const std::size_t old_begin = edits[first].old_begin - before;
        const std::size_t new_begin = edits[first].new_begin - before;
        const std::size_t old_end = edits[end - 1].old_end + after;
        patch::Hunk hunk;
        hunk.old_count = old_end - old_begin;
        hunk.new_count = edits[end - 1].new_end + after - new_begin;
        hunk.old_start = old_begin + (hunk.old_count == 0 ? 0 : 1);
        hunk.new_start = new_begin + (hunk.new_count == 0 ? 0 : 1);
        std::size_t lines = old_end - old_begin;
        for (std::size_t i = first; i < end; ++i) lines += edits[i].new_end - edits[i].new_begin;
        hunk.lines.reserve(lines);
        std::size_t at = old_begin;
        for (std::size_t i = first; i < end; ++i) {
            append(hunk, patch::LineKind::context, old_lines_, at, edits[i].old_begin);
            append(hunk, patch::LineKind::removed, old_lines_, edits[i].old_begin, edits[i].old_end);
            append(hunk, patch::LineKind::added, new_lines_, edits[i].new_begin, edits[i].new_end);
            at = edits[i].old_end;
        }
        append(hunk, patch::LineKind::context, old_lines_, at, old_end);
        return hunk;
    }

    static void append(patch::Hunk& hunk, patch::LineKind kind, const Lines& lines, std::size_t begin,
                       std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const patch::FileLine line = patch::line_at(lines.line(i), 0);
            hunk.lines.push_back({line.text, kind, line.ending});
        }
    }

    const Lines& old_lines_;
    const Lines& new_lines_;
    std::size_t context_;
};

std::string_view text_of(const std::optional<FileSide>& side) {
    return side ? side->text : std::string_view();
}

}  // namespace

base::Result<std::optional<patch::FilePatch>> make_file_patch(const FilePair& pair,
                                                              const DiffOptions& options) {
    if (const base::Result<void> checked = check(pair); !checked) return base::fail(checked.error());
    patch::FilePatch file = without_hunks(pair);
    if (text_of(pair.old_side) != text_of(pair.new_side)) {
        const Lines old_lines(text_of(pair.old_side));
        const Lines new_lines(text_of(pair.new_side));
        file.hunks = HunkMaker(old_lines, new_lines, options.context).make(find_edits(old_lines, new_lines));
    }
    const bool changes = file.operation != patch::Operation::modify || file.new_mode || !file.hunks.empty();
    const bool nowhere = !pair.old_side && !pair.new_side;
    if (!changes || nowhere) return std::nullopt;
    return file;
}

base::Result<std::string> make_patch_text(const std::vector<FilePair>& pairs, const DiffOptions& options) {
    std::vector<const FilePair*> changed;
    std::string text;
    {
        patch::Patch patch;  // gone before the proof reads it again
        for (const FilePair& pair : pairs) {
            base::Result<std::optional<patch::FilePatch>> file = make_file_patch(pair, options);
            if (!file) return base::fail(std::move(file.error()));
            if (!*file) continue;
            patch.files.push_back(**std::move(file));
            changed.push_back(&pair);
        }
        text = patch::print(patch);
    }
    if (changed.empty()) return text;
    if (const base::Result<void> proven = prove(text, changed); !proven) return base::fail(proven.error());
    return text;
}

}  // namespace drydock::diff
