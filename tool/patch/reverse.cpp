#include "patch/reverse.hpp"

#include <algorithm>
#include <utility>

namespace drydock::patch {
namespace {

Operation reversed(Operation operation) {
    switch (operation) {
        case Operation::create:
            return Operation::remove;
        case Operation::remove:
            return Operation::create;
        case Operation::modify:
        case Operation::rename:
        case Operation::copy:
            break;
    }
    return operation;
}

LineKind reversed(LineKind kind) {
    switch (kind) {
        case LineKind::added:
            return LineKind::removed;
        case LineKind::removed:
            return LineKind::added;
        case LineKind::context:
            break;
    }
    return kind;
}

/// Within each run of changed lines the removed ones come first again, as every diff writes them.
void order_runs(std::vector<Line>& lines) {
    const auto is_context = [](const Line& line) { return line.kind == LineKind::context; };
    for (auto run = lines.begin(); run != lines.end();) {
        run = std::find_if_not(run, lines.end(), is_context);
        const auto end = std::find_if(run, lines.end(), is_context);
        const auto is_added = [](const Line& line) { return line.kind == LineKind::added; };
        const auto removed = std::find_if_not(run, end, is_added);
        if (std::none_of(removed, end, is_added)) {
            std::rotate(run, removed, end);  // as a rule, and without memory of its own
        } else {
            std::stable_partition(run, end, [&](const Line& line) { return !is_added(line); });
        }
        run = end;
    }
}

/// How many lines lie before a side of a hunk.
std::size_t lines_before(std::size_t start, std::size_t count) {
    return count == 0 ? start : start - 1;
}

/// `added` is how many more lines than they took the earlier hunks gave. The `+` line, which may be stale,
/// must not become the line that the reversed hunk is looked for at, so it is counted anew.
void reverse_hunk(Hunk& hunk, std::ptrdiff_t added) {
    const std::size_t before = lines_before(hunk.old_start, hunk.old_count) + static_cast<std::size_t>(added);
    hunk.new_start = hunk.old_start;
    hunk.old_start = hunk.new_count == 0 ? before : before + 1;
    std::swap(hunk.old_count, hunk.new_count);
    for (Line& line : hunk.lines) line.kind = reversed(line.kind);
    order_runs(hunk.lines);
}

}  // namespace

FilePatch reverse(FilePatch file) {
    file.operation = reversed(file.operation);
    std::swap(file.old_path, file.new_path);
    std::swap(file.old_mode, file.new_mode);
    std::swap(file.old_empty, file.new_empty);
    std::ptrdiff_t added = 0;
    for (Hunk& hunk : file.hunks) {
        const auto old_count = static_cast<std::ptrdiff_t>(hunk.old_count);
        const auto new_count = static_cast<std::ptrdiff_t>(hunk.new_count);
        reverse_hunk(hunk, added);
        added += new_count - old_count;
    }
    return file;
}

Patch reverse(const Patch& patch) {
    Patch result;
    result.files.reserve(patch.files.size());
    const std::size_t last_commit = patch.files.empty() ? 0 : patch.files.back().commit;
    for (auto file = patch.files.rbegin(); file != patch.files.rend(); ++file) {
        result.files.push_back(reverse(*file));
        result.files.back().commit = last_commit - file->commit;
    }
    return result;
}

}  // namespace drydock::patch
