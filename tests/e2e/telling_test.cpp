// What is said where a plain answer would mislead.

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// One package, which may lie in several places.
class Telling : public testing::Test {
  protected:
    Telling() {
        shop.roots.pop_back();
        package.name = "tool";
        package.files.push_back({"lib/a.js", numbered_lines("a", 9), numbered_lines("a", 10)});
        package.files.push_back({"lib/b.js", numbered_lines("b", 9), numbered_lines("b", 10)});
        write_set();
    }

    void write_set() {
        shop.packages = {package};
        shop.write_set();
    }

    /// Two copies, both found by the set.
    void install_twice() {
        package.at = {"node_modules/*", "node_modules/*/node_modules/tool"};
        write_set();
        first = shop.install(package);
        second = shop.install(package, "image/node_modules/app/node_modules/tool");
    }

    Workshop shop;
    SetPackage package;
    std::string first;
    std::string second;
};

TEST_F(Telling, ANoteSaysWhichOfSeveralCopiesItIsAbout) {
    install_twice();
    for (const std::string& copy : {first, second}) write(copy + "/lib/a.js", "other\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 2 copies of 1 package: 2 drifted\n"
              "drydock: note: tool: lib/a.js: drifted: neither stock nor patched (sha256 7e4fa2eb8c7a…); "
              "reinstall 1.2.3 (in @/image/node_modules/tool)\n"
              "drydock: note: tool: lib/a.js: drifted: neither stock nor patched (sha256 7e4fa2eb8c7a…); "
              "reinstall 1.2.3 (in @/image/node_modules/app/node_modules/tool)\n"
              "exit 0\n");
}

TEST_F(Telling, ADryRunShowsTheHunksOfEachCopy) {
    install_twice();
    write(second + "/lib/a.js", numbered_lines("a", 10));
    EXPECT_EQ(shop.told({"apply", "--dry-run"}),
              "would patch tool 1.2.3 (revision 1) in @/image/node_modules/tool: lib/a.js, lib/b.js\n"
              "  lib/a.js: hunk 1 at line 7, revision 1\n"
              "  lib/b.js: hunk 1 at line 7, revision 1\n"
              "would patch tool 1.2.3 (revision 1) in @/image/node_modules/app/node_modules/tool: lib/a.js, "
              "lib/b.js\n"
              "  lib/b.js: hunk 1 at line 7, revision 1\n"
              "exit 0\n");
}

TEST_F(Telling, AFileThatSomebodyPutBackIsNoRunThatWasCutShort) {
    const std::string directory = shop.install(package);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    write(directory + "/lib/a.js", numbered_lines("a", 9));
    EXPECT_EQ(shop.told({"apply"}),
              "patched tool 1.2.3 (revision 1): lib/a.js, lib/b.js\n"
              "drydock: note: tool: settled files that were not as its receipt says (lib/a.js)\n"
              "exit 0\n");
}

TEST_F(Telling, ARootIsShownWithoutItsLastSlash) {
    fs::create_directories(shop / "image");
    EXPECT_EQ(shop.told({"apply", "--root", "image=" + (shop / "image") + "/"}),
              "drydock: tool: is not installed; install 1.2.3\n"
              "  in @/image/node_modules/tool\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(shop.told({"patch", "-d", "", "x"}),
              "drydock: --directory is empty; expected DIR\n"
              "  see 'drydock help patch'\n"
              "exit 2\n");
}

TEST_F(Telling, AFolderThatAWildcardFindsIsNoPackageWithoutItsPackageJson) {
    package.at = {"node_modules/*"};
    write_set();
    write(shop / "image/node_modules/left-over/README", "");
    EXPECT_EQ(shop.told({"status"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
              "tool     -        -         -     absent  -\n"
              "\n"
              "tool in @/image/node_modules/* (root image)\n"
              "    why: the demo of tool\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: note: tool: is not installed (@/image/node_modules/left-over has no package.json); "
              "install 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply"}),
              "drydock: tool: is not installed (@/image/node_modules/left-over has no package.json); install "
              "1.2.3\n"
              "  in @/image/node_modules/*\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    shop.install(package);
    EXPECT_EQ(shop.told({"apply"}),
              "patched tool 1.2.3 (revision 1): lib/a.js, lib/b.js\n"
              "exit 0\n");
}

TEST_F(Telling, StatusTellsOfAReceiptThatCannotBeUsed) {
    const std::string directory = shop.install(package);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    const std::string receipt = directory + "/.drydock-receipt.json";
    fs::remove(receipt);
    ASSERT_EQ(mkfifo(receipt.c_str(), 0600), 0);
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE      STATE    ORIGIN\n"
              "tool     1.2.3    1         lib/a.js  patched  published\n"
              "                  1         lib/b.js  patched  published\n"
              "\n"
              "tool in @/image/node_modules/tool (root image)\n"
              "    why: the demo of tool\n"
              "\n"
              "1 package: 1 patched\n"
              "drydock: note: tool: .drydock-receipt.json: cannot be used: it is no regular file; its files "
              "are known without it, so move it away\n"
              "exit 0\n");
}

TEST_F(Telling, StatusReadsEveryReceipt) {
    const std::string directory = shop.install(package);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    const std::string receipt = directory + "/.drydock-receipt.json";
    const std::string whole = read(receipt);
    const auto note = [this] {
        const std::string told = shop.told({"status", "--check"});
        const std::size_t begin = told.find("drydock: note: ");
        return begin == std::string::npos ? std::string() : told.substr(begin);
    };
    EXPECT_EQ(note(), "");
    EXPECT_NE(shop.drydock({"status", "--json"}).output.find("\"receipt\": true"), std::string::npos);
    write(receipt, whole.substr(0, whole.size() / 2));
    EXPECT_EQ(note(),
              "drydock: note: tool: .drydock-receipt.json: cannot be used: not a receipt of ours: it is not "
              "JSON; its files are known without it, so move it away\n"
              "exit 0\n");
    EXPECT_NE(shop.drydock({"status", "--json"}).output.find("\"receipt\": false"), std::string::npos);
    write(receipt, whole + std::string(std::size_t{4} << 20U, ' '));
    EXPECT_EQ(
        note(),
        "drydock: note: tool: .drydock-receipt.json: cannot be used: it is larger than 4 MiB; its files "
        "are known without it, so move it away\n"
        "exit 0\n");
    std::string foreign = whole;
    foreign.replace(foreign.find("\"tool\""), 6, "\"tail\"");
    write(receipt, foreign);
    EXPECT_EQ(note(),
              "drydock: note: tool: .drydock-receipt.json: is for tail 1.2.3; move it away\nexit 0\n");
    fs::remove(receipt);
    EXPECT_EQ(note(),
              "drydock: note: tool: .drydock-receipt.json: is missing: revert --all, which goes by it, would "
              "pass this package over; drydock revert does not\n"
              "exit 0\n");
}

TEST_F(Telling, QuietSaysNothingOfWhatNeedNotBeThere) {
    shop.roots[0].may_be_missing = {"image"};
    write_set();
    fs::remove_all(shop / "image");
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: tool: its root 'image' is not there: there is no @/image; skipped\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "image", "--quiet"}), "exit 0\n");
}

TEST_F(Telling, TheVersionIsADocumentToo) {
    EXPECT_EQ(
        shop.drydock({"--version", "--json"}).output,
        "{\n  \"schema\": \"drydock.version/1\",\n  \"exit\": 0,\n  \"problems\": [],\n  \"version\": \"" +
            shop.drydock({"--version"}).output.substr(8, 5) + "\"\n}\n");
}

TEST_F(Telling, AFileFarAboveAnyBundleIsNotRead) {
    const std::string directory = shop.install(package);
    fs::resize_file(directory + "/lib/a.js", (std::uintmax_t{32} << 20U) + 1);
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 unreadable\n"
              "drydock: note: tool: lib/a.js: is larger than 32 MiB; put it right, or reinstall 1.2.3\n"
              "exit 0\n");
}

TEST_F(Telling, WhatOnlyReceiptsTellOfIsReadUpToABound) {
    const std::string directory = shop.install(package);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    for (const std::string name : {"a", "b"}) {
        fs::resize_file(directory + "/lib/" + name + ".js", std::uintmax_t{40} << 20U);
    }
    EXPECT_EQ(
        shop.told({"revert", "--all", "--root", "image=" + (shop / "image")}),
        "drydock: tool: .drydock-receipt.json: cannot be used: it tells of 83886080 bytes, and of what "
        "only receipts tell of 64 MiB are read; revert with --manifest, which knows the files without it, "
        "or reinstall the package\n"
        "  in @/image/node_modules/tool\n"
        "drydock: nothing was changed\n"
        "exit 6\n");
}

TEST_F(Telling, ABootReadsNoMoreForAReceiptOfAnotherVersion) {
    package.files.push_back({"lib/c.js", numbered_lines("c", 9), numbered_lines("c", 10)});
    write_set();
    const std::string directory = shop.install(package);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    for (const char* file : {"/package.json", "/.drydock-receipt.json"}) {
        std::string text = read(directory + file);
        text.replace(text.find("1.2.3"), 5, "9.9.9");
        write(directory + file, text);
    }
    for (const std::string name : {"a", "b", "c"}) {
        fs::resize_file(directory + "/lib/" + name + ".js", std::uintmax_t{30} << 20U);
    }
    shop.runner = {"prlimit", "--as=100000000"};  // less than the three files
    EXPECT_EQ(
        shop.told({"apply", "--stage", "boot"}),
        "nothing changed: 1.2.3 (revision 1): 1 package: 1 wrong-version\n"
        "drydock: note: tool: wrong version: 9.9.9 is installed, and the set is for 1.2.3; there are sets "
        "for 1.2.3\n"
        "exit 0\n");
}

TEST_F(Telling, ARevertOfAllTellsOfARootThatCannotBeOpened) {
    fs::remove_all(shop / "image");
    write(shop / "image", "a file\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "drydock: root 'image': @/image: not a directory\n"
              "exit 6\n");
}

TEST_F(Telling, APatchThatChangesTheVersionIsRefused) {
    const std::string stock = "{\n  \"name\": \"tool\",\n  \"version\": \"1.2.3\"\n}\n";
    package.files = {{"package.json", stock, "{\n  \"name\": \"tool\",\n  \"version\": \"1.2.4\"\n}\n"}};
    write_set();
    const std::string directory = shop.install(package);
    write(directory + "/package.json", stock);
    EXPECT_EQ(
        shop.told({"apply"}),
        "drydock: tool: package.json: the patch changes name or version, by which the package is known; "
        "leave those lines out of it\n"
        "  in @/image/node_modules/tool\n"
        "drydock: nothing was changed\n"
        "exit 5\n");
}

TEST_F(Telling, WithoutAStageARootMayBeMissingWhereAnImageAllowsIt) {
    shop.roots[0].may_be_missing = {"boot"};
    write_set();
    fs::remove_all(shop / "image");
    EXPECT_EQ(shop.told({"apply"}),
              "drydock: root 'image': there is no @/image; give its directory with --root image=DIR\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Telling, ADeletedFileGetsItsModeBack) {
    package.files.push_back({"lib/gone.js", "gone\n", std::nullopt});
    write_set();
    const std::string directory = shop.install(package);
    ASSERT_EQ(chmod((directory + "/lib/gone.js").c_str(), 0751), 0);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    EXPECT_FALSE(exists(directory + "/lib/gone.js"));
    EXPECT_EQ(shop.drydock({"revert"}).exit_code, 0);
    struct stat info {};
    ASSERT_EQ(stat((directory + "/lib/gone.js").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0751U);
}

TEST_F(Telling, ApplyKnowsOfTheReceiptsThatItLeaves) {
    shop.install(package);
    for (int run = 0; run < 2; ++run) {
        EXPECT_NE(shop.drydock({"apply", "--json"}).output.find("\"receipt\": true"), std::string::npos)
            << run;
    }
}

TEST_F(Telling, AManifestMayNotNameWhatDrydockKeepsForItself) {
    package.files.push_back({"lib/.drydock-receipt.json", std::nullopt, "made\n"});
    write_set();
    shop.install(package);
    const std::string told = shop.told({"apply"});
    EXPECT_NE(
        told.find("path 'lib/.drydock-receipt.json' has a part that begins with '.drydock-'; drydock keeps "
                  "such names for itself\nexit 2\n"),
        std::string::npos)
        << told;
}

TEST(Advice, OfACoreThatApplyDoesNotPatchIsAboutThatCore) {
    Workshop shop;
    auto [core, provider] = core_and_provider();
    shop.packages = {core, provider};
    shop.write_set();
    shop.install(core);
    shop.install(provider);
    shop.install(core, "profile/node_modules/@demo/provider/node_modules/@demo/core");
    const std::string nested = shop / "profile/node_modules/@demo/provider/node_modules/@demo/core";
    const base::ProcessOutcome outcome = shop.drydock({"status", "--json"});
    EXPECT_NE(
        outcome.output.find("\"advice\": \"requires core at level 1, and " + nested +
                            ", which Node loads from here, is at level 0 (stock); patch that copy first, "
                            "or remove it, then drydock apply\""),
        std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("\"advice\": \"drydock apply\""), std::string::npos) << outcome.output;
}

TEST(Boot, TakesBackAProviderThatTheSetNoLongerLists) {
    Workshop shop;
    auto [core, provider] = core_and_provider();
    shop.packages = {core, provider};
    shop.write_set();
    const std::string core_directory = shop.install(core);
    const std::string directory = shop.install(provider);
    fs::create_directories(shop / "profile/node_modules/@demo");
    fs::create_directory_symlink(core_directory, shop / "profile/node_modules/@demo/core");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    write(core_directory + "/lib/index.js", "drifted\n");
    shop.packages = {core};
    shop.write_set();
    EXPECT_EQ(
        shop.told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, which is refused itself; taken back to stock\n"
        "drydock: note: core: lib/index.js: drifted: neither stock nor patched (sha256 893105a87e63…); "
        "reinstall 1.2.3\n"
        "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/index.js"), *provider.files[0].stock);
}

}  // namespace
}  // namespace drydock::test
