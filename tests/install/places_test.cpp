// install/locate.cpp, install/lock.cpp and install/resolve.cpp: where packages lie, and which Node would
// load.
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "install/locate.hpp"
#include "install/lock.hpp"
#include "install/resolve.hpp"
#include "tests/support/refuse.hpp"
#include "tests/support/support.hpp"

namespace drydock::install {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

std::string package_json(const std::string& name) {
    return R"({"name": ")" + name + R"(", "version": "1.0.0", "type": "module", "main": "index.js"})";
}

void put_package(const std::string& directory, const std::string& name) {
    test::write(directory + "/package.json", package_json(name));
    test::write(directory + "/index.js", "export const here = import.meta.url;\n");
}

std::optional<std::string> resolved(const std::string& from, const std::string& package,
                                    const FallbackFolders& fallback = {}) {
    ModuleFolders folders;
    return node_resolve(from, package, fallback, folders);
}

std::vector<Location> located(const OpenRoot& root, const std::vector<std::string>& at) {
    Listings listings;
    return locate(root, at, listings);
}

OpenRoot root_at(const std::string& path) {
    OpenRoot root;
    root.name = "image";
    root.path = path;
    root.directory = *base::Directory::open(path);
    root.identity = root.directory.info()->identity;
    return root;
}

TEST(Locate, FindsEachCopyOnceHoweverItIsReached) {
    const TemporaryDirectory root;
    const std::string store = root / "node_modules/.pnpm/a@1/node_modules/a";
    put_package(store, "a");
    put_package(root / "node_modules/.pnpm/a@2/node_modules/a", "a");
    test::write(root / "node_modules/.pnpm/lock.yaml", "pnpm's own\n");
    fs::create_directory_symlink(".pnpm/a@1/node_modules/a", root / "node_modules/a");
    const std::vector<Location> found =
        located(root_at(root.path()), {"node_modules/a", "node_modules/.pnpm/*/node_modules/a"});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].directory, root / "node_modules/a");
    EXPECT_EQ(found[1].directory, root / "node_modules/.pnpm/a@2/node_modules/a");
}

TEST(Locate, ListsAFolderOnceForSeveralPackages) {
    const TemporaryDirectory root;
    put_package(root / "node_modules/.pnpm/a@1/node_modules/a", "a");
    const OpenRoot open = root_at(root.path());
    Listings listings;
    EXPECT_FALSE(locate(open, {"node_modules/.pnpm/*/node_modules/a"}, listings)[0].missing);
    put_package(root / "node_modules/.pnpm/b@1/node_modules/b", "b");
    EXPECT_TRUE(locate(open, {"node_modules/.pnpm/*/node_modules/b"}, listings)[0].missing);
    EXPECT_FALSE(located(open, {"node_modules/.pnpm/*/node_modules/b"})[0].missing);
}

TEST(Locate, TellsOfAFolderThatCannotBeListedForEachPackage) {
    const TemporaryDirectory root;
    fs::create_directories(root / "node_modules/.pnpm");
    const OpenRoot open = root_at(root.path());
    test::in_child([&] {
        test::refuse_system_calls({SYS_getdents64}, EACCES);
        Listings listings;
        for (const std::string name : {"a", "b"}) {
            const std::vector<Location> found =
                locate(open, {"node_modules/.pnpm/*/node_modules/" + name}, listings);
            ASSERT_EQ(found.size(), 1U);
            EXPECT_EQ(found[0].directory, root / "node_modules/.pnpm");
            EXPECT_EQ(found[0].trouble, base::errno_text(EACCES));
        }
    });
}

TEST(Locate, TellsOnceOfAFolderThatCannotBeSearched) {
    const TemporaryDirectory root;
    put_package(root / "node_modules/.pnpm/a@1/node_modules/a", "a");
    put_package(root / "node_modules/.pnpm/b@1/node_modules/b", "b");
    const OpenRoot open = root_at(root.path());
    test::in_child([&] {
        test::refuse_system_calls({SYS_statx}, EACCES);  // as of what lies in a folder of mode 0444
        const std::vector<Location> found = located(open, {"node_modules/.pnpm/*/node_modules/a"});
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].directory, root / "node_modules/.pnpm");
        EXPECT_EQ(found[0].trouble, base::errno_text(EACCES));
    });
}

TEST(Locate, RefusesALinkThatLeadsOutOrNowhere) {
    const TemporaryDirectory root;
    const TemporaryDirectory outside;
    put_package(outside / "a", "a");
    fs::create_directory(root / "node_modules");
    fs::create_directory_symlink(outside / "a", root / "node_modules/a");
    fs::create_directory_symlink("gone", root / "node_modules/b");
    EXPECT_EQ(located(root_at(root.path()), {"node_modules/a"})[0].trouble,
              "it is a link that leads out of the root, to " + *base::real_path(outside / "a"));
    EXPECT_EQ(located(root_at(root.path()), {"node_modules/b"})[0].trouble,
              "it is a link that leads nowhere");
    EXPECT_TRUE(located(root_at(root.path()), {"node_modules/c"})[0].missing);
}

/// What the real Node loads for an import, or nothing.
std::optional<std::string> loaded_by_node(const std::string& from, const std::string& package) {
    test::write(from + "/probe.mjs",
                "try { const m = await import(process.argv[2]);\n"
                "  process.stdout.write(new URL('.', m.here).pathname.replace(/\\/$/, ''));\n"
                "} catch { process.exit(3); }\n");
    const base::ProcessOutcome outcome = test::run({"node", from + "/probe.mjs", package});
    fs::remove(from + "/probe.mjs");
    if (outcome.exit_code != 0) return std::nullopt;
    return outcome.output;
}

TEST(NodeResolve, LoadsWhatTheRealNodeLoads) {
    const TemporaryDirectory directory;
    const std::string top = *base::real_path(directory.path());
    const std::string provider = top + "/profiles/web/node_modules/@demo/provider";
    put_package(provider, "@demo/provider");
    const std::vector<std::string> places = {
        top + "/node_modules/@demo/core",
        top + "/profiles/node_modules/@demo/core",
        top + "/profiles/web/node_modules/@demo/core",
        top + "/profiles/web/node_modules/node_modules/@demo/core",
        provider + "/node_modules/@demo/core",
    };
    EXPECT_EQ(resolved(provider, "@demo/core"), loaded_by_node(provider, "@demo/core"));
    for (const std::string& place : places) {  // each hides the ones before it
        put_package(place, "@demo/core");
        const std::optional<std::string> real = loaded_by_node(provider, "@demo/core");
        EXPECT_EQ(real, place);
        EXPECT_EQ(resolved(provider, "@demo/core"), real);
    }
}

TEST(NodeResolve, FollowsLinksOutAndPassesOverDanglingOnes) {
    const TemporaryDirectory directory;
    const std::string top = *base::real_path(directory.path());
    const std::string provider = top + "/a/node_modules/provider";
    put_package(provider, "provider");
    put_package(top + "/elsewhere/core", "core");
    put_package(top + "/node_modules/core", "core");
    fs::create_directory_symlink(top + "/elsewhere/core", top + "/a/node_modules/core");
    EXPECT_EQ(resolved(provider, "core"), loaded_by_node(provider, "core"));
    EXPECT_EQ(resolved(provider, "core"), top + "/elsewhere/core");
    fs::remove_all(top + "/elsewhere");
    EXPECT_EQ(resolved(provider, "core"), loaded_by_node(provider, "core"));
    EXPECT_EQ(resolved(provider, "core"), top + "/node_modules/core");
}

TEST(NodeResolve, TakesALinkInAFallbackFolderForTheCopyItWillLeadTo) {
    const TemporaryDirectory directory;
    const std::string top = *base::real_path(directory.path());
    const std::string provider = top + "/profiles/web/node_modules/provider";
    put_package(provider, "provider");
    put_package(top + "/image/core", "core");
    put_package(top + "/old/core", "core");
    FallbackFolders fallback;
    fallback.folders = {top + "/profiles/node_modules"};
    fallback.copy_of = [&top](const std::string&) { return std::optional(top + "/image/core"); };
    EXPECT_EQ(resolved(provider, "core", fallback), top + "/image/core");  // missing
    fs::create_directory(top + "/profiles/node_modules");
    fs::create_directory_symlink(top + "/old/core", top + "/profiles/node_modules/core");
    EXPECT_EQ(resolved(provider, "core", fallback), top + "/image/core");  // stale
    fs::remove(top + "/profiles/node_modules/core");
    put_package(top + "/profiles/node_modules/core", "core");
    EXPECT_EQ(resolved(provider, "core", fallback), top + "/profiles/node_modules/core");  // no link
}

TEST(Lock, IsRefusedWhileAnotherHoldsItAndTakenAfterwards) {
    const TemporaryDirectory directory;
    const OpenRoot root = root_at(directory.path());
    base::Sys<base::Directory> stranger = base::Directory::open(directory.path());
    ASSERT_EQ(flock(stranger->fd(), LOCK_EX), 0);
    const base::Result<Locks> refused = Locks::take({&root}, std::chrono::milliseconds(50));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, base::ErrorKind::busy);
    *stranger = base::Directory();
    EXPECT_TRUE(Locks::take({&root, &root}, std::chrono::milliseconds(50)));
}

TEST(Lock, IsNotTakenOnADirectoryThatIsNoLongerTheRoot) {
    const TemporaryDirectory directory;
    fs::create_directory(directory / "root");
    const OpenRoot root = root_at(directory / "root");
    fs::rename(directory / "root", directory / "moved");
    fs::create_directory(directory / "root");
    const base::Result<Locks> refused = Locks::take({&root}, std::chrono::milliseconds(50));
    ASSERT_FALSE(refused);
    EXPECT_EQ(base::describe(refused.error()),
              directory / "root" + " was replaced while we waited for its lock; run again");
}

}  // namespace
}  // namespace drydock::install
