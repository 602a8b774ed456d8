#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

/// A set that does everything a patch can do to a file.
SetPackage changeable_package() {
    SetPackage package;
    package.name = "changeable";
    package.files.push_back({"bin/run.sh", "#!/bin/sh\necho\n", "#!/bin/sh\necho\n", false, true});
    package.files.push_back({"lib/a.js", numbered_lines("line", 12), numbered_lines("line", 13)});
    package.files.push_back({"lib/created/deep/new.js", std::nullopt, "made by the patch\n"});
    package.files.push_back({"lib/gone.js", "to be deleted\n", std::nullopt});
    package.files.push_back({"lib/new-name.js", std::nullopt, numbered_lines("renamed", 30)});
    package.files.push_back({"lib/old-name.js", numbered_lines("renamed", 30), std::nullopt});
    return package;
}

TEST(RoundTrip, ASetOfAnotherPackageWithFilesCreatedDeletedRenamedAndMadeExecutable) {
    Workshop shop;
    shop.packages = {changeable_package()};
    shop.roots.pop_back();
    shop.write_set();
    shop.install(shop.packages[0]);
    const auto stock = snapshot(shop / "image", false);
    EXPECT_EQ(
        shop.told({"apply"}),
        "patched changeable 1.2.3 (revision 1): bin/run.sh, lib/a.js, lib/created/deep/new.js, lib/gone.js, "
        "lib/new-name.js, lib/old-name.js\nexit 0\n");
    EXPECT_EQ(shop.told({"status", "--check"}),
              "1.2.3 (revision 1)\n\n"
              "PACKAGE     VERSION  REVISION  FILE                     STATE    ORIGIN\n"
              "changeable  1.2.3    1         bin/run.sh               patched  published\n"
              "                     1         lib/a.js                 patched  published\n"
              "                     1         lib/created/deep/new.js  patched  published\n"
              "                     1         lib/gone.js              patched  published\n"
              "                     1         lib/new-name.js          patched  published\n"
              "                     1         lib/old-name.js          patched  published\n\n"
              "changeable in @/image/node_modules/changeable (root image)\n"
              "    why: the demo of changeable\n\n"
              "1 package: 1 patched\nexit 0\n");
    const auto patched = snapshot(shop / "image");
    EXPECT_EQ(shop.told({"apply"}), "nothing to do: 1.2.3 (revision 1): 1 package: 1 patched\nexit 0\n");
    EXPECT_EQ(snapshot(shop / "image"), patched);
    EXPECT_EQ(shop.told({"revert"}),
              "reverted changeable 1.2.3: bin/run.sh, lib/a.js, lib/created/deep/new.js, lib/gone.js, "
              "lib/new-name.js, lib/old-name.js\nexit 0\n");
    EXPECT_EQ(snapshot(shop / "image", false), stock);
}

}  // namespace
}  // namespace drydock::test
