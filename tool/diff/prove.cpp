#include "diff/prove.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "patch/lines.hpp"

namespace drydock::diff {
namespace {

base::Error unproven(const std::string& path, std::string what) {
    base::Error error = base::error_at(base::ErrorKind::check, path, 0,
                                       "the patch made for it does not prove right: " + std::move(what));
    error.details.emplace_back("nothing is put out; this is a fault of drydock, please report both files");
    return error;
}

std::string_view text_of_side(const std::optional<FileSide>& side) {
    return side ? side->text : std::string_view();
}

/// Whether a mode that a patch names, if it does, is the side's, where it matters.
bool same_mode(const std::optional<FileSide>& side, std::optional<unsigned> named) {
    return !named || !side || !side->mode || side->mode == named;
}

/// Goes through both sides of each file as its hunks are read: what lies between hunks must be the same on
/// both, context is on both, a removed line on the old one and an added line on the new one. Where that holds
/// to the end, the patch makes either side of the other.
class Walk : public patch::HunkVisitor {
  public:
    explicit Walk(const std::vector<const FilePair*>& pairs) : pairs_(pairs) {}

    void file() override;
    void hunk(const patch::Hunk& header) override;
    void line(const patch::Line& line) override;
    void no_newline() override;

    /// Why the patch is not right; empty: it is.
    [[nodiscard]] std::string_view fault() const { return fault_; }
    [[nodiscard]] const std::string& faulty_path() const { return pairs_[file_ - 1]->path; }
    void finish();

  private:
    /// One of the two texts, and how far we are in it.
    struct Side {
        explicit Side(std::string_view whole) : text(whole), lines(whole) {}

        bool take(const patch::Line& line);
        [[nodiscard]] std::string_view rest() const { return text.substr(at); }
        [[nodiscard]] bool at_line() const { return at == 0 || text[at - 1] == '\n'; }

        std::string_view text;
        patch::LineTable lines;
        std::size_t at{0};
        std::size_t line{0};
        bool unended{false};  ///< no line feed ends the line that was taken last, which is yet to be told
    };

    void fail(std::string_view why) {
        if (fault_.empty()) fault_ = why;
    }
    void check_ended() {
        if (old_.unended || new_.unended) fail("hides that a last line has no newline");
    }

    const std::vector<const FilePair*>& pairs_;
    std::size_t file_{0};
    Side old_{{}};
    Side new_{{}};
    bool of_old_{false};  ///< the last line
    bool of_new_{false};
    std::string_view fault_;
};

void Walk::file() {
    if (file_ > 0) finish();
    if (!fault_.empty()) return;
    if (file_ == pairs_.size()) return fail("reads as other files");
    const FilePair& pair = *pairs_[file_++];
    old_ = Side(text_of_side(pair.old_side));
    new_ = Side(text_of_side(pair.new_side));
}

void Walk::finish() {
    if (!fault_.empty()) return;
    check_ended();
    if (old_.rest() != new_.rest()) fail("gives other bytes");
}

void Walk::hunk(const patch::Hunk& header) {
    if (!fault_.empty()) return;
    check_ended();
    const auto before = [](std::size_t start, std::size_t count) { return count == 0 ? start : start - 1; };
    const std::size_t old_line = before(header.old_start, header.old_count);
    const std::size_t new_line = before(header.new_start, header.new_count);
    if (old_line < old_.line || old_line - old_.line + new_.line != new_line)
        return fail("has a hunk that names another line");
    const std::optional<std::size_t> place = old_.lines.offset(old_line);
    if (!place || *place < old_.at) return fail("has a hunk behind the end");
    const std::string_view between = old_.text.substr(old_.at, *place - old_.at);
    if (!new_.rest().starts_with(between)) return fail("gives other bytes, or at another place than it says");
    old_.at += between.size();
    new_.at += between.size();
    old_.line = old_line;
    new_.line = new_line;
    if (!old_.at_line() || !new_.at_line()) fail("has a hunk within a line");
}

bool Walk::Side::take(const patch::Line& taken) {
    const std::string_view left = rest();
    const std::size_t size = taken.text.size() + (taken.ending == patch::Ending::crlf ? 1 : 0);
    if (left.empty() || size > left.size()) return false;
    if (std::memcmp(left.data(), taken.text.data(), taken.text.size()) != 0) return false;
    if (size > taken.text.size() && left[size - 1] != '\r') return false;
    unended = size == left.size();
    if (!unended && left[size] != '\n') return false;
    at += size + (unended ? 0 : 1);
    ++line;
    return true;
}

void Walk::line(const patch::Line& line) {
    if (!fault_.empty()) return;
    check_ended();
    const bool in_old = line.kind == patch::LineKind::added || old_.take(line);
    const bool in_new = line.kind == patch::LineKind::removed || new_.take(line);
    if (!in_old) fail("has a line that the old side has not there");
    if (!in_new) fail("has a line that the new side has not there");
    of_old_ = line.kind != patch::LineKind::added;
    of_new_ = line.kind != patch::LineKind::removed;
}

void Walk::no_newline() {
    if (!fault_.empty()) return;
    if (of_old_ != old_.unended || of_new_ != new_.unended)
        return fail("says that a line has no newline, and it has one");
    old_.unended = false;
    new_.unended = false;
}

base::Result<void> prove_head(const patch::FilePatch& file, const FilePair& pair) {
    const bool created = !pair.old_side;
    const bool removed = !pair.new_side;
    if (file.old_path != (created ? "" : pair.path) || file.new_path != (removed ? "" : pair.path))
        return base::fail(unproven(pair.path, "it names another file"));
    const bool mode_changes = !created && !removed && pair.old_side->mode && pair.new_side->mode &&
                              pair.old_side->mode != pair.new_side->mode;
    const bool modes_told = !mode_changes || (file.old_mode && file.new_mode);
    if (!modes_told || !same_mode(pair.old_side, file.old_mode) || !same_mode(pair.new_side, file.new_mode))
        return base::fail(unproven(pair.path, "it names another mode"));
    return {};
}

}  // namespace

base::Result<void> prove(const patch::Pieces& text, const std::vector<const FilePair*>& pairs) {
    Walk walk(pairs);
    const base::Result<patch::Patch> patch = patch::parse(text, walk);
    const std::string& first = pairs.front()->path;
    if (!patch) return base::fail(unproven(first, "it cannot be read: " + base::describe(patch.error())));
    if (patch->files.size() != pairs.size()) return base::fail(unproven(first, "it reads as other files"));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        base::Result<void> proven = prove_head(patch->files[i], *pairs[i]);
        if (!proven) return proven;
    }
    walk.finish();
    if (walk.fault().empty()) return {};
    return base::fail(unproven(walk.faulty_path(), fmt::format("it {}", walk.fault())));
}

}  // namespace drydock::diff
