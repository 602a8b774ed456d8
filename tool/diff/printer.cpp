#include "diff/printer.hpp"

#include <algorithm>
#include <cstring>

#include "patch/print.hpp"

namespace drydock::diff {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 16U;
constexpr std::size_t room =
    256;  ///< behind a piece, for the line that fills it and what comes after the last

char mark_of(patch::LineKind kind) {
    switch (kind) {
        case patch::LineKind::removed:
            return '-';
        case patch::LineKind::added:
            return '+';
        case patch::LineKind::context:
            break;
    }
    return ' ';
}

}  // namespace

Printer::Printer(const std::vector<ChangedFile>& files)
    : files_(files), git_(std::any_of(files.begin(), files.end(), [](const ChangedFile& file) {
          return patch::needs_git(file.head, !file.changes.empty());
      })) {
    buffer_.reserve(piece_size + room);
}

std::string_view Printer::next() {
    buffer_.clear();
    while (buffer_.size() < piece_size && step()) {
    }
    return buffer_;
}

/// Prints some more of what there is; false when there is no more.
bool Printer::step() {
    if (!lines_.bytes.empty()) {
        print_lines();
        return true;
    }
    if (hunks_) {
        if (const auto lines = hunks_->lines()) {
            lines_ = *lines;
            return true;
        }
        if (const auto hunk = hunks_->next()) {
            patch::print_hunk_header(*hunk, buffer_);
            return true;
        }
    }
    if (file_ == files_.size()) return false;
    const ChangedFile& file = files_[file_++];
    patch::print_header(file.head, !file.changes.empty(), git_, buffer_);
    hunks_.emplace(file);
    return true;
}

/// As many of the lines at hand as the piece takes.
void Printer::print_lines() {
    const char mark = mark_of(lines_.kind);
    const char* at = lines_.bytes.data();
    const char* const end = at + lines_.bytes.size();
    while (at != end && buffer_.size() < piece_size) {
        const auto* feed =
            static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
        const char* const line_end = feed == nullptr ? end : feed + 1;
        buffer_ += mark;
        buffer_.append(at, line_end);
        if (feed == nullptr) buffer_ += patch::after_last_line;
        at = line_end;
    }
    lines_.bytes = {at, static_cast<std::size_t>(end - at)};
}

}  // namespace drydock::diff
