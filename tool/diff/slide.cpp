#include "diff/slide.hpp"

#include <cstddef>

namespace drydock::diff {
namespace {

/// Goes through the groups of marked lines of a side. There is one, maybe empty, before each unmarked line
/// and one at the end, so that the groups of both sides belong together by their number.
class Groups {
  public:
    Groups(const Lines& lines, std::vector<std::uint8_t>& marks) : lines_(lines), marks_(marks) { grow(); }

    [[nodiscard]] bool empty() const { return begin_ == end_; }
    [[nodiscard]] std::size_t size() const { return end_ - begin_; }

    bool next() {
        if (end_ == marks_.size()) return false;
        begin_ = ++end_;
        grow();
        return true;
    }
    void previous() {
        end_ = --begin_;
        grow();
    }

    /// Moves the group by one line, where that is possible, and takes in the ones that it meets.
    bool up() {
        if (begin_ == 0 || lines_.line(begin_ - 1) != lines_.line(end_ - 1)) return false;
        marks_[--begin_] = 1;
        marks_[--end_] = 0;
        grow();
        return true;
    }
    bool down() {
        if (end_ == marks_.size() || lines_.line(begin_) != lines_.line(end_)) return false;
        marks_[begin_++] = 0;
        marks_[end_++] = 1;
        grow();
        return true;
    }

  private:
    void grow() {
        while (begin_ > 0 && marks_[begin_ - 1] != 0) --begin_;
        while (end_ < marks_.size() && marks_[end_] != 0) ++end_;
    }

    const Lines& lines_;
    std::vector<std::uint8_t>& marks_;
    std::size_t begin_{0};
    std::size_t end_{0};
};

/// Brings a group to its place, and the other side's along.
void settle(Groups& group, Groups& other) {
    std::size_t size = 0;
    std::size_t past = 0;  // how far behind the last change of the other side
    bool met = false;
    while (size != group.size()) {
        size = group.size();
        while (group.up()) other.previous();
        met = !other.empty();
        past = 0;
        while (group.down()) {
            other.next();
            ++past;
            if (other.empty()) continue;
            met = true;
            past = 0;
        }
    }
    for (; met && past > 0; --past) {
        group.up();
        other.previous();
    }
}

}  // namespace

void slide(const Lines& lines, std::vector<std::uint8_t>& marks, const Lines& other_lines,
           std::vector<std::uint8_t>& other_marks) {
    Groups group(lines, marks);
    Groups other(other_lines, other_marks);
    do {
        if (!group.empty()) settle(group, other);
    } while (group.next() && other.next());
}

}  // namespace drydock::diff
