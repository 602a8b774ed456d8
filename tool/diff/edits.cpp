#include "diff/edits.hpp"

#include "diff/compare.hpp"
#include "diff/slide.hpp"

namespace drydock::diff {

std::vector<Edit> find_edits(const Lines& old_lines, const Lines& new_lines) {
    Marks marks = compare(old_lines, new_lines);
    slide(old_lines, marks.removed, new_lines, marks.added);
    slide(new_lines, marks.added, old_lines, marks.removed);
    std::vector<Edit> edits;
    std::size_t from = 0;
    std::size_t to = 0;
    while (from < marks.removed.size() || to < marks.added.size()) {
        Edit edit{from, from, to, to};
        while (edit.old_end < marks.removed.size() && marks.removed[edit.old_end] != 0) ++edit.old_end;
        while (edit.new_end < marks.added.size() && marks.added[edit.new_end] != 0) ++edit.new_end;
        if (edit.old_end > from || edit.new_end > to) edits.push_back(edit);
        from = edit.old_end + 1;
        to = edit.new_end + 1;
    }
    return edits;
}

std::vector<Edit> find_edits(std::string_view old_text, std::string_view new_text) {
    return find_edits(Lines(old_text), Lines(new_text));
}

}  // namespace drydock::diff
