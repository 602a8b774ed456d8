#include "diff/edits.hpp"

#include "diff/compare.hpp"
#include "diff/slide.hpp"

namespace drydock::diff {
namespace {

Marks settled(const Lines& old_lines, const Lines& new_lines) {
    Marks marks = compare(old_lines, new_lines);
    slide(old_lines, marks.removed, new_lines, marks.added);
    slide(new_lines, marks.added, old_lines, marks.removed);
    return marks;
}

template <class Take>
void each_edit(const Marks& marks, const Take& take) {
    std::size_t from = 0;
    std::size_t to = 0;
    while (from < marks.removed.size() || to < marks.added.size()) {
        Edit edit{from, from, to, to};
        while (edit.old_end < marks.removed.size() && marks.removed[edit.old_end] != 0) ++edit.old_end;
        while (edit.new_end < marks.added.size() && marks.added[edit.new_end] != 0) ++edit.new_end;
        if (edit.old_end > from || edit.new_end > to) take(edit);
        from = edit.old_end + 1;
        to = edit.new_end + 1;
    }
}

/// Of all edits what `make` makes of each.
template <class T, class Make>
std::vector<T> of_edits(const Marks& marks, const Make& make) {
    std::size_t count = 0;
    each_edit(marks, [&](const Edit&) { ++count; });
    std::vector<T> all;
    all.reserve(count);
    each_edit(marks, [&](const Edit& edit) { all.push_back(make(edit)); });
    return all;
}

}  // namespace

std::vector<Edit> find_edits(std::string_view old_text, std::string_view new_text) {
    return of_edits<Edit>(settled(Lines(old_text), Lines(new_text)), [](const Edit& edit) { return edit; });
}

std::vector<Change> find_changes(std::string_view old_text, std::string_view new_text) {
    const Lines old_lines(old_text);
    const Lines new_lines(new_text);
    return of_edits<Change>(settled(old_lines, new_lines), [&](const Edit& edit) {
        const auto narrow = [](std::size_t line) { return static_cast<std::uint32_t>(line); };
        return Change{narrow(edit.old_begin),           narrow(edit.old_end),
                      narrow(edit.new_begin),           narrow(edit.new_end),
                      old_lines.starts[edit.old_begin], old_lines.starts[edit.old_end],
                      new_lines.starts[edit.new_begin], new_lines.starts[edit.new_end]};
    });
}

}  // namespace drydock::diff
