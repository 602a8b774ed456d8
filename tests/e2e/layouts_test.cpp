// Where packages lie: pnpm's store, links, several copies and roots; and a set as one whole.

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

class Layouts : public testing::Test {
  protected:
    Layouts() {
        shop.roots.pop_back();
        shop.packages = {core_and_provider().first};
        shop.write_set();
    }

    [[nodiscard]] const SetPackage& core() const { return shop.packages[0]; }
    [[nodiscard]] const std::string& stock() const { return *core().files[0].stock; }
    [[nodiscard]] const std::string& patched() const { return *core().files[0].patched; }

    /// A copy in pnpm's store, in the image or elsewhere.
    std::string store(const std::string& name, const std::string& root = "image") {
        return shop.install(core(), root + "/node_modules/.pnpm/" + name + "/node_modules/@demo/core");
    }

    void link(const std::string& target) const {
        fs::create_directories(shop / "image/node_modules/@demo");
        fs::create_directory_symlink(target, shop / "image/node_modules/@demo/core");
    }

    [[nodiscard]] std::string refused(const std::vector<std::string>& arguments) const {
        const auto before = snapshot(shop.path());
        std::string told = shop.told(arguments);
        EXPECT_EQ(snapshot(shop.path()), before);
        return told;
    }

    Workshop shop;
};

TEST_F(Layouts, PnpmWithARelativeLink) {
    const std::string stored = store("@demo+core@1.2.3");
    link("../.pnpm/@demo+core@1.2.3/node_modules/@demo/core");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(stored + "/lib/index.js"), patched());
    EXPECT_TRUE(fs::is_symlink(shop / "image/node_modules/@demo/core"));
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core     1.2.3    1         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(stored + "/lib/index.js"), stock());
}

TEST_F(Layouts, PnpmWithAnAbsoluteLink) {
    const std::string stored = store("@demo+core@1.2.3");
    link(stored);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(stored + "/lib/index.js"), patched());
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
}

TEST_F(Layouts, Report20_EveryCopyIsPatched) {
    const std::vector<std::string> copies{store("@demo+core@1.2.3"), store("@demo+core@1.2.3_peer@2.0.0")};
    link(copies[1]);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1) in @/image/node_modules/@demo/core: lib/index.js\n"
              "patched @demo/core 1.2.3 (revision 1) in "
              "@/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core: lib/index.js\n"
              "exit 0\n");
    for (const std::string& copy : copies) EXPECT_EQ(read(copy + "/lib/index.js"), patched());
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core (1)  1.2.3    1         lib/index.js  patched  published\n"
              "core (2)  1.2.3    1         lib/index.js  patched  published\n"
              "\n"
              "core (1) in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "core (2) in @/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "2 copies of 1 package: 2 patched\n"
              "exit 0\n");
    write(copies[0] + "/lib/index.js", stock());
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core (1)  1.2.3    1         lib/index.js  patched  published\n"
              "core (2)  1.2.3    -         lib/index.js  stock    published\n"
              "\n"
              "core (1) in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "core (2) in @/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "2 copies of 1 package: 1 patched, 1 stock\n"
              "drydock: core: stock, expected patched, in "
              "@/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1) in "
              "@/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core: lib/index.js\n"
              "exit 0\n");
    write(copies[0] + "/lib/index.js", "mine\n");
    write(copies[1] + "/lib/index.js", stock());
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(refused({"revert"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
}

TEST_F(Layouts, Report20_TheSecondCopyOfTheCodeIsNamed) {
    shop.install(core());
    const std::string manifest = shop / "manifests/1.2.3.yaml";
    std::string text = read(manifest);
    const std::size_t at = text.find("        origin: published\n");
    ASSERT_NE(at, std::string::npos);
    text.insert(at, "        second-copies: [lib/types/a.js, lib/types/b.js]\n");
    write(manifest, text);
    EXPECT_EQ(shop.told({"status"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE  ORIGIN\n"
              "core     1.2.3    -         lib/index.js  stock  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    also in lib/types/a.js, which stays stock\n"
              "    also in lib/types/b.js, which stays stock\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 stock\n"
              "exit 0\n");
}

TEST_F(Layouts, AFolderThatCannotBeReadIsNotAnEmptyOne) {
    const std::string stored = store("@demo+core@1.2.3");
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    give_up_rights(shop);
    const std::string folder = shop / "image/node_modules/.pnpm";
    fs::permissions(folder, fs::perms::none);
    const std::string refusal =
        "drydock: core: cannot be opened: permission denied; run as root, or as its owner\n"
        "  in @/image/node_modules/.pnpm\n";
    EXPECT_EQ(shop.told({"apply"}), refusal + "drydock: nothing was changed\nexit 6\n");
    EXPECT_EQ(shop.told({"revert"}), refusal + "drydock: nothing was changed\nexit 6\n");
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE       ORIGIN\n"
              "core     -        -         -     unreadable  -\n"
              "\n"
              "core in @/image/node_modules/.pnpm (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n" +
                  refusal + "exit 6\n");
    fs::permissions(folder, fs::perms(0755));
    for (const std::string name : {"image/node_modules/.pnpm", "image/node_modules"}) {
        fs::permissions(shop / name, fs::perms::none);
        EXPECT_EQ(shop.told({"revert", "--all", "--root", "image=" + (shop / "image")}),
                  "drydock: @/" + name +
                      ": cannot be looked into: permission denied; what is patched in it is not known; put "
                      "it right, or run as root\n"
                      "exit 6\n");
        fs::permissions(shop / name, fs::perms(0755));
    }
    EXPECT_EQ(read(stored + "/lib/index.js"), patched());
}

TEST_F(Layouts, Report10_ALinkOutOfTheRootIsRefused) {
    store("@demo+core@1.2.3", "elsewhere");
    link(shop / "elsewhere/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core");
    EXPECT_EQ(refused({"apply", "--stage", "image"}),
              "drydock: core: cannot be opened: it is a link that leads out of the root, to "
              "@/elsewhere/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 unreadable\n"
              "drydock: note: core: cannot be opened: it is a link that leads out of the root, to "
              "@/elsewhere/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core; reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(refused({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE       ORIGIN\n"
              "core     -        -         -     unreadable  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: cannot be opened: it is a link that leads out of the root, to "
              "@/elsewhere/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(refused({"revert"}),
              "drydock: core: cannot be opened: it is a link that leads out of the root, to "
              "@/elsewhere/node_modules/.pnpm/@demo+core@1.2.3/node_modules/@demo/core; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"revert", "--all"}),
              "nothing to do\n"
              "exit 0\n");
}

TEST_F(Layouts, ADanglingLink) {
    link("../nowhere");
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: cannot be opened: it is a link that leads nowhere; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Layouts, ALinkRound) {
    link("core");
    EXPECT_EQ(shop.told({"apply"}),
              "drydock: core: cannot be opened: too many levels of symbolic links; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Layouts, AFileInAPackagesPlace) {
    write(shop / "image/node_modules/@demo/core", "");
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: cannot be opened: not a directory; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Layouts, ARootThatIsAFile) {
    fs::remove_all(shop / "image");
    write(shop / "image", "");
    EXPECT_EQ(refused({"apply"}),
              "drydock: root 'image': @/image cannot be opened: not a directory; give its directory with "
              "--root image=DIR\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 absent\n"
              "drydock: note: root 'image': @/image cannot be opened: not a directory; give its directory "
              "with --root image=DIR\n"
              "exit 0\n");
}

TEST_F(Layouts, TwoRootsThatAreOneDirectory) {
    const std::string directory = shop.install(core());
    fs::create_directory_symlink("image", shop / "again");
    const std::vector<std::string> roots{"--root", "image=" + (shop / "image"), "--root",
                                         "image=" + (shop / "again")};
    const auto with = [&roots](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), roots.begin(), roots.end());
        return arguments;
    };
    EXPECT_EQ(shop.told(with({"apply"})),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/index.js"), patched());
    EXPECT_EQ(shop.told(with({"apply"})),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told(with({"revert"})),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told(with({"apply"})),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told(with({"revert", "--all"})),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/index.js"), stock());
}

TEST_F(Layouts, TwoRootsOfOneName) {
    const std::string first = shop.install(core());
    const std::string second = shop.install(core(), "other/node_modules/@demo/core");
    EXPECT_EQ(
        shop.told({"apply", "--root", "image=" + (shop / "image"), "--root", "image=" + (shop / "other")}),
        "patched @demo/core 1.2.3 (revision 1) in @/image/node_modules/@demo/core: lib/index.js\n"
        "patched @demo/core 1.2.3 (revision 1) in @/other/node_modules/@demo/core: lib/index.js\n"
        "exit 0\n");
    EXPECT_EQ(read(first + "/lib/index.js"), patched());
    EXPECT_EQ(read(second + "/lib/index.js"), patched());
}

/// A set of three packages, the second of which can't be patched in the way that a test chooses.
class ASet : public testing::Test {
  protected:
    ASet() {
        shop.roots.pop_back();
        for (const char* name : {"first", "second", "third"}) {
            SetPackage package = core_and_provider().first;
            package.name = name;
            shop.packages.push_back(package);
        }
        shop.packages[2].requirements = {{"second", 1}};
        shop.write_set();
        for (const SetPackage& package : shop.packages) shop.install(package);
    }

    [[nodiscard]] std::string bytes(std::size_t package) const {
        return read(shop.place(shop.packages[package]) + "/lib/index.js");
    }

    Workshop shop;
};

TEST_F(ASet, Report3_AFailingMemberLeavesEveryFileOfEveryPackage) {
    write(shop.place(shop.packages[1]) + "/lib/index.js", "mine\n");
    const auto before = snapshot(shop.path());
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "drydock: second: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/second\n"
              "drydock: third: requires second at level 1, which is refused itself\n"
              "  in @/image/node_modules/third\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(ASet, Report3_AtBootTheOthersGoOnAndWhoNeedsItDoesNot) {
    write(shop.place(shop.packages[1]) + "/lib/index.js", "mine\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "patched first 1.2.3 (revision 1): lib/index.js\n"
              "drydock: note: second: lib/index.js: drifted: neither stock nor patched (sha256 "
              "fcbc800db3f1…); reinstall 1.2.3\n"
              "drydock: note: third: requires second at level 1, which is refused itself\n"
              "exit 0\n");
    EXPECT_EQ(bytes(0), *shop.packages[0].files[0].patched);
    EXPECT_EQ(bytes(1), "mine\n");
    EXPECT_EQ(bytes(2), *shop.packages[2].files[0].stock);
}

TEST_F(ASet, AtBootWhoNeedsItIsTakenBack) {
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "patched first 1.2.3 (revision 1): lib/index.js\n"
              "patched second 1.2.3 (revision 1): lib/index.js\n"
              "patched third 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    write(shop.place(shop.packages[1]) + "/lib/index.js", "mine\n");
    EXPECT_EQ(
        shop.told({"apply", "--stage", "boot"}),
        "reverted third 1.2.3: lib/index.js\n"
        "drydock: note: third: requires second at level 1, which is refused itself; taken back to stock\n"
        "drydock: note: second: lib/index.js: drifted: neither stock nor patched (sha256 "
        "fcbc800db3f1…); reinstall 1.2.3\n"
        "exit 0\n");
    EXPECT_EQ(bytes(2), *shop.packages[2].files[0].stock);
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 3 packages: 1 patched, 1 stock, 1 drifted\n"
              "drydock: note: second: lib/index.js: drifted: neither stock nor patched (sha256 "
              "fcbc800db3f1…); reinstall 1.2.3\n"
              "drydock: note: third: requires second at level 1, which is refused itself\n"
              "exit 0\n");
}

TEST_F(ASet, AtBootAFileThatCannotBeKeptHoldsUpItsOwnOnly) {
    fs::permissions(shop.place(shop.packages[1]) + "/lib/index.js", static_cast<fs::perms>(04755));
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "patched first 1.2.3 (revision 1): lib/index.js\n"
              "drydock: note: second: lib/index.js: has mode 4755, and files that run with another's rights "
              "are not patched; take that off (chmod ug-s) first\n"
              "drydock: note: third: requires second at level 1, which is refused itself\n"
              "exit 0\n");
    EXPECT_EQ(bytes(0), *shop.packages[0].files[0].patched);
    EXPECT_EQ(bytes(1), *shop.packages[1].files[0].stock);
    EXPECT_EQ(bytes(2), *shop.packages[2].files[0].stock);
}

// The core that the image's stage patched lost what it requires itself, and the providers are new.
TEST_F(ASet, AtBootNothingIsPatchedOverWhatTheSameBootTakesBack) {
    shop.packages[0].provides = 1;
    shop.packages[0].stages = {"image"};
    shop.packages[1].stages = {"image"};
    shop.packages[1].requirements = {{"first", 1}};
    shop.write_set();
    EXPECT_EQ(shop.drydock({"apply", "--package", "first", "--package", "second"}).exit_code, 0);
    write(shop.place(shop.packages[0]) + "/lib/index.js", *shop.packages[0].files[0].stock);
    const std::string told =
        "drydock: note: second: requires first at level 1, and @/image/node_modules/first, which Node loads "
        "from here, is at level 0 (stock); patch that copy first; taken back to stock\n"
        "drydock: note: third: requires second at level 1, and @/image/node_modules/second, which Node loads "
        "from here, is at level 0 (not patched); patch that copy first\n";
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "reverted second 1.2.3: lib/index.js\n" + told + "exit 0\n");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bytes(i), *shop.packages[i].files[0].stock) << i;
}

TEST_F(ASet, AtBootAllThatRequiresWhatIsTakenBackIsTakenBackToo) {
    shop.packages[0].provides = 1;
    shop.packages[1].requirements = {{"first", 1}};
    shop.write_set();
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    write(shop.place(shop.packages[0]) + "/lib/index.js", "drifted\n");
    write(shop / "patches/1.2.3-1/second.lib.patch", "damaged\n");
    const std::string told = shop.told({"apply", "--stage", "boot"});
    EXPECT_EQ(
        told.substr(0, told.find("drydock: note: second: @/manifests")),
        "reverted third 1.2.3: lib/index.js\n"
        "reverted second 1.2.3: lib/index.js\n"
        "drydock: note: second: requires first at level 1, which is refused itself; taken back to stock\n"
        "drydock: note: third: requires second at level 1, and @/image/node_modules/second, which Node "
        "loads from here, is at level 0 (not patched); patch that copy first; taken back to stock\n");
    EXPECT_EQ(told.substr(told.rfind("exit ")), "exit 0\n");
    for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(bytes(i), *shop.packages[i].files[0].stock) << i;
}

TEST_F(ASet, TemporariesOfACutShortPatchAreNotOurs) {
    const std::string directory = shop.place(shop.packages[0]);
    write(directory + "/lib/.drydock-patch-journal", "a run of drydock patch");
    write(directory + "/lib/.drydock-tmp.0.old", "its old bytes");
    for (const std::string command : {"apply", "revert"}) {
        EXPECT_EQ(shop.drydock({command, "--package", "first"}).exit_code, 0);
        EXPECT_EQ(read(directory + "/lib/.drydock-tmp.0.old"), "its old bytes");
    }
}

TEST_F(ASet, PackageSelects) {
    EXPECT_EQ(shop.told({"apply", "--package", "second"}),
              "patched second 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(bytes(0), *shop.packages[0].files[0].stock);
    EXPECT_EQ(bytes(1), *shop.packages[1].files[0].patched);
    EXPECT_EQ(shop.told({"status", "--check", "--package", "second", "--package", "third"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "second   1.2.3    1         lib/index.js  patched  published\n"
              "third    1.2.3    -         lib/index.js  stock    published\n"
              "\n"
              "second in @/image/node_modules/second (root image)\n"
              "    why: the demo of second\n"
              "\n"
              "third in @/image/node_modules/third (root image)\n"
              "    why: the demo of third\n"
              "    do: drydock apply\n"
              "\n"
              "2 packages: 1 patched, 1 stock\n"
              "drydock: third: stock, expected patched, in @/image/node_modules/third; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(shop.told({"apply", "--package", "third", "--package", "first"}),
              "patched first 1.2.3 (revision 1): lib/index.js\n"
              "patched third 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert", "--package", "first"}),
              "reverted first 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(bytes(0), *shop.packages[0].files[0].stock);
    EXPECT_EQ(shop.told({"revert", "--package", "second"}),
              "drydock: third: would be left patched over a stock core; revert it too\n"
              "  in @/image/node_modules/third\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
    EXPECT_EQ(shop.told({"revert", "--package", "second", "--package", "third"}),
              "reverted second 1.2.3: lib/index.js\n"
              "reverted third 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(bytes(1), *shop.packages[1].files[0].stock);
}

TEST_F(ASet, TheStageSelects) {
    shop.packages[0].stages = {"image"};
    shop.packages[1].stages = {"boot"};
    shop.packages[2].requirements.clear();
    shop.write_set();
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "patched second 1.2.3 (revision 1): lib/index.js\n"
              "patched third 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "patched first 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(bytes(0), *shop.packages[0].files[0].patched);
}

TEST_F(ASet, ADryRunWritesNothing) {
    const auto before = snapshot(shop.path());
    EXPECT_EQ(shop.told({"apply", "--dry-run", "--package", "first"}),
              "would patch first 1.2.3 (revision 1): lib/index.js\n"
              "  lib/index.js: hunk 1 at line 7, revision 1\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

}  // namespace
}  // namespace drydock::test
