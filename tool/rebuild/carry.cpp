#include "rebuild/carry.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "diff/diff.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using source::Destination;
using source::EntryKind;
using Content = std::optional<source::Content>;

constexpr std::array<std::string_view, 3> marks{"<<<<<<<", ">>>>>>>", "|||||||"};

std::size_t first_changed_line(std::string_view before, std::string_view after) {
    const std::vector<diff::Edit> edits = diff::find_edits(before, after);
    return edits.empty() ? 0 : edits.front().new_begin + 1;
}

std::size_t changed_lines(std::string_view before, std::string_view after) {
    std::size_t count = 0;
    for (const diff::Edit& edit : diff::find_edits(before, after)) {
        count += edit.old_end - edit.old_begin + edit.new_end - edit.new_begin;
    }
    return count;
}

/// A file that a person must decide on.
struct Dispute {
    std::string path;
    std::string marked;  ///< the file with conflict markers
    std::string note;    ///< what collided
    std::string ours;
    std::string theirs;
};

bool is_marker(std::string_view line) {
    return std::any_of(marks.begin(), marks.end(), [line](std::string_view mark) {
        const std::size_t rest = std::min(line.find_first_not_of(mark.front()), line.size());
        return line.starts_with(mark) && (rest == line.size() || line[rest] == ' ');
    });
}

std::set<std::string_view> markers_in(std::string_view text) {
    std::set<std::string_view> markers;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (is_marker(line)) markers.insert(line);
        begin = end + 1;
    }
    return markers;
}

/// Whether a text holds a line that a merge left, and not one that either side has of its own.
bool has_markers(std::string_view text, const Dispute& dispute) {
    std::set<std::string_view> own = markers_in(dispute.ours);
    own.merge(markers_in(dispute.theirs));
    const std::set<std::string_view> found = markers_in(text);
    return !std::includes(own.begin(), own.end(), found.begin(), found.end());
}

class Carrier {
  public:
    explicit Carrier(const Route& route) : route_(route) {}

    Carry run(const patch::Patch& patch) {
        for (const patch::FilePatch& file : patch.files) {
            if (const Result<void> done = carry_file(file); !done) carry_.problems.push_back(done.error());
        }
        for (CarriedHunk& hunk : carry_.hunks) {
            if (route_.resolved.empty() || hunk.hunk_class != HunkClass::conflict) continue;
            hunk.note += hunk.note.empty() ? "decided by hand" : "; decided by hand";
        }
        return std::move(carry_);
    }

  private:
    Result<void> carry_file(const patch::FilePatch& file) {
        switch (file.operation) {
            case patch::Operation::create:
                return carry_created(file);
            case patch::Operation::remove:
                return carry_removed(file);
            case patch::Operation::modify:
                return carry_modified(file);
            default:
                return base::fail(base::error_at(
                    ErrorKind::usage, file.patch_name, file.line,
                    fmt::format("{} is a {}; make it a new file and a removed one, so that it can be carried",
                                file.new_path, patch::operation_name(file.operation))));
        }
    }

    Result<Content> file_at(const std::string& commit, const std::string& path,
                            const std::string& name) const {
        Result<Content> content = route_.repository.content(commit, path);
        if (!content) return base::fail(content.error());
        if (*content && (*content)->kind != EntryKind::file && (*content)->kind != EntryKind::executable) {
            return base::fail(
                base::error_at(ErrorKind::usage, path, 0,
                               fmt::format("is no regular file at {}; only those can be carried", name)));
        }
        return content;
    }

    /// Where a path of the old tag would lie at the new one, by its package's folder.
    std::string moved(const std::string& path) const {
        for (const auto& [from, to] : route_.moved_folders) {
            if (path.starts_with(from + "/")) return to + path.substr(from.size());
        }
        return path;
    }

    /// Where a file of the old tag is at the new one. One that cannot be recognised any more is looked for in
    /// its package's new folder.
    Result<Destination> destination_of(const std::string& path) const {
        const Result<std::vector<Destination>> there =
            route_.repository.follow(route_.from_commit, route_.to_commit, {path});
        if (!there) return base::fail(there.error());
        const std::string by_folder = moved(path);
        if (there->front().kind != Destination::Kind::deleted || by_folder == path) return there->front();
        const Result<Content> content = file_at(route_.to_commit, by_folder, route_.to_name);
        if (!content) return base::fail(content.error());
        return *content ? Destination{Destination::Kind::renamed, by_folder, 0} : there->front();
    }

    Result<void> carry_created(const patch::FilePatch& file) {
        const Result<patch::Applied> made = patch::apply(file, {});
        if (!made) return base::fail(made.error());
        const std::string path = moved(file.new_path);
        const Result<Content> theirs = file_at(route_.to_commit, path, route_.to_name);
        if (!theirs) return base::fail(theirs.error());
        const bool executable = file.new_mode && (*file.new_mode & 0100U) != 0;
        CarriedFile result{path, std::nullopt, made->text, false, executable};
        CarriedHunk hunk{file.new_path, path, 1, HunkClass::carried, 1, 1, {}};
        if (path != file.new_path) hunk.hunk_class = HunkClass::moved;
        if (*theirs) {
            result.before = (*theirs)->bytes;
            result.executable_before = (*theirs)->kind == EntryKind::executable;
            result.executable_after = executable || result.executable_before;
            if (*result.before == made->text) {
                hunk.hunk_class = HunkClass::upstream;
                if (result.executable_after != result.executable_before) {
                    hunk.hunk_class = HunkClass::carried;
                    hunk.note = fmt::format("{} has it, but not executable", route_.to_name);
                }
            } else {
                hunk.hunk_class = HunkClass::conflict;
                hunk.note = fmt::format("{} has a file of its own there", route_.to_name);
                const Result<source::Merged> merged = merge({}, made->text, *result.before);
                if (!merged) return base::fail(merged.error());
                result.after = settle({path, merged->text, hunk.note, made->text, *result.before});
            }
        }
        add(std::move(hunk), file.hunks.size());
        add(std::move(result));
        return {};
    }

    Result<void> carry_removed(const patch::FilePatch& file) {
        const Result<Content> base = file_at(route_.from_commit, file.old_path, route_.from_name);
        if (!base) return base::fail(base.error());
        const Result<Destination> there = destination_of(file.old_path);
        if (!there) return base::fail(there.error());
        const Destination& destination = *there;
        CarriedHunk hunk{file.old_path, destination.path, 1, HunkClass::carried, 1, 1, {}};
        if (destination.kind == Destination::Kind::deleted) {
            hunk.hunk_class = HunkClass::upstream;
            hunk.new_line = 0;
            add(std::move(hunk), file.hunks.size());
            return {};
        }
        const Result<Content> theirs = file_at(route_.to_commit, destination.path, route_.to_name);
        if (!theirs) return base::fail(theirs.error());
        CarriedFile result{destination.path, (*theirs)->bytes, std::nullopt,
                           (*theirs)->kind == EntryKind::executable, false};
        if (destination.kind == Destination::Kind::renamed) hunk.hunk_class = HunkClass::moved;
        if (!*base || (*base)->bytes != (*theirs)->bytes) {
            hunk.hunk_class = HunkClass::conflict;
            hunk.note = fmt::format("source.patch deletes it, {} has changed it", route_.to_name);
            result.after = settle_or_drop(
                {destination.path, one_sided({}, (*theirs)->bytes), hunk.note, {}, (*theirs)->bytes});
        }
        add(std::move(hunk), file.hunks.size());
        add(std::move(result));
        return {};
    }

    Result<void> carry_modified(const patch::FilePatch& file) {
        const Result<Content> base = file_at(route_.from_commit, file.old_path, route_.from_name);
        if (!base) return base::fail(base.error());
        if (!*base) {
            return base::fail(base::error_at(ErrorKind::conflict, file.old_path, 0,
                                             fmt::format("is not there at {}", route_.from_name)));
        }
        const std::string& old_text = (*base)->bytes;
        const Result<patch::Applied> ours = patch::apply(file, old_text);
        if (!ours) return base::fail(ours.error());
        const Result<Destination> there = destination_of(file.old_path);
        if (!there) return base::fail(there.error());
        const Destination& destination = *there;
        if (destination.kind == Destination::Kind::deleted)
            return carry_to_nowhere(file, old_text, ours->text);
        const Result<Content> theirs = file_at(route_.to_commit, destination.path, route_.to_name);
        if (!theirs) return base::fail(theirs.error());
        const Result<source::Merged> merged = merge(old_text, ours->text, (*theirs)->bytes);
        if (!merged) return base::fail(merged.error());
        std::vector<CarriedHunk> hunks;
        for (std::size_t at = 0; at < file.hunks.size(); ++at) {
            const Result<CarriedHunk> hunk =
                carry_hunk(file, at, old_text, (*theirs)->bytes, destination.path);
            if (!hunk) return base::fail(hunk.error());
            hunks.push_back(*hunk);
        }
        const bool executable = (*theirs)->kind == EntryKind::executable;
        CarriedFile result{destination.path, (*theirs)->bytes, merged->text, executable, executable};
        if (file.new_mode) result.executable_after = (*file.new_mode & 0100U) != 0;
        if (hunks.empty()) hunks.push_back(mode_alone(file, destination, executable));
        if (merged->conflicts > 0) {
            mark_conflicts(hunks);
            result.after =
                settle({destination.path, merged->text,
                        fmt::format("{} conflict{}", merged->conflicts, merged->conflicts == 1 ? "" : "s"),
                        ours->text, (*theirs)->bytes});
        }
        carry_.hunks.insert(carry_.hunks.end(), hunks.begin(), hunks.end());
        add(std::move(result));
        return {};
    }

    /// What stands for a file of which only the mode changes.
    static CarriedHunk mode_alone(const patch::FilePatch& file, const Destination& destination,
                                  bool executable) {
        const bool wanted = file.new_mode && (*file.new_mode & 0100U) != 0;
        CarriedHunk hunk{file.old_path, destination.path, 1, HunkClass::carried, 1, 1, "its mode"};
        if (destination.kind == Destination::Kind::renamed) hunk.hunk_class = HunkClass::moved;
        if (wanted == executable) hunk.hunk_class = HunkClass::upstream;
        return hunk;
    }

    /// Where hunks fit one by one and not together, a person must look at all of them.
    static void mark_conflicts(std::vector<CarriedHunk>& hunks) {
        const auto conflicts = [](const CarriedHunk& hunk) { return hunk.hunk_class == HunkClass::conflict; };
        if (std::any_of(hunks.begin(), hunks.end(), conflicts)) return;
        for (CarriedHunk& hunk : hunks) {
            hunk.hunk_class = HunkClass::conflict;
            hunk.note = "the hunks of this file fit one by one, and not together";
        }
    }

    Result<void> carry_to_nowhere(const patch::FilePatch& file, const std::string& old_text,
                                  const std::string& our_text) {
        const std::string note = fmt::format("{} has deleted it", route_.to_name);
        for (std::size_t at = 0; at < file.hunks.size(); ++at) {
            const Result<patch::Applied> ours = patch::apply(only_hunk(file, at), old_text);
            if (!ours) return base::fail(ours.error());
            carry_.hunks.push_back({file.old_path,
                                    {},
                                    at + 1,
                                    HunkClass::conflict,
                                    first_changed_line(old_text, ours->text),
                                    0,
                                    note});
        }
        CarriedFile result{moved(file.old_path), std::nullopt, std::nullopt, false, false};
        result.after = settle_or_drop({result.path, one_sided(our_text, {}), note, our_text, {}});
        add(std::move(result));
        return {};
    }

    static patch::FilePatch only_hunk(const patch::FilePatch& file, std::size_t at) {
        patch::FilePatch alone = file;
        alone.hunks = {file.hunks[at]};
        return alone;
    }

    /// One hunk by itself: what it alone does to the file tells its class.
    Result<CarriedHunk> carry_hunk(const patch::FilePatch& file, std::size_t at, const std::string& base,
                                   const std::string& theirs, const std::string& path) const {
        CarriedHunk hunk{file.old_path, path, at + 1, HunkClass::carried, 0, 0, {}};
        const Result<patch::Applied> ours = patch::apply(only_hunk(file, at), base);
        if (!ours) return base::fail(ours.error());
        hunk.old_line = first_changed_line(base, ours->text);
        const Result<source::Merged> merged = merge(base, ours->text, theirs);
        if (!merged) return base::fail(merged.error());
        if (merged->conflicts > 0) {
            hunk.hunk_class = HunkClass::conflict;
            return hunk;
        }
        if (merged->text == theirs) {
            hunk.hunk_class = HunkClass::upstream;
            return hunk;
        }
        hunk.new_line = first_changed_line(theirs, merged->text);
        if (hunk.new_line != hunk.old_line || path != file.old_path) hunk.hunk_class = HunkClass::moved;
        if (changed_lines(theirs, merged->text) < changed_lines(base, ours->text)) {
            hunk.note = fmt::format("{} has a part of it", route_.to_name);
        }
        return hunk;
    }

    Result<source::Merged> merge(const std::string& base, const std::string& ours,
                                 const std::string& theirs) const {
        return source::merge({base, route_.from_name}, {ours, "source.patch on " + route_.from_name},
                             {theirs, route_.to_name});
    }

    /// A file of which one side is gone.
    std::string one_sided(const std::string& ours, const std::string& theirs) const {
        const auto whole = [](const std::string& text) {
            return text.empty() || text.ends_with('\n') ? text : text + "\n";
        };
        return fmt::format("<<<<<<< source.patch on {}\n{}=======\n{}>>>>>>> {}\n", route_.from_name,
                           whole(ours), whole(theirs), route_.to_name);
    }

    /// What a person made of a conflict; nothing, and the conflict is noted, where nobody has.
    std::optional<std::string> settle(const Dispute& dispute) {
        if (route_.resolved.empty()) {
            carry_.conflicts.push_back({dispute.path, dispute.marked, dispute.note});
            return std::nullopt;
        }
        const std::string file = route_.resolved + "/" + dispute.path;
        if (!exists(file)) {
            carry_.problems.push_back(base::error_at(
                ErrorKind::conflict, file, 0,
                fmt::format("is not there ({}); expected the file as it shall be", dispute.note)));
            return std::nullopt;
        }
        Result<std::string> text = base::read_file(file, patch::largest_file);
        if (!text) {
            carry_.problems.push_back(text.error());
            return std::nullopt;
        }
        if (has_markers(*text, dispute)) {
            carry_.problems.push_back(
                base::error_at(ErrorKind::conflict, file, 0, "still has conflict markers"));
        }
        return *std::move(text);
    }

    /// As settle(); a file that a person has taken out of the folder shall not be there.
    std::optional<std::string> settle_or_drop(const Dispute& dispute) {
        const bool dropped = !route_.resolved.empty() && !exists(route_.resolved + "/" + dispute.path);
        return dropped ? std::nullopt : settle(dispute);
    }

    static bool exists(const std::string& path) {
        std::error_code ignored;
        return std::filesystem::exists(path, ignored);
    }

    void add(CarriedHunk hunk, std::size_t count) {
        for (std::size_t at = 0; at < std::max<std::size_t>(count, 1); ++at) {
            hunk.hunk = at + 1;
            carry_.hunks.push_back(hunk);
        }
    }

    void add(CarriedFile file) {
        const bool same = file.before == file.after && file.executable_before == file.executable_after;
        if (!same) carry_.files.push_back(std::move(file));
    }

    const Route& route_;
    Carry carry_;
};

}  // namespace

Carry carry(const patch::Patch& patch, const Route& route) {
    return Carrier(route).run(patch);
}

}  // namespace drydock::rebuild
