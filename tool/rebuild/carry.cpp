#include "rebuild/carry.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/directory.hpp"
#include "diff/diff.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using source::EntryKind;
using Content = std::optional<source::Content>;

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

/// A line that a merge left, as git's own tools find them.
bool has_markers(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        for (const std::string_view mark : {"<<<<<<<", ">>>>>>>", "|||||||"}) {
            const std::size_t rest = std::min(line.find_first_not_of(mark.front()), line.size());
            if (line.starts_with(mark) && (rest == line.size() || line[rest] == ' ')) return true;
        }
        begin = end + 1;
    }
    return false;
}

class Carrier {
  public:
    explicit Carrier(const Route& route) : route_(route) {}

    Carry run(const patch::Patch& patch) {
        for (const patch::FilePatch& file : patch.files) {
            if (const Result<void> done = carry_file(file); !done) carry_.problems.push_back(done.error());
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
            result.executable_after = result.executable_before;
            if (*result.before == made->text) {
                hunk.hunk_class = HunkClass::upstream;
            } else {
                hunk.hunk_class = HunkClass::conflict;
                hunk.note = fmt::format("{} has a file of its own there", route_.to_name);
                const Result<source::Merged> merged = merge({}, made->text, *result.before);
                if (!merged) return base::fail(merged.error());
                result.after = settle(path, merged->text, hunk.note);
            }
        }
        add(std::move(hunk), file.hunks.size());
        add(std::move(result));
        return {};
    }

    Result<void> carry_removed(const patch::FilePatch& file) {
        const Result<Content> base = file_at(route_.from_commit, file.old_path, route_.from_name);
        if (!base) return base::fail(base.error());
        const Result<std::vector<source::Destination>> there =
            route_.repository.follow(route_.from_commit, route_.to_commit, {file.old_path});
        if (!there) return base::fail(there.error());
        const source::Destination& destination = there->front();
        CarriedHunk hunk{file.old_path, destination.path, 1, HunkClass::carried, 1, 1, {}};
        if (destination.kind == source::Destination::Kind::deleted) {
            hunk.hunk_class = HunkClass::upstream;
            hunk.new_line = 0;
            add(std::move(hunk), file.hunks.size());
            return {};
        }
        const Result<Content> theirs = file_at(route_.to_commit, destination.path, route_.to_name);
        if (!theirs) return base::fail(theirs.error());
        CarriedFile result{destination.path, (*theirs)->bytes, std::nullopt,
                           (*theirs)->kind == EntryKind::executable, false};
        if (destination.kind == source::Destination::Kind::renamed) hunk.hunk_class = HunkClass::moved;
        if (!*base || (*base)->bytes != (*theirs)->bytes) {
            hunk.hunk_class = HunkClass::conflict;
            hunk.note = fmt::format("source.patch deletes it, {} has changed it", route_.to_name);
            result.after = settle_or_drop(destination.path, one_sided({}, (*theirs)->bytes), hunk.note);
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
        const Result<std::vector<source::Destination>> there =
            route_.repository.follow(route_.from_commit, route_.to_commit, {file.old_path});
        if (!there) return base::fail(there.error());
        const source::Destination& destination = there->front();
        if (destination.kind == source::Destination::Kind::deleted) return carry_to_nowhere(file, ours->text);
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
        if (merged->conflicts > 0) {
            mark_conflicts(hunks);
            result.after =
                settle(destination.path, merged->text,
                       fmt::format("{} conflict{}", merged->conflicts, merged->conflicts == 1 ? "" : "s"));
        }
        carry_.hunks.insert(carry_.hunks.end(), hunks.begin(), hunks.end());
        add(std::move(result));
        return {};
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

    Result<void> carry_to_nowhere(const patch::FilePatch& file, const std::string& our_text) {
        const std::string note = fmt::format("{} has deleted it", route_.to_name);
        for (std::size_t at = 0; at < file.hunks.size(); ++at) {
            carry_.hunks.push_back(
                {file.old_path, {}, at + 1, HunkClass::conflict, file.hunks[at].old_start, 0, note});
        }
        CarriedFile result{moved(file.old_path), std::nullopt, std::nullopt, false, false};
        result.after = settle_or_drop(result.path, one_sided(our_text, {}), note);
        add(std::move(result));
        return {};
    }

    /// One hunk by itself: what it alone does to the file tells its class.
    Result<CarriedHunk> carry_hunk(const patch::FilePatch& file, std::size_t at, const std::string& base,
                                   const std::string& theirs, const std::string& path) const {
        patch::FilePatch alone = file;
        alone.hunks = {file.hunks[at]};
        CarriedHunk hunk{file.old_path, path, at + 1, HunkClass::carried, 0, 0, {}};
        const Result<patch::Applied> ours = patch::apply(alone, base);
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
    std::optional<std::string> settle(const std::string& path, const std::string& marked,
                                      const std::string& note) {
        if (route_.resolved.empty()) {
            carry_.conflicts.push_back({path, marked, note});
            return std::nullopt;
        }
        Result<std::string> text = base::read_file(route_.resolved + "/" + path, patch::largest_file);
        if (!text) {
            carry_.problems.push_back(text.error());
            return std::nullopt;
        }
        if (has_markers(*text)) {
            carry_.problems.push_back(base::error_at(ErrorKind::conflict, route_.resolved + "/" + path, 0,
                                                     "still has conflict markers"));
        }
        return *std::move(text);
    }

    /// As settle(); a file that a person has taken out of the folder shall not be there.
    std::optional<std::string> settle_or_drop(const std::string& path, const std::string& marked,
                                              const std::string& note) {
        std::error_code ignored;
        const bool dropped =
            !route_.resolved.empty() && !std::filesystem::exists(route_.resolved + "/" + path, ignored);
        return dropped ? std::nullopt : settle(path, marked, note);
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
