#include "cli/command_rebuild.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/process.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/render_problems.hpp"
#include "cli/render_rebuild.hpp"
#include "cli/selection.hpp"
#include "rebuild/rebuild.hpp"

namespace drydock::cli {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using manifest::Environment;

std::string variable_or(const Environment& environment, std::string_view name, const std::string& otherwise) {
    const std::optional<std::string> value = environment(name);
    return value && !value->empty() ? *value : otherwise;
}

std::string default_cache(const Environment& environment) {
    const std::string home = variable_or(environment, "HOME", {});
    const std::string base = variable_or(environment, "XDG_CACHE_HOME", home.empty() ? "" : home + "/.cache");
    return base.empty() ? std::string() : base + "/drydock";
}

/// In the cache; where that takes no files, in scratch.
std::string default_log(const rebuild::Settings& settings) {
    std::error_code error;
    if (!settings.cache.empty()) std::filesystem::create_directories(settings.cache, error);
    const bool cached = !settings.cache.empty() && !error && access(settings.cache.c_str(), W_OK) == 0;
    return (cached ? settings.cache : settings.scratch) + "/drydock-build.log";
}

/// Settings, and what shows how far the work has come: it must outlive them.
struct Prepared {
    rebuild::Settings settings;
    std::unique_ptr<base::Progress> progress;
};

Result<Prepared> prepare(const RebuildSelection& selection, const Environment& environment, bool progress) {
    Prepared prepared;
    rebuild::Settings& settings = prepared.settings;
    settings.harness = selection.harness.value_or(variable_or(environment, "DRYDOCK_HARNESS", {}));
    if (settings.harness.empty()) {
        return base::fail(ErrorKind::usage,
                          "no repository is given; expected --harness REPO or DRYDOCK_HARNESS");
    }
    if (selection.published == "none") {
        settings.published = rebuild::Published::nowhere;
    } else if (selection.published != "registry") {
        settings.published = rebuild::Published::directory;
        settings.published_directory = selection.published;
        if (!base::Directory::open(selection.published)) {
            return base::fail(
                ErrorKind::usage,
                fmt::format("--published is registry, none or a folder, found '{}'", selection.published));
        }
    }
    settings.scratch = selection.scratch.value_or(variable_or(environment, "TMPDIR", "/tmp"));
    if (!selection.no_cache) settings.cache = selection.cache.value_or(default_cache(environment));
    settings.log =
        std::filesystem::absolute(selection.log.value_or(default_log(settings))).lexically_normal();
    if (selection.time_limit) settings.step_limit = *selection.time_limit;
    settings.keep_scratch = selection.keep;
    prepared.progress = make_progress(progress);
    settings.progress = prepared.progress.get();
    return prepared;
}

Result<manifest::Manifest> load(const std::optional<std::string>& path,
                                const std::optional<std::string>& version, const Environment& environment) {
    Selection selection;
    selection.manifest = path;
    selection.version = version;
    return load_manifest(selection, environment);
}

/// Files that are not as they should be, as problems of a check.
void add_differences(const std::vector<rebuild::SetFile>& files, std::vector<Error>& problems) {
    for (const rebuild::SetFile& file : files) {
        if (!file.same) problems.push_back(base::error_at(ErrorKind::check, file.path, 0, file.difference));
    }
}

Reply reply_of(std::string out, const std::vector<Error>& problems, const std::vector<Error>& notes,
               const Style& style) {
    Reply reply;
    reply.exit = exit_code(problems);
    reply.out = std::move(out);
    reply.err = problems_text(problems) + notes_text(notes, style.verbose);
    return reply;
}

class Rebuild {
  public:
    Rebuild(const Environment& environment, bool progress) : environment_(environment), progress_(progress) {}

    Reply regenerate(const RegenerateOptions& options, const OutputOptions& output,
                     const Style& style) const {
        rebuild::Regenerated result;
        if (const Result<void> done = regenerate(options, result); !done)
            result.problems.push_back(done.error());
        std::string out;
        if (output.json) {
            out = regenerated_document(result, exit_code(result.problems));
        } else if (!style.quiet) {
            out = regenerated_text(result, is_written(options.selection, result.problems), style);
        }
        return reply_of(std::move(out), result.problems, result.build.notes, style);
    }

    Reply bump(const BumpOptions& options, const OutputOptions& output, const Style& style) const {
        rebuild::Bumped result;
        std::string report = options.report.value_or("bump-" + options.to);
        if (const Result<void> done = bump(options, report, result); !done)
            result.problems.push_back(done.error());
        std::string out;
        if (output.json) {
            out = bumped_document(result, exit_code(result.problems));
        } else if (!style.quiet) {
            out = bumped_text(result, is_written(options.selection, result.problems), style);
            if (is_left_over(result) && !options.selection.check) {
                out += fmt::format("\nwhat was carried is in {}/source.patch\n", report);
            }
            if (!result.conflicts.empty() && !options.selection.check) {
                out += fmt::format(
                    "edit the files in {0}/conflicts, then run again with --resolved {0}/conflicts\n",
                    report);
            }
        }
        return reply_of(std::move(out), result.problems, result.build.notes, style);
    }

  private:
    Result<void> regenerate(const RegenerateOptions& options, rebuild::Regenerated& result) const {
        const Result<manifest::Manifest> manifest =
            load(options.selection.manifest, options.version, environment_);
        if (!manifest) return base::fail(manifest.error());
        const Result<Prepared> prepared = prepare(options.selection, environment_, progress_);
        if (!prepared) return base::fail(prepared.error());
        result = rebuild::regenerate(*manifest, prepared->settings);
        if (was_interrupted(result)) return {};
        if (!result.problems.empty()) return {};
        if (options.selection.check) {
            add_differences(result.files, result.problems);
            return {};
        }
        return rebuild::write(result.files);
    }

    Result<void> bump(const BumpOptions& options, const std::string& report, rebuild::Bumped& result) const {
        const Result<manifest::Manifest> from = load(options.selection.manifest, options.from, environment_);
        if (!from) return base::fail(from.error());
        const Result<Prepared> prepared = prepare(options.selection, environment_, progress_);
        if (!prepared) return base::fail(prepared.error());
        rebuild::Target target{options.to, options.tag, options.output.value_or(""),
                               options.resolved.value_or("")};
        if (!target.resolved.empty() && !base::Directory::open(target.resolved)) {
            return base::fail(ErrorKind::usage,
                              fmt::format("--resolved wants the folder with the mended files, found '{}'",
                                          target.resolved));
        }
        result = rebuild::bump(*from, target, prepared->settings);
        if (was_interrupted(result)) return {};
        if (options.selection.check) {
            if (result.problems.empty()) add_differences(result.files, result.problems);
            return {};
        }
        if (result.hunks.empty()) return {};
        if (result.problems.empty() && !options.force) refuse_to_replace(result);
        std::vector<rebuild::SetFile> files;
        if (result.problems.empty()) files = result.files;
        add_report(result, report, files);
        return rebuild::write(files);
    }

    static bool is_written(const RebuildSelection& selection, const std::vector<Error>& problems) {
        return !selection.check && problems.empty();
    }

    /// Whoever interrupts us gets nothing written.
    template <class Outcome>
    static bool was_interrupted(Outcome& result) {
        const int signal = base::interrupted_by();
        if (signal == 0) return false;
        result.files.clear();
        result.problems.clear();
        Error error;
        error.message = fmt::format("interrupted by signal {}; nothing was written", signal);
        result.problems.push_back(std::move(error));
        return true;
    }

    /// A set that is there and differs may be somebody's work.
    static void refuse_to_replace(rebuild::Bumped& result) {
        for (const rebuild::SetFile& file : result.files) {
            if (file.same || file.missing) continue;
            result.problems.push_back(
                base::error_at(ErrorKind::usage, file.path, 0,
                               fmt::format("{}; --force replaces it, --output puts the new set elsewhere",
                                           file.difference)));
        }
    }

    /// Whether source.patch was carried, and no set could be made of it: it must not be lost.
    static bool is_left_over(const rebuild::Bumped& result) {
        return result.files.empty() && !result.source_patch.empty();
    }

    static void add_report(const rebuild::Bumped& result, const std::string& folder,
                           std::vector<rebuild::SetFile>& files) {
        const auto add = [&](const std::string& name, std::string text) {
            files.push_back({folder + "/" + name, std::move(text), false, false, {}});
        };
        add("report.md", bumped_markdown(result));
        add("report.json", bumped_document(result, exit_code(result.problems)));
        if (is_left_over(result)) add("source.patch", result.source_patch);
        for (const rebuild::ConflictFile& conflict : result.conflicts) {
            add("conflicts/" + conflict.path, conflict.text);
        }
    }

    Environment environment_;
    bool progress_;
};

}  // namespace

Rebuilder make_rebuilder(const Environment& environment, bool progress) {
    const auto shows = [progress](const OutputOptions& output) {
        return progress && !output.quiet && !output.json;
    };
    Rebuilder rebuilder;
    rebuilder.regenerate = [=](const RegenerateOptions& options, const OutputOptions& output,
                               const Style& style) {
        return Rebuild(environment, shows(output)).regenerate(options, output, style);
    };
    rebuilder.bump = [=](const BumpOptions& options, const OutputOptions& output, const Style& style) {
        return Rebuild(environment, shows(output)).bump(options, output, style);
    };
    return rebuilder;
}

}  // namespace drydock::cli
