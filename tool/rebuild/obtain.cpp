#include "rebuild/obtain.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/hash.hpp"

namespace drydock::rebuild {

using base::Result;

namespace {

/// Whether a folder is there, or can be made, and takes files.
bool can_be_written(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    return !error && access(folder.c_str(), W_OK) == 0;
}

}  // namespace

Result<Obtained> obtain_commits(const Settings& settings, const std::vector<std::string>& tags) {
    std::string folder = settings.cache;
    std::optional<base::Scratch> scratch;
    if (source::is_remote(settings.harness) && !can_be_written(folder)) {
        Result<base::Scratch> made = base::Scratch::make(settings.scratch, false);
        if (!made) return base::fail(made.error());
        scratch.emplace(*std::move(made));
        folder = scratch->path();
    }
    const std::string name = base::to_hex(base::sha256(settings.harness)).substr(0, 16);
    Result<source::Repository> repository =
        source::obtain(settings.harness, tags, fmt::format("{}/{}.git", folder, name),
                       source::TransferLimits{}, *settings.progress);
    if (!repository) return base::fail(repository.error());
    std::vector<std::string> commits;
    for (const std::string& tag : tags) {
        Result<std::string> commit = repository->commit_of_tag(tag);
        if (!commit) return base::fail(commit.error());
        commits.push_back(*std::move(commit));
    }
    return Obtained{std::move(scratch), *std::move(repository), std::move(commits)};
}

std::optional<base::Error> moved_tag(const manifest::Manifest& manifest, const std::string& commit) {
    if (commit == manifest.source->commit) return std::nullopt;
    return base::error_at(
        base::ErrorKind::usage, manifest.file, 0,
        fmt::format("tag {} is at commit {}, the set was made at {}; a tag that moved is another "
                    "version: find out why before you change the pin",
                    manifest.source->tag, commit, manifest.source->commit));
}

}  // namespace drydock::rebuild
