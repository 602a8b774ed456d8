// Nothing outside a package is written, whoever swaps directories meanwhile (design, rule 6.4).
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/support/injection.hpp"
#include "tests/support/refuse.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

class Paths : public testing::Test {
  protected:
    void SetUp() override {
        install_core_and_provider(shop_);
        shop_.write_set();
        core_ = shop_.place(shop_.packages[0]);
    }

    const TemporariesInMemory memory_;
    Workshop shop_;
    std::string core_;
};

/// Exchanges two names, over and over, and puts them back in the end.
class Swapper {
  public:
    Swapper(std::string one, std::string other)
        : one_(std::move(one)), other_(std::move(other)), thread_([this] { swap(); }) {}
    ~Swapper() { stop(); }
    Swapper(const Swapper&) = delete;
    Swapper& operator=(const Swapper&) = delete;

    void stop() {
        if (!thread_.joinable()) return;
        stopped_ = true;
        thread_.join();
    }
    [[nodiscard]] int swaps() const { return swaps_; }

  private:
    void swap() {
        while (!stopped_ || swaps_ % 2 == 1) {
            if (renameat2(AT_FDCWD, one_.c_str(), AT_FDCWD, other_.c_str(), RENAME_EXCHANGE) == 0) ++swaps_;
            std::this_thread::sleep_for(std::chrono::microseconds(swaps_ % 7 * 100));
        }
    }

    std::string one_;
    std::string other_;
    std::atomic<bool> stopped_{false};
    std::atomic<int> swaps_{0};
    std::thread thread_;
};

/// Runs apply and revert while `victim` and a link to `outside` change places; `outside` must stay as it is.
void race(Workshop& shop, const std::string& victim, const std::string& outside) {
    const auto before = snapshot(outside);
    fs::create_symlink(outside, victim + ".link");
    Swapper swapper(victim, victim + ".link");
    int done = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    for (int i = 0; i < 200 && std::chrono::steady_clock::now() < end; ++i) {
        for (const char* command : {"apply", "revert"}) {
            const base::ProcessOutcome outcome = shop.drydock({command});
            // 5: the provider is asked for a core that is a link just then.
            ASSERT_TRUE(outcome.exit_code == 0 || (outcome.exit_code >= 3 && outcome.exit_code <= 6))
                << outcome.exit_code << outcome.output << outcome.errors;
            done += static_cast<int>(outcome.exit_code == 0);
        }
    }
    swapper.stop();
    EXPECT_GT(swapper.swaps(), 100);
    EXPECT_GT(done, 0);
    EXPECT_EQ(snapshot(outside), before);
    for (const auto& [file, state] : file_states(shop)) EXPECT_NE(state, "unknown") << file;
    EXPECT_EQ(shop.drydock({"revert"}).exit_code, 0);
    for (const auto& [file, state] : file_states(shop)) EXPECT_EQ(state, "stock") << file;
    EXPECT_EQ(litter_in(shop), std::vector<std::string>());
}

TEST_F(Paths, ADirectoryOfAPackageSwappedForALink) {
    fs::copy(core_ + "/lib", shop_ / "outside");
    race(shop_, core_ + "/lib", shop_ / "outside");
}

TEST_F(Paths, APackageSwappedForALinkOutOfTheRoot) {
    fs::copy(core_, shop_ / "outside", fs::copy_options::recursive);
    race(shop_, core_, shop_ / "outside");
}

class WithoutOpenat2 : public Paths, public testing::WithParamInterface<int> {};

TEST_P(WithoutOpenat2, TheSameResults) {
    const Kept stock(shop_);
    const std::string link = core_ + "/lib.link";
    std::vector<std::string> with;
    std::vector<std::string> without;
    const auto runs = [&](std::vector<std::string>& told) {
        stock.put_back();
        for (const char* command : {"apply", "status", "revert"}) told.push_back(shop_.told({command}));
        fs::rename(core_ + "/lib", link);
        fs::create_directory_symlink("lib.link", core_ + "/lib");
        told.push_back(shop_.told({"apply"}));
    };
    runs(with);
    in_child([&] {
        refuse_system_calls({SYS_openat2}, GetParam());
        EXPECT_EQ(syscall(SYS_openat2, AT_FDCWD, ".", nullptr, 0), -1);
        EXPECT_EQ(errno, GetParam());
        runs(without);
        EXPECT_EQ(without, with);
    });
    EXPECT_EQ(with.front(),
              "patched @demo/core 1.2.3 (revision 1): lib/index.js\n"
              "patched @demo/provider 1.2.3 (revision 1): lib/index.js\nexit 0\n");
    EXPECT_EQ(with.back(),
              "drydock: core: lib/index.js: is a link, or lies behind one, where a regular file is expected; "
              "put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: provider: requires core at level 1, which is refused itself\n"
              "  in @/profile/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

INSTANTIATE_TEST_SUITE_P(Paths, WithoutOpenat2, testing::Values(ENOSYS, EPERM),
                         [](const auto& tested) { return tested.param == ENOSYS ? "ENOSYS" : "EPERM"; });

TEST_F(Paths, AFifoInTheFilesPlaceIsRefusedAndNotWaitedFor) {
    fs::remove(core_ + "/lib/index.js");
    ASSERT_EQ(mkfifo((core_ + "/lib/index.js").c_str(), 0644), 0);
    EXPECT_EQ(shop_.told({"apply"}),
              "drydock: core: lib/index.js: is a device, a FIFO or a socket where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: provider: requires core at level 1, which is refused itself\n"
              "  in @/profile/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

TEST_F(Paths, ADeviceInTheFilesPlaceIsRefused) {
    fs::remove(core_ + "/lib/index.js");
    if (mknod((core_ + "/lib/index.js").c_str(), S_IFCHR | 0644, makedev(1, 5)) != 0) {
        GTEST_SKIP() << "no device can be made here";
    }
    EXPECT_EQ(shop_.told({"apply"}),
              "drydock: core: lib/index.js: is a device, a FIFO or a socket where a regular file is "
              "expected; put it right, or reinstall 1.2.3\n"
              "  in @/image/node_modules/@demo/core\n"
              "drydock: provider: requires core at level 1, which is refused itself\n"
              "  in @/profile/node_modules/@demo/provider\n"
              "drydock: nothing was changed\n"
              "exit 6\n");
}

class BadPath : public Paths, public testing::WithParamInterface<const char*> {};

TEST_P(BadPath, IsRefusedByTheManifest) {
    const std::string manifest = shop_ / "manifests/1.2.3.yaml";
    std::string text = read(manifest);
    const std::string known = "- path: \"lib/index.js\"";
    text.replace(text.find(known), known.size(), std::string("- path: \"") + GetParam() + "\"");
    write(manifest, text);
    const auto before = snapshot(shop_ / "image");
    const base::ProcessOutcome outcome = shop_.drydock({"apply"});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.output << outcome.errors;
    EXPECT_NE(outcome.errors.find(GetParam()), std::string::npos) << outcome.errors;
    EXPECT_EQ(snapshot(shop_ / "image"), before);
}

INSTANTIATE_TEST_SUITE_P(Paths, BadPath,
                         testing::Values("../outside.js", "lib/../../outside.js", "/etc/passwd",
                                         "lib/./index.js"));

}  // namespace
}  // namespace drydock::test
