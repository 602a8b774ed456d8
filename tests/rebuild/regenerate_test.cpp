// Also tests rebuild/builds.cpp, rebuild/cache.cpp, rebuild/compose.cpp, rebuild/published.cpp,
// rebuild/scratch.cpp and rebuild/steps.cpp.
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "tests/rebuild/scene.hpp"
#include "tests/support/git_server.hpp"

namespace drydock::rebuild {
namespace {

namespace fs = std::filesystem;

const std::string core_patch = "TOY/patches/toy-1.0.0/core.lib.patch";
const std::string all_same =
    "same " + core_patch + "\nsame TOY/patches/toy-1.0.0/provider.lib.patch\nsame TOY/sets/1.0.0.yaml\n";

/// A set with hashes filled in, and a cache of its own.
void set_up(Scene& scene) {
    scene.make();
    scene.settings.cache = scene / "cache";
}

bool was_cached(const Scene& scene) {
    return regenerate(scene.manifest(), scene.settings).build.cached;
}

/// The lib.js that build.sh makes of a tag.
std::string built_at(const std::string& tag, const std::string& package) {
    return test::shell(test::toy_repository(), "for f in $(git ls-tree --name-only " + tag + " packages/" +
                                                   package + "/src/); do git show " + tag + ":$f; done") +
           "\n";
}

/// A variable of the environment, as long as it lives.
class Variable {
  public:
    Variable(std::string name, const std::string& value) : name_(std::move(name)) {
        setenv(name_.c_str(), value.c_str(), 1);
    }
    ~Variable() { unsetenv(name_.c_str()); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    std::string name_;
};

/// Puts a package as it was published where --published finds it.
void publish(const Scene& scene, const std::string& package, const std::string& bytes) {
    test::write(scene / "published/@toy/" + package + "/package.json",
                R"({"name": "@toy/)" + package + R"(", "version": "1.0.0"})");
    test::write(scene / "published/@toy/" + package + "/lib/index.js", bytes);
}

TEST(Regenerate, FillsInHashesOfZeros) {
    Scene scene;
    EXPECT_EQ(scene.make().substr(0, 70),
              ("new " + core_patch + "\nnew TOY/patches/toy-1.0.0/provider.li").substr(0, 70));
    EXPECT_EQ(scene.check(), all_same);
    const manifest::Manifest made = scene.manifest();
    const manifest::File& file = made.packages[0].files[0];
    EXPECT_EQ(base::to_hex(*file.stock), base::to_hex(base::sha256(built_at("v1.0.0", "core"))));
    EXPECT_EQ(base::to_hex(*file.patched), base::to_hex(base::sha256(built_at("ours", "core"))));
    EXPECT_TRUE(manifest::read_patch(made, made.packages[0].patch));
    EXPECT_TRUE(manifest::read_patch(made, *made.source->patch));
    // The patch does to the stock file what the source did.
    test::write(scene / "tree/lib/index.js", built_at("v1.0.0", "core"));
    test::shell(scene / "tree", "patch -sp1 <../patches/toy-1.0.0/core.lib.patch");
    EXPECT_EQ(test::read(scene / "tree/lib/index.js"), built_at("ours", "core"));
}

TEST(Regenerate, MakesTheSameBytesInAnyFolder) {
    Scene scene;
    scene.make();
    const std::string before = scene.snapshot();
    scene.settings.cache = {};
    for (const char* folder : {"scratch", "a/deeper folder/than that"}) {
        fs::create_directories(scene / folder);
        scene.settings.scratch = scene / folder;
        EXPECT_EQ(scene.check(), all_same);
        EXPECT_TRUE(fs::is_empty(scene / folder)) << "nothing is left";
    }
    fs::remove_all(scene / "a");
    fs::remove(scene / "build.log");
    EXPECT_EQ(scene.snapshot(), before);
}

TEST(Regenerate, NamesWhatWasEditedByHandAndMendsIt) {
    Scene scene;
    set_up(scene);
    publish(scene, "core", built_at("v1.0.0", "core"));
    publish(scene, "provider", built_at("v1.0.0", "provider"));
    scene.edit("sets/1.0.0.yaml", "origin: built", "origin: published");
    scene.settings.published = Published::directory;
    scene.settings.published_directory = scene / "published";
    const std::string proven = "proven @toy/core\nproven @toy/provider\n";
    const std::string before = scene.snapshot();
    const manifest::Manifest set = scene.manifest();
    const std::string stock = base::to_hex(*set.packages[0].files[0].stock);
    const std::string patched = base::to_hex(*set.packages[0].files[0].patched);
    const std::string pin = base::to_hex(set.packages[1].patch.sha256);
    const std::string other(64, 'a');
    const std::string manifest = "other TOY/sets/1.0.0.yaml: ";
    const std::string patches = "same " + core_patch + "\nsame TOY/patches/toy-1.0.0/provider.lib.patch\n";
    for (const bool cached : {false, true}) {
        if (!cached) fs::remove_all(scene / "cache");
        scene.edit("sets/1.0.0.yaml", stock, other);
        EXPECT_EQ(scene.check(), patches + manifest + "the stock hash of lib/index.js of @toy/core is " +
                                     other + ", the build gives " + stock + "\n" + proven);
        EXPECT_EQ(scene.make(), patches + manifest + "the stock hash of lib/index.js of @toy/core is " +
                                    other + ", the build gives " + stock + "\n" + proven);
        scene.edit("sets/1.0.0.yaml", patched, other);
        EXPECT_EQ(scene.check(), patches + manifest + "the patched hash of lib/index.js of @toy/core is " +
                                     other + ", the build gives " + patched + "\n" + proven);
        scene.make();
        scene.edit("sets/1.0.0.yaml", pin, other);
        EXPECT_EQ(scene.check(), patches + manifest +
                                     "../patches/toy-1.0.0/provider.lib.patch: its hash is " + other +
                                     ", the build gives " + pin + "\n" + proven);
        scene.make();
        scene.edit("patches/toy-1.0.0/core.lib.patch", "3000", "3001");
        EXPECT_EQ(scene.check(),
                  "other " + core_patch +
                      ": differs first at line 19: '+export const core30 = 3001;', expected '+export const "
                      "core30 = "
                      "3000;'\nsame TOY/patches/toy-1.0.0/provider.lib.patch\nsame TOY/sets/1.0.0.yaml\n" +
                      proven);
        scene.make();
        EXPECT_EQ(scene.snapshot(), before);
    }
}

TEST(Regenerate, MakesNoPatchFromAStockBuildThatIsNotThePublishedOne) {
    Scene scene;
    set_up(scene);
    scene.edit("sets/1.0.0.yaml", "origin: built", "origin: published");
    scene.settings.published = Published::directory;
    scene.settings.published_directory = scene / "published";
    std::string bytes = built_at("v1.0.0", "core");
    publish(scene, "core", bytes.replace(bytes.find("core7 = 7"), 9, "core7 = 8"));
    const std::string before = scene.snapshot();
    const std::string told =
        "note io: @toy/provider: 1.0.0 was not found as published; its stock hashes in the manifest are the "
        "judge\n"
        "problem build: @toy/core: lib/index.js: the stock build differs from the published 1.0.0 first at "
        "line 7; "
        "another toolchain made it, so no patch is made from this one\n"
        "  built:     'export const core7 = 7;'\n"
        "  published: 'export const core7 = 8;'\n";
    EXPECT_EQ(scene.make(), told);
    EXPECT_EQ(scene.snapshot(), before);
    EXPECT_EQ(test::read(scene / "build.log").find("patched build"), std::string::npos);
    // Nor from the cache.
    fs::remove_all(scene / "published");
    publish(scene, "core", built_at("v1.0.0", "core"));
    scene.make();
    EXPECT_TRUE(was_cached(scene));
    publish(scene, "core", bytes);
    EXPECT_EQ(scene.make(), told);
    // A file that was published, and is not built; and the other way.
    fs::remove(scene / "published/@toy/core/lib/index.js");
    EXPECT_EQ(scene.check().substr(told.find("problem")),
              "problem build: @toy/core: lib/index.js: the stock build makes it, but it was not published\n");
}

TEST(Regenerate, StopsWhereTheToolchainMakesOtherBytes) {
    Scene scene;
    scene.make();
    const manifest::Manifest set = scene.manifest();
    scene.settings.cache = {};
    scene.edit("sets/1.0.0.yaml", "[sh, build.sh,",
               "[sh, -c, 'sh build.sh \"$@\"; echo // new >>packages/core/lib/index.js', sh,");
    const std::string other = base::to_hex(base::sha256(built_at("v1.0.0", "core") + "// new\n"));
    EXPECT_EQ(scene.make(), "problem build: @toy/core: lib/index.js: the stock build has sha256 " + other +
                                ", the manifest says " + base::to_hex(*set.packages[0].files[0].stock) +
                                "; another toolchain made one of them\n");
}

TEST(Cache, IsQuickAndNoticesWhatChanges) {
    Scene scene;
    set_up(scene);
    EXPECT_FALSE(was_cached(scene));
    EXPECT_TRUE(was_cached(scene));
    EXPECT_EQ(scene.check(), all_same);
    // A file that a step names by its whole path is a part of the toolchain.
    test::write(scene / "tool.sh", "sh build.sh \"$@\"\n");
    scene.edit("sets/1.0.0.yaml", "[sh, build.sh,", "[sh, " + scene / "tool.sh" + ",");
    EXPECT_FALSE(was_cached(scene));
    EXPECT_TRUE(was_cached(scene));
    test::write(scene / "tool.sh", "sh build.sh \"$@\" \n");
    EXPECT_FALSE(was_cached(scene));
}

TEST(Cache, ThatIsBrokenIsPassedOver) {
    Scene scene;
    set_up(scene);
    scene.make();
    ASSERT_TRUE(was_cached(scene));
    std::vector<fs::path> files(fs::directory_iterator(scene / "cache"), {});
    ASSERT_EQ(files.size(), 1U);
    const std::string whole = test::read(files.front());
    for (const std::string& bytes : {std::string(), std::string(65, 'x'), whole.substr(0, whole.size() - 1),
                                     whole.substr(0, 100) + "x" + whole.substr(101)}) {
        test::write(files.front(), bytes);
        EXPECT_FALSE(was_cached(scene));
        EXPECT_TRUE(was_cached(scene)) << "it is made anew";
    }
    // Whole, and of another shape: one package less.
    const std::string body = "0\n0\n";
    test::write(files.front(), base::to_hex(base::sha256(body)) + "\n" + body);
    EXPECT_FALSE(was_cached(scene));
    EXPECT_EQ(scene.check(), all_same);
}

TEST(Cache, ThatCannotBeWrittenIsANote) {
    Scene scene;
    scene.make();
    test::write(scene / "file", "");
    scene.settings.cache = scene / "file/cache";
    EXPECT_EQ(scene.check(), all_same + "note io: cannot make the cache TOY/file/cache: not a directory\n");
    scene.settings.cache = scene / "file";
    EXPECT_EQ(scene.check(), all_same + "note io: cannot make the cache TOY/file: not a directory\n");
}

TEST(Steps, ThatFailAreNamedWithTheirLastLines) {
    const auto told = [](const std::string& command,
                         std::chrono::milliseconds limit = std::chrono::minutes(1)) {
        test::ToySet set;
        set.build =
            "  - name: first\n    command: [sh, -c, \"echo of the first\"]\n  - name: second\n    "
            "environment: {WORD: "
            "here}\n    command: " +
            command + "\n";
        Scene scene(set);
        scene.settings.step_limit = limit;
        const auto begin = std::chrono::steady_clock::now();
        const std::string text = scene.check();
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
        EXPECT_TRUE(fs::is_empty(scene / "scratch"));
        return text;
    };
    const std::string begin = "problem build: TOY/sets/1.0.0.yaml:36: step 'second' of the stock build ";
    const std::string end = "; all that it printed is in TOY/build.log\n";
    EXPECT_EQ(told("[sh, -c, 'echo $WORD; printf \"\\033[31mred\\033[0m\\n\" >&2; exit 7']"),
              begin + "failed with exit code 7" + end + "  here\n  red\n");
    EXPECT_EQ(told("[sh, -c, 'sh build.sh packages/core packages/provider; exit 1']"),
              begin + "failed with exit code 1" + end);
    EXPECT_EQ(told("[sh, -c, 'sleep 30 & sleep 30']", std::chrono::milliseconds(500)),
              begin + "ran for longer than 0.5 s and was ended" + end);
    EXPECT_THAT(
        told("[no-such-program]"),
        testing::MatchesRegex(begin +
                              "cannot run no-such-program in TOY/scratch/drydock-.*/checkout: no such "
                              "file or directory: install it, or put it in PATH" +
                              end));
    EXPECT_EQ(told("[sh, -c, 'kill -9 $$']"), begin + "failed with exit code 137" + end);
    EXPECT_EQ(told("[sh, -c, 'mkdir -p packages/core/lib/index.js']"),
              "problem build: the build's packages/core/lib/index.js is no regular file\n");
}

TEST(Regenerate, RefusesASourcePatchThatDoesNotApply) {
    Scene scene;
    scene.make();
    scene.edit("patches/toy-1.0.0/source.patch", " export const core3 = 3;", " export const core3 = 33;");
    EXPECT_EQ(scene.check(),
              "problem conflict: packages/core/src/index.ts:3: hunk 1 of 2 "
              "(../patches/toy-1.0.0/source.patch:12) does "
              "not fit; at line 3, the nearest place, 5 of 6 lines agree\n"
              "  line 3 should be 'export const core3 = 33;'\n"
              "  line 3 is        'export const core3 = 3;'\n");
}

std::string told_of(const std::string& source_patch, const std::string& tag = "v1.0.0") {
    test::ToySet set;
    set.tag = tag;
    set.source_patch = source_patch;
    return Scene(set).check();
}

TEST(Regenerate, RefusesASourcePatchThatChangesNothing) {
    EXPECT_EQ(told_of("--- a/README\n+++ b/README\n@@ -1 +1 @@\n-toy\n+toy\n"),
              "problem usage: TOY/sets/1.0.0.yaml:12: ../patches/toy-1.0.0/source.patch changes nothing at "
              "v1.0.0\n");
    EXPECT_EQ(told_of("nothing\n"),
              "problem usage: ../patches/toy-1.0.0/source.patch: no patch found in it; expected a unified "
              "diff (diff "
              "-u, git diff)\n");
    const std::string unchanged =
        ": lib/index.js: does not change by source.patch; take it out of the manifest, or mend "
        "source.patch\n";
    EXPECT_EQ(told_of("--- a/README\n+++ b/README\n@@ -1 +1 @@\n-toy\n+toys\n"),
              "problem conflict: @toy/core" + unchanged + "problem conflict: @toy/provider" + unchanged);
}

TEST(Regenerate, ChangesRegularFilesOfTheRepositoryOnly) {
    EXPECT_EQ(
        told_of(
            "--- a/packages/core/src/index.ts\n+++ b/packages/core/src/index.ts\n@@ -1 +1 @@\n-util.ts\n+x\n",
            "link"),
        "problem usage: packages/core/src/index.ts: is no regular file at link; source.patch can change "
        "regular "
        "files only\n");
    EXPECT_EQ(told_of("diff --git a/x.ts b/x.ts\nnew file mode 120000\n--- /dev/null\n+++ b/x.ts\n@@ -0,0 +1 "
                      "@@\n+/etc/passwd\n\\ No newline at end of file\n"),
              "problem usage: x.ts: the patch makes, changes or removes a symbolic link "
              "(../patches/toy-1.0.0/source.patch:1); drydock patches regular files only\n");
    EXPECT_EQ(told_of("--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n"),
              "problem usage: ../patches/toy-1.0.0/source.patch:1: the name 'a/../x' leaves the directory "
              "with '..'\n");
}

TEST(Regenerate, NeedsASetWithASource) {
    Scene scene;
    const std::string text = test::read(scene / "sets/1.0.0.yaml");
    const auto told = [&](const std::string& from, const std::string& to) {
        test::write(scene / "sets/1.0.0.yaml", text);
        scene.edit("sets/1.0.0.yaml", from, to);
        return scene.check();
    };
    const auto from_to = [&](const std::string& from, const std::string& to) {
        return text.substr(text.find(from), text.find(to) - text.find(from));
    };
    const std::string set = "problem usage: TOY/sets/1.0.0.yaml: ";
    EXPECT_EQ(told(from_to("source:", "roots:"), ""),
              set + "has no 'source' with tag and commit; it cannot be regenerated without\n");
    EXPECT_EQ(told(from_to("  patch:\n", "roots:"), ""),
              set + "its 'source' has no 'patch'; it cannot be regenerated without\n");
    EXPECT_EQ(told(text.substr(text.find("build:")), ""),
              set + "has no 'build' steps; it cannot be regenerated without\n");
    EXPECT_EQ(told("status: active", "status: adopted"),
              set + "the set is adopted: upstream has its change, and there is nothing to make\n");
    EXPECT_EQ(told("tag: v1.0.0", "tag: v1.0"),
              "problem usage: REPO has no tag 'v1.0'; the nearest is 'v1.0.0'\n");
    const std::string none = ": lib/index.js: no build makes it; expected it at packages/";
    EXPECT_EQ(
        told("    command: [sh, build.sh, packages/core, packages/provider]", "    command: [\"true\"]"),
        "problem build: @toy/core" + none +
            "core/lib/index.js behind the build steps\nproblem build: @toy/provider" + none +
            "provider/lib/index.js behind the build steps\n");
    test::write(scene / "sets/1.0.0.yaml", text);
    fs::remove(scene / "patches/toy-1.0.0/source.patch");
    EXPECT_EQ(scene.check(), set.substr(0, set.size() - 2) +
                                 ":12: patch ../patches/toy-1.0.0/source.patch: cannot read "
                                 "TOY/patches/toy-1.0.0/source.patch: no such file or directory\n");
}

TEST(Regenerate, NeedsALogAndAScratchFolder) {
    Scene scene;
    scene.settings.cache = {};
    scene.settings.log = scene / "no/such/log";
    EXPECT_EQ(scene.check(), "problem io: cannot write the log TOY/no/such/log: no such file or directory\n");
    scene.settings.log = scene / "build.log";
    scene.settings.scratch = scene / "no-scratch";
    EXPECT_EQ(scene.check(),
              "problem io: cannot make a scratch folder in TOY/no-scratch: no such file or directory\n");
}

TEST(Regenerate, KeepsTheCheckoutThatIsAskedFor) {
    Scene scene;
    scene.make();
    scene.settings.cache = {};
    scene.settings.keep_scratch = true;
    const std::string told = scene.check();
    const std::vector<fs::path> kept(fs::directory_iterator(scene / "scratch"), {});
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(told, scene.named(all_same + "note check: " + (kept.front() / "checkout").string() +
                                ": the checkout is kept, as it was asked for\n"));
    EXPECT_EQ(test::read(kept.front() / "checkout/packages/core/lib/index.js"), built_at("ours", "core"));
}

/// A set that patches scripts with modes, makes one and deletes one.
TEST(Regenerate, MakesPatchesOfModesAndOfFilesThatComeAndGo) {
    test::ToySet set;
    set.provider = "no";
    set.patched = "modes";
    const std::string zeros(64, '0');
    set.files = "      - {path: lib/index.ts, stock: " + zeros + ", patched: " + zeros +
                ", origin: built}\n"
                "      - {path: lib/util.ts, stock: " +
                zeros +
                ", patched: absent, origin: built}\n"
                "      - {path: lib/tool.ts, stock: absent, patched: " +
                zeros + ", origin: built}\n";
    set.build =
        "  - name: copy\n    command: [sh, -c, \"rm -rf packages/core/lib && cp -r packages/core/src "
        "packages/core/lib && stat -c %A packages/core/src/* >>packages/core/lib/index.ts\"]\n";
    Scene scene(set);
    scene.make();
    EXPECT_EQ(scene.check(), "same " + core_patch + "\nsame TOY/sets/1.0.0.yaml\n");
    test::expect_golden("rebuild/data/regenerate-modes/core.lib.patch",
                        test::read(scene / "patches/toy-1.0.0/core.lib.patch"));
    const manifest::Manifest made = scene.manifest();
    EXPECT_FALSE(made.packages[0].files[1].patched);
    EXPECT_FALSE(made.packages[0].files[2].stock);
}

TEST(Regenerate, DoesNotHeedGitsConfiguration) {
    Scene scene;
    scene.make();
    scene.settings.cache = {};
    const test::TemporaryDirectory home;
    test::write(home / "hooks/post-checkout", "#!/bin/sh\ntouch " + home / "hooked" + "\n");
    test::shell(home.path(), "chmod +x hooks/post-checkout");
    test::write(home / "attributes", "* text eol=crlf filter=smudge ident\n");
    test::write(home / "config", "[core]\n autocrlf = true\n hooksPath = " + home / "hooks" +
                                     "\n attributesFile = " + home / "attributes" +
                                     "\n[diff]\n external = false\n mnemonicPrefix = true\n noprefix = "
                                     "true\n[filter \"smudge\"]\n smudge = sed s/core/KORE/\n"
                                     " required = true\n[color]\n ui = always\n");
    const Variable config("GIT_CONFIG_GLOBAL", home / "config");
    const Variable difference("GIT_EXTERNAL_DIFF", "false");
    EXPECT_EQ(scene.check(), all_same);
    EXPECT_FALSE(test::exists(home / "hooked"));
}

TEST(Regenerate, FetchesWithoutACacheAndLeavesNothing) {
    Scene scene;
    scene.make();
    scene.settings.cache = {};
    const test::GitServer server({"http", fs::path(test::toy_repository()).parent_path()});
    scene.settings.harness =
        server.url("http", fs::path(test::toy_repository()).filename().string() + "/.git");
    EXPECT_EQ(scene.check(), all_same);
    EXPECT_TRUE(fs::is_empty(scene / "scratch"));
}

}  // namespace
}  // namespace drydock::rebuild
