#include "diff/hunks.hpp"

#include <algorithm>
#include <utility>

namespace drydock::diff {
namespace {

/// Where so many lines before a place start.
std::size_t lines_before(std::string_view text, std::size_t place, std::size_t count) {
    for (; count > 0; --count) {
        const std::size_t feed = place < 2 ? std::string_view::npos : text.rfind('\n', place - 2);
        place = feed == std::string_view::npos ? 0 : feed + 1;
    }
    return place;
}

}  // namespace

std::optional<patch::Hunk> Hunks::next() {
    const std::vector<Change>& changes = file_->changes;
    change_ = end_;
    if (change_ == changes.size()) return std::nullopt;
    end_ = change_ + 1;
    // Their contexts would touch or overlap.
    while (end_ < changes.size() && changes[end_].old_begin - changes[end_ - 1].old_end <= 2 * file_->context)
        ++end_;
    part_ = Part::before;
    const Change& first = changes[change_];
    const Change& last = changes[end_ - 1];
    const std::size_t before = std::min<std::size_t>(file_->context, first.old_begin);
    from_ = lines_before(file_->old_text, first.old_from, before);
    to_ = last.old_to;
    std::size_t after = 0;
    for (; after < file_->context && to_ < file_->old_text.size(); ++after) {
        const std::size_t feed = file_->old_text.find('\n', to_);
        to_ = feed == std::string_view::npos ? file_->old_text.size() : feed + 1;
    }
    patch::Hunk hunk;
    hunk.old_count = last.old_end + after - (first.old_begin - before);
    hunk.new_count = last.new_end + after - (first.new_begin - before);
    hunk.old_start = first.old_begin - before + (hunk.old_count == 0 ? 0 : 1);
    hunk.new_start = first.new_begin - before + (hunk.new_count == 0 ? 0 : 1);
    return hunk;
}

std::optional<Hunks::Lines> Hunks::lines() {
    const auto sub = [](std::string_view text, std::size_t from, std::size_t to) {
        return text.substr(from, to - from);
    };
    if (change_ == end_) {
        if (from_ == to_) return std::nullopt;
        const std::size_t from = std::exchange(from_, to_);
        return Lines{patch::LineKind::context, sub(file_->old_text, from, to_)};
    }
    const Change& change = file_->changes[change_];
    switch (part_) {
        case Part::before:
            part_ = Part::removed;
            return Lines{patch::LineKind::context, sub(file_->old_text, from_, change.old_from)};
        case Part::removed:
            part_ = Part::added;
            return Lines{patch::LineKind::removed, sub(file_->old_text, change.old_from, change.old_to)};
        case Part::added:
            break;
    }
    part_ = Part::before;
    from_ = change.old_to;
    ++change_;
    return Lines{patch::LineKind::added, sub(file_->new_text, change.new_from, change.new_to)};
}

}  // namespace drydock::diff
