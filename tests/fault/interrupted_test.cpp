// A run that was killed, and then the world went on: drift, another version, the opposite command (design,
// rule 6.2); and signals that do not mean to kill.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

using States = std::map<std::string, std::string>;

/// Two packages of which the second has two files, so that a run can be cut short in the middle of it.
class Interrupted : public testing::Test {
  protected:
    void SetUp() override {
        install_core_and_provider(shop_);
        shop_.packages[1].files.push_back({"lib/more.js", "more\n", "more, patched\n"});
        shop_.write_set();
        shop_.install(shop_.packages[1]);
        stock_ = tree(shop_);
    }

    /// The renames over files are core's, then the provider's two.
    void kill(const std::string& command, int rename) {
        EXPECT_EQ(told_with(shop_, {command}, {"renameat:signal=KILL:when=" + std::to_string(rename)}),
                  "exit 137\n");
    }

    void write_to(std::size_t package, const std::string& path, const std::string& bytes) {
        write(shop_.place(shop_.packages[package]) + "/" + path, bytes);
    }

    [[nodiscard]] States states(const std::string& core, const std::string& index,
                                const std::string& more) const {
        return {{"@demo/core: lib/index.js", core},
                {"@demo/provider: lib/index.js", index},
                {"@demo/provider: lib/more.js", more}};
    }

    const TemporariesInMemory memory_;
    Workshop shop_;
    std::map<std::string, std::string> stock_;
};

TEST_F(Interrupted, DriftInAnotherPackageDoesNotKeepWhatWasBegunFromBeingSettled) {
    kill("apply", 3);
    EXPECT_EQ(file_states(shop_), states("patched", "patched", "stock"));
    write_to(0, "lib/index.js", "drifted\n");
    EXPECT_EQ(
        told_plainly(shop_, {"apply"}),
        "reverted @demo/provider 1.2.3: lib/index.js, lib/more.js\n"
        "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 893105a87e63…); "
        "reinstall 1.2.3\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: provider: requires core at level 1, which is refused itself\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "drydock: note: provider: settled what an earlier run began: taken back, since what it requires "
        "is not patched (lib/index.js)\n"
        "exit 4\n");
    EXPECT_EQ(file_states(shop_), states("unknown", "stock", "stock"));
    EXPECT_EQ(litter_in(shop_), std::vector<std::string>());
}

TEST_F(Interrupted, DriftInTheSamePackageTakesItBack) {
    kill("apply", 3);
    write_to(1, "lib/more.js", "drifted\n");
    EXPECT_EQ(
        told_plainly(shop_, {"apply"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: provider: lib/more.js: drifted: neither stock nor patched (sha256 893105a87e63…); "
        "reinstall 1.2.3\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "drydock: note: provider: settled what an earlier run began: taken back, since a file of it has "
        "drifted (lib/index.js)\n"
        "exit 4\n");
    EXPECT_EQ(file_states(shop_), states("patched", "stock", "unknown"));
    EXPECT_EQ(litter_in(shop_), std::vector<std::string>());
}

TEST_F(Interrupted, AnotherVersionIsLeftAlone) {
    kill("apply", 3);
    write_to(1, "package.json", R"({"name": "@demo/provider", "version": "1.2.4"})");
    const auto before = snapshot(shop_ / "profile", false);
    EXPECT_EQ(
        told_plainly(shop_, {"apply"}),
        "drydock: provider: wrong version: 1.2.4 is installed, and the set is for 1.2.3; there are sets "
        "for 1.2.3\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "drydock: nothing was changed\n"
        "exit 3\n");
    EXPECT_EQ(snapshot(shop_ / "profile", false), before);
}

TEST_F(Interrupted, ApplyThenRevertThenApply) {
    kill("apply", 2);
    EXPECT_EQ(told_plainly(shop_, {"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "reverted @demo/provider 1.2.3: lib/index.js, lib/more.js\n"
              "exit 0\n");
    EXPECT_EQ(tree(shop_), stock_);
    EXPECT_EQ(shop_.drydock({"apply"}).exit_code, 0);
    const auto patched = tree(shop_);
    kill("revert", 2);
    EXPECT_EQ(file_states(shop_), states("patched", "stock", "patched"));
    EXPECT_EQ(told_plainly(shop_, {"apply"}),
              "patched @demo/provider 1.2.3 (revision 1): lib/index.js, lib/more.js\n"
              "drydock: note: provider: settled what an earlier run began (lib/index.js)\n"
              "exit 0\n");
    EXPECT_EQ(tree(shop_), patched);
}

TEST_F(Interrupted, ARevertOfWhichTheManifestIsGone) {
    kill("apply", 3);
    EXPECT_EQ(told_plainly(shop_, {"revert", "--all", "--root", "image=" + shop_ / "image", "--root",
                                   "profile=" + shop_ / "profile"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "reverted @demo/provider 1.2.3: lib/index.js, lib/more.js\n"
              "drydock: note: provider: settled what an earlier run began (lib/index.js)\n"
              "exit 0\n");
    EXPECT_EQ(tree(shop_), stock_);
}

TEST_F(Interrupted, ARevertOfWhatHadNoReceiptYet) {
    const std::vector<std::string> undo{
        "revert", "--all", "--root", "image=" + shop_ / "image", "--root", "profile=" + shop_ / "profile"};
    const std::string note =
        "drydock: note: @/profile/node_modules/@demo/provider: removed what a run left that was cut short "
        "before its first rename\n";
    EXPECT_EQ(told_with(shop_, {"apply"}, {"renameat2:signal=KILL:when=1"}), "exit 137\n");
    const std::vector<std::string> litter = litter_in(shop_);
    EXPECT_EQ(litter.size(), 8U);
    write(shop_ / "image/node_modules/@demo/core/.drydock-patch-journal", "of another command\n");
    EXPECT_EQ(told_plainly(shop_, undo), "nothing changed\n" + note + "exit 0\n");
    std::filesystem::remove(shop_ / "image/node_modules/@demo/core/.drydock-patch-journal");
    EXPECT_EQ(told_with(shop_, undo, {"unlinkat:error=EACCES"}),
              "drydock: @/image/node_modules/@demo/core: temporaries of an earlier run cannot be removed: "
              "permission "
              "denied; run as root, or as its owner\n"
              "exit 6\n");
    EXPECT_EQ(told_plainly(shop_, undo),
              "nothing changed\n"
              "drydock: note: @/image/node_modules/@demo/core: removed what a run left that was cut short "
              "before its first rename\n"
              "exit 0\n");
    EXPECT_EQ(tree(shop_), stock_);
}

// reports.md, 3: killed after eleven of twelve files; every later run said "applied".
TEST(Report3, ElevenOfTwelveFilesAreNotCalledApplied) {
    const TemporariesInMemory memory;
    Workshop shop;
    SetPackage package;
    package.name = "dozen";
    for (int i = 1; i <= 12; ++i) {
        const std::string name = "lib/" + std::to_string(i) + ".js";
        package.files.push_back({name, name + "\n", name + ", patched\n"});
    }
    shop.packages = {package};
    shop.roots.pop_back();
    shop.write_set();
    shop.install(package);
    EXPECT_EQ(told_with(shop, {"apply"}, {"renameat:signal=KILL:when=12"}), "exit 137\n");
    const base::ProcessOutcome checked = shop.drydock({"status", "--check"});
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_NE(checked.output.find("1 package: 1 partial\n"), std::string::npos) << checked.output;
    EXPECT_EQ(told_plainly(shop, {"apply"}),
              "patched dozen 1.2.3 (revision 1): lib/1.js, lib/2.js, lib/3.js, lib/4.js, lib/5.js, lib/6.js, "
              "lib/7.js, lib/8.js, lib/9.js, lib/10.js, lib/11.js, lib/12.js\n"
              "drydock: note: dozen: settled what an earlier run began (lib/12.js)\n"
              "exit 0\n");
    for (const auto& [file, state] : file_states(shop)) EXPECT_EQ(state, "patched") << file;
    EXPECT_EQ(litter_in(shop), std::vector<std::string>());
    EXPECT_EQ(shop.drydock({"status", "--check"}).exit_code, 0);
}

TEST_F(Interrupted, ByATerminationSignalOnlyWhenAllIsDone) {
    EXPECT_EQ(told_with(shop_, {"apply"}, {"renameat:signal=TERM:when=2"}), "exit 143\n");
    EXPECT_EQ(file_states(shop_), states("patched", "patched", "patched"));
    EXPECT_EQ(litter_in(shop_), std::vector<std::string>());
}

TEST_F(Interrupted, ByAFileSizeLimitIsAFailureThatIsTold) {
    // 200 bytes: less than any receipt.
    base::ProcessOptions options;
    options.environment = {{"DRYDOCK_MANIFESTS", shop_ / "manifests"}, {"DSH_VERSION", shop_.version}};
    const base::ProcessOutcome outcome = run({"prlimit", "--fsize=200", injected_binary(), "apply"}, options);
    EXPECT_EQ(outcome.exit_code, 6);
    EXPECT_EQ(outcome.errors,
              "drydock: core: .drydock-receipt.json: cannot write its new bytes: file too large; raise the "
              "limit on file sizes (ulimit -f), then run again\n"
              "  in " +
                  (shop_ / "image/node_modules/@demo/core\n"));
    EXPECT_EQ(tree(shop_), stock_);
}

TEST_F(Interrupted, AReaderThatHangsUpChangesNothing) {
    const std::string script = "{ \"$0\" apply; echo $? >\"$1\"; } | true";
    base::ProcessOptions options;
    options.environment = {{"DRYDOCK_MANIFESTS", shop_ / "manifests"}, {"DSH_VERSION", shop_.version}};
    EXPECT_EQ(run({"bash", "-c", script, injected_binary(), shop_ / "status"}, options).exit_code, 0);
    EXPECT_EQ(read(shop_ / "status"), "0\n");
    EXPECT_EQ(file_states(shop_), states("patched", "patched", "patched"));
}

}  // namespace
}  // namespace drydock::test
