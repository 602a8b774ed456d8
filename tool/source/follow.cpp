#include <map>
#include <set>

#include <fmt/format.h>
#include <git2.h>

#include "source/library.hpp"
#include "source/source.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

using base::fail;
using base::Result;

/// Of all that differs, what a rename can be made of: files that came, and those of ours that went.
int keep_candidates(const git_diff*, const git_diff_delta* delta, const char*, void* wanted) {
    const bool keep = delta->status == GIT_DELTA_ADDED ||
                      (delta->status == GIT_DELTA_DELETED &&
                       static_cast<const std::set<std::string>*>(wanted)->contains(delta->old_file.path));
    return keep ? 0 : 1;
}

using Renames = std::map<std::string, Destination>;

Result<Renames> renames_between(const Repository::State& state, git_tree& from, git_tree& to,
                                std::set<std::string>& gone) {
    git_diff_options options = GIT_DIFF_OPTIONS_INIT;
    options.flags = GIT_DIFF_IGNORE_SUBMODULES;
    options.notify_cb = keep_candidates;
    options.payload = &gone;
    git_diff* made = nullptr;
    if (const int code = git_diff_tree_to_tree(&made, state.repository, &from, &to, &options); code != 0)
        return fail(state.unreadable(code, "a tree"));
    const Handle<git_diff, git_diff_free> diff(made);
    git_diff_find_options find = GIT_DIFF_FIND_OPTIONS_INIT;
    find.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_DONT_IGNORE_WHITESPACE;
    find.rename_threshold = 50;
    find.rename_limit = git_diff_num_deltas(made) + 1;
    if (const int code = git_diff_find_similar(made, &find); code != 0)
        return fail(state.unreadable(code, "a new or deleted file"));
    Renames renames;
    for (std::size_t i = 0; i < git_diff_num_deltas(made); ++i) {
        const git_diff_delta& delta = *git_diff_get_delta(made, i);
        if (delta.status != GIT_DELTA_RENAMED) continue;
        renames[delta.old_file.path] = {Destination::Kind::renamed, delta.new_file.path, delta.similarity};
    }
    return renames;
}

}  // namespace

Result<std::vector<Destination>> Repository::follow(const std::string& from, const std::string& to,
                                                    const std::vector<std::string>& paths) const {
    using TreeOwner = Handle<git_tree, git_tree_free>;
    const Result<git_tree*> before = state_->tree_of(from);
    if (!before) return fail(before.error());
    const TreeOwner held_before(*before);
    const Result<git_tree*> after = state_->tree_of(to);
    if (!after) return fail(after.error());
    const TreeOwner held_after(*after);
    std::set<std::string> gone;
    for (const std::string& path : paths) {
        const Result<std::optional<Entry>> there = find(*state_, **after, path);
        if (!there) return fail(there.error());
        if (!*there) gone.insert(path);
    }
    Result<Renames> renames = Renames();
    if (!gone.empty()) renames = renames_between(*state_, **before, **after, gone);
    if (!renames) return fail(renames.error());
    std::vector<Destination> answers;
    answers.reserve(paths.size());
    for (const std::string& path : paths) {
        const auto renamed = renames->find(path);
        if (!gone.contains(path))
            answers.push_back({Destination::Kind::same, path, 0});
        else if (renamed != renames->end())
            answers.push_back(renamed->second);
        else
            answers.push_back({Destination::Kind::deleted, {}, 0});
    }
    return answers;
}

}  // namespace drydock::source
