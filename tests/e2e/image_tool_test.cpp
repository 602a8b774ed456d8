// The static tool of the image, which run.sh builds and names in DRYDOCK_IMAGE_BINARY.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

std::string image_tool() {
    const char* path = std::getenv("DRYDOCK_IMAGE_BINARY");
    if (path != nullptr) return path;
    ADD_FAILURE() << "DRYDOCK_IMAGE_BINARY is not set; tests/run.sh sets it";
    return {};
}

TEST(ImageTool, NeedsNothingBesideItInItsRootDirectory) {
    Workshop shop;
    shop.packages = {core_and_provider().first};
    shop.roots = {{"image", "/image", {}}};
    shop.write_set();
    shop.install(shop.packages[0]);
    std::filesystem::copy_file(image_tool(), shop / "drydock");
    const auto told = [&shop](const std::string& command) {
        const base::ProcessOutcome outcome = run({"chroot", shop.path(), "/drydock", command, "--manifest",
                                                  "/manifests", "--dsh-version", "1.2.3"});
        return outcome.output + outcome.errors;
    };
    const auto stock = snapshot(shop / "image", false);
    EXPECT_EQ(told("apply"), "patched @demo/core 1.2.3 (revision 1): lib/index.js\n");
    EXPECT_EQ(told("apply"), "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\n");
    EXPECT_EQ(told("revert"), "reverted @demo/core 1.2.3: lib/index.js\n");
    EXPECT_EQ(snapshot(shop / "image", false), stock);
}

TEST(ImageTool, TellsWhereTheOtherCommandsAre) {
    for (const std::string command : {"diff", "verify", "regenerate", "bump", "stream", "log"}) {
        const base::ProcessOutcome outcome = run({image_tool(), command, "x"});
        EXPECT_EQ(outcome.errors,
                  "drydock: '" + command +
                      "' is not in this build, which is the image's; the full build of drydock has "
                      "it\n  see 'drydock help'\n");
        EXPECT_EQ(outcome.exit_code, 2);
    }
}

}  // namespace
}  // namespace drydock::test
