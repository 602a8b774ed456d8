#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "manifest/manifest.hpp"
#include "tests/support/support.hpp"

namespace drydock::manifest {
namespace {

std::string adopted(const std::string& version) {
    return "schema: 1\nset: {name: a, version: " + version + ", revision: 1, status: adopted}\n";
}

/// A folder with two sets and something else.
class Load : public testing::Test {
  protected:
    void SetUp() override {
        test::write(folder / "1.0.0-rc.8.yaml", adopted("1.0.0-rc.8"));
        test::write(folder / "1.1.0-rc.2.yaml", adopted("1.1.0-rc.2"));
        test::write(folder / "README.md", "no set");
        test::write(folder / ".hidden.yaml", "no set");
    }

    std::string refusal(const std::string& path, const std::string& version) {
        const base::Result<Manifest> manifest = load(path, version);
        if (manifest) return "accepted";
        EXPECT_EQ(manifest.error().kind, base::ErrorKind::usage);
        return base::describe(manifest.error());
    }

    test::TemporaryDirectory folder;
};

TEST_F(Load, FindsTheVersionInAFolder) {
    const base::Result<Manifest> manifest = load(folder.path(), "1.1.0-rc.2");
    ASSERT_TRUE(manifest) << base::describe(manifest.error());
    EXPECT_EQ(manifest->version, "1.1.0-rc.2");
    EXPECT_EQ(manifest->file, folder / "1.1.0-rc.2.yaml");
    EXPECT_EQ(manifest->folder, folder.path());
    EXPECT_TRUE(load(folder.path() + "/", "1.0.0-rc.8"));
}

TEST_F(Load, ReadsAFileWithAndWithoutItsVersion) {
    const std::string file = folder / "1.1.0-rc.2.yaml";
    EXPECT_TRUE(load(file, ""));
    EXPECT_TRUE(load(file, "1.1.0-rc.2"));
    EXPECT_EQ(refusal(file, "1.0.0-rc.8"),
              file + ": holds the set for version 1.1.0-rc.2; expected 1.0.0-rc.8");
}

TEST_F(Load, FollowsLinksToTheManifest) {
    std::filesystem::create_symlink("1.1.0-rc.2.yaml", folder / "current");
    EXPECT_TRUE(load(folder / "current", ""));
}

TEST_F(Load, ListsVersions) {
    EXPECT_THAT(versions_in(folder.path()), testing::ElementsAre("1.0.0-rc.8", "1.1.0-rc.2"));
    EXPECT_THAT(versions_in(folder / "nowhere"), testing::ElementsAre());
}

TEST_F(Load, SaysWhichVersionsThereAre) {
    const std::string path = folder.path();
    EXPECT_EQ(refusal(path, "1.1.0-rc.3"),
              path +
                  ": no set for version 1.1.0-rc.3; there are 1.0.0-rc.8, 1.1.0-rc.2 (did "
                  "you mean '1.1.0-rc.2'?)");
    EXPECT_EQ(refusal(path, "7"), path + ": no set for version 7; there are 1.0.0-rc.8, 1.1.0-rc.2");
    EXPECT_EQ(refusal(path, ""),
              path +
                  ": holds a set for each version; give one with --dsh-version or DSH_VERSION; there "
                  "are 1.0.0-rc.8, 1.1.0-rc.2");
    const test::TemporaryDirectory empty;
    EXPECT_EQ(refusal(empty.path(), "7"), empty.path() + ": no set for version 7; there are none");
}

TEST_F(Load, StaysInItsFolder) {
    test::write(folder / "sub/1.yaml", adopted("1"));
    for (const std::string version : {"sub/1", "../x", "..", "/etc/passwd", ".hidden"}) {
        EXPECT_EQ(refusal(folder.path(), version),
                  folder.path() + ": '" + version + "' is no version; there are 1.0.0-rc.8, 1.1.0-rc.2");
    }
}

TEST_F(Load, RefusesAFileUnderAnotherVersionsName) {
    test::write(folder / "2.yaml", adopted("3"));
    EXPECT_EQ(refusal(folder.path(), "2"), (folder / "2.yaml") + ": holds the set for version 3; expected 2");
}

TEST_F(Load, RefusesWhatCannotBeRead) {
    EXPECT_EQ(refusal(folder / "nowhere", "1"),
              (folder / "nowhere") +
                  ": this manifest cannot be read: no such file or directory; name a file or a folder with "
                  "--manifest or DRYDOCK_MANIFESTS");
    ASSERT_EQ(mkfifo((folder / "3.yaml").c_str(), 0600), 0);
    EXPECT_EQ(refusal(folder.path(), "3"),
              (folder / "3.yaml") + ": this manifest cannot be read: not a regular file");
    std::filesystem::create_directory(folder / "4.yaml");
    EXPECT_EQ(refusal(folder.path(), "4"),
              (folder / "4.yaml") + ": this manifest cannot be read: not a regular file");
}

TEST_F(Load, RefusesAHugeFileUnread) {
    test::write(folder / "5.yaml", "a: ");
    std::filesystem::resize_file(folder / "5.yaml", 100'000'000);
    EXPECT_EQ(refusal(folder.path(), "5"),
              (folder / "5.yaml") +
                  ": this manifest cannot be read: 100000000 bytes long; expected at most 1048576");
}

/// A manifest beside a patch folder.
class ReadPatch : public testing::Test {
  protected:
    void SetUp() override {
        manifest.file = folder / "manifests/1.yaml";
        manifest.folder = folder / "manifests";
        reference.path = "../patches/a.patch";
        reference.sha256 = base::sha256("line\nother\n");
        reference.line = 12;
        std::filesystem::create_directories(folder / "manifests");
    }

    std::string refusal() {
        const base::Result<std::string> text = read_patch(manifest, reference);
        if (text) return "accepted";
        EXPECT_EQ(text.error().kind, base::ErrorKind::usage);
        return base::describe(text.error());
    }

    test::TemporaryDirectory folder;
    Manifest manifest;
    PatchReference reference;
};

TEST_F(ReadPatch, GivesTheBytesThatThePinNames) {
    test::write(folder / "patches/a.patch", "line\nother\n");
    const base::Result<std::string> text = read_patch(manifest, reference);
    ASSERT_TRUE(text) << base::describe(text.error());
    EXPECT_EQ(*text, "line\nother\n");
}

TEST_F(ReadPatch, TellsAMissingFolderFromAMissingFile) {
    const std::string start = manifest.file + ":12: patch ../patches/a.patch: ";
    EXPECT_EQ(refusal(), start + "there is no folder " + manifest.folder +
                             "/../patches; copy the patches along with the manifests");
    std::filesystem::create_directories(folder / "patches");
    EXPECT_EQ(refusal(), start + "cannot be read: no such file or directory");
}

TEST_F(ReadPatch, RefusesOtherBytes) {
    test::write(folder / "patches/a.patch", "line\nchanged\n");
    EXPECT_EQ(refusal(), manifest.file + ":12: patch ../patches/a.patch: has sha256 " +
                             base::to_hex(base::sha256("line\nchanged\n")) + "; expected " +
                             base::to_hex(reference.sha256));
}

TEST_F(ReadPatch, TellsConvertedLineEnds) {
    const std::string converted =
        manifest.file +
        ":12: patch ../patches/a.patch: its line ends were converted to CRLF; check it out "
        "without conversion (*.patch -text in .gitattributes)";
    test::write(folder / "patches/a.patch", "line\r\nother\r\n");
    EXPECT_EQ(refusal(), converted);
    test::write(folder / "patches/a.patch", "line\r\nother\n");
    EXPECT_EQ(refusal(), converted);
    test::write(folder / "patches/a.patch", "line\r\nchanged\r\n");
    EXPECT_EQ(refusal(), manifest.file + ":12: patch ../patches/a.patch: has sha256 " +
                             base::to_hex(base::sha256("line\r\nchanged\r\n")) + "; expected " +
                             base::to_hex(reference.sha256));
}

TEST_F(ReadPatch, RefusesAHugeFileUnread) {
    test::write(folder / "patches/a.patch", "");
    std::filesystem::resize_file(folder / "patches/a.patch", 10'000'000'000);
    EXPECT_EQ(refusal(),
              manifest.file +
                  ":12: patch ../patches/a.patch: cannot be read: 10000000000 bytes long; expected at most "
                  "67108864");
}

}  // namespace
}  // namespace drydock::manifest
