#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/transaction.hpp"
#include "rebuild/compose.hpp"
#include "rebuild/obtain.hpp"

namespace drydock::rebuild {
namespace {

using base::Error;
using base::Result;

Result<Draft> draft_of(const manifest::Manifest& manifest) {
    if (const std::optional<Error> error = cannot_rebuild(manifest)) return base::fail(*error);
    Result<std::string> text = base::read_file(manifest.file, manifest::largest_manifest);
    if (!text) return base::fail(text.error());
    Result<std::string> patch = read_any(manifest, *manifest.source->patch);
    if (!patch) return base::fail(patch.error());
    Result<SourcePatch> source = read_source_patch(*std::move(patch), manifest.source->patch->path);
    if (!source) return base::fail(source.error());
    return Draft{manifest, *std::move(text), *std::move(source), false};
}

Regenerated make_set(const manifest::Manifest& manifest, const Settings& settings) {
    Regenerated result;
    const auto stop = [&](Error error) {
        result.problems.push_back(std::move(error));
        return std::move(result);
    };
    const Result<Draft> draft = draft_of(manifest);
    if (!draft) return stop(draft.error());
    const Result<Obtained> obtained = obtain_commits(settings, {manifest.source->tag});
    if (!obtained) return stop(obtained.error());
    if (std::optional<Error> moved = moved_tag(manifest, obtained->commits.front()))
        return stop(*std::move(moved));
    Composed composed = compose(*draft, obtained->repository, settings);
    result.files = std::move(composed.files);
    result.build = std::move(composed.report);
    result.problems = std::move(composed.problems);
    return result;
}

}  // namespace

Regenerated regenerate(const manifest::Manifest& manifest, const Settings& settings) {
    const auto begin = std::chrono::steady_clock::now();
    Regenerated result = make_set(manifest, settings);
    result.build.count_own(std::chrono::steady_clock::now() - begin);
    return result;
}

Result<void> write(const std::vector<SetFile>& files) {
    const base::Sys<base::Directory> root = base::Directory::open("/");
    if (!root) return base::fail(base::io_error(root.error(), "cannot open /"));
    base::Transaction transaction;
    for (const SetFile& file : files) {
        if (file.same) continue;
        const std::filesystem::path absolute = std::filesystem::absolute(file.path).lexically_normal();
        std::error_code error;
        std::filesystem::create_directories(absolute.parent_path(), error);
        if (error)
            return base::fail(
                base::io_error(base::Errno{error.value()}, "cannot make " + absolute.parent_path().string()));
        // Links on the way to a set are its owner's.
        const base::Sys<std::string> folder = base::real_path(absolute.parent_path());
        if (!folder)
            return base::fail(
                base::io_error(folder.error(), "cannot open " + absolute.parent_path().string()));
        base::Target target{&*root, (*folder + "/" + absolute.filename().string()).substr(1), file.path,
                            std::nullopt};
        base::Attributes attributes;
        const mode_t mask = umask(0);
        umask(mask);
        attributes.mode = 0666U & ~mask;
        attributes.uid = geteuid();
        attributes.gid = getegid();
        const base::Sys<std::optional<base::FileInfo>> there = root->info(target.path);
        if (!there) return base::fail(base::io_error(there.error(), "cannot write " + file.path));
        if (*there) {
            target.expected = (*there)->identity;
            attributes.mode = (*there)->mode;
            attributes.uid = (*there)->uid;
            attributes.gid = (*there)->gid;
        }
        transaction.write(std::move(target), file.bytes, std::move(attributes));
    }
    if (transaction.empty()) return {};
    if (Result<void> staged = transaction.stage(); !staged) return staged;
    if (const auto left = transaction.commit(); !left) return base::fail(left.error());
    return {};
}

}  // namespace drydock::rebuild
