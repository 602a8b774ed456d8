// Patch files of a set that are stale, converted, dangerous or not what the manifest says.

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

/// A package of four equal blocks, whose patch changes the first and the third.
class PatchFiles : public testing::Test {
  protected:
    PatchFiles() {
        shop.roots.pop_back();
        for (const char* block : {"one", "two", "three", "four"}) {
            stock += std::string("// ") + block + "\n\n{\n  a;\n  b;\n  c;\n  d;\n}\n\n";
        }
        patched = in_block(stock, "one", "  b;\n  1;\n  2;\n  3;\n  4;\n  5;\n  6;\n  7;\n  8;\n  9;\n");
        patched = in_block(patched, "three", "  changed;\n");
        SetPackage package;
        package.name = "blocks";
        package.files.push_back({"lib/index.js", stock, patched});
        shop.packages = {package};
        shop.write_set();
        file = shop.install(package) + "/lib/index.js";
        patch_file = shop / "patches/1.2.3-1/blocks.lib.patch";
        patch = read(patch_file);
    }

    static std::string in_block(std::string text, const std::string& block, const std::string& to) {
        const std::string from = "  b;\n";
        return text.replace(text.find(from, text.find("// " + block + "\n")), from.size(), to);
    }

    /// The patch with another path in all its headers.
    [[nodiscard]] std::string with_path(const std::string& path) const {
        const std::string from = "lib/index.js";
        std::string text = patch;
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
            text.replace(at, from.size(), path);
        }
        return text;
    }

    /// Puts another patch in its place, and its hash in the manifest.
    void replace_patch(const std::string& text) const {
        write(patch_file, text);
        const std::string manifest = shop / "manifests/1.2.3.yaml";
        std::string yaml = read(manifest);
        const std::size_t pin = yaml.find("sha256: ");
        ASSERT_NE(pin, std::string::npos);
        write(manifest, yaml.replace(pin + 8, 64, run({"sha256sum", patch_file}).output.substr(0, 64)));
    }

    /// Runs apply and expects that nothing changed.
    [[nodiscard]] std::string refused() const {
        const auto before = snapshot(shop.path());
        std::string told = shop.told({"apply"});
        EXPECT_EQ(snapshot(shop.path()), before);
        return told;
    }

    Workshop shop;
    std::string stock;
    std::string patched;
    std::string file;
    std::string patch_file;
    std::string patch;
};

TEST_F(PatchFiles, Report1_TheSecondHunkDoesNotCountWhatTheFirstAdded) {
    // Its new line number is its old one, as a careless tool would leave it.
    const std::size_t second = patch.find("\n@@ -", patch.find("\n@@ -") + 1) + 1;
    const std::string old_range = patch.substr(second + 4, patch.find(' ', second + 4) - second - 4);
    const std::size_t plus = patch.find('+', second);
    std::string stale = patch;
    stale.replace(plus + 1, patch.find(' ', plus) - plus - 1, old_range);
    ASSERT_NE(stale, patch);
    replace_patch(stale);
    EXPECT_EQ(shop.told({"apply", "--dry-run"}),
              "would patch blocks 1.2.3 (revision 1): lib/index.js\n"
              "  lib/index.js: hunk 1 at line 3, revision 1\n"
              "  lib/index.js: hunk 2 at line 20, revision 1\n"
              "exit 0\n");
    EXPECT_EQ(shop.told({"apply"}),
              "patched blocks 1.2.3 (revision 1): lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), patched);
    EXPECT_EQ(shop.told({"revert"}),
              "reverted blocks 1.2.3: lib/index.js\n"
              "exit 0\n");
    EXPECT_EQ(read(file), stock);
}

TEST_F(PatchFiles, Report4_CheckedOutWithCrlf) {
    std::string converted;
    for (const char c : patch) {
        if (c == '\n') converted += '\r';
        converted += c;
    }
    write(patch_file, converted);
    EXPECT_EQ(
        refused(),
        "drydock: blocks: @/manifests/1.2.3.yaml:16: patch ../patches/1.2.3-1/blocks.lib.patch: its line "
        "ends were converted to CRLF; check it out without conversion (*.patch -text in .gitattributes)\n"
        "exit 2\n");
}

TEST_F(PatchFiles, Report10_AHeaderThatLeavesThePackage) {
    replace_patch(with_path("../../x"));
    EXPECT_EQ(refused(),
              "drydock: blocks: ../patches/1.2.3-1/blocks.lib.patch:1: the name 'a/../../x' leaves the "
              "directory with '..'\n"
              "exit 2\n");
}

TEST_F(PatchFiles, Report10_AnEdScript) {
    replace_patch("1s/.*/x/\nw\n!touch /tmp/x\nq\n");
    EXPECT_EQ(refused(),
              "drydock: blocks: ../patches/1.2.3-1/blocks.lib.patch: an ed script; drydock reads unified "
              "diffs only and runs no commands\n"
              "exit 2\n");
}

TEST_F(PatchFiles, CutShort) {
    replace_patch(patch.substr(0, patch.size() - 10));
    EXPECT_EQ(refused(),
              "drydock: blocks: ../patches/1.2.3-1/blocks.lib.patch:27: the hunk of line 21 is truncated: 2 "
              "old and 2 new lines are missing\n"
              "exit 2\n");
}

TEST_F(PatchFiles, OfAnotherFile) {
    replace_patch(with_path("lib/other.js"));
    EXPECT_EQ(refused(),
              "drydock: blocks: ../patches/1.2.3-1/blocks.lib.patch:1: changes lib/other.js, which is not "
              "listed with its hashes\n"
              "drydock: blocks: ../patches/1.2.3-1/blocks.lib.patch: does not change lib/index.js, which is "
              "listed with hashes\n"
              "exit 2\n");
}

TEST_F(PatchFiles, ThatMakesOtherBytesThanTheManifestSays) {
    std::string other = patch;
    other.replace(other.find("+  changed;"), 11, "+  altered;");
    replace_patch(other);
    EXPECT_EQ(refused(),
              "drydock: blocks: lib/index.js: the patch makes other bytes than the manifest says (sha256 "
              "aa9c28a07010…); regenerate the set\n"
              "  in @/image/node_modules/blocks\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
}

TEST_F(PatchFiles, ThatDoesNotFit) {
    std::string other = patch;
    other.replace(other.find("-  b;"), 5, "-  x;");
    replace_patch(other);
    EXPECT_EQ(refused(),
              "drydock: blocks: lib/index.js:20: hunk 2 of 2 (../patches/1.2.3-1/blocks.lib.patch:21) does "
              "not fit; at line 20, the nearest place, 6 of 7 lines agree\n"
              "  line 23 should be '  x;'\n"
              "  line 23 is        '  b;'\n"
              "  in @/image/node_modules/blocks\n"
              "drydock: nothing was changed\n"
              "exit 5\n");
}

}  // namespace
}  // namespace drydock::test
