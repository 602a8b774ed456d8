// The table of states: what each command says and does for every state that a package can be in.

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// A package of two files, patched at both stages.
SetPackage package_of_two() {
    SetPackage package = core_and_provider().first;
    package.files.push_back({"lib/types/a.js", numbered_lines("// types", 5), numbered_lines("// types", 6)});
    package.others.push_back(
        {"revision 1", 1, {{"lib/index.js", numbered_lines("// core", 21)}, {"lib/types/a.js", "// one\n"}}});
    package.others.push_back({"hand-made", 0, {{"lib/index.js", numbered_lines("// core", 22)}}});
    return package;
}

using Prepare = std::function<void(Workshop& shop, const std::string& directory)>;

/// What each command tells of a freshly prepared package, and whether it left every byte, mode and time.
class Answers {
  public:
    explicit Answers(const Prepare& prepare, SetPackage package = package_of_two()) {
        image = ask(prepare, package, {"apply", "--stage", "image"}, {});
        boot = ask(prepare, package, {"apply", "--stage", "boot"}, {});
        strict = ask(prepare, package, {"apply", "--stage", "boot", "--strict"}, {});
        const std::string by_variable =
            ask(prepare, package, {"apply", "--stage", "boot"}, {{"DRYDOCK_STRICT", "1"}});
        EXPECT_EQ(by_variable, strict);
        check = ask(prepare, package, {"status", "--check"}, {});
        revert = ask(prepare, package, {"revert"}, {});
    }

    std::string image;
    std::string boot;
    std::string strict;
    std::string check;
    std::string revert;

  private:
    static std::string ask(const Prepare& prepare, const SetPackage& package,
                           const std::vector<std::string>& arguments,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
        Workshop shop;
        shop.revision = 2;
        shop.roots.pop_back();
        shop.packages = {package};
        shop.write_set();
        prepare(shop, shop.install(package));
        const auto before = snapshot(shop / "image");
        const std::string told = shop.told(arguments, environment);
        EXPECT_EQ(litter(shop / "image"), std::vector<std::string>());
        return (snapshot(shop / "image") == before ? "[unchanged] " : "[changed] ") + told;
    }
};

TEST(States, Stock) {
    const Answers told([](Workshop&, const std::string&) {});
    EXPECT_EQ(told.image,
              "[changed] patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/types/a.js\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE  ORIGIN\n"
              "core     1.2.3    -         lib/index.js    stock  published\n"
              "                  -         lib/types/a.js  stock  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 stock\n"
              "drydock: core: stock, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(told.revert,
              "[unchanged] nothing to do: 1.2.3 (revision 2): 1 package: 1 stock\n"
              "exit 0\n");
}

TEST(States, Patched) {
    const Answers told([](Workshop& shop, const std::string&) { shop.drydock({"apply"}); });
    EXPECT_EQ(told.image,
              "[unchanged] nothing to do: 1.2.3 (revision 2): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE    ORIGIN\n"
              "core     1.2.3    2         lib/index.js    patched  published\n"
              "                  2         lib/types/a.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(told.revert,
              "[changed] reverted @demo/core 1.2.3: lib/index.js, lib/types/a.js\n"
              "exit 0\n");
}

TEST(States, PatchedWithoutAReceipt) {
    const Answers told(
        [](Workshop& shop, const std::string& directory) { put_patched(shop.packages[0], directory); });
    EXPECT_EQ(told.image,
              "[unchanged] nothing to do: 1.2.3 (revision 2): 1 package: 1 patched\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(
        told.check,
        "[unchanged] 1.2.3 (revision 2)\n"
        "\n"
        "PACKAGE  VERSION  REVISION  FILE            STATE    ORIGIN\n"
        "core     1.2.3    2         lib/index.js    patched  published\n"
        "                  2         lib/types/a.js  patched  published\n"
        "\n"
        "core in @/image/node_modules/@demo/core (root image)\n"
        "    why: the demo of core\n"
        "\n"
        "1 package: 1 patched\n"
        "drydock: note: core: .drydock-receipt.json: is missing: revert --all, which goes by it, would pass "
        "this package over; drydock revert does not\n"
        "exit 0\n");
    EXPECT_EQ(told.revert,
              "[changed] reverted @demo/core 1.2.3: lib/index.js, lib/types/a.js\n"
              "exit 0\n");
}

TEST(States, OtherRevision) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        for (const auto& [path, bytes] : shop.packages[0].others[0].files)
            write(directory + "/" + path, bytes);
    });
    EXPECT_EQ(told.image,
              "[changed] patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/types/a.js\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(
        told.check,
        "[unchanged] 1.2.3 (revision 2)\n"
        "\n"
        "PACKAGE  VERSION  REVISION  FILE            STATE           ORIGIN\n"
        "core     1.2.3    1         lib/index.js    other-revision  published\n"
        "                  1         lib/types/a.js  other-revision  published\n"
        "\n"
        "core in @/image/node_modules/@demo/core (root image)\n"
        "    why: the demo of core\n"
        "    do: drydock apply\n"
        "\n"
        "1 package: 1 other-revision\n"
        "drydock: core: other-revision, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
        "exit 1\n");
    EXPECT_EQ(told.revert,
              "[changed] reverted @demo/core 1.2.3: lib/index.js, lib/types/a.js\n"
              "exit 0\n");
}

TEST(States, APredecessorsBytes) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        for (const auto& [path, bytes] : shop.packages[0].others[1].files)
            write(directory + "/" + path, bytes);
    });
    EXPECT_EQ(told.image,
              "[changed] patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/types/a.js\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION   FILE            STATE           ORIGIN\n"
              "core     1.2.3    hand-made  lib/index.js    other-revision  published\n"
              "                  -          lib/types/a.js  stock           published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 partial\n"
              "drydock: core: partial, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(told.revert,
              "[changed] reverted @demo/core 1.2.3: lib/index.js, lib/types/a.js\n"
              "exit 0\n");
}

TEST(States, Partial) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        write(directory + "/lib/types/a.js", *shop.packages[0].files[1].patched);
    });
    EXPECT_EQ(told.image,
              "[changed] patched @demo/core 1.2.3 (revision 2): lib/index.js, lib/types/a.js\n"
              "exit 0\n");
    EXPECT_EQ(told.boot, told.image);
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE    ORIGIN\n"
              "core     1.2.3    -         lib/index.js    stock    published\n"
              "                  2         lib/types/a.js  patched  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: drydock apply\n"
              "\n"
              "1 package: 1 partial\n"
              "drydock: core: partial, expected patched, in @/image/node_modules/@demo/core; drydock apply\n"
              "exit 1\n");
    EXPECT_EQ(told.revert,
              "[changed] reverted @demo/core 1.2.3: lib/index.js, lib/types/a.js\n"
              "exit 0\n");
}

TEST(States, Report13_DriftedByOneByte) {
    const Answers told([](Workshop&, const std::string& directory) {
        std::string bytes = read(directory + "/lib/index.js");
        bytes[0] = '#';
        write(directory + "/lib/index.js", bytes);
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 "
              "3447925857b5…); reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 drifted\n"
              "drydock: note: core: lib/index.js: drifted: neither stock nor patched (sha256 3447925857b5…); "
              "reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE    ORIGIN\n"
              "core     1.2.3    -         lib/index.js    drifted  published\n"
              "                  -         lib/types/a.js  stock    published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: reinstall 1.2.3\n"
              "\n"
              "1 package: 1 drifted\n"
              "drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 3447925857b5…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 4\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, BothFilesDriftedAndBothAreTold) {
    const Answers told([](Workshop&, const std::string& directory) {
        write(directory + "/lib/index.js", "");
        write(directory + "/lib/types/a.js", "mine\n");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: drifted: neither stock nor patched (sha256 "
              "e3b0c44298fc…); reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: core: lib/types/a.js: drifted: neither stock nor patched (sha256 fcbc800db3f1…); "
              "reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 4\n");
}

TEST(States, Report7_WrongVersion) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        write(shop / "manifests/1.3.0.yaml", "");
        write(directory + "/package.json", R"({"name": "@demo/core", "version": "1.2.4"})");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: wrong version: 1.2.4 is installed, and the set is for 1.2.3; there "
              "are sets for 1.2.3, 1.3.0\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 3\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 wrong-version\n"
              "drydock: note: core: wrong version: 1.2.4 is installed, and the set is for 1.2.3; there are "
              "sets for 1.2.3, 1.3.0\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE          ORIGIN\n"
              "core     1.2.4    -         -     wrong-version  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 wrong-version\n"
              "drydock: core: wrong version: 1.2.4 is installed, and the set is for 1.2.3; there are sets "
              "for 1.2.3, 1.3.0\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 3\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, AnotherPackageInItsPlace) {
    const Answers told([](Workshop&, const std::string& directory) {
        write(directory + "/package.json", R"({"name": "core", "version": "1.2.3"})");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: core 1.2.3 is installed in its place; install @demo/core 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 3\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 wrong-version\n"
              "drydock: note: core: core 1.2.3 is installed in its place; install @demo/core 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE          ORIGIN\n"
              "core     1.2.3    -         -     wrong-version  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 wrong-version\n"
              "drydock: core: core 1.2.3 is installed in its place; install @demo/core 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 3\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, AbsentPackage) {
    const Answers told([](Workshop&, const std::string& directory) { fs::remove_all(directory); });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: is not installed; install 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; skipped\n"
              "exit 0\n");
    EXPECT_EQ(told.strict,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; skipped\n"
              "exit 0\n");
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
              "core     -        -         -     absent  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: core: is not installed; install 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 1\n");
    EXPECT_EQ(told.revert,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; nothing to revert\n"
              "exit 0\n");
}

TEST(States, AbsentPackageWhoseRootMayBeMissing) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        shop.roots[0].may_be_missing = {"image"};
        shop.write_set();
        fs::remove_all(directory);
    });
    EXPECT_EQ(told.image,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; skipped\n"
              "exit 0\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; skipped\n"
              "exit 0\n");
    EXPECT_EQ(told.strict,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; skipped\n"
              "exit 0\n");
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE            ORIGIN\n"
              "core     -        -         -     absent (may be)  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "\n"
              "1 package: 1 absent\n"
              "exit 0\n");
    EXPECT_EQ(told.revert,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: is not installed; nothing to revert\n"
              "exit 0\n");
}

TEST(States, AbsentPackageJson) {
    const Answers told(
        [](Workshop&, const std::string& directory) { fs::remove(directory + "/package.json"); });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: package.json: is missing; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: package.json: is missing; reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE   ORIGIN\n"
              "core     -        -         -     absent  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: core: package.json: is missing; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 1\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, AbsentFile) {
    const Answers told(
        [](Workshop&, const std::string& directory) { fs::remove(directory + "/lib/types/a.js"); });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/types/a.js: is missing; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 absent\n"
              "drydock: note: core: lib/types/a.js: is missing; reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE   ORIGIN\n"
              "core     1.2.3    -         lib/index.js    stock   published\n"
              "                  -         lib/types/a.js  absent  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: install 1.2.3\n"
              "\n"
              "1 package: 1 absent\n"
              "drydock: core: lib/types/a.js: is missing; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 1\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, Report10_UnreadableBecauseALink) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        write(shop / "elsewhere.js", read(directory + "/lib/index.js"));
        fs::remove(directory + "/lib/index.js");
        fs::create_symlink(shop / "elsewhere.js", directory + "/lib/index.js");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: is a link, or lies behind one, where a regular file "
              "is expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 unreadable\n"
              "drydock: note: core: lib/index.js: is a link, or lies behind one, where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE       ORIGIN\n"
              "core     1.2.3    -         lib/index.js    unreadable  published\n"
              "                  -         lib/types/a.js  stock       published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: lib/index.js: is a link, or lies behind one, where a regular file is expected; "
              "put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, Report10_UnreadableBecauseItsDirectoryIsALink) {
    const Answers told([](Workshop& shop, const std::string& directory) {
        fs::rename(directory + "/lib", shop / "elsewhere");
        fs::create_directory_symlink(shop / "elsewhere", directory + "/lib");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: is a link, or lies behind one, where a regular file "
              "is expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: core: lib/types/a.js: is a link, or lies behind one, where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 unreadable\n"
              "drydock: note: core: lib/index.js: is a link, or lies behind one, where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "drydock: note: core: lib/types/a.js: is a link, or lies behind one, where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE       ORIGIN\n"
              "core     1.2.3    -         lib/index.js    unreadable  published\n"
              "                  -         lib/types/a.js  unreadable  published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: lib/index.js: is a link, or lies behind one, where a regular file is expected; "
              "put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: core: lib/types/a.js: is a link, or lies behind one, where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, UnreadableBecauseADirectory) {
    const Answers told([](Workshop&, const std::string& directory) {
        fs::remove(directory + "/lib/index.js");
        fs::create_directory(directory + "/lib/index.js");
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: is a directory where a regular file is expected; put "
              "it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 unreadable\n"
              "drydock: note: core: lib/index.js: is a directory where a regular file is expected; put it "
              "right, or reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE       ORIGIN\n"
              "core     1.2.3    -         lib/index.js    unreadable  published\n"
              "                  -         lib/types/a.js  stock       published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: lib/index.js: is a directory where a regular file is expected; put it right, "
              "or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, UnreadableBecauseAFifo) {
    const Answers told([](Workshop&, const std::string& directory) {
        fs::remove(directory + "/lib/index.js");
        ASSERT_EQ(mkfifo((directory + "/lib/index.js").c_str(), 0644), 0);
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: is a device, a FIFO or a socket where a regular file "
              "is expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 unreadable\n"
              "drydock: note: core: lib/index.js: is a device, a FIFO or a socket where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE            STATE       ORIGIN\n"
              "core     1.2.3    -         lib/index.js    unreadable  published\n"
              "                  -         lib/types/a.js  stock       published\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: lib/index.js: is a device, a FIFO or a socket where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, UnreadablePackageJson) {
    const Answers told(
        [](Workshop&, const std::string& directory) { write(directory + "/package.json", "garbage"); });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: package.json: is no JSON object; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 unreadable\n"
              "drydock: note: core: package.json: is no JSON object; reinstall 1.2.3\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
    EXPECT_EQ(told.check,
              "[unchanged] 1.2.3 (revision 2)\n"
              "\n"
              "PACKAGE  VERSION  REVISION  FILE  STATE       ORIGIN\n"
              "core     -        -         -     unreadable  -\n"
              "\n"
              "core in @/image/node_modules/@demo/core (root image)\n"
              "    why: the demo of core\n"
              "    do: put it right, or reinstall 1.2.3\n"
              "\n"
              "1 package: 1 unreadable\n"
              "drydock: core: package.json: is no JSON object; reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "exit 6\n");
    EXPECT_EQ(told.revert, told.image);
}

TEST(States, Report16_ASetUserIdFileIsNotPatched) {
    const Answers told([](Workshop&, const std::string& directory) {
        fs::permissions(directory + "/lib/index.js", static_cast<fs::perms>(04755));
    });
    EXPECT_EQ(told.image,
              "[unchanged] drydock: core: lib/index.js: has mode 4755, and files that run with another's "
              "rights are not patched; take that off (chmod ug-s) first\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
    EXPECT_EQ(told.boot,
              "[unchanged] nothing changed: 1.2.3 (revision 2): 1 package: 1 stock\n"
              "drydock: note: core: lib/index.js: has mode 4755, and files that run with another's rights "
              "are not patched; take that off (chmod ug-s) first\n"
              "exit 0\n");
    EXPECT_EQ(told.strict, told.image);
}

}  // namespace
}  // namespace drydock::test
