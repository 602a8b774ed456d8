// The sets that are shipped, against the packages as they were published.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "manifest/manifest.hpp"
#include "tests/support/support.hpp"

namespace drydock::manifest {
namespace {

const std::string folder = std::string(DRYDOCK_SOURCE_DIR) + "/manifests";

class Sets : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        base::Result<Manifest> loaded = load(folder, GetParam());
        ASSERT_TRUE(loaded) << base::describe(loaded.error());
        manifest = *std::move(loaded);
    }

    /// The published package, unpacked.
    std::string published(const Package& package) const {
        return test::registry_package(package.name.substr(package.name.find('/') + 1) + "-" +
                                      manifest.version);
    }

    /// The packages that the registry has at the set's version: all that can be held against what was
    /// published.
    std::vector<Package> published_packages() const {
        std::vector<Package> packages;
        std::copy_if(manifest.packages.begin(), manifest.packages.end(), std::back_inserter(packages),
                     [](const Package& package) { return package.files[0].origin == Origin::published; });
        EXPECT_FALSE(packages.empty());
        return packages;
    }

    /// A copy of it that may be changed.
    void copy_published(const Package& package) const {
        std::filesystem::copy(published(package), scratch / "package",
                              std::filesystem::copy_options::recursive);
    }

    std::string patch_path(const Package& package) const {
        return manifest.folder + "/" + package.patch.path;
    }

    FileHash found_in_copy(const File& file) const {
        const std::string path = scratch / ("package/" + file.path);
        return test::exists(path) ? FileHash(base::sha256(test::read(path))) : std::nullopt;
    }

    base::ProcessOutcome run_in_copy(const std::vector<std::string>& command) const {
        base::ProcessOptions options;
        options.directory = scratch / "package";
        // Nothing above the scratch folder is a repository for git.
        options.environment = {{"GIT_CEILING_DIRECTORIES", scratch.path()}, {"LC_ALL", "C"}};
        return test::run(command, options);
    }

    Manifest manifest;
    test::TemporaryDirectory scratch;
};

TEST_P(Sets, NameWhatIsPublished) {
    for (const Package& package : published_packages()) {
        const std::string directory = published(package);
        const auto description = nlohmann::json::parse(test::read(directory + "/package.json"));
        EXPECT_EQ(description.at("name"), package.name);
        EXPECT_EQ(description.at("version"), manifest.version);
        EXPECT_EQ(description.at("repository").at("directory"), package.source_directory);
        for (const File& file : package.files) {
            ASSERT_TRUE(file.stock);
            EXPECT_EQ(file.origin, Origin::published);
            EXPECT_EQ(base::to_hex(*file.stock),
                      base::to_hex(base::sha256(test::read(directory + "/" + file.path))));
            for (const std::string& copy : file.second_copies)
                EXPECT_TRUE(test::exists(directory + "/" + copy)) << copy;
        }
    }
}

TEST_P(Sets, PatchesHaveThePlainLayout) {
    for (const Package& package : manifest.packages) {
        const base::Result<std::string> text = read_patch(manifest, package.patch);
        ASSERT_TRUE(text) << base::describe(text.error());
        ASSERT_EQ(package.files.size(), 1U);
        const std::string& path = package.files[0].path;
        const std::string header = fmt::format("--- a/{0}\n+++ b/{0}\n@@ -", path);
        EXPECT_EQ(text->substr(0, header.size()), header);
        EXPECT_EQ(text->find('\r'), std::string::npos);
    }
}

TEST_P(Sets, GnuPatchMakesThePatchedBytesAndTakesThemBack) {
    for (const Package& package : published_packages()) {
        copy_published(package);
        const base::ProcessOutcome forward =
            run_in_copy({"patch", "-p1", "--fuzz=0", "--batch", "--input=" + patch_path(package)});
        EXPECT_EQ(forward.output,
                  "patching file " + package.files[0].path + "\n");  // an offset would be told
        EXPECT_EQ(forward.exit_code, 0);
        for (const File& file : package.files) EXPECT_EQ(found_in_copy(file), file.patched) << file.path;
        run_in_copy({"patch", "-p1", "-R", "--fuzz=0", "--batch", "--input=" + patch_path(package)});
        for (const File& file : package.files) EXPECT_EQ(found_in_copy(file), file.stock) << file.path;
        std::filesystem::remove_all(scratch / "package");
    }
}

TEST_P(Sets, GitApplyMakesThePatchedBytes) {
    for (const Package& package : published_packages()) {
        copy_published(package);
        const base::ProcessOutcome outcome = run_in_copy({"git", "apply", "--verbose", patch_path(package)});
        EXPECT_EQ(outcome.errors, "Checking patch " + package.files[0].path + "...\nApplied patch " +
                                      package.files[0].path + " cleanly.\n");
        EXPECT_EQ(outcome.exit_code, 0);
        for (const File& file : package.files) EXPECT_EQ(found_in_copy(file), file.patched) << file.path;
        std::filesystem::remove_all(scratch / "package");
    }
}

TEST_P(Sets, PatchedSessionMarksWhatItIsToldTo) {
    const Package* session = manifest.find_package("@deepseek-ai/dsh-session");
    ASSERT_NE(session, nullptr);
    const auto packages = std::filesystem::path(published(*session)).parent_path().parent_path();
    std::filesystem::copy(packages / ("image-" + GetParam()) / "lib/node_modules/@deepseek-ai/dsh",
                          scratch / "dsh", std::filesystem::copy_options::recursive);
    const std::string checks = std::string(DRYDOCK_SOURCE_DIR) + "/docker/demo-append.mjs";
    const base::ProcessOutcome stock = test::run({"node", checks, scratch / "dsh", "stock"});
    EXPECT_EQ(stock.exit_code, 0) << stock.output << stock.errors;
    test::run({"patch", "-p1", "--batch",
               "--directory=" + (scratch / "dsh/node_modules/@deepseek-ai/dsh-session"),
               "--input=" + patch_path(*session)});
    const base::ProcessOutcome patched = test::run({"node", checks, scratch / "dsh", "patched"});
    EXPECT_EQ(patched.exit_code, 0) << patched.output << patched.errors;
    EXPECT_THAT(patched.output, testing::HasSubstr("ok    the level is 1\n"));
}

TEST_P(Sets, KnowTheEventTypesThatTheHarnessKnows) {
    const Package* session = manifest.find_package("@deepseek-ai/dsh-session");
    ASSERT_NE(session, nullptr);
    const std::string module = published(*session) + "/lib/types/known-event-types.js";
    const base::ProcessOutcome outcome =
        test::run({"node", "--input-type=module", "--eval",
                   "import { KNOWN_SESSION_EVENT_TYPES as types } from '" + module +
                       "'; console.log(JSON.stringify([...types].sort()));"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    ASSERT_TRUE(manifest.harness);
    EXPECT_EQ(manifest.harness->known_event_types,
              nlohmann::json::parse(outcome.output).get<std::vector<std::string>>());
}

INSTANTIATE_TEST_SUITE_P(All, Sets, testing::ValuesIn(versions_in(folder)), [](const auto& set) {
    std::string name = set.param;
    for (char& character : name) {
        if (character == '.' || character == '-') character = '_';
    }
    return name;
});

TEST(SetsFolder, HoldsTheVersionsThatArePatched) {
    EXPECT_THAT(versions_in(folder), testing::ElementsAre("0.1.0-rc.8", "0.1.1-rc.2"));
}

}  // namespace
}  // namespace drydock::manifest
