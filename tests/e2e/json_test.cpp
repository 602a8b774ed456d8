// Errors as JSON: the fields that others rely on.

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

using Json = nlohmann::json;

/// Three packages that can't be patched, for three reasons, and one that can.
class ErrorsAsJson : public testing::Test {
  protected:
    ErrorsAsJson() {
        shop.roots.pop_back();
        for (const char* name : {"drifted", "gone", "newer", "stock"}) {
            SetPackage package = core_and_provider().first;
            package.name = name;
            shop.packages.push_back(package);
        }
        shop.write_set();
        for (const SetPackage& package : shop.packages) shop.install(package);
        write(shop.place(shop.packages[0]) + "/lib/index.js", "mine\n");
        std::filesystem::remove_all(shop.place(shop.packages[1]));
        write(shop.place(shop.packages[2]) + "/package.json", R"({"name": "newer", "version": "2.0.0"})");
    }

    Workshop shop;
};

TEST_F(ErrorsAsJson, EveryProblem) {
    const base::ProcessOutcome outcome = shop.drydock({"apply", "--json"});
    EXPECT_EQ(outcome.exit_code, 6);
    Json document = Json::parse(outcome.output);
    EXPECT_EQ(document["schema"], "drydock.apply/1");
    EXPECT_EQ(document["exit"], 6);
    EXPECT_EQ(document["version"], "1.2.3");
    EXPECT_EQ(document["revision"], 1);
    std::string problems;
    for (const Json& problem : document["problems"]) {
        problems += problem["code"].get<std::string>() + " " + problem["package"].get<std::string>() + " " +
                    problem.value("file", "-") + "\n";
    }
    EXPECT_EQ(problems,
              "drifted drifted lib/index.js\n"
              "io gone -\n"
              "wrong-version newer -\n");
    std::string packages;
    for (const Json& package : document["packages"]) {
        packages += package["name"].get<std::string>() + " " + package["state"].get<std::string>() + " " +
                    package["changed"].dump() + "\n";
    }
    EXPECT_EQ(packages,
              "drifted drifted false\n"
              "gone absent false\n"
              "newer wrong-version false\n"
              "stock stock false\n");
}

TEST_F(ErrorsAsJson, OfTheManifest) {
    const base::ProcessOutcome outcome = shop.drydock({"status", "--json", "--dsh-version", "1.2.4"});
    EXPECT_EQ(outcome.exit_code, 2);
    Json document = Json::parse(outcome.output);
    EXPECT_EQ(document["schema"], "drydock.status/1");
    EXPECT_EQ(document["exit"], 2);
    EXPECT_EQ(document["problems"].size(), 1U);
    EXPECT_EQ(document["problems"][0]["code"], "usage");
    EXPECT_EQ(document["problems"][0]["file"], shop / "manifests");
    EXPECT_EQ(document["problems"][0]["message"].get<std::string>(),
              "no set for version 1.2.4; there are 1.2.3 (did you mean '1.2.3'?)");
}

TEST_F(ErrorsAsJson, OfTheCommandLine) {
    const base::ProcessOutcome outcome = shop.drydock({"apply", "--json", "--stage", "bot"});
    EXPECT_EQ(outcome.exit_code, 2);
    Json document = Json::parse(outcome.output);
    EXPECT_EQ(document["schema"], "drydock.apply/1");
    EXPECT_EQ(document["exit"], 2);
    EXPECT_EQ(document["problems"][0]["code"], "usage");
    EXPECT_EQ(document["problems"][0]["message"].get<std::string>(),
              "--stage is image or boot, found 'bot' (did you mean 'boot'?)");
}

}  // namespace
}  // namespace drydock::test
