// Revisions, predecessors, other published contents, and what a receipt may add to a manifest's knowledge.

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* receipt_name = "/.drydock-receipt.json";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// One package in one root.
Workshop& prepared(Workshop& shop, const SetPackage& package, unsigned revision) {
    shop.roots.resize(1);
    shop.revision = revision;
    shop.packages = {package};
    shop.write_set();
    return shop;
}

SetPackage first_revision() {
    SetPackage package = core_and_provider().first;
    package.files.push_back({"lib/only-once.js", numbered_lines("// once", 5), numbered_lines("// once", 6)});
    package.files.push_back({"lib/made/once.js", std::nullopt, "made by revision 1\n"});
    return package;
}

/// Leaves alone two files that the first one touches, touches one that it leaves alone.
SetPackage second_revision() {
    SetPackage package = core_and_provider().first;
    package.files[0].patched = *package.files[0].patched + "// the end\n";
    package.files.push_back(
        {"lib/second.js", numbered_lines("// second", 5), numbered_lines("// second", 4)});
    SetOther earlier{"revision 1", 1, {}, 1};
    const SetPackage first = first_revision();
    earlier.files["lib/index.js"] = *first.files[0].patched;
    earlier.files["lib/only-once.js"] = *first.files[1].patched;
    earlier.files["lib/made/once.js"] = *first.files[2].patched;
    earlier.stock["lib/only-once.js"] = first.files[1].stock;
    earlier.stock["lib/made/once.js"] = std::nullopt;
    package.others.push_back(earlier);
    return package;
}

void install_all_files(Workshop& shop) {
    shop.install(second_revision());
    shop.install(first_revision());
}

/// The package as a direct apply of a revision leaves it.
std::map<std::string, std::string> as_applied_directly(const SetPackage& package, unsigned revision) {
    Workshop shop;
    prepared(shop, package, revision);
    install_all_files(shop);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    return snapshot(shop / "image", false);
}

TEST(Revisions, Report8_TheSecondOverTheFirstAndBackToTheImageWithTheFirst) {
    const SetPackage first = first_revision();
    Workshop shop;
    prepared(shop, first, 1);
    install_all_files(shop);
    const auto stock = snapshot(shop / "image", false);
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "exit 0\n");

    prepared(shop, second_revision(), 2);
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE              STATE           ORIGIN\n"
              "core     1.2.3    1         lib/index.js      other-revision  published\n"
              "                  -         lib/second.js     stock           published\n"
              "                  1         lib/made/once.js  other-revision  published\n"
              "                  1         lib/only-once.js  other-revision  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 partial\n"
              "drydock: core: partial, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(shop.told({"apply", "--dry-run"}),
              "would patch @demo/core 1.2.3 (revision 2): lib/index.js, lib/second.js, lib/made/once.js, "
              "lib/only-once.js\n"
              "  lib/index.js: revision 1 backwards\n"
              "  lib/made/once.js: revision 1 backwards\n"
              "  lib/only-once.js: revision 1 backwards\n"
              "  lib/index.js: hunk 1 at line 7, revision 2\n"
              "  lib/index.js: hunk 2 at line 18, revision 2\n"
              "  lib/second.js: hunk 1 at line 2, revision 2\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/second.js, lib/made/once.js, "
              "lib/only-once.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), as_applied_directly(second_revision(), 2));

    // The image goes back: its set knows of no revision 2 but by the receipt.
    prepared(shop, first, 1);
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE              STATE           ORIGIN\n"
              "core     1.2.3    2         lib/index.js      other-revision  published\n"
              "                  -         lib/only-once.js  stock           published\n"
              "                  -         lib/made/once.js  stock           published\n"
              "                  2         lib/second.js     other-revision  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 partial\n"
              "drydock: core: partial, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), as_applied_directly(first, 1));
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), stock);
}

TEST(Revisions, ALaterOneThatOnlyAddsAFileGivesWayToo) {
    const SetPackage first = core_and_provider().first;
    SetPackage second = first;
    second.files.push_back({"lib/added.js", std::nullopt, "made by revision 2\n"});
    Workshop shop;
    prepared(shop, second, 2);
    shop.install(first);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    prepared(shop, first, 1);
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE           ORIGIN\n"
              "core     1.2.3    1         lib/index.js  patched         published\n"
              "                  2         lib/added.js  other-revision  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 partial\n"
              "drydock: core: partial, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    const auto after = snapshot(shop / "image");
    Workshop direct;
    prepared(direct, first, 1);
    direct.install(first);
    EXPECT_EQ(direct.drydock({"apply"}).exit_code, 0);
    EXPECT_EQ(snapshot(shop / "image", false), snapshot(direct / "image", false));
    EXPECT_EQ(shop.told({"apply"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image"), after);
}

TEST(Revisions, ABootFindsWhatAnEarlierOneLeftWhereThisOneChangesNothing) {
    Workshop shop;
    prepared(shop, second_revision(), 2);
    install_all_files(shop);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    const auto patched = snapshot(shop / "image", false);
    const std::string directory = shop.place(shop.packages[0]);
    EXPECT_EQ(shop.told({"apply", "--stage", "boot", "--json"}), shop.told({"apply", "--json"}));
    test::write(directory + "/lib/only-once.js", *first_revision().files[1].patched);
    EXPECT_EQ(shop.told({"apply", "--stage", "boot"}),
              "patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/second.js, lib/made/once.js, "
              "lib/only-once.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), patched);
    test::write(directory + "/lib/only-once.js", "drifted\n");
    EXPECT_EQ(shop.told({"apply", "--stage", "boot", "--strict"}),
              "drydock: core: lib/only-once.js: drifted: neither stock nor patched (sha256 893105a87e63…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
}

TEST(Revisions, WithoutAReceiptAndWithoutKnowledgeItIsDrift) {
    Workshop shop;
    prepared(shop, second_revision(), 2);
    install_all_files(shop);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    fs::remove(shop.place(shop.packages[0]) + receipt_name);
    prepared(shop, first_revision(), 1);
    const auto before = snapshot(shop / "image");
    EXPECT_EQ(shop.told({"apply"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 2912c3fd87eb…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(snapshot(shop / "image"), before);
}

TEST(Revisions, RevertOfAnotherRevisionByItsReceipt) {
    Workshop shop;
    prepared(shop, second_revision(), 2);
    install_all_files(shop);
    const auto stock = snapshot(shop / "image", false);
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    prepared(shop, first_revision(), 1);
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), stock);
}

TEST(Revisions, AnotherOfTheCoreAloneIsRefusedUnderAProviderThatNeedsMore) {
    Workshop shop;
    const auto [its_core, provider] = core_and_provider();
    shop.packages = {its_core, provider};
    shop.install(its_core);
    shop.install(provider);
    fs::create_symlink("../../../image/node_modules/@demo/core", shop / "profile/node_modules/@demo/core");
    shop.revision = 2;
    shop.packages[0].provides = 2;
    shop.packages[1].requirements["@demo/core"] = 2;
    shop.write_set();
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    shop.revision = 1;
    SetPackage& core = shop.packages[0];
    core.others.push_back({"revision 2", 2, {{"lib/index.js", *core.files[0].patched}}, 2});
    core.files[0].patched = "// revision 1\n" + *core.files[0].stock;
    core.provides = 1;
    SetPackage& its_provider = shop.packages[1];
    its_provider.others.push_back({"revision 2", 2, {{"lib/index.js", *its_provider.files[0].patched}}});
    its_provider.files[0].patched = "// revision 1\n" + *its_provider.files[0].stock;
    its_provider.requirements["@demo/core"] = 1;
    shop.write_set();
    const auto before = snapshot(shop.path());
    const std::string refused =
        "drydock: provider: would be left over a core that provides less than it requires; apply it too\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "drydock: nothing was changed\n"
        "exit 5\n";
    EXPECT_EQ(shop.told({"apply", "--package", "core"}), refused);
    EXPECT_EQ(shop.told({"apply", "--package", "core", "--dry-run"}), refused);
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST(Revisions, APredecessorIsTakenOverAndUnknownBytesAreLeft) {
    SetPackage package = first_revision();
    const std::string other_tools = replaced(*package.files[0].stock, "// core 3\n", "// core three\n");
    package.others.push_back({"another tool", 0, {{"lib/index.js", other_tools}}});
    Workshop shop;
    prepared(shop, package, 1);
    const std::string directory = shop.install(package);
    write(directory + "/lib/index.js", other_tools);
    EXPECT_EQ(shop.told({"apply", "--dry-run"}),
              "would patch @demo/core 1.2.3 (revision 1): lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "  lib/index.js: another tool backwards\n"
              "  lib/index.js: hunk 1 at line 7, revision 1\n"
              "  lib/made/once.js: hunk 1 at line 1, revision 1\n"
              "  lib/only-once.js: hunk 1 at line 3, revision 1\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js, lib/only-once.js, lib/made/once.js\n"
              "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/index.js"), *package.files[0].patched);
    write(directory + "/lib/index.js", other_tools + "// and more\n");
    const auto before = snapshot(shop / "image");
    EXPECT_EQ(shop.told({"apply"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 a537790e999f…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(shop.told({"revert"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 a537790e999f…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(snapshot(shop / "image"), before);
}

TEST(Variants, Report13_TheSameVersionPublishedWithOtherContents) {
    SetPackage package = core_and_provider().first;
    const auto again = [](const std::string& text) { return "#!/usr/bin/env node\n" + text; };
    package.files[0].variants = {{again(*package.files[0].stock), again(*package.files[0].patched)}};
    Workshop shop;
    prepared(shop, package, 1);
    const std::string file = shop.install(package) + "/lib/index.js";
    write(file, package.files[0].variants[0].first);
    const auto stock = snapshot(shop / "image", false);
    EXPECT_EQ(shop.told({"status"}),
              "1.2.3 (revision 1)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE          STATE  ORIGIN\n"
              "core     1.2.3    -         lib/index.js  stock  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    stock: lib/index.js is published again\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 stock\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply", "--dry-run"}),
              "would patch @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "  lib/index.js: hunk 1 at line 8 (1 line later), revision 1\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), package.files[0].variants[0].second);
    EXPECT_EQ(shop.told({"apply"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), stock);
}

/// A patched package whose receipt is then changed.
class Receipts : public testing::Test {
  protected:
    Receipts() {
        prepared(shop, core_and_provider().first, 1);
        directory = shop.install(shop.packages[0]);
        EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
        receipt = read(directory + receipt_name);
    }

    void lie(const std::string& from, const std::string& to) {
        write(directory + receipt_name, replaced(receipt, from, to));
    }

    /// Every command on a lying receipt: the manifest's hashes win, and by receipts alone nothing is done.
    /// Gives what is told of that.
    std::string harmless() {
        const auto before = snapshot(shop / "image");
        EXPECT_EQ(shop.told({"apply"}), "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\nexit 0\n");
        EXPECT_EQ(shop.drydock({"status", "--check"}).exit_code, 0);
        std::string told = shop.told({"revert", "--all"});
        EXPECT_EQ(snapshot(shop / "image"), before);
        EXPECT_EQ(shop.told({"revert"}), "reverted @demo/core 1.2.3: lib/index.js\nexit 0\n");
        EXPECT_EQ(read(directory + "/lib/index.js"), *shop.packages[0].files[0].stock);
        EXPECT_FALSE(exists(directory + receipt_name));
        return told;
    }

    Workshop shop;
    std::string directory;
    std::string receipt;
};

TEST_F(Receipts, Garbage) {
    write(directory + receipt_name, "{\"schema\": ");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: it is not JSON; "
              "revert with --manifest, which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, NestedDeeply) {
    write(directory + receipt_name, std::string(1'000'000, '['));
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: it is nested too "
              "deeply; revert with --manifest, which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, OfManyValues) {
    std::string many = "[0";
    for (int i = 0; i < 70'000; ++i) many += ",0";
    write(directory + receipt_name, many + "]");
    EXPECT_EQ(
        harmless(),
        "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: it holds too "
        "many values; revert with --manifest, which knows the files without it, or reinstall the package\n"
        "  in @/image/node_modules/@demo/core\n"
        "drydock: nothing was changed\n"
        "exit 6\n");
}

TEST_F(Receipts, OfAnotherPackage) {
    lie("@demo/core", "@demo/other");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: it is for @demo/other 1.2.3; revert "
              "with --manifest, which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, OfAnotherVersion) {
    lie("\"version\": \"1.2.3\"", "\"version\": \"1.2.4\"");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: it is for @demo/core 1.2.4; revert with "
              "--manifest, which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, Report10_APathThatLeavesThePackage) {
    lie("\"path\": \"lib/index.js\"", "\"path\": \"../../x\"");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: a path that "
              "leaves the package; revert with --manifest, which knows the files without it, or reinstall "
              "the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, AnotherPatch) {
    lie("+// core ten", "+// core elf");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: its patch does "
              "not match its sha256; revert with --manifest, which knows the files without it, or reinstall "
              "the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, AModeThatMeansPower) {
    lie("\"stock\":", "\"restore\": {\"mode\": \"4755\"},\n      \"stock\":");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: 'mode' has more "
              "than permission bits; revert with --manifest, which knows the files without it, or reinstall "
              "the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, AnAttributeThatMeansPower) {
    lie("\"stock\":",
        "\"restore\": {\"mode\": \"0755\", \"extended\": {\"security.capability\": \"00\"}},\n      "
        "\"stock\":");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: an extended "
              "attribute that no receipt of ours holds; revert with --manifest, which knows the files "
              "without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, ADirectoryToRemoveThatLeavesThePackage) {
    lie("\"createdDirectories\": []", "\"createdDirectories\": [\"../x\"]");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: a path that "
              "leaves the package; revert with --manifest, which knows the files without it, or reinstall "
              "the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, OtherStockBytes) {
    const std::string key = "\"stock\": \"";
    const std::string hash = receipt.substr(receipt.find(key) + key.size(), 64);
    lie(hash, std::string(64, '0'));
    EXPECT_EQ(harmless(),
              "drydock: core: lib/index.js: taking the patch back does not give the stock bytes; "
              "reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
}

TEST_F(Receipts, OtherPatchedBytes) {
    const std::string key = "\"patched\": \"";
    const std::string hash = receipt.substr(receipt.find(key) + key.size(), 64);
    lie(hash, std::string(64, '0'));
    EXPECT_EQ(harmless(),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 97c7d4f9dadf…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
}

TEST_F(Receipts, AHigherLevelThanItsPatchProvides) {
    lie("\"provides\": 1", "\"provides\": 4294967296");
    EXPECT_EQ(harmless(),
              "drydock: core: .drydock-receipt.json: cannot be used: not a receipt of ours: 'provides' is no "
              "number in its range; revert with --manifest, which knows the files without it, or reinstall "
              "the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Receipts, IsALink) {
    fs::rename(directory + receipt_name, shop / "elsewhere.json");
    fs::create_symlink(shop / "elsewhere.json", directory + receipt_name);
    const auto before = snapshot(shop.path());
    EXPECT_EQ(shop.told({"apply"}),
              "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert"}),
              "drydock: core: .drydock-receipt.json: is in the receipt's place and is no regular file; move "
              "it away\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "drydock: core: .drydock-receipt.json: cannot be used: it is a link; revert with --manifest, "
              "which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Receipts, IsADirectory) {
    fs::remove(directory + receipt_name);
    fs::create_directory(directory + receipt_name);
    const auto before = snapshot(shop.path());
    EXPECT_EQ(shop.told({"revert"}),
              "drydock: core: .drydock-receipt.json: is in the receipt's place and is no regular file; move "
              "it away\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "drydock: core: .drydock-receipt.json: cannot be used: it is no regular file; revert with "
              "--manifest, which knows the files without it, or reinstall the package\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(snapshot(shop.path()), before);
}

TEST_F(Receipts, OfADriftedFileIsNotBelieved) {
    write(directory + "/lib/index.js", "mine\n");
    const auto before = snapshot(shop / "image");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(snapshot(shop / "image"), before);
}

TEST_F(Receipts, TheSameWorkGivesTheSameBytes) {
    Workshop other;
    prepared(other, core_and_provider().first, 1);
    const std::string place = other.install(other.packages[0]);
    EXPECT_EQ(other.drydock({"apply"}).exit_code, 0);
    EXPECT_EQ(read(place + receipt_name), receipt);
    EXPECT_EQ(receipt.find(shop.path()), std::string::npos);
}

TEST_F(Receipts, RevertAllWithoutManifests) {
    const std::vector<std::pair<std::string, std::string>> no_manifests{{"DRYDOCK_MANIFESTS", shop / "none"}};
    EXPECT_EQ(shop.told({"revert", "--all"}, no_manifests),
              "drydock: no root is known; give --root NAME=DIR, or --manifest and the variables that its "
              "roots name\n"
              "exit 2\n");
    EXPECT_EQ(shop.told({"revert", "--all", "--dry-run", "--root", "any=" + (shop / "image")}, no_manifests),
              "would revert @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert", "--all", "--root", "any=" + (shop / "image")}, no_manifests),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(directory + "/lib/index.js"), *shop.packages[0].files[0].stock);
    EXPECT_EQ(shop.told({"revert", "--all", "--root", "any=" + (shop / "image")}, no_manifests),
              "nothing to do\n"
              "exit 0\n");
}

TEST_F(Receipts, RevertAllWithManifestsFindsTheRoots) {
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "reverted @demo/core 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"revert", "--all"}),
              "nothing to do\n"
              "exit 0\n");
}

}  // namespace
}  // namespace drydock::test
