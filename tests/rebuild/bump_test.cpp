// Also tests rebuild/carry.cpp, rebuild/manifest_text.cpp and rebuild/obtain.cpp.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "tests/rebuild/scene.hpp"

namespace drydock::rebuild {
namespace {

/// The tree that git's own merge makes of `ours` and a tag, and the one that the new source.patch makes of
/// the tag.
void expect_as_git_merges(const Scene& scene, const std::string& tag) {
    // Below the tree it says what it thinks of a renamed folder.
    const std::string merged = test::shell(
        test::toy_repository(), "{ git merge-tree --write-tree ours " + tag + " || true; } | sed -n 1p");
    const std::string patched = test::shell(
        test::toy_repository(), "export GIT_INDEX_FILE=" + scene / "index" + "; git read-tree " + tag +
                                    "; git apply --cached " + scene / "patches/toy-1.1.0/source.patch" +
                                    "; git write-tree");
    EXPECT_EQ(patched, merged);
}

/// Each tag of the monorepo that takes the patch, or has it.
class BumpOf : public testing::TestWithParam<const char*> {};

TEST_P(BumpOf, ATag) {
    const std::string tag = GetParam();
    Scene scene;
    scene.make();
    const std::string told = scene.carry(tag);
    test::expect_golden("rebuild/data/bump-" + tag + "/told.txt", told);
    EXPECT_EQ(std::filesystem::is_empty(scene / "scratch"), true);
    if (test::exists(scene / "patches/toy-1.1.0/source.patch")) {
        expect_as_git_merges(scene, tag);
        EXPECT_EQ(scene.check("1.1.0").find("other"), std::string::npos) << "regenerate gives other files";
    }
}

INSTANTIATE_TEST_SUITE_P(Toy, BumpOf,
                         testing::Values("clean", "moved", "renamed", "deleted", "some", "all", "conflict",
                                         "same-file", "other-file", "folder", "provider", "no-provider",
                                         "link", "broken", "three-conflicts", "v1.0.0", "claen"),
                         [](const auto& parameter) {
                             std::string name = parameter.param;
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                             return name;
                         });

/// What a run said after its hunks.
std::string after_hunks(const std::string& told) {
    std::string text;
    for (std::size_t begin = 0; begin < told.size();) {
        const std::size_t end = told.find('\n', begin) + 1;
        const std::string line = told.substr(begin, end - begin);
        if (!line.starts_with("packages/")) text += line;
        begin = end;
    }
    return text;
}

const std::string new_set =
    "new TOY/patches/toy-1.1.0/source.patch\nnew TOY/patches/toy-1.1.0/core.lib.patch\nnew "
    "TOY/patches/toy-1.1.0/provider.lib.patch\nnew TOY/sets/1.1.0.yaml\n";

TEST(Resolved, GoesOnFromWhatAPersonMended) {
    Scene scene;
    scene.make();
    scene.carry("three-conflicts");
    const std::string mended = scene.put_conflicts();
    const std::string core = "mended/packages/core/src/index.ts";
    const std::string marked = test::read(scene / core);
    const std::size_t begin = marked.find("<<<<<<<");
    const std::size_t end = marked.find('\n', marked.find(">>>>>>>")) + 1;
    test::write(scene / core, marked.substr(0, begin) + "export const core30 = 3031;\n" + marked.substr(end));
    test::shell(mended, "rm packages/provider/src/index.ts");
    // The provider is as upstream has it then.
    EXPECT_EQ(
        scene.carry("three-conflicts", mended),
        "packages/core/src/extra.ts 1: carried, 1 → 1\n"
        "packages/core/src/index.ts 1: carried, 6 → 6\n"
        "packages/core/src/index.ts 2: conflict, 30 → 0 (decided by hand)\n"
        "packages/provider/src/index.ts → nowhere 1: conflict, 10 → 0 (three-conflicts has deleted it; "
        "decided by hand)\n"
        "problem conflict: @toy/provider: lib/index.js: does not change by the carried source.patch; write "
        "the new manifest by hand, without it\n");
    test::write(scene / "mended/packages/provider/src/index.ts", "export const provider10 = 1000;\n");
    EXPECT_EQ(after_hunks(scene.carry("three-conflicts", mended)), new_set);
    const std::string source = test::read(scene / "patches/toy-1.1.0/source.patch");
    EXPECT_NE(source.find("-export const core30 = 31;\n+export const core30 = 3031;\n"), std::string::npos)
        << source;
    EXPECT_NE(source.find("--- /dev/null\n+++ b/packages/provider/src/index.ts\n@@ -0,0 +1 @@\n"),
              std::string::npos);
    EXPECT_EQ(after_hunks(scene.check("1.1.0")),
              "same TOY/patches/toy-1.1.0/core.lib.patch\nsame "
              "TOY/patches/toy-1.1.0/provider.lib.patch\nsame TOY/sets/1.1.0.yaml\n");
}

TEST(Resolved, WantsEveryFileAndNoMarkerLeft) {
    Scene scene;
    scene.make();
    scene.carry("three-conflicts");
    const std::string mended = scene.put_conflicts();
    test::shell(mended, "rm packages/core/src/index.ts");
    EXPECT_EQ(after_hunks(scene.carry("three-conflicts", mended)),
              "problem conflict: TOY/mended/packages/core/src/index.ts: is not there (1 conflict); expected "
              "the file as "
              "it shall be\n"
              "problem conflict: TOY/mended/packages/provider/src/index.ts: still has conflict markers\n");
    EXPECT_FALSE(test::exists(scene / "sets/1.1.0.yaml"));
}

TEST(Resolved, TakesAFileOfOursOverUpstreamsAndTheOtherWay) {
    for (const std::string choice : {"1", "2"}) {
        Scene scene;
        scene.make();
        scene.carry("other-file");
        const std::string mended = scene.put_conflicts();
        test::write(mended + "/packages/core/src/extra.ts", "export const extra = " + choice + ";\n");
        EXPECT_EQ(after_hunks(scene.carry("other-file", mended)), new_set);
        const std::string source = test::read(scene / "patches/toy-1.1.0/source.patch");
        EXPECT_EQ(source.find("extra") != std::string::npos, choice == "1")
            << "upstream's own needs no patch";
    }
}

TEST(Resolved, KnowsLinesThatLookLikeMarkersInAFileThatHasThem) {
    // Both sides change a file that documents conflict markers.
    const test::TemporaryDirectory directory;
    test::shell(
        directory.path(),
        "cp -r " + test::toy_repository() +
            "/. .; git checkout -q v1.0.0; f=packages/core/src/util.ts; "
            "printf '/*\\n<<<<<<< ours\\n*/\\nexport const util = 1;\\n' >$f; git add .; git commit -qm "
            "docs; git tag docs; "
            "sed -i 's/= 1/= 2/' $f; git add .; git commit -qm 2; git tag docs-2; git checkout -q docs; "
            "sed -i 's/= 1/= 3/' $f; sed -i 's/1.0.0/1.1.0/' packages/*/package.json; git add .; git commit "
            "-qm 3; git tag docs-3");
    test::ToySet set;
    set.tag = "docs";
    set.commit = test::shell(directory.path(), "git rev-parse docs");
    set.source_patch = test::shell(directory.path(), "git diff docs docs-2") + "\n";
    set.provider = "no";
    Scene scene(set);
    scene.settings.harness = directory.path();
    scene.make();
    scene.carry("docs-3");
    ASSERT_EQ(scene.conflicts.size(), 1U);
    const std::string mended = scene.put_conflicts();
    EXPECT_EQ(after_hunks(scene.carry("docs-3", mended)),
              "problem conflict: TOY/mended/packages/core/src/util.ts: still has conflict markers\n");
    test::write(mended + "/packages/core/src/util.ts", "/*\n<<<<<<< ours\n*/\nexport const util = 4;\n");
    EXPECT_EQ(after_hunks(scene.carry("docs-3", mended)),
              "new TOY/patches/toy-1.1.0/source.patch\nnew TOY/patches/toy-1.1.0/core.lib.patch\nnew "
              "TOY/sets/1.1.0.yaml\n");
}

/// Whole: a bump of a source.patch with modes, removed and added files.
std::string carry_modes(const std::string& patched, const std::string& tag) {
    test::ToySet set;
    set.patched = patched;
    set.provider = "no";
    set.build =
        "  - name: modes\n    command: [sh, -c, \"mkdir -p packages/core/lib; stat -c %A packages/core/src/* "
        ">packages/core/lib/index.js; cat packages/core/src/* >>packages/core/lib/index.js\"]\n";
    Scene scene(set);
    scene.make();
    const std::string told = scene.carry(tag);
    if (!test::exists(scene / "patches/toy-1.1.0/source.patch")) return told;
    const std::string tree = test::shell(
        test::toy_repository(), "export GIT_INDEX_FILE=" + scene / "index" + "; git read-tree " + tag +
                                    "; git apply --cached " + scene / "patches/toy-1.1.0/source.patch" +
                                    "; git ls-files -s packages/core/src | cut -c1-7,51-");
    return told + tree + "\n";
}

TEST(Modes, AreCarried) {
    const std::vector<std::pair<std::string, std::string>> cases{{"modes", "moved"},
                                                                 {"mode-alone", "moved"},
                                                                 {"mode-alone", "renamed"},
                                                                 {"mode-alone", "mode-alone"},
                                                                 {"executable-file", "same-file"},
                                                                 {"util-gone", "util-gone"},
                                                                 {"util-gone", "three-conflicts"}};
    for (const auto& [patched, tag] : cases) {
        test::expect_golden("rebuild/data/modes-" + patched + "-to-" + tag + "/told.txt",
                            carry_modes(patched, tag));
    }
}

TEST(Bump, RefusesToWriteOverTheOldSet) {
    test::ToySet set;
    set.patches = "toy";
    Scene scene(set);
    scene.make();
    const std::string before = scene.snapshot();
    EXPECT_EQ(after_hunks(scene.carry("clean")),
              "problem usage: TOY/sets/1.0.0.yaml:12: patch file TOY/patches/toy/source.patch would be "
              "written over: "
              "its path does not name the version 1.0.0\n");
    EXPECT_EQ(scene.snapshot(), before);
}

TEST(Bump, SaysThatATagMoved) {
    Scene scene;
    scene.make();
    scene.edit("sets/1.0.0.yaml", test::toy_commit("v1.0.0"), test::toy_commit("clean"));
    const std::string moved =
        "problem usage: TOY/sets/1.0.0.yaml: tag v1.0.0 is at commit <v1.0.0>, the set was made at <clean>; "
        "a tag "
        "that moved is another version: find out why before you change the pin\n";
    EXPECT_EQ(scene.carry("moved"), moved);
    EXPECT_EQ(scene.check(), moved);
}

TEST(Bump, HoldsThePatchAgainstItsPin) {
    Scene scene;
    scene.make();
    const auto hash = [&] {
        return base::to_hex(base::sha256(test::read(scene / "patches/toy-1.0.0/source.patch")));
    };
    const std::string pin = hash();
    scene.edit("patches/toy-1.0.0/source.patch", "ours5", "ours6");
    EXPECT_EQ(scene.carry("clean"),
              "problem usage: TOY/sets/1.0.0.yaml:12: patch ../patches/toy-1.0.0/source.patch: has sha256 " +
                  hash() + "; expected " + pin + "\n");
}

TEST(Bump, ToItsOwnVersionIsNone) {
    Scene scene;
    const Bumped result = bump(scene.manifest(), {"1.0.0", "clean", {}, {}}, scene.settings);
    ASSERT_EQ(result.problems.size(), 1U);
    EXPECT_EQ(base::describe(result.problems.front()),
              "the set for 1.0.0 is there already; name another version");
}

TEST(Bump, DropsWhatBelongsToTheOldVersion) {
    Scene scene;
    scene.make();
    scene.edit("sets/1.0.0.yaml", "# The toy's set.", "# The toy's set for 1.0.0, not 11.0.0 or 1.0.0.1.");
    scene.edit("sets/1.0.0.yaml", "  revision: 1", "  revision: 3");
    scene.edit("sets/1.0.0.yaml", "build:\n", "harness:\n  known-event-types: [\"a/1.0.0\"]\nbuild:\n");
    EXPECT_EQ(after_hunks(scene.carry("clean")), new_set);
    const std::string text = test::read(scene / "sets/1.1.0.yaml");
    EXPECT_EQ(text.substr(0, text.find("source:")),
              "# The toy's set for 1.1.0, not 11.0.0 or 1.0.0.1.\nschema: 1\nset:\n  name: toy\n  version: "
              "1.1.0\n  "
              "revision: 1\n  status: active\n");
}

}  // namespace
}  // namespace drydock::rebuild
