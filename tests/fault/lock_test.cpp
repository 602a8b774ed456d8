// One at a time (design, rule 6.8).
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

/// Somebody else's lock on a directory.
class Stranger {
  public:
    explicit Stranger(const std::string& directory) : fd_(open(directory.c_str(), O_RDONLY | O_CLOEXEC)) {
        EXPECT_EQ(flock(fd_, LOCK_EX | LOCK_NB), 0) << directory;
    }
    ~Stranger() { close(fd_); }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;

  private:
    int fd_;
};

bool is_free(const std::string& directory) {
    const int fd = open(directory.c_str(), O_RDONLY | O_CLOEXEC);
    const bool taken = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return taken;
}

class Locked : public testing::Test {
  protected:
    void SetUp() override {
        install_core_and_provider(shop_);
        shop_.write_set();
    }

    const TemporariesInMemory memory_;
    Workshop shop_;
};

TEST_F(Locked, ABootIsNotHeldUpForMoreThanFiveSeconds) {
    const Stranger stranger(shop_ / "image");
    const auto before = tree(shop_);
    const Clock::time_point start = Clock::now();
    EXPECT_EQ(
        shop_.told({"apply", "--stage", "boot"}),
        "nothing changed: 1.2.3 (revision 1): 2 packages: 2 stock\n"
        "drydock: note: @/image is locked by another process, and was for 5 s; try again, or wait longer "
        "with --wait\n"
        "exit 0\n");
    const auto took = Clock::now() - start;
    EXPECT_GE(took, std::chrono::milliseconds(4800));
    EXPECT_LE(took, std::chrono::milliseconds(6500));
    EXPECT_EQ(tree(shop_), before);
}

TEST_F(Locked, AnImageBuildWaitsAsLongAsItIsToldTo) {
    const Stranger stranger(shop_ / "profile");
    const auto before = tree(shop_);
    EXPECT_EQ(shop_.told({"apply", "--stage", "image", "--wait", "0.2"}),
              "drydock: @/profile is locked by another process, and was for 0.2 s; try again, or wait longer "
              "with --wait\n"
              "drydock: nothing was changed\n"
              "exit 7\n");
    EXPECT_EQ(tree(shop_), before);
}

TEST_F(Locked, WhatIsPatchedAlreadyNeedsNoLock) {
    ASSERT_EQ(shop_.drydock({"apply"}).exit_code, 0);
    const Stranger stranger(shop_ / "image");
    EXPECT_EQ(shop_.told({"apply"}), "nothing to do: 1.2.3 (revision 1): 2 packages: 2 patched\nexit 0\n");
    EXPECT_EQ(shop_.drydock({"status", "--check"}).exit_code, 0);
}

TEST_F(Locked, TheLockIsHadAsSoonAsItIsFree) {
    auto stranger = std::make_unique<Stranger>(shop_ / "image");
    std::thread leaves([&stranger] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stranger.reset();
    });
    EXPECT_EQ(shop_.drydock({"apply"}).exit_code, 0);
    leaves.join();
    EXPECT_TRUE(is_free(shop_ / "image"));
    EXPECT_TRUE(is_free(shop_ / "profile"));
}

// reports.md, 12: two processes patched one tree at once.
TEST(Report12, TwoAppliesAtOnceAreBothRight) {
    const TemporariesInMemory memory;
    Workshop shop;
    install_core_and_provider(shop);
    shop.write_set();
    const Kept stock(shop);
    ASSERT_EQ(shop.drydock({"apply"}).exit_code, 0);
    const auto patched = tree(shop);
    int changes = 0;
    for (int round = 0; round < 20; ++round) {
        stock.put_back();
        base::ProcessOutcome other;
        std::thread second([&] { other = shop.drydock({"apply"}); });
        const base::ProcessOutcome one = shop.drydock({"apply"});
        second.join();
        ASSERT_EQ(one.exit_code, 0) << one.output << one.errors;
        ASSERT_EQ(other.exit_code, 0) << other.output << other.errors;
        ASSERT_EQ(tree(shop), patched);
        changes += static_cast<int>(one.output.find("patched @demo") == 0) +
                   static_cast<int>(other.output.find("patched @demo") == 0);
    }
    EXPECT_EQ(changes, 20);
}

TEST_F(Locked, TwoRootsThatAreOneDirectoryAreLockedOnce) {
    SetPackage provider = shop_.packages[1];
    fs::remove_all(shop_ / "profile");
    shop_.install(provider, "image/node_modules/" + provider.name);
    fs::create_directory_symlink("image", shop_ / "profile");
    EXPECT_EQ(told_plainly(shop_, {"apply", "--wait", "0.5"}),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 1): lib/index.js\nexit 0\n");
    EXPECT_EQ(litter(shop_ / "image"), std::vector<std::string>());
}

TEST_F(Locked, RootsInOppositeOrderNeverWaitForEachOther) {
    const Kept stock(shop_);
    const Words forwards{
        "revert", "--all", "--root", "a=" + shop_ / "image", "--root", "b=" + shop_ / "profile"};
    const Words backwards{
        "revert", "--all", "--root", "b=" + shop_ / "profile", "--root", "a=" + shop_ / "image"};
    for (int round = 0; round < 50; ++round) {
        stock.put_back();
        ASSERT_EQ(shop_.drydock({"apply"}).exit_code, 0);
        base::ProcessOutcome other;
        std::thread second([&] { other = shop_.drydock(backwards); });
        const base::ProcessOutcome one = shop_.drydock(forwards);
        second.join();
        ASSERT_EQ(one.exit_code, 0) << one.output << one.errors;
        ASSERT_EQ(other.exit_code, 0) << other.output << other.errors;
    }
}

TEST_F(Locked, ARootThatIsReplacedWhileWeWaitIsRefused) {
    auto stranger = std::make_unique<Stranger>(shop_ / "image");
    std::thread replaces([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        fs::rename(shop_ / "image", shop_ / "moved");
        fs::copy(shop_ / "moved", shop_ / "image", fs::copy_options::recursive);
        stranger.reset();
    });
    EXPECT_EQ(shop_.told({"apply"}),
              "drydock: @/image was replaced while we waited for its lock; run again\n"
              "drydock: nothing was changed\nexit 6\n");
    replaces.join();
    for (const auto& [file, state] : file_states(shop_)) EXPECT_EQ(state, "stock") << file;
    EXPECT_EQ(snapshot(shop_ / "moved", false), snapshot(shop_ / "image", false));
}

}  // namespace
}  // namespace drydock::test
