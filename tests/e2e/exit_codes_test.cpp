// Exit codes 2 and 7, and several reasons at once. The others are with the states.

#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// Five packages in one root, each in the state that its name tells.
class ExitCodes : public testing::Test {
  protected:
    ExitCodes() {
        shop.roots.pop_back();
        for (const char* name : {"drifted", "gone", "needy", "newer", "stock"}) {
            SetPackage package = core_and_provider().first;
            package.name = name;
            shop.packages.push_back(package);
        }
        shop.packages[2].requirements = {{"newer", 1}};
        shop.write_set();
        for (const SetPackage& package : shop.packages) shop.install(package);
        write(shop.place(shop.packages[0]) + "/lib/index.js", "mine\n");
        fs::remove_all(shop.place(shop.packages[1]));
        write(shop.place(shop.packages[3]) + "/package.json", R"({"name": "newer", "version": "2.0.0"})");
    }

    /// Runs and expects that nothing changed.
    [[nodiscard]] std::string refused(
        const std::vector<std::string>& arguments,
        const std::vector<std::pair<std::string, std::string>>& environment = {}) const {
        const auto before = snapshot(shop.path());
        std::string told = shop.told(arguments, environment);
        EXPECT_EQ(snapshot(shop.path()), before);
        return told;
    }

    Workshop shop;
};

TEST_F(ExitCodes, Report5_AMissingPackageBeforeEveryOtherReason) {
    EXPECT_EQ(refused({"apply"}),
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: gone: is not installed; install 1.2.3\n"
              "  in @/image/node_modules/gone\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: needy: requires newer at level 1, which is refused itself\n"
              "  in @/image/node_modules/needy\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"revert"}),
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: note: gone: is not installed; nothing to revert\n"
              "drydock: nothing was changed\n"
              "exit 3\n");
}

TEST_F(ExitCodes, AnotherVersionBeforeDriftAndRequirements) {
    shop.install(shop.packages[1]);
    EXPECT_EQ(refused({"apply"}),
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: needy: requires newer at level 1, which is refused itself\n"
              "  in @/image/node_modules/needy\n"
              "drydock: nothing was changed\n"
              "exit 3\n");
    EXPECT_EQ(refused({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE          ORIGIN\n"
              "drifted  1.2.3    -         lib/index.js  drifted        published\n"
              "gone     1.2.3    -         lib/index.js  stock          published\n"
              "newer    2.0.0    -         -             wrong-version  -\n"
              "needy    1.2.3    -         lib/index.js  stock          published\n"
              "stock    1.2.3    -         lib/index.js  stock          published\n"
              "\n"
              "drifted in @/image/node_modules/drifted (root image)\n"
              "    why: the demo of drifted\n"
              "    do: reinstall 1.2.3\n"
              "\n"
              "gone in @/image/node_modules/gone (root image)\n"
              "    why: the demo of gone\n"
              "    do: put drifted right first, then drydock apply\n"
              "\n"
              "newer in @/image/node_modules/newer (root image)\n"
              "    why: the demo of newer\n"
              "    do: install 1.2.3\n"
              "\n"
              "needy in @/image/node_modules/needy (root image)\n"
              "    why: the demo of needy\n"
              "    do: put drifted right first, then drydock apply\n"
              "\n"
              "stock in @/image/node_modules/stock (root image)\n"
              "    why: the demo of stock\n"
              "    do: put drifted right first, then drydock apply\n"
              "\n"
              "5 packages: 3 stock, 1 drifted, 1 wrong-version\n"
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: gone: stock, expected patched, in @/image/node_modules/gone; put drifted "
              "right first, then drydock apply\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: needy: stock, expected patched, in @/image/node_modules/needy; put drifted "
              "right first, then drydock apply\n"
              "drydock: stock: stock, expected patched, in @/image/node_modules/stock; put drifted "
              "right first, then drydock apply\n"
              "exit 3\n");
}

TEST_F(ExitCodes, DriftBeforeRequirements) {
    EXPECT_EQ(refused({"apply", "--package", "needy", "--package", "drifted"}),
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: needy: requires newer at level 1, and @/image/node_modules/newer, which Node loads "
              "from here, is at level 0 (version 2.0.0); patch that copy first\n"
              "  in @/image/node_modules/needy\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
}

TEST_F(ExitCodes, ARequirementAlone) {
    EXPECT_EQ(refused({"apply", "--package", "needy", "--package", "stock"}),
              "drydock: needy: requires newer at level 1, and @/image/node_modules/newer, which Node loads "
              "from here, is at level 0 (version 2.0.0); patch that copy first\n"
              "  in @/image/node_modules/needy\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
}

TEST_F(ExitCodes, ABadPatchBeforeEveryOtherReason) {
    write(shop / "patches/1.2.3-1/stock.lib.patch", "--- a/x\n+++ b/x\n");
    EXPECT_EQ(refused({"apply"}),
              "drydock: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: has "
              "sha256 922dd52a81ff1c3d456cb861de7ad959496295c809971e848d414d3cdfe3fb23; expected "
              "4acff5897797d9b664f64e9f7eb97544a5e9230c4d2641681147b7bce9179de1\n"
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: gone: is not installed; install 1.2.3\n"
              "  in @/image/node_modules/gone\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: needy: requires newer at level 1, which is refused itself\n"
              "  in @/image/node_modules/needy\n"
              "drydock: nothing was changed\n"
              "exit 2\n");
    EXPECT_EQ(refused({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "drydock: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: has "
              "sha256 922dd52a81ff1c3d456cb861de7ad959496295c809971e848d414d3cdfe3fb23; expected "
              "4acff5897797d9b664f64e9f7eb97544a5e9230c4d2641681147b7bce9179de1\n"
              "exit 2\n");
    EXPECT_EQ(refused({"revert"}),
              "drydock: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: has "
              "sha256 922dd52a81ff1c3d456cb861de7ad959496295c809971e848d414d3cdfe3fb23; expected "
              "4acff5897797d9b664f64e9f7eb97544a5e9230c4d2641681147b7bce9179de1\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: note: gone: is not installed; nothing to revert\n"
              "drydock: nothing was changed\n"
              "exit 2\n");
}

TEST_F(ExitCodes, AtBootTheOneThatCanBePatchedIs) {
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "patched stock 1.2.3 (revision 1): lib/index.js\n"
              "drydock: note: gone: is not installed; skipped\n"
              "drydock: note: drifted: lib/index.js: drifted: neither stock nor patched (sha256 "
              "fcbc800db3f1…); reinstall 1.2.3\n"
              "drydock: note: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are "
              "sets for 1.2.3\n"
              "drydock: note: needy: requires newer at level 1, which is refused itself\n"
              "exit 0\n");
    EXPECT_EQ(read(shop.place(shop.packages[4]) + "/lib/index.js"), *shop.packages[4].files[0].patched);
}

TEST_F(ExitCodes, AStrictBootPatchesTheSameAndExitsWithTheGravest) {
    EXPECT_EQ(shop.told({"apply", "--stage", "boot", "--strict"}),
              "patched stock 1.2.3 (revision 1): lib/index.js\n"
              "drydock: drifted: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/drifted\n"
              "drydock: newer: wrong version: 2.0.0 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3\n"
              "  in @/image/node_modules/newer\n"
              "drydock: needy: requires newer at level 1, which is refused itself\n"
              "  in @/image/node_modules/needy\n"
              "drydock: note: gone: is not installed; skipped\n"
              "exit 3\n");
}

TEST_F(ExitCodes, Busy) {
    const int root = open((shop / "image").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(flock(root, LOCK_EX), 0);
    const std::vector<std::string> stock{"--package", "stock", "--wait", "0.1"};
    const auto with = [&stock](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), stock.begin(), stock.end());
        return arguments;
    };
    EXPECT_EQ(refused(with({"apply"})),
              "drydock: @/image is locked by another process, and was for 0.1 s; try again, or wait longer "
              "with --wait\n"
              "drydock: nothing was changed\n"
              "exit 7\n");
    EXPECT_EQ(refused(with({"apply", "--stage", "boot"})),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: @/image is locked by another process, and was for 0.1 s; try again, or wait "
              "longer with --wait\n"
              "exit 0\n");
    EXPECT_EQ(refused(with({"apply", "--stage", "boot", "--strict"})),
              "drydock: @/image is locked by another process, and was for 0.1 s; try again, or wait longer "
              "with --wait\n"
              "drydock: nothing was changed\n"
              "exit 7\n");
    EXPECT_EQ(refused({"status", "--package", "stock"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE  ORIGIN\n"
              "stock    1.2.3    -         lib/index.js  stock  published\n"
              "\n"
              "stock in @/image/node_modules/stock (root image)\n"
              "    why: the demo of stock\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 stock\n"
              "exit 0\n");
    close(root);
    EXPECT_EQ(shop.told(with({"apply"})),
              "patched stock 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
}

TEST_F(ExitCodes, Report6_ThePatchFolderWasNotCopied) {
    fs::remove_all(shop / "patches");
    EXPECT_EQ(refused({"apply", "--package", "stock", "--package", "needy"}),
              "drydock: drifted: @/manifests/1.2.3.yaml:17: patch ../patches/1.2.3-1/drifted.lib.patch: "
              "there is no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: gone: @/manifests/1.2.3.yaml:30: patch ../patches/1.2.3-1/gone.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: newer: @/manifests/1.2.3.yaml:58: patch ../patches/1.2.3-1/newer.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: needy: @/manifests/1.2.3.yaml:45: patch ../patches/1.2.3-1/needy.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "exit 2\n");
    EXPECT_EQ(
        refused({"apply", "--stage", "boot"}),
        "nothing changed: 1.2.3 (revision 1)\n"
        "drydock: note: drifted: @/manifests/1.2.3.yaml:17: patch ../patches/1.2.3-1/drifted.lib.patch: "
        "there is no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "drydock: note: gone: @/manifests/1.2.3.yaml:30: patch ../patches/1.2.3-1/gone.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "drydock: note: newer: @/manifests/1.2.3.yaml:58: patch ../patches/1.2.3-1/newer.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "drydock: note: needy: @/manifests/1.2.3.yaml:45: patch ../patches/1.2.3-1/needy.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "drydock: note: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "exit 0\n");
    EXPECT_EQ(refused({"status"}),
              "1.2.3 (revision 1)\n"
              "drydock: drifted: @/manifests/1.2.3.yaml:17: patch ../patches/1.2.3-1/drifted.lib.patch: "
              "there is no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: gone: @/manifests/1.2.3.yaml:30: patch ../patches/1.2.3-1/gone.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: newer: @/manifests/1.2.3.yaml:58: patch ../patches/1.2.3-1/newer.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: needy: @/manifests/1.2.3.yaml:45: patch ../patches/1.2.3-1/needy.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "drydock: stock: @/manifests/1.2.3.yaml:71: patch ../patches/1.2.3-1/stock.lib.patch: there is "
              "no folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "exit 2\n");
}

TEST_F(ExitCodes, TheManifestsFolderWasNotCopied) {
    fs::remove_all(shop / "manifests");
    EXPECT_EQ(refused({"apply"}),
              "drydock: @/manifests: this manifest cannot be read: no such file or directory; name a file or "
              "a folder with --manifest or DRYDOCK_MANIFESTS\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed\n"
              "drydock: note: @/manifests: this manifest cannot be read: no such file or directory; name a "
              "file or a folder with --manifest or DRYDOCK_MANIFESTS\n"
              "exit 0\n");
}

TEST_F(ExitCodes, NoVersionIsGiven) {
    EXPECT_EQ(refused({"apply"}, {{"DSH_VERSION", ""}}),
              "drydock: @/manifests: holds a set for each version; give one with --dsh-version or "
              "DSH_VERSION; there are 1.2.3\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}, {{"DSH_VERSION", ""}}),
              "nothing changed\n"
              "drydock: note: @/manifests: holds a set for each version; give one with --dsh-version or "
              "DSH_VERSION; there are 1.2.3\n"
              "exit 0\n");
}

TEST_F(ExitCodes, DidYouMean) {
    EXPECT_EQ(refused({"apply", "--package", "drifetd"}),
              "drydock: no package 'drifetd' in the set for 1.2.3 (did you mean 'drifted'?); it has drifted, "
              "gone, needy, newer, stock\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--root", "imaeg=" + (shop / "image")}),
              "drydock: no root 'imaeg' in the set for 1.2.3 (did you mean 'image'?); it has image\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--dsh-version", "1.2.33"}),
              "drydock: @/manifests: no set for version 1.2.33; there are 1.2.3 (did you mean '1.2.3'?)\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--dry-rnu"}),
              "drydock: unknown option '--dry-rnu' (did you mean '--dry-run'?)\n"
              "  see 'drydock help apply'\n"
              "exit 2\n");
    EXPECT_EQ(refused({"aply"}),
              "drydock: unknown command 'aply' (did you mean 'apply'?)\n"
              "  see 'drydock help'\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--stage", "imgae"}),
              "drydock: --stage is image or boot, found 'imgae' (did you mean 'image'?)\n"
              "  see 'drydock help apply'\n"
              "exit 2\n");
    EXPECT_EQ(refused({"apply", "--package", "drifetd", "--root", "imaeg=/x"}),
              "drydock: no package 'drifetd' in the set for 1.2.3 (did you mean 'drifted'?); it has drifted, "
              "gone, needy, newer, stock\n"
              "drydock: no root 'imaeg' in the set for 1.2.3 (did you mean 'image'?); it has image\n"
              "exit 2\n");
}

TEST(Manifest, AnAdoptedSetIsDone) {
    Workshop shop;
    shop.adopted = true;
    shop.packages = {core_and_provider().first};
    shop.write_set();
    shop.install(shop.packages[0]);
    const auto before = snapshot(shop.path());
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "1.2.3: upstream has this change; nothing to do\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "1.2.3: upstream has this change; nothing to do\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1), adopted: upstream has this change\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

/// A root whose path needs a variable that is not set.
class UnsetVariable : public testing::Test {
  protected:
    UnsetVariable() {
        shop.roots.pop_back();
        shop.roots[0].path = "${DSH_STAGE}/web";
        shop.packages = {core_and_provider().first};
        shop.write_set();
    }
    Workshop shop;
};

TEST_F(UnsetVariable, IsNamed) {
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "drydock: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or give the "
              "directory with --root NAME=DIR\n"
              "drydock: nothing was changed\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or "
              "give the directory with --root NAME=DIR\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}, {{"DSH_STAGE", ""}}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is empty; set it, or give "
              "the directory with --root NAME=DIR\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
              "core     -        -         -     absent  -\n"
              "\n"
              "core in ${DSH_STAGE}/web/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or give the "
              "directory with --root NAME=DIR\n"
              "drydock: core: absent, expected patched, in ${DSH_STAGE}/web/node_modules/@demo/core; install "
              "1.2.3\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"status"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
              "core     -        -         -     absent  -\n"
              "\n"
              "core in ${DSH_STAGE}/web/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or give the "
              "directory with --root NAME=DIR\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"revert"}),
              "drydock: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or give the "
              "directory with --root NAME=DIR\n"
              "drydock: nothing was changed\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "drydock: no root is known; give --root NAME=DIR, or --manifest and the variables that its "
              "roots name\n"
              "exit 2\n");
}

TEST_F(UnsetVariable, IsFineWhereTheRootMayBeMissing) {
    shop.roots[0].may_be_missing = {"image"};
    shop.write_set();
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: core: its root 'image' is not there: ${DSH_STAGE} is not set; skipped\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot", "--strict"}),
              "drydock: @/manifests/1.2.3.yaml:8: root 'image': ${DSH_STAGE} is not set; set it, or give the "
              "directory with --root NAME=DIR\n"
              "drydock: nothing was changed\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE            ORIGIN\n"
              "core     -        -         -     absent (may be)  -\n"
              "\n"
              "core in ${DSH_STAGE}/web/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: note: core: its root 'image' is not there: ${DSH_STAGE} is not set\n"
              "exit 0\n");
}

TEST_F(UnsetVariable, AndADirectoryThatIsNotThere) {
    const std::vector<std::pair<std::string, std::string>> stage{{"DSH_STAGE", shop / "stage"}};
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}, stage),
              "drydock: root 'image': there is no @/stage/web; give its directory with --root image=DIR\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(
        shop.told({"apply", "--stage", "boot"}, stage),
        "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
        "drydock: note: root 'image': there is no @/stage/web; give its directory with --root image=DIR\n"
        "exit 0\n");
    EXPECT_EQ(
        shop.told({"status", "--check"}, stage),
        "1.2.3 (revision 1)\n"
        "\n"
        "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
        "core     -        -         -     absent  -\n"
        "\n"
        "core in @/stage/web/node_modules/@demo/core (root image)\n"
        "    why: the demo of core\n"
        "    do: install 1.2.3\n"
        "\n"
        "1 package: 1 absent\n"
        "drydock: root 'image': there is no @/stage/web; give its directory with --root image=DIR\n"
        "drydock: core: absent, expected patched, in @/stage/web/node_modules/@demo/core; install 1.2.3\n"
        "exit 1\n");
    shop.roots[0].may_be_missing = {"image"};
    shop.write_set();
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}, stage),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: core: its root 'image' is not there: there is no @/stage/web; skipped\n"
              "exit 0\n");
}

}  // namespace
}  // namespace drydock::test
