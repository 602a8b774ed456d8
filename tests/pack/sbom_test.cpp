// The document of sbom: valid by CycloneDX's own library, true to what lies there, and the same each time.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "tests/support/node.hpp"
#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What the library's strict validator, which has the schema of 1.6, says of each document: `null` when it is
/// valid.
std::vector<std::optional<std::string>> judged(const std::vector<std::string>& documents) {
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    if (packages == nullptr) {
        ADD_FAILURE() << "DRYDOCK_TEST_PACKAGES is not set; tests/run.sh sets it";
        return {};
    }
    return in_node(
        "import { createRequire } from 'node:module'\nconst require = createRequire('" +
            std::string(packages) +
            "/cyclonedx/')\n"
            "const { Spec, Validation } = require('@cyclonedx/cyclonedx-library')\n"
            "const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)\n"
            "for (const record of records) give(JSON.stringify(await validator.validate(String(record))))",
        documents);
}

std::string hash_of(const std::string& path) {
    return base::to_hex(base::sha256(read(path)));
}

/// Packages in every state, one of them twice, one with text that is not UTF-8.
class SbomOfAll : public testing::Test {
  protected:
    SbomOfAll() {
        auto [core, provider] = core_and_provider();
        shop.packages = {core, provider};
        for (const char* name : {"latin", "earlier", "theirs", "half", "drifted", "newer", "gone"}) {
            SetPackage package = core;
            package.name = name;
            shop.packages.push_back(package);
        }
        SetPackage& latin = shop.packages[2];
        latin.files = {{"lib/index.js", "caf\xe9\n", "th\xe9\n"}};
        shop.packages[3].others = {{"revision 2", 2, {{"lib/index.js", numbered_lines("// two", 3)}}}};
        shop.packages[4].others = {{"tidepool", 0, {{"lib/index.js", numbered_lines("// theirs", 3)}}}};
        SetPackage& half = shop.packages[5];
        half.files.push_back({"lib/made.js", std::nullopt, "made\n"});
        half.files.push_back({"lib/gone.js", "gone\n", std::nullopt});
        shop.write_set();
        install_core_and_copies();
    }

    void install_core_and_copies() {
        for (const SetPackage& package : shop.packages) shop.install(package);
        for (const std::size_t patched : {0, 2}) put_patched(shop.packages[patched], place(patched));
        write(place(3) + "/lib/index.js", numbered_lines("// two", 3));
        write(place(4) + "/lib/index.js", numbered_lines("// theirs", 3));
        write(place(5) + "/lib/made.js", "made\n");
        write(place(6) + "/lib/index.js", "mine\n");
        write(place(7) + "/package.json", R"({"name": "@other/one", "version": "2.0.0"})");
        fs::remove_all(place(8));
        fs::copy(shop / "image", shop / "second", fs::copy_options::recursive);
    }

    [[nodiscard]] std::string place(std::size_t package) const { return shop.place(shop.packages[package]); }

    [[nodiscard]] std::vector<std::string> words() const {
        return {"sbom", "-r", "image=" + shop / "image", "-r", "image=" + shop / "second"};
    }

    Workshop shop;
};

TEST_F(SbomOfAll, IsValid) {
    std::vector<std::string> documents = {shop.drydock(words()).output,
                                          shop.drydock({"sbom", "--package", "gone"}).output};
    shop.adopted = true;
    shop.write_set();
    documents.push_back(shop.drydock({"sbom"}).output);
    Json broken = Json::parse(documents[0]);
    EXPECT_EQ(broken["components"].size(), 15U);
    broken["components"][0]["pedigree"]["patches"][0].erase("type");
    documents.push_back(broken.dump());
    const std::vector<std::optional<std::string>> verdicts = judged(documents);
    ASSERT_EQ(verdicts.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(verdicts[i], "null") << documents[i];
    EXPECT_NE(verdicts[3].value_or("").find("must have required property 'type'"), std::string::npos);
}

TEST_F(SbomOfAll, TellsEachState) {
    std::string told;
    const Json document = Json::parse(shop.drydock({"sbom"}).output);
    for (const Json& component : document["components"]) {
        const auto patches = component.contains("pedigree") ? component["pedigree"]["patches"].size() : 0;
        told += component["purl"].get<std::string>() + " " +
                component["properties"][1]["value"].get<std::string>() + " " + std::to_string(patches) + "\n";
    }
    EXPECT_EQ(told,
              "pkg:npm/%40demo/core@1.2.3 patched 1\n"
              "pkg:npm/%40demo/provider@1.2.3 stock 0\n"
              "pkg:npm/latin@1.2.3 patched 1\n"
              "pkg:npm/earlier@1.2.3 other-revision 1\n"
              "pkg:npm/theirs@1.2.3 other-revision 1\n"
              "pkg:npm/half@1.2.3 partial 1\n"
              "pkg:npm/drifted@1.2.3 drifted 0\n"
              "pkg:npm/%40other/one@2.0.0 wrong-version 0\n");
}

TEST_F(SbomOfAll, IsTheSameEachTime) {
    const base::ProcessOutcome first = shop.drydock(words());
    EXPECT_EQ(first.exit_code, 0);
    for (const auto& entry : fs::recursive_directory_iterator(shop.path())) {
        if (entry.is_regular_file()) fs::last_write_time(entry.path(), fs::file_time_type::clock::now());
    }
    EXPECT_EQ(shop.drydock(words(), {{"TZ", "Asia/Tokyo"}, {"LC_ALL", "C"}, {"HOME", "/"}}).output,
              first.output);
    const char* image = std::getenv("DRYDOCK_IMAGE_BINARY");
    ASSERT_NE(image, nullptr) << "tests/run.sh sets it";
    shop.tool = image;
    EXPECT_EQ(shop.drydock(words()).output, first.output);
}

TEST(SbomOfTheRealPackage, ItsPatchMakesOfTheAncestorWhatLiesThere) {
    const std::string published = registry_package("dsh-session-0.1.1-rc.2");
    const TemporaryDirectory root;
    const std::string place = root / "node_modules/@deepseek-ai/dsh-session";
    fs::create_directories(fs::path(place).parent_path());
    fs::copy(published, place, fs::copy_options::recursive);
    const auto told = [&root](const std::string& command) {
        return run({drydock(), command, "--manifest", DRYDOCK_SOURCE_DIR "/manifests", "--dsh-version",
                    "0.1.1-rc.2", "-p", "dsh-session", "-r", "image=" + root.path()});
    };
    ASSERT_EQ(told("apply").exit_code, 0);
    const base::ProcessOutcome outcome = told("sbom");
    EXPECT_EQ(judged({outcome.output}).at(0), "null");
    const Json component = Json::parse(outcome.output)["components"][0];
    EXPECT_EQ(component["purl"], "pkg:npm/%40deepseek-ai/dsh-session@0.1.1-rc.2");
    const Json& file = component["components"][0];
    EXPECT_EQ(file["name"], "lib/index.js");
    EXPECT_EQ(file["hashes"][0]["content"], hash_of(place + "/lib/index.js"));
    const Json& stock = component["pedigree"]["ancestors"][0]["components"][0];
    EXPECT_EQ(stock["hashes"][0]["content"], hash_of(published + "/lib/index.js"));
    const TemporaryDirectory again;
    write(again / "lib/index.js", read(published + "/lib/index.js"));
    write(again / "its.patch",
          component["pedigree"]["patches"][0]["diff"]["text"]["content"].get<std::string>());
    EXPECT_EQ(run({"patch", "-s", "-p1", "-d", again.path(), "-i", again / "its.patch"}).exit_code, 0);
    EXPECT_EQ(hash_of(again / "lib/index.js"), file["hashes"][0]["content"]);
}

}  // namespace
}  // namespace drydock::test
