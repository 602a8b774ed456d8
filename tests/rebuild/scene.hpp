#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/progress.hpp"
#include "rebuild/rebuild.hpp"
#include "tests/support/toy.hpp"

namespace drydock::rebuild {

/// A toy's sets, regenerated and bumped through the room. Builds of all scenes share one cache, unless a test
/// says otherwise.
class Scene : public test::Toy {
  public:
    explicit Scene(const test::ToySet& set = {}) : Toy(set) {
        static const test::TemporaryDirectory cache;
        settings.harness = test::toy_repository();
        settings.published = Published::nowhere;
        settings.cache = cache.path();
        settings.scratch = *this / "scratch";
        settings.log = *this / "build.log";
        settings.progress = &silent_;
    }

    [[nodiscard]] manifest::Manifest manifest(const std::string& version = "1.0.0") const {
        base::Result<manifest::Manifest> loaded = manifest::load(*this / "sets", version);
        if (!loaded) ADD_FAILURE() << base::describe(loaded.error());
        return loaded ? *std::move(loaded) : manifest::Manifest();
    }

    /// Regenerates without writing, and tells all of it.
    std::string check(const std::string& version = "1.0.0") {
        return shown(regenerate(manifest(version), settings));
    }

    /// Regenerates, and writes what came of it when there was no problem.
    std::string make(const std::string& version = "1.0.0") {
        const Regenerated result = regenerate(manifest(version), settings);
        if (result.problems.empty()) written(result.files);
        return shown(result);
    }

    /// Carries the set to a tag, and writes what came of it when there was no problem.
    std::string carry(const std::string& tag, const std::string& resolved = {}) {
        const Bumped result = bump(manifest(), {"1.1.0", tag, {}, resolved}, settings);
        if (result.problems.empty()) written(result.files);
        conflicts = result.conflicts;
        return shown(result);
    }

    /// The conflicts of the last carry() as files in a folder, its path.
    std::string put_conflicts() const {
        for (const ConflictFile& conflict : conflicts)
            test::write(*this / "mended/" + conflict.path, conflict.text);
        return *this / "mended";
    }

    Settings settings;
    std::vector<ConflictFile> conflicts;

  private:
    static void written(const std::vector<SetFile>& files) {
        const base::Result<void> done = write(files);
        EXPECT_TRUE(done) << base::describe(done.error());
    }

    [[nodiscard]] std::string shown(const Regenerated& result) const {
        return named(shown_files(result.files) + shown_build(result.build) +
                     shown_problems("problem", result.problems));
    }

    [[nodiscard]] std::string shown(const Bumped& result) const {
        std::string text;
        for (const CarriedHunk& hunk : result.hunks) {
            text += hunk.file;
            if (hunk.new_file != hunk.file)
                text += " → " + (hunk.new_file.empty() ? "nowhere" : hunk.new_file);
            text += fmt::format(" {}: {}, {} → {}", hunk.hunk, class_name(hunk.hunk_class), hunk.old_line,
                                hunk.new_line);
            text += hunk.note.empty() ? "\n" : " (" + hunk.note + ")\n";
        }
        if (result.adopted) text += "adopted\n";
        for (const ConflictFile& conflict : result.conflicts)
            text += "conflict " + conflict.path + " (" + conflict.note + ")\n" + conflict.text;
        return named(text + shown_files(result.files) + shown_build(result.build) +
                     shown_problems("problem", result.problems));
    }

    static std::string shown_files(const std::vector<SetFile>& files) {
        std::string text;
        for (const SetFile& file : files) {
            text += (file.same ? "same " : file.missing ? "new " : "other ") + file.path;
            text += file.same || file.missing ? "\n" : ": " + file.difference + "\n";
        }
        return text;
    }

    static std::string shown_build(const BuildReport& build) {
        std::string text;
        for (const std::string& package : build.proven) text += "proven " + package + "\n";
        return text + shown_problems("note", build.notes);
    }

    static std::string shown_problems(const std::string& what, const std::vector<base::Error>& problems) {
        static const std::vector<std::string> kinds{"check",    "usage", "wrong_version", "drifted",
                                                    "conflict", "io",    "busy",          "build"};
        std::string text;
        for (const base::Error& problem : problems) {
            text += fmt::format("{} {}: {}\n", what, kinds[static_cast<std::size_t>(problem.kind)],
                                base::describe(problem));
            for (const std::string& detail : problem.details) text += "  " + detail + "\n";
        }
        return text;
    }

    base::Silent silent_;
};

}  // namespace drydock::rebuild
