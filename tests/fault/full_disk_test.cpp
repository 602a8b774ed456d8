// reports.md, 18: a full disk cut the target short, and the tool reported success; a rerun reported success
// again.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/support/injection.hpp"
#include "tests/support/refuse.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// Blocks that are free on the file system of a directory.
unsigned long free_blocks(const std::string& directory) {
    struct statvfs info {};
    EXPECT_EQ(statvfs(directory.c_str(), &info), 0);
    return info.f_bavail;
}

/// Leaves exactly so many blocks of 4 KiB free.
void fill(const std::string& directory, unsigned long leave) {
    const std::string filler = directory + "/filler";
    fs::remove(filler);
    std::ofstream(filler).close();
    const unsigned long blocks = free_blocks(directory);
    ASSERT_GT(blocks, leave);
    write(filler, std::string((blocks - leave) * 4096, 'x'));
    ASSERT_EQ(free_blocks(directory), leave);
}

TEST(Report18, AFullDiskLeavesAllStockAndARerunTellsTheTruth) {
    in_child([] {
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            GTEST_SKIP() << "no mounts here";
        }
        Workshop shop;
        // Packages on a disk of its own; each file of several blocks.
        ASSERT_EQ(mount("tmpfs", (shop / "image").c_str(), "tmpfs", 0, "size=1m"), 0);
        SetPackage package;
        package.name = "large";
        for (const char* name : {"a.js", "b.js", "c.js"}) {
            package.files.push_back(
                {name, numbered_lines("line of code", 1500), numbered_lines("line of code", 1501)});
        }
        shop.packages = {package};
        shop.roots.pop_back();
        shop.write_set();
        shop.install(package);
        const auto stock = snapshot(shop / "image", false);
        int refused = 0;
        for (unsigned long leave = 0; leave < 40; ++leave) {
            fill(shop / "image", leave);
            const std::string told = shop.told({"apply"});
            const std::string again = shop.told({"apply"});
            fs::remove(shop / "image/filler");
            if (told.find("exit 0\n") != std::string::npos) {
                for (const auto& [file, state] : file_states(shop)) EXPECT_EQ(state, "patched") << file;
                break;
            }
            ++refused;
            EXPECT_NE(told.find("no space left on device; make room, then run again\n"
                                "  in @/image/node_modules/large\n"
                                "exit 6\n"),
                      std::string::npos)
                << told;
            EXPECT_EQ(again, told);
            EXPECT_EQ(snapshot(shop / "image", false), stock) << leave;
        }
        EXPECT_GT(refused, 15);
        EXPECT_EQ(shop.drydock({"status", "--check"}).exit_code, 0);
        // And back, as far as the room goes.
        const auto patched = snapshot(shop / "image", false);
        fill(shop / "image", 5);
        EXPECT_EQ(shop.drydock({"revert"}).exit_code, 6);
        fs::remove(shop / "image/filler");
        EXPECT_EQ(snapshot(shop / "image", false), patched);
        EXPECT_EQ(shop.drydock({"revert"}).exit_code, 0);
        EXPECT_EQ(snapshot(shop / "image", false), stock);
        umount((shop / "image").c_str());
    });
}

}  // namespace
}  // namespace drydock::test
