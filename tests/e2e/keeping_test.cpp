// What an apply keeps (mode, owner, attributes, links), and what it will not touch.

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// One package in one root. These tests make owners and mounts: they need root, as tests/run.sh has.
class Keeping : public testing::Test {
  protected:
    Keeping() {
        if (geteuid() != 0) ADD_FAILURE() << "run these tests as root";
        shop.roots.pop_back();
        shop.packages = {core_and_provider().first};
        shop.write_set();
        directory = shop.install(shop.packages[0]);
        file = directory + "/lib/index.js";
    }

    [[nodiscard]] const std::string& stock() const { return *shop.packages[0].files[0].stock; }
    [[nodiscard]] const std::string& patched() const { return *shop.packages[0].files[0].patched; }

    /// Runs and expects that nothing changed.
    [[nodiscard]] std::string refused(const std::vector<std::string>& arguments) const {
        const auto before = snapshot(shop / "image");
        std::string told = shop.told(arguments);
        EXPECT_EQ(snapshot(shop / "image"), before);
        EXPECT_EQ(litter(shop / "image"), std::vector<std::string>());
        return told;
    }

    /// What the tool gives of a file.
    static std::string output(const std::vector<std::string>& command) {
        const base::ProcessOutcome outcome = run(command);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return outcome.output;
    }

    Workshop shop;
    std::string directory;
    std::string file;
};

TEST_F(Keeping, Report9_ASecondApplyChangesNotEvenATimestamp) {
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    const auto after = snapshot(shop / "image");
    EXPECT_EQ(shop.told({"apply"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "image"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image"), after);
}

TEST_F(Keeping, ABootThatFindsAllPatchedReadsNoPatch) {
    const std::string stock = test::read(file);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    fs::remove_all(shop / "patches");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(
        shop.told({"apply"}),
        "drydock: core: @/manifests/1.2.3.yaml:17: patch ../patches/1.2.3-1/core.lib.patch: there is no "
        "folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
        "exit 2\n");
    test::write(file, stock);
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: core: @/manifests/1.2.3.yaml:17: patch ../patches/1.2.3-1/core.lib.patch: "
              "there is no "
              "folder @/manifests/../patches/1.2.3-1; copy the patches along with the manifests\n"
              "exit 0\n");
}

TEST_F(Keeping, Report11_ModeOwnerAndAttributesThroughApplyAndRevert) {
    ASSERT_EQ(chown(file.c_str(), 1234, 4321), 0);
    fs::permissions(file, static_cast<fs::perms>(0640));
    ASSERT_EQ(setxattr(file.c_str(), "user.note", "kept", 4, 0), 0);
    output({"setfacl", "-m", "u:777:rwx", file});
    const auto attributes = [this] {
        return output({"stat", "-c", "%a %u:%g", file}) +
               output({"getfattr", "--only-values", "-n", "user.note", file}) + "\n" +
               output({"getfacl", "-cp", "--omit-header", file});
    };
    const std::string before = attributes();
    EXPECT_EQ(before,
              "670 1234:4321\n"
              "kept\n"
              "user::rw-\n"
              "user:777:rwx\n"
              "group::r--\n"
              "mask::rwx\n"
              "other::---\n"
              "\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), patched());
    EXPECT_EQ(attributes(), before);
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), stock());
    EXPECT_EQ(attributes(), before);
}

TEST_F(Keeping, ADefaultAclOfTheDirectoryDoesNotLeakIn) {
    output({"setfacl", "-d", "-m", "u:777:rwx", directory + "/lib", directory});
    const std::string before = output({"getfacl", "-cp", file});
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(output({"getfacl", "-cp", file}), before);
    EXPECT_EQ(output({"getfacl", "-cp", directory + "/.drydock-receipt.json"}),
              "user::rw-\n"
              "group::r--\n"
              "other::r--\n"
              "\n");
}

TEST_F(Keeping, Report11_TheUmaskDoesNotCount) {
    shop.runner = {"sh", "-c", R"(umask 077; exec "$0" "$@")"};
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(output({"stat", "-c", "%a", file, directory + "/.drydock-receipt.json"}), "644\n644\n");
}

TEST_F(Keeping, Report19_AHardLinkElsewhereStaysStock) {
    fs::create_hard_link(file, shop / "store.js");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(shop / "store.js"), stock());
    EXPECT_EQ(read(file), patched());
}

TEST_F(Keeping, Report17_BytesThatAreNoUtf8PassThrough) {
    SetPackage& package = shop.packages[0];
    package.files[0].stock = "// \xE9 in Latin-1\n" + stock() + "// no line end, and \xFF";
    package.files[0].patched = "// \xE9 in Latin-1\n" + patched() + "// no line end, and \xFF";
    shop.write_set();
    shop.install(package);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), patched());
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), stock());
}

TEST_F(Keeping, Report2_InsideSomebodysGitRepositoryThatIgnoresIt) {
    base::ProcessOptions options;
    options.directory = shop / "image";
    EXPECT_EQ(run({"git", "init", "-q", "."}, options).exit_code, 0);
    write(shop / "image/.gitignore", "node_modules\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), patched());
}

TEST_F(Keeping, Report15_AnEmptyFileIsAddedAndTakenAway) {
    SetPackage& package = shop.packages[0];
    package.files.push_back({"lib/added.js", std::nullopt, ""});
    package.files.push_back({"lib/emptied.js", "", std::nullopt});
    shop.write_set();
    shop.install(package);
    const auto before = snapshot(shop / "image", false);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js, lib/added.js, lib/emptied.js\n"
              "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/added.js"), "");
    EXPECT_FALSE(exists(directory + "/lib/emptied.js"));
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js, lib/added.js, lib/emptied.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), before);
}

TEST_F(Keeping, AnImmutableFileIsRefused) {
    if (run({"chattr", "+i", file}).exit_code != 0) GTEST_SKIP() << "this filesystem has no such attribute";
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: lib/index.js: is immutable or append-only; take that attribute off (chattr -i "
              "-a) first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: core: lib/index.js: is immutable or append-only; take that attribute off "
              "(chattr -i -a) first\n"
              "exit 0\n");
    output({"chattr", "-i", file});
}

/// The root is mounted read-only while it lives.
class ReadOnly {
  public:
    explicit ReadOnly(std::string path) : path_(std::move(path)) {
        mounted_ = mount(path_.c_str(), path_.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
                   mount(nullptr, path_.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
    }
    ~ReadOnly() { umount2(path_.c_str(), MNT_DETACH); }
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;
    [[nodiscard]] bool mounted() const { return mounted_; }

  private:
    std::string path_;
    bool mounted_;
};

TEST_F(Keeping, AReadOnlyRootThatIsPatchedIsASuccess) {
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    const ReadOnly root(shop / "image");
    if (!root.mounted()) GTEST_SKIP() << "this user may not mount";
    EXPECT_EQ(refused({"apply"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(refused({"revert"}),
              "drydock: core: lib/index.js: its directory cannot be written to: read-only file system; mount "
              "it writable first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: core: .drydock-receipt.json: its directory cannot be written to: read-only file "
              "system; mount it writable first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Keeping, AReadOnlyRootThatIsStockIsRefused) {
    const ReadOnly root(shop / "image");
    if (!root.mounted()) GTEST_SKIP() << "this user may not mount";
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: lib/index.js: its directory cannot be written to: read-only file system; mount "
              "it writable first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: core: .drydock-receipt.json: its directory cannot be written to: read-only file "
              "system; mount it writable first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: core: lib/index.js: its directory cannot be written to: read-only file system; "
              "mount it writable first\n"
              "drydock: note: core: .drydock-receipt.json: its directory cannot be written to: read-only "
              "file system; mount it writable first\n"
              "exit 0\n");
    EXPECT_EQ(refused({"revert"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "exit 0\n");
}

TEST_F(Keeping, AUserWithoutRights) {
    give_up_rights(shop);
    EXPECT_EQ(
        refused({"apply"}),
        "drydock: core: lib/index.js: its owner 0 cannot be kept by this user; run as root, or as its owner\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: core: lib/index.js: its directory cannot be written to: permission denied; run as root, or "
        "as its owner\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: core: .drydock-receipt.json: its directory cannot be written to: permission denied; run as "
        "root, or as its owner\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: nothing was changed\n"
        "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: core: lib/index.js: its owner 0 cannot be kept by this user; run as root, or "
              "as its owner\n"
              "drydock: note: core: lib/index.js: its directory cannot be written to: permission denied; run "
              "as root, or as its owner\n"
              "drydock: note: core: .drydock-receipt.json: its directory cannot be written to: permission "
              "denied; run as root, or as its owner\n"
              "exit 0\n");
    fs::permissions(file, static_cast<fs::perms>(0600));
    EXPECT_EQ(
        refused({"apply"}),
        "drydock: core: lib/index.js: cannot be read: permission denied; put it right, or reinstall 1.2.3\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: nothing was changed\n"
        "exit 6\n");
    EXPECT_EQ(
        refused({"status", "--check"}),
        "1.2.3 (revision 1)\n"
        "\n"
        "PACKAGE  VERSION  REVISION  FILE          STATE       ORIGIN\n"
        "core     1.2.3    -         lib/index.js  unreadable  published\n"
        "\n"
        "core in @/image/node_modules/@demo/core (root image)\n"
        "    why: the demo of core\n"
        "    do: put it right, or reinstall 1.2.3\n"
        "\n"
        "1 package: 1 unreadable\n"
        "drydock: core: lib/index.js: cannot be read: permission denied; put it right, or reinstall 1.2.3\n"
        "  in @/image/node_modules/@demo/core\n"
        "exit 6\n");
}

TEST_F(Keeping, AUserWhoCannotKeepTheOwner) {
    give_up_rights(shop);
    for (const char* part : {"image", "image/node_modules/@demo/core", "image/node_modules/@demo/core/lib"}) {
        ASSERT_EQ(chown((shop / part).c_str(), 65534, 65534), 0);
    }
    EXPECT_EQ(
        refused({"apply"}),
        "drydock: core: lib/index.js: its owner 0 cannot be kept by this user; run as root, or as its owner\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: nothing was changed\n"
        "exit 6\n");
    EXPECT_EQ(refused({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 1): 1 package: 1 stock\n"
              "drydock: note: core: lib/index.js: its owner 0 cannot be kept by this user; run as root, or "
              "as its owner\n"
              "exit 0\n");
    ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), patched());
}

TEST_F(Keeping, AnAppendOnlyDirectoryIsRefusedBeforeAnythingIsWritten) {
    const std::string folder = directory + "/lib";
    if (run({"chattr", "+a", folder}).exit_code != 0) GTEST_SKIP() << "this filesystem has no such attribute";
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(
            refused({"apply"}),
            "drydock: core: lib/index.js: its directory is immutable or append-only; take that attribute "
            "off (chattr -i -a) first\n"
            "  in @/image/node_modules/@demo/core\n"
            "drydock: nothing was changed\n"
            "exit 6\n");
    }
    write(shop / "p", "--- /dev/null\n+++ b/lib/new.js\n@@ -0,0 +1 @@\n+new\n");
    EXPECT_EQ(refused({"patch", "-d", directory, shop / "p"}),
              "drydock: lib/new.js: its directory is immutable or append-only; see chattr\n"
              "exit 6\n");
    EXPECT_EQ(litter(shop.path()), std::vector<std::string>());
    run({"chattr", "-a", folder});
}

TEST_F(Keeping, AUserWhoCannotGiveBackTheOwnerOfAFileToDelete) {
    SetPackage& package = shop.packages[0];
    package.files.push_back({"lib/gone.js", "to be deleted\n", std::nullopt});
    shop.write_set();
    shop.install(package);
    ASSERT_EQ(chown((directory + "/lib/gone.js").c_str(), 1234, 1234), 0);
    EXPECT_EQ(refused({"apply"}),
              "drydock: core: lib/gone.js: is to be deleted, and its owner 1234:1234 is not its directory's: "
              "revert could not give it back; make them the same first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

}  // namespace
}  // namespace drydock::test
