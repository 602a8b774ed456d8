// A boot: without strict, nothing keeps a container from starting.
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>

#include "base/directory.hpp"
#include "cli/run.hpp"
#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

class Boot : public Application {
  protected:
    /// A boot that goes wrong: said in `err`, exit 0; with strict in any form the code is `code`.
    void expect_lenient(const std::vector<std::string>& options, int code, const std::string& err) {
        std::vector<std::string> words = {"apply", "--stage", "boot"};
        words.insert(words.end(), options.begin(), options.end());
        for (const std::string value : {"", "0"}) {
            set("DRYDOCK_STRICT", value);
            const Run run = drydock(words);
            EXPECT_EQ(run.err, err);
            EXPECT_EQ(run.exit, 0);
        }
        set("DRYDOCK_STRICT", "1");
        EXPECT_EQ(drydock(words).exit, code);
        unset("DRYDOCK_STRICT");
        words.emplace_back("--strict");
        EXPECT_EQ(drydock(words).exit, code);
    }
};

TEST_F(Boot, Patches) {
    const Run run = drydock({"apply", "--stage", "boot"});
    EXPECT_EQ(run.out,
              "patched @acme/core 1.0.0 (revision 1): lib/index.js\n"
              "patched @acme/plugin 1.0.0 (revision 1): lib/index.js\n");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(Boot, LeavesAloneWhatDrifted) {
    test::write(app(plugin + "/lib/index.js"), "other\n");
    const std::string hash = base::short_hex(base::sha256("other\n"));
    const Run run = drydock({"apply", "--stage", "boot"});
    EXPECT_EQ(run.out, "patched @acme/core 1.0.0 (revision 1): lib/index.js\n");
    EXPECT_EQ(run.exit, 0);
    expect_lenient({}, 4,
                   "drydock: note: plugin: lib/index.js: drifted: neither stock nor patched (sha256 " + hash +
                       "); reinstall 1.0.0\n");
}

TEST_F(Boot, StartsWithAPathThatIsEmpty) {
    expect_lenient({"--manifest="}, 2, "drydock: note: --manifest is empty; expected PATH\n");
    expect_lenient({"--root", "image="}, 2,
                   "drydock: note: the path of --root image= is empty; expected NAME=DIR\n");
}

TEST_F(Boot, StartsWithoutAVersion) {
    unset("DSH_VERSION");
    expect_lenient({}, 2,
                   "drydock: note: APP/sets: holds a set for each version; give one with --dsh-version or "
                   "DSH_VERSION; there are 1.0.0\n");
}

TEST_F(Boot, StartsWithAManifestThatCannotBeRead) {
    test::write(app("sets/1.0.0.yaml"), "schema: 2\n");
    const Run strict = drydock({"apply", "--stage", "boot", "--strict"});
    ASSERT_EQ(strict.err.rfind("drydock: APP/sets/1.0.0.yaml:1: ", 0), 0U) << strict.err;
    expect_lenient({}, 2, "drydock: note: " + strict.err.substr(std::string("drydock: ").size()));
}

TEST_F(Boot, StartsWithoutManifests) {
    unset("DRYDOCK_MANIFESTS");
    expect_lenient({"-m", app("none")}, 2,
                   "drydock: note: APP/none: this manifest cannot be read: no such file or directory; name a "
                   "file or a folder with --manifest or DRYDOCK_MANIFESTS\n");
}

TEST_F(Boot, StartsWithAnUnknownPackage) {
    expect_lenient(
        {"-p", "croe"}, 2,
        "drydock: note: no package 'croe' in the set for 1.0.0 (did you mean 'core'?); it has core, "
        "plugin\n");
}

TEST_F(Boot, StartsWhileAnotherRunHoldsTheLock) {
    const base::FileDescriptor lock(open(app("image").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
    const Run image = drydock({"apply", "--wait", "0"});
    EXPECT_EQ(image.exit, 7);
    EXPECT_EQ(image.err,
              "drydock: APP/image is locked by another process, and was for 0 s; try again, or wait longer "
              "with --wait\n"
              "drydock: nothing was changed\n");
    const Run run = drydock({"apply", "--stage", "boot", "--wait", "0"});
    EXPECT_EQ(run.err,
              "drydock: note: APP/image is locked by another process, and was for 0 s; try again, or wait "
              "longer with --wait\n");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(Boot, ACommandLineThatCannotBeUnderstoodIsStillWrong) {
    EXPECT_EQ(drydock({"apply", "--stage", "boot", "--foo"}).exit, 2);
    EXPECT_EQ(drydock({"apply", "--stage", "boot", "--wait", "x"}).exit, 2);
}

TEST_F(Boot, AtAnUnknownVersionTakesBackWhatIsUnsafe) {
    drydock({"apply"});
    test::write(app(core + "/lib/index.js"), core_stock);
    std::filesystem::remove(app(core + "/.drydock-receipt.json"));
    set("DSH_VERSION", "9.9.9");
    const Run run = drydock({"apply", "--stage", "boot"});
    EXPECT_EQ(run.out, "reverted @acme/plugin 1.0.0: lib/index.js\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_stock);
}

TEST_F(Boot, OnlyABootTakesBack) {
    drydock({"apply"});
    test::write(app(core + "/lib/index.js"), core_stock);
    std::filesystem::remove(app(core + "/.drydock-receipt.json"));
    const Run run = drydock({"apply", "--stage", "image", "--dsh-version", "9.9.9"});
    EXPECT_EQ(run.err, "drydock: APP/sets: no set for version 9.9.9; there are 1.0.0\n");
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_patched);
}

TEST_F(Boot, WithoutManifestsTakesBackWhatIsUnsafeBelowTheRootsThatAreGiven) {
    drydock({"apply"});
    test::write(app(core + "/lib/index.js"), core_stock);
    std::filesystem::remove(app(core + "/.drydock-receipt.json"));
    const Run run = drydock({"apply", "-s", "boot", "-m", app("none"), "-r", "any=" + app("image/profile")});
    EXPECT_EQ(run.out, "reverted @acme/plugin 1.0.0: lib/index.js\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_stock);
}

TEST_F(Boot, OfASetThatUpstreamHasTakesBackWhatIsUnsafe) {
    drydock({"apply"});
    test::write(app(core + "/lib/index.js"), core_stock);
    std::filesystem::remove(app(core + "/.drydock-receipt.json"));
    test::write(app("sets/2.0.0.yaml"),
                "schema: 1\nset: {name: a, version: 2.0.0, revision: 1, status: adopted}\n");
    set("DSH_VERSION", "2.0.0");
    EXPECT_EQ(drydock({"apply"}).out, "2.0.0: upstream has this change; nothing to do\n");
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_patched);
    EXPECT_EQ(drydock({"apply", "--stage", "boot"}).out, "reverted @acme/plugin 1.0.0: lib/index.js\n");
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_stock);
}

TEST_F(Boot, RevertStartsTheContainerToo) {
    set("DSH_VERSION", "9.9.9");
    const Run run = drydock({"revert", "--stage", "boot"});
    EXPECT_EQ(run.err, "drydock: note: APP/sets: no set for version 9.9.9; there are 1.0.0\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(drydock({"revert", "--stage", "boot", "--strict"}).exit, 2);
}

TEST_F(Boot, StartsWhenStandardOutputIsFull) {
    const Run run = shell("$drydock apply --stage boot >/dev/full");
    EXPECT_EQ(
        run.err,
        "drydock: cannot write to standard output: no space left on device; the work was done all the same: "
        "files were changed\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_patched);
}

TEST(BootWithoutMemory, Starts) {
    Surroundings surroundings;
    surroundings.environment = [](std::string_view name) -> std::optional<std::string> {
        if (name == "DRYDOCK_STRICT") return std::nullopt;
        throw std::bad_alloc();
    };
    const std::vector<std::string> boot = {"apply", "--stage", "boot", "--json"};
    const Reply lenient = run(boot, surroundings);
    EXPECT_EQ(lenient.exit, ExitCode::done);
    EXPECT_EQ(lenient.err, "drydock: failed: std::bad_alloc\n");
    EXPECT_TRUE(lenient.lenient);
    const std::vector<std::string> image = {"apply"};
    const Reply strict = run(image, surroundings);
    EXPECT_EQ(strict.exit, ExitCode::io);
    EXPECT_EQ(strict.err, "drydock: failed: std::bad_alloc\n");
    EXPECT_FALSE(strict.lenient);
}

}  // namespace
}  // namespace drydock::cli
