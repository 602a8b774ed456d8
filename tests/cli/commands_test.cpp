// apply, status and revert through the real binary.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/application.hpp"

namespace drydock::cli {
namespace {

using Commands = Application;

TEST_F(Commands, StatusTellsWhatIsThere) {
    const Run run = drydock({"status"});
    test::expect_golden("cli/data/commands/status-stock.txt", run.out);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(Commands, ApplyPatchesOnceAndRevertTakesItBack) {
    Run run = drydock({"apply"});
    EXPECT_EQ(run.out,
              "patched @acme/core 1.0.0 (revision 1): lib/index.js\n"
              "patched @acme/plugin 1.0.0 (revision 1): lib/index.js\n");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_patched);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_patched);

    run = drydock({"apply"});
    EXPECT_EQ(run.out, "nothing to do: 1.0.0 (revision 1): 2 packages: 2 patched\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(drydock({"apply", "--quiet"}).out, "");

    run = drydock({"status", "--check"});
    test::expect_golden("cli/data/commands/status-patched.txt", run.out);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);

    run = drydock({"revert"});
    EXPECT_EQ(run.out,
              "reverted @acme/core 1.0.0: lib/index.js\n"
              "reverted @acme/plugin 1.0.0: lib/index.js\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_stock);
    EXPECT_EQ(drydock({"revert"}).out, "nothing to do: 1.0.0 (revision 1): 2 packages: 2 stock\n");
}

TEST_F(Commands, ADryRunChangesNothing) {
    const Run run = drydock({"apply", "--dry-run"});
    EXPECT_EQ(run.out,
              "would patch @acme/core 1.0.0 (revision 1): lib/index.js\n"
              "  lib/index.js: hunk 1 at line 1, revision 1\n"
              "would patch @acme/plugin 1.0.0 (revision 1): lib/index.js\n"
              "  lib/index.js: hunk 1 at line 1, revision 1\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_stock);
}

TEST_F(Commands, ApplyTakesOnlySomePackages) {
    EXPECT_EQ(drydock({"apply", "-p", "core"}).out, "patched @acme/core 1.0.0 (revision 1): lib/index.js\n");
    EXPECT_EQ(drydock({"apply", "--package=@acme/plugin"}).out,
              "patched @acme/plugin 1.0.0 (revision 1): lib/index.js\n");
}

TEST_F(Commands, ARefusalChangesNothingAndNamesEveryReason) {
    test::write(app(core + "/lib/index.js"), "something else\n");
    test::write(app(plugin + "/package.json"), R"({"name": "@acme/plugin", "version": "0.9.0"})");
    const Run run = drydock({"apply"});
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(
        run.err,
        "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 " +
            base::short_hex(base::sha256("something else\n")) +
            "); reinstall 1.0.0\n"
            "  in APP/image/node_modules/@acme/core\n"
            "drydock: plugin: wrong version: 0.9.0 is installed, and the set is for 1.0.0; there are sets "
            "for 1.0.0\n"
            "  in APP/image/profile/node_modules/@acme/plugin\n"
            "drydock: nothing was changed\n");
    EXPECT_EQ(run.exit, 3);
}

TEST_F(Commands, StatusCountsStatesOnlyWithCheck) {
    test::write(app(core + "/lib/index.js"), "something else\n");
    const std::string drifted = "core: lib/index.js: drifted: neither stock nor patched (sha256 " +
                                base::short_hex(base::sha256("something else\n")) + "); reinstall 1.0.0\n";
    Run run = drydock({"status", "-q"});
    EXPECT_EQ(run.err, "drydock: note: " + drifted);
    EXPECT_EQ(run.exit, 0);
    run = drydock({"status", "--check", "-q"});
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err,
              "drydock: " + drifted +
                  "  in APP/image/node_modules/@acme/core\n"
                  "drydock: plugin: stock, expected patched, in APP/image/profile/node_modules/@acme/plugin; "
                  "put core right first, then drydock apply\n");
    EXPECT_EQ(run.exit, 4);
}

TEST_F(Commands, StatusCountsWhatIsMissing) {
    std::filesystem::remove_all(app("image/profile"));
    drydock({"apply", "--stage", "image"});
    EXPECT_EQ(drydock({"status", "--check", "--stage", "image"}).exit, 0);
    const Run run = drydock({"status", "--check", "--stage", "boot", "-q"});
    EXPECT_EQ(
        run.err,
        "drydock: root 'profile': there is no APP/image/profile; give its directory with --root profile=DIR\n"
        "drydock: plugin: absent, expected patched, in APP/image/profile/node_modules/@acme/plugin; "
        "install 1.0.0\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(Commands, StatusCountsAFileThatIsMissingAsACheck) {
    std::filesystem::remove(app(core + "/lib/index.js"));
    const Run run = drydock({"status", "--check", "-q", "-p", "core"});
    EXPECT_EQ(run.err,
              "drydock: core: lib/index.js: is missing; reinstall 1.0.0\n"
              "  in APP/image/node_modules/@acme/core\n");
    EXPECT_EQ(run.exit, 1);
}

TEST_F(Commands, ARunThatCouldNotBeginSaysThatNothingWasChanged) {
    std::filesystem::remove(app(core + "/lib/index.js"));
    const Run run = drydock({"apply", "-p", "core"});
    EXPECT_EQ(run.err,
              "drydock: core: lib/index.js: is missing; reinstall 1.0.0\n"
              "  in APP/image/node_modules/@acme/core\n"
              "drydock: nothing was changed\n");
    EXPECT_EQ(run.exit, 6);
}

TEST_F(Commands, RootsCanBeSeveralDirectories) {
    std::filesystem::copy(app("image"), app("second"), std::filesystem::copy_options::recursive);
    const Run run =
        drydock({"apply", "-p", "core", "-r", "image=" + app("image"), "-r", "image=" + app("second")});
    EXPECT_EQ(run.out,
              "patched @acme/core 1.0.0 (revision 1) in APP/image/node_modules/@acme/core: lib/index.js\n"
              "patched @acme/core 1.0.0 (revision 1) in APP/second/node_modules/@acme/core: lib/index.js\n");
    EXPECT_EQ(test::read(app("second/node_modules/@acme/core/lib/index.js")), core_patched);
}

TEST_F(Commands, StatusCountsEachCopyOnce) {
    test::write(app(core + "/lib/index.js"), "something else\n");
    std::filesystem::copy(app("image"), app("second"), std::filesystem::copy_options::recursive);
    const Run run = drydock({"status", "--check", "-q", "-p", "core", "-r", "image=" + app("image"), "-r",
                             "image=" + app("second")});
    const std::string drifted = "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 " +
                                base::short_hex(base::sha256("something else\n")) + "); reinstall 1.0.0\n";
    EXPECT_EQ(run.err, drifted + "  in APP/image/node_modules/@acme/core\n" + drifted +
                           "  in APP/second/node_modules/@acme/core\n");
    EXPECT_EQ(run.exit, 4);
}

TEST_F(Commands, RevertAllNeedsNoManifest) {
    drydock({"apply"});
    std::filesystem::remove_all(app("sets"));
    Run run = drydock({"revert", "--all"});
    EXPECT_EQ(
        run.err,
        "drydock: no root is known; give --root NAME=DIR, or --manifest and the variables that its roots "
        "name\n");
    EXPECT_EQ(run.exit, 2);
    run = drydock(
        {"revert", "--all", "--root", "any=" + app("image"), "--root", "any=" + app("image/profile")});
    EXPECT_EQ(run.out,
              "reverted @acme/core 1.0.0: lib/index.js\n"
              "reverted @acme/plugin 1.0.0: lib/index.js\n");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_stock);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_stock);
}

TEST_F(Commands, RevertAllTakesTheRootsOfAllManifests) {
    drydock({"apply"});
    unset("DSH_VERSION");
    const Run run = drydock({"revert", "--all"});
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
    EXPECT_EQ(test::read(app(core + "/lib/index.js")), core_stock);
    EXPECT_EQ(test::read(app(plugin + "/lib/index.js")), plugin_stock);
}

TEST_F(Commands, ASetThatUpstreamHasIsDone) {
    test::write(app("sets/2.0.0.yaml"),
                "schema: 1\nset: {name: a, version: 2.0.0, revision: 1, status: adopted}\n");
    set("DSH_VERSION", "2.0.0");
    EXPECT_EQ(drydock({"apply"}).out, "2.0.0: upstream has this change; nothing to do\n");
    EXPECT_EQ(drydock({"apply", "--stage", "boot"}).out, "2.0.0: upstream has this change; nothing to do\n");
    EXPECT_EQ(drydock({"apply"}).exit, 0);
    EXPECT_EQ(drydock({"status"}).out, "2.0.0 (revision 1), adopted: upstream has this change\n");
    EXPECT_EQ(drydock({"status", "--check"}).exit, 0);
    EXPECT_TRUE(nlohmann::json::parse(drydock({"apply", "--json"}).out)["adopted"].get<bool>());
}

TEST_F(Commands, KnowWhatWasMeant) {
    const auto refused = [this](const std::vector<std::string>& words) {
        const Run run = drydock(words);
        EXPECT_EQ(run.exit, 2);
        EXPECT_EQ(run.out, "");
        return run.err;
    };
    EXPECT_EQ(refused({"aplly"}),
              "drydock: unknown command 'aplly' (did you mean 'apply'?)\n  see 'drydock help'\n");
    EXPECT_EQ(refused({"apply", "--dryrun"}),
              "drydock: unknown option '--dryrun' (did you mean '--dry-run'?)\n  see 'drydock help apply'\n");
    EXPECT_EQ(refused({"apply", "-p", "croe", "-p", "@acme/plugn"}),
              "drydock: no package 'croe' in the set for 1.0.0 (did you mean 'core'?); it has core, plugin\n"
              "drydock: no package '@acme/plugn' in the set for 1.0.0 (did you mean 'plugin'?); it has core, "
              "plugin\n");
    EXPECT_EQ(
        refused({"status", "-r", "imgae=/srv"}),
        "drydock: no root 'imgae' in the set for 1.0.0 (did you mean 'image'?); it has image, profile\n");
    EXPECT_EQ(
        refused({"status", "-r", "image="}),
        "drydock: the path of --root image= is empty; expected NAME=DIR\n  see 'drydock help status'\n");
    EXPECT_EQ(refused({"status", "--dsh-version", "1.0.1"}),
              "drydock: APP/sets: no set for version 1.0.1; there are 1.0.0 (did you mean '1.0.0'?)\n");
    EXPECT_EQ(refused({"status", "--dsh-version="}), "drydock: --dsh-version is empty\n");
    EXPECT_EQ(refused({"status", "--manifest="}),
              "drydock: --manifest is empty; expected PATH\n  see 'drydock help status'\n");
}

TEST_F(Commands, AnUnscopedNameMustBeUnique) {
    std::string text = manifest();
    const std::string name = "@acme/plugin";
    text.replace(text.find(name), name.size(), "@other/core");
    test::write(app("sets/1.0.0.yaml"), text);
    const Run run = drydock({"apply", "-p", "core"});
    EXPECT_EQ(run.err, "drydock: package 'core' is @acme/core or @other/core; give the scope too\n");
    EXPECT_EQ(run.exit, 2);
}

TEST_F(Commands, NameTheVersionsThereAre) {
    unset("DSH_VERSION");
    const Run run = drydock({"status"});
    EXPECT_EQ(run.err,
              "drydock: APP/sets: holds a set for each version; give one with --dsh-version or DSH_VERSION; "
              "there are "
              "1.0.0\n");
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(drydock({"status", "-m", app("sets/1.0.0.yaml")}).exit, 0);
}

TEST_F(Commands, ManifestsLieBesideTheExecutableButNeverInTheCurrentDirectory) {
    unset("DRYDOCK_MANIFESTS");
    std::filesystem::create_directories(app("prefix/bin"));
    std::filesystem::copy(test::drydock(), app("prefix/bin/drydock"));
    std::filesystem::create_directories(app("here"));
    std::filesystem::copy(app("sets"), app("here/manifests"));
    const std::string tool = app("prefix/bin/drydock");
    Run run = shell("cd '" + app("here") + "' && '" + tool + "' status -q");
    EXPECT_EQ(
        run.err,
        "drydock: no manifests in APP/prefix/share/drydock/manifests or /usr/share/drydock/manifests; give "
        "--manifest or set DRYDOCK_MANIFESTS\n");
    EXPECT_EQ(run.exit, 2);
    std::filesystem::create_directories(app("prefix/share/drydock"));
    std::filesystem::copy(app("sets"), app("prefix/share/drydock/manifests"));
    run = shell("cd / && '" + tool + "' status -q");
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.exit, 0);
}

TEST_F(Commands, HelpAndVersionArePrinted) {
    const std::string build = test::read(std::string(DRYDOCK_SOURCE_DIR) + "/CMakeLists.txt");
    const std::string before = "project(drydock VERSION ";
    const std::size_t at = build.find(before) + before.size();
    EXPECT_EQ(drydock({"--version"}).out, "drydock " + build.substr(at, build.find(' ', at) - at) + "\n");
    EXPECT_EQ(drydock({"help", "apply"}).out, drydock({"apply", "-h"}).out);
    EXPECT_EQ(drydock({"help"}).out,
              test::read(std::string(DRYDOCK_SOURCE_DIR) + "/tests/cli/data/help/drydock.txt"));
    EXPECT_EQ(drydock({}).err, "drydock: no command is given\n  see 'drydock help'\n");
}

}  // namespace
}  // namespace drydock::cli
