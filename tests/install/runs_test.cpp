// install/apply.cpp, install/status.cpp and install/revert.cpp as the command line calls them: what a run
// reports. What it prints, and every state and refusal, is in tests/e2e. Of install/recipe.cpp what others
// ask.
#include <cstdlib>

#include <gtest/gtest.h>

#include "install/install.hpp"
#include "install/receipt.hpp"
#include "manifest/manifest.hpp"
#include "tests/support/workshop.hpp"

namespace drydock::install {
namespace {

using test::Workshop;

/// A core and its provider, installed as published.
class Runs : public testing::Test {
  protected:
    Runs() {
        auto [core, provider] = test::core_and_provider();
        shop_.packages = {core, provider};
        shop_.write_set();
        for (const test::SetPackage& package : shop_.packages) shop_.install(package);
        // Node finds the core from the provider's directory only through a node_modules above it.
        shop_.install(core, "node_modules/@demo/core");
        shop_.roots[0].path = shop_.path();
        shop_.write_set();
        const base::Result<manifest::Manifest> loaded = manifest::load(shop_ / "manifests", shop_.version);
        EXPECT_TRUE(loaded) << base::describe(loaded.error());
        manifest_ = *loaded;
        options_.environment = [](std::string_view) { return std::optional<std::string>(); };
    }

    [[nodiscard]] std::string bytes(const std::string& path) const { return test::read(shop_ / path); }

    Workshop shop_;
    manifest::Manifest manifest_;
    Options options_;
    const std::string core_ = "node_modules/@demo/core/lib/index.js";
    const std::string provider_ = "profile/node_modules/@demo/provider/lib/index.js";
};

std::vector<State> states(const Outcome& outcome) {
    std::vector<State> found;
    for (const PackageReport& package : outcome.packages) found.push_back(package.state);
    return found;
}

TEST_F(Runs, ApplyPatchesAllAndReportsWhatChanged) {
    const Outcome outcome = apply(manifest_, options_);
    EXPECT_TRUE(outcome.problems.empty());
    EXPECT_EQ(states(outcome), (std::vector<State>{State::patched, State::patched}));
    EXPECT_TRUE(outcome.packages[0].changed);
    EXPECT_TRUE(outcome.packages[1].changed);
    EXPECT_EQ(bytes(core_), *shop_.packages[0].files[0].patched);
    EXPECT_EQ(bytes(provider_), *shop_.packages[1].files[0].patched);
    const Outcome again = apply(manifest_, options_);
    EXPECT_FALSE(again.packages[0].changed);
    EXPECT_FALSE(again.packages[1].changed);
}

TEST_F(Runs, StatusTellsWhosePatchLiesThere) {
    EXPECT_TRUE(status(manifest_, options_).packages[0].patches.empty());
    apply(manifest_, options_);
    const Outcome outcome = status(manifest_, options_);
    const PackageReport& provider = outcome.packages[1];
    ASSERT_EQ(provider.patches.size(), 1U);
    EXPECT_EQ(provider.patches[0].label, "revision 1");
    EXPECT_EQ(provider.patches[0].revision, 1U);
    EXPECT_EQ(provider.patches[0].files, std::vector<std::string>{"lib/index.js"});
    EXPECT_EQ(*provider.patches[0].text, bytes("patches/1.2.3-1/provider.lib.patch"));
    EXPECT_EQ(provider.files[0].stock, base::sha256(*shop_.packages[1].files[0].stock));
    EXPECT_EQ(provider.requirements, std::vector<std::string>{"@demo/core"});
    EXPECT_EQ(outcome.set, "demo");
}

TEST_F(Runs, ADryRunPlansAndWritesNothing) {
    options_.dry_run = true;
    const auto before = test::snapshot(shop_.path());
    const Outcome outcome = apply(manifest_, options_);
    EXPECT_TRUE(outcome.packages[0].would_change);
    ASSERT_EQ(outcome.hunks.size(), 2U);
    EXPECT_EQ(outcome.hunks[0].line, 7U);
    EXPECT_EQ(outcome.hunks[1].line, 2U);
    EXPECT_EQ(test::snapshot(shop_.path()), before);
}

TEST_F(Runs, StatusTellsAndNeverWrites) {
    const auto before = test::snapshot(shop_.path());
    const Outcome outcome = status(manifest_, options_);
    EXPECT_EQ(states(outcome), (std::vector<State>{State::stock, State::stock}));
    EXPECT_EQ(outcome.packages[0].files[0].sha256, base::sha256(*shop_.packages[0].files[0].stock));
    EXPECT_EQ(test::snapshot(shop_.path()), before);
}

TEST_F(Runs, RevertTakesTheProviderBackFirstAndLeavesNothing) {
    const auto before = test::snapshot(shop_.path(), false);
    ASSERT_TRUE(apply(manifest_, options_).problems.empty());
    const Outcome outcome = revert(manifest_, options_);
    EXPECT_TRUE(outcome.problems.empty());
    EXPECT_EQ(states(outcome), (std::vector<State>{State::stock, State::stock}));
    EXPECT_EQ(test::snapshot(shop_.path(), false), before);
}

TEST_F(Runs, RevertAllNeedsReceiptsOnly) {
    const auto before = test::snapshot(shop_.path(), false);
    ASSERT_TRUE(apply(manifest_, options_).problems.empty());
    options_.roots = {{"image", {shop_.path()}}, {"profile", {shop_ / "profile"}}};
    const Outcome outcome = revert_all(options_);
    EXPECT_TRUE(outcome.problems.empty());
    EXPECT_EQ(outcome.packages.size(), 2U);
    EXPECT_EQ(test::snapshot(shop_.path(), false), before);
}

TEST_F(Runs, ABootWithoutASetTakesBackOnlyWhatIsUnsafe) {
    ASSERT_TRUE(apply(manifest_, options_).problems.empty());
    options_.roots = {{"image", {shop_.path()}}, {"profile", {shop_ / "profile"}}};
    options_.stage = manifest::stage_boot;
    const std::string patched_core = bytes(core_);
    EXPECT_TRUE(take_back_unsafe(options_).notes.empty());
    EXPECT_EQ(bytes(provider_), *shop_.packages[1].files[0].patched);
    test::write(shop_ / core_, *shop_.packages[0].files[0].stock);
    const Outcome outcome = take_back_unsafe(options_);
    EXPECT_FALSE(outcome.notes.empty());
    EXPECT_EQ(bytes(provider_), *shop_.packages[1].files[0].stock);
    EXPECT_EQ(bytes(core_), *shop_.packages[0].files[0].stock);
}

TEST_F(Runs, TellsTheStockTextsOfWhatIsPatched) {
    const std::string directory = shop_ / "node_modules/@demo/core";
    const manifest::Package& core = manifest_.packages[0];
    using Texts = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(stock_texts(manifest_, core, directory).value(), Texts());
    apply(manifest_, options_);
    EXPECT_EQ(stock_texts(manifest_, core, directory).value(),
              (Texts{{"lib/index.js", *shop_.packages[0].files[0].stock}}));
    test::write(shop_ / core_, "something else\n");
    EXPECT_EQ(stock_texts(manifest_, core, directory).value(), Texts());
}

}  // namespace
}  // namespace drydock::install
