// A provider is patched only over a patched core, where Node would load it from.

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// The core in the image, the provider in a profile of the stage, and the harness's folder of links above it.
class Staged : public testing::Test {
  protected:
    Staged() {
        auto [a_core, a_provider] = core_and_provider();
        core = a_core;
        provider = a_provider;
        core.others.push_back({"revision 1", 1, {{"lib/index.js", numbered_lines("// core", 21)}}, 1});
        core.provides = 2;
        shop.revision = 2;
        shop.roots[1].path = "${DSH_STAGE}/profiles/web";
        shop.harness =
            "harness:\n  fallback:\n    folders: [\"${DSH_STAGE}/profiles/node_modules\"]\n"
            "    root: image\n";
        write_set();
        core_directory = shop.install(core);
        provider_directory = shop.install(provider, "stage/profiles/web/node_modules/@demo/provider");
    }

    void write_set() {
        shop.packages = {core, provider};
        shop.write_set();
    }

    [[nodiscard]] std::string told(const std::vector<std::string>& arguments) const {
        return shop.told(arguments, {{"DSH_STAGE", shop / "stage"}});
    }

    /// A link of the harness's to its core.
    void link(const std::string& target) const {
        fs::create_directories(shop / "stage/profiles/node_modules/@demo");
        fs::create_directory_symlink(target, shop / "stage/profiles/node_modules/@demo/core");
    }

    static std::string bytes(const std::string& directory) { return read(directory + "/lib/index.js"); }

    Workshop shop;
    SetPackage core;
    SetPackage provider;
    std::string core_directory;
    std::string provider_directory;
};

using Requirements = Staged;

TEST_F(Requirements, WithoutTheFallbackLinksTheImagesCopyIsMeant) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core      1.2.3    2         lib/index.js  patched  published\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "\n"
              "2 packages: 2 patched\n"
              "exit 0\n");
}

TEST_F(Requirements, AStaleFallbackLinkIsTheImagesCopy) {
    link(shop / "moved-away/node_modules/@demo/core");
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core      1.2.3    2         lib/index.js  patched  published\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "\n"
              "2 packages: 2 patched\n"
              "exit 0\n");
}

TEST_F(Requirements, AFallbackLinkIntoAnOldInstallationIsTheImagesCopy) {
    const std::string old = shop.install(core, "old/node_modules/@demo/core");
    link(old);
    const auto before = snapshot(shop / "old");
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core      1.2.3    2         lib/index.js  patched  published\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "\n"
              "2 packages: 2 patched\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "old"), before);
}

TEST_F(Requirements, AGoodFallbackLink) {
    link(core_directory);
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
}

TEST_F(Requirements, ThePatchedProviderOfAStockCoreIsUnsafe) {
    put_patched(provider, provider_directory);
    auto before = snapshot(shop.path());
    EXPECT_EQ(told({"status", "--check", "--package", "provider"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "    do: patch what it requires\n"
              "\n"
              "1 package: 1 unsafe\n"
              "drydock: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
              "loads from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: note: provider: .drydock-receipt.json: is missing: revert --all, which goes by it, "
              "would pass "
              "this package over; drydock revert does not\n"
              "exit 5\n");
    EXPECT_EQ(told({"apply", "--stage", "image", "--package", "provider"}),
              "drydock: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
              "loads from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
    EXPECT_EQ(snapshot(shop.path()), before);
    EXPECT_EQ(
        told({"apply", "--stage", "boot", "--package", "provider", "--dry-run"}),
        "would revert @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
        "loads from here, is at level 0 (stock); patch that copy first; would be taken back to stock\n"
        "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
    EXPECT_EQ(told({"apply", "--stage", "boot", "--package", "provider"}),
              "reverted @demo/provider 1.2.3: lib/index.js\n"
              "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which "
              "Node loads from here, is at level 0 (stock); patch that copy first; taken back to stock\n"
              "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(told({"status", "--check", "--package", "provider"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE  ORIGIN\n"
              "provider  1.2.3    -         lib/index.js  stock  published\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 stock\n"
              "drydock: provider: stock, expected patched, in "
              "@/stage/profiles/web/node_modules/@demo/provider; drydock apply\n"
              "exit 1\n");
}

TEST_F(Requirements, AStrictBootTakesAnUnsafeProviderBackTooAndFails) {
    put_patched(provider, provider_directory);
    const std::string reason =
        "drydock: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node loads "
        "from here, is at level 0 (stock); patch that copy first";
    const std::string where = "\n  in @/stage/profiles/web/node_modules/@demo/provider\n";
    EXPECT_EQ(told({"apply", "--stage", "boot", "--strict", "--package", "provider"}),
              "reverted @demo/provider 1.2.3: lib/index.js\n" + reason + "; taken back to stock" + where +
                  "exit 5\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(told({"apply", "--stage", "boot", "--strict", "--package", "provider"}),
              reason + where + "drydock: nothing was changed\nexit 5\n");
}

TEST_F(Requirements, ABootThatCannotTakeAProviderBackSaysSo) {
    put_patched(provider, provider_directory);
    give_up_rights(shop);
    fs::permissions(provider_directory + "/lib", fs::perms(0555));
    EXPECT_EQ(
        told({"apply", "--stage", "boot", "--package", "provider"}),
        "nothing changed: 1.2.3 (revision 2): 1 package: 1 unsafe\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which "
        "Node loads from here, is at level 0 (stock); patch that copy first; it is still patched, and "
        "unsafe to start\n"
        "drydock: note: provider: lib/index.js: its owner 0 cannot be kept by this user; run as root, or "
        "as its owner\n"
        "drydock: note: provider: lib/index.js: its directory cannot be written to: permission denied; "
        "run as root, or as its owner\n"
        "exit 0\n");
    fs::permissions(provider_directory + "/lib", fs::perms(0755));
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].patched);
}

TEST_F(Requirements, ARevertOfAnUnsafeProvider) {
    put_patched(provider, provider_directory);
    EXPECT_EQ(told({"revert", "--package", "provider"}),
              "reverted @demo/provider 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
}

TEST_F(Requirements, AnApplyOfAllMakesAnUnsafeProviderSafe) {
    put_patched(provider, provider_directory);
    EXPECT_EQ(told({"apply", "--stage", "image"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core      1.2.3    2         lib/index.js  patched  published\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "\n"
              "2 packages: 2 patched\n"
              "drydock: note: provider: .drydock-receipt.json: is missing: revert --all, which goes by it, "
              "would pass "
              "this package over; drydock revert does not\n"
              "exit 0\n");
}

TEST_F(Requirements, AStockProviderIsNotPatchedOverAStockCore) {
    const auto before = snapshot(shop.path());
    EXPECT_EQ(told({"apply", "--stage", "image", "--package", "provider"}),
              "drydock: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
              "loads from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
    EXPECT_EQ(told({"apply", "--stage", "boot", "--package", "provider"}),
              "nothing changed: 1.2.3 (revision 2): 1 package: 1 stock\n"
              "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which "
              "Node loads from here, is at level 0 (stock); patch that copy first\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Requirements, ACoreThatIsPatchedTooLow) {
    provider.requirements = {{"@demo/core", 2}};
    write_set();
    write(core_directory + "/lib/index.js", core.others[0].files.at("lib/index.js"));
    const auto before = snapshot(shop.path());
    EXPECT_EQ(told({"apply", "--package", "provider"}),
              "drydock: provider: requires core at level 2, and @/image/node_modules/@demo/core, which Node "
              "loads from here, is at level 1 (revision 1); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
    EXPECT_EQ(snapshot(shop.path()), before);
    provider.requirements = {{"@demo/core", 1}};
    write_set();
    EXPECT_EQ(told({"apply", "--package", "provider"}),
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
}

TEST_F(Requirements, Report21_ASecondUnpatchedCopyOfTheCoreNestedDeeper) {
    shop.install(core, "stage/profiles/web/node_modules/@demo/provider/node_modules/@demo/core");
    auto before = snapshot(shop.path());
    EXPECT_EQ(told({"apply", "--stage", "image"}),
              "drydock: provider: requires core at level 1, and "
              "@/stage/profiles/web/node_modules/@demo/provider/node_modules/@demo/core, which Node loads "
              "from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
    EXPECT_EQ(snapshot(shop.path()), before);
    EXPECT_EQ(told({"apply", "--stage", "boot"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "drydock: note: provider: requires core at level 1, and "
              "@/stage/profiles/web/node_modules/@demo/provider/node_modules/@demo/core, which Node loads "
              "from here, is at level 0 (stock); patch that copy first\n"
              "exit 0\n");
    EXPECT_EQ(bytes(core_directory), *core.files[0].patched);
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    put_patched(provider, provider_directory);
    EXPECT_EQ(told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE   VERSION  REVISION  FILE          STATE    ORIGIN\n"
              "core      1.2.3    2         lib/index.js  patched  published\n"
              "provider  1.2.3    2         lib/index.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "provider in @/stage/profiles/web/node_modules/@demo/provider (root profile)\n"
              "    why: the demo of provider\n"
              "    do: patch what it requires\n"
              "\n"
              "2 packages: 1 patched, 1 unsafe\n"
              "drydock: provider: requires core at level 1, and "
              "@/stage/profiles/web/node_modules/@demo/provider/node_modules/@demo/core, which Node loads "
              "from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: note: provider: .drydock-receipt.json: is missing: revert --all, which goes by it, "
              "would pass "
              "this package over; drydock revert does not\n"
              "exit 5\n");
}

TEST_F(Requirements, ASecondCoreOfAnotherVersionBesideTheProvider) {
    const std::string second = shop.install(core, "stage/profiles/web/node_modules/@demo/core");
    write(second + "/package.json", R"({"name": "@demo/core", "version": "0.9.0"})");
    EXPECT_EQ(
        told({"apply"}),
        "drydock: provider: requires core at level 1, and @/stage/profiles/web/node_modules/@demo/core, "
        "which Node loads from here, is at level 0 (version 0.9.0); patch that copy first\n"
        "  in @/stage/profiles/web/node_modules/@demo/provider\n"
        "drydock: nothing was changed\n"
        "exit 5\n");
}

TEST_F(Requirements, ACopyInTheFallbackFolderThatIsNoLinkIsTheOneLoaded) {
    shop.install(core, "stage/profiles/node_modules/@demo/core");
    EXPECT_EQ(told({"apply"}),
              "drydock: provider: requires core at level 1, and @/stage/profiles/node_modules/@demo/core, "
              "which Node loads from here, is at level 0 (stock); patch that copy first\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
}

TEST_F(Requirements, NodeFindsNoCore) {
    shop.harness.clear();
    write_set();
    const auto before = snapshot(shop.path());
    EXPECT_EQ(
        told({"apply"}),
        "drydock: provider: requires core at level 1, and Node finds no copy of it from here; install it\n"
        "  in @/stage/profiles/web/node_modules/@demo/provider\n"
        "drydock: nothing was changed\n"
        "exit 5\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Requirements, ADriftedCoreHoldsItsProviderUpToo) {
    write(core_directory + "/lib/index.js", "mine\n");
    const auto before = snapshot(shop.path());
    EXPECT_EQ(told({"apply", "--stage", "image"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: provider: requires core at level 1, which is refused itself\n"
              "  in @/stage/profiles/web/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 2): 2 packages: 1 stock, 1 drifted\n"
              "drydock: note: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "drydock: note: provider: requires core at level 1, which is refused itself\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Requirements, AtBootAProviderIsTakenBackFromItsDriftedCore) {
    put_patched(provider, provider_directory);
    write(core_directory + "/lib/index.js", "mine\n");
    EXPECT_EQ(
        told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, which is refused itself; taken back to stock\n"
        "drydock: note: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
        "reinstall 1.2.3\n"
        "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(bytes(core_directory), "mine\n");
}

TEST_F(Requirements, ACoreIsNotRevertedUnderAPatchedProvider) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    const auto before = snapshot(shop.path());
    const std::string refused =
        "drydock: provider: would be left patched over a stock core; revert it too\n"
        "  in @/stage/profiles/web/node_modules/@demo/provider\n";
    EXPECT_EQ(told({"revert", "--package", "core"}), refused + "drydock: nothing was changed\nexit 5\n");
    EXPECT_EQ(told({"revert", "--package", "core", "--dry-run"}),
              refused + "drydock: nothing was changed\nexit 5\n");
    EXPECT_EQ(snapshot(shop.path()), before);
    EXPECT_EQ(told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "reverted @demo/provider 1.2.3: lib/index.js\n"
              "exit 0\n");
}

/// The whole design of a boot that finds another version than the set's.
TEST_F(Requirements, Report22_ABootWithAnotherCoreTakesTheProviderBackByItsReceipt) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    fs::remove_all(core_directory);
    shop.version = "1.3.0";
    shop.install(core);
    shop.version = "1.2.3";
    EXPECT_EQ(
        told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, which is refused itself; taken back to stock\n"
        "drydock: note: core: wrong version: 1.3.0 is installed, and the set is for 1.2.3; there are sets "
        "for 1.2.3\n"
        "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(told({"apply", "--stage", "boot"}),
              "nothing changed: 1.2.3 (revision 2): 2 packages: 1 stock, 1 wrong-version\n"
              "drydock: note: core: wrong version: 1.3.0 is installed, and the set is for 1.2.3; there are "
              "sets for 1.2.3\n"
              "drydock: note: provider: requires core at level 1, which is refused itself\n"
              "exit 0\n");
}

TEST_F(Requirements, ABootWhoseManifestIsForAnotherVersionTakesTheProviderBack) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    shop.version = "1.3.0";
    write_set();
    fs::remove_all(core_directory);
    shop.install(core);
    // The core is of the new set, the provider left over from the old one.
    EXPECT_EQ(told({"apply", "--stage", "boot", "--package", "provider"}),
              "reverted @demo/provider 1.2.3\n"
              "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which "
              "Node loads from here, is at level 0 (stock); patch that copy first; taken back to stock\n"
              "drydock: note: provider: wrong version: 1.2.3 is installed, and the set is for 1.3.0; there "
              "are sets for 1.2.3, 1.3.0\n"
              "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
}

TEST_F(Requirements, ABootWithoutAManifestForItsVersionTakesTheProviderBack) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    fs::remove_all(core_directory);
    shop.version = "1.3.0";
    shop.install(core);
    EXPECT_EQ(told({"apply", "--stage", "image"}),
              "drydock: @/manifests: no set for version 1.3.0; there are 1.2.3\n"
              "exit 2\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].patched);
    EXPECT_EQ(
        told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
        "loads from here, is at level 0 (version 1.3.0); patch that copy first; taken back to stock\n"
        "drydock: note: @/manifests: no set for version 1.3.0; there are 1.2.3\n"
        "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(told({"apply", "--stage", "boot"}),
              "nothing changed\n"
              "drydock: note: @/manifests: no set for version 1.3.0; there are 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told({"apply", "--stage", "boot", "--strict"}),
              "drydock: @/manifests: no set for version 1.3.0; there are 1.2.3\n"
              "exit 2\n");
}

TEST_F(Requirements, ABootWithoutAManifestLeavesASafeProviderAlone) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    const auto before = snapshot(shop.path());
    shop.version = "1.3.0";
    EXPECT_EQ(told({"apply", "--stage", "boot"}),
              "nothing changed: 2 packages: 2 patched\n"
              "drydock: note: @/manifests: no set for version 1.3.0; there are 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Requirements, ABootWithoutThePatchFolderTakesTheProviderBack) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    fs::remove_all(core_directory);
    shop.install(core);
    fs::remove_all(shop / "patches");
    EXPECT_EQ(
        told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
        "loads from here, is at level 0 (version 1.2.3); patch that copy first; taken back to stock\n"
        "drydock: note: core: @/manifests/1.2.3.yaml:19: patch ../patches/1.2.3-2/core.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-2; copy the patches along with the manifests\n"
        "drydock: note: core: @/manifests/1.2.3.yaml:30: patch ../patches/1.2.3-2/core-1.lib.patch: there is "
        "no folder @/manifests/../patches/1.2.3-2; copy the patches along with the manifests\n"
        "drydock: note: provider: @/manifests/1.2.3.yaml:42: patch ../patches/1.2.3-2/provider.lib.patch: "
        "there is no folder @/manifests/../patches/1.2.3-2; copy the patches along with the manifests\n"
        "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
    EXPECT_EQ(bytes(core_directory), *core.files[0].stock);
}

TEST_F(Requirements, AtBootAnAdoptedSetTakesAnUnsafeProviderBack) {
    EXPECT_EQ(told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 2): lib/index.js\n"
              "exit 0\n");
    fs::remove_all(core_directory);
    shop.version = "1.3.0";
    shop.adopted = true;
    write_set();
    shop.install(core);
    EXPECT_EQ(
        told({"apply", "--stage", "boot"}),
        "reverted @demo/provider 1.2.3: lib/index.js\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
        "loads from here, is at level 0 (version 1.3.0); patch that copy first; taken back to stock\n"
        "exit 0\n");
    EXPECT_EQ(bytes(provider_directory), *provider.files[0].stock);
}

}  // namespace
}  // namespace drydock::test
