#include "diff/prove.hpp"

#include <utility>

#include <fmt/format.h>

#include "patch/apply.hpp"
#include "patch/parse.hpp"
#include "patch/reverse.hpp"

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

/// Whether each hunk's `+` line is the `-` line and what the hunks before it added: nothing is placed by it
/// here, but other tools do.
bool starts_agree(const patch::FilePatch& file) {
    const auto before = [](std::size_t start, std::size_t count) { return count == 0 ? start : start - 1; };
    std::size_t removed = 0;
    std::size_t added = 0;
    for (const patch::Hunk& hunk : file.hunks) {
        if (before(hunk.new_start, hunk.new_count) + removed !=
            before(hunk.old_start, hunk.old_count) + added)
            return false;
        removed += hunk.old_count;
        added += hunk.new_count;
    }
    return true;
}

base::Result<void> prove_way(const patch::FilePatch& file, const FilePair& pair,
                             const std::optional<FileSide>& from, const std::optional<FileSide>& to,
                             std::string_view way) {
    const auto fails = [&](std::string_view what) {
        return base::fail(unproven(pair.path, fmt::format("{} it {}", way, what)));
    };
    const base::Result<bool> made = patch::makes(file, text_of_side(from), text_of_side(to));
    if (!made) return fails("does not apply: " + made.error().message);
    if (!*made) return fails("gives other bytes, or at another place than it says");
    return {};
}

base::Result<void> prove_file(patch::FilePatch file, const FilePair& pair) {
    const bool created = !pair.old_side;
    const bool removed = !pair.new_side;
    if (file.old_path != (created ? "" : pair.path) || file.new_path != (removed ? "" : pair.path))
        return base::fail(unproven(pair.path, "it names another file"));
    const bool mode_changes = !created && !removed && pair.old_side->mode && pair.new_side->mode &&
                              pair.old_side->mode != pair.new_side->mode;
    const bool modes_told = !mode_changes || (file.old_mode && file.new_mode);
    if (!modes_told || !same_mode(pair.old_side, file.old_mode) || !same_mode(pair.new_side, file.new_mode))
        return base::fail(unproven(pair.path, "it names another mode"));
    if (!starts_agree(file)) return base::fail(unproven(pair.path, "a hunk names another line"));
    base::Result<void> proven = prove_way(file, pair, pair.old_side, pair.new_side, "forwards");
    if (!proven) return proven;
    return prove_way(patch::reverse(std::move(file)), pair, pair.new_side, pair.old_side, "backwards");
}

}  // namespace

base::Result<void> prove(std::string_view text, const std::vector<const FilePair*>& pairs) {
    base::Result<patch::Patch> patch = patch::parse(text);
    const std::string& first = pairs.front()->path;
    if (!patch) return base::fail(unproven(first, "it cannot be read: " + base::describe(patch.error())));
    if (patch->files.size() != pairs.size()) return base::fail(unproven(first, "it reads as other files"));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        base::Result<void> proven = prove_file(std::move(patch->files[i]), *pairs[i]);
        if (!proven) return proven;
    }
    return {};
}

}  // namespace drydock::diff
