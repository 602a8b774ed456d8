// The program runs in a home whose git configuration sends fetches elsewhere and cannot be parsed to its end,
// so that every test here shows that nobody asks it.
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

class HostileHome final : public testing::Environment {
  public:
    void SetUp() override {
        const std::string sent_away =
            "[url \"file:///nowhere\"]\n\tinsteadOf = git://\n\tinsteadOf = http://\n";
        test::write(home_ / ".gitconfig", sent_away);
        test::write(home_ / ".config/git/config", sent_away + "[broken\n");
        setenv("HOME", home_.path().c_str(), 1);
        setenv("XDG_CONFIG_HOME", (home_ / ".config").c_str(), 1);
    }

  private:
    test::TemporaryDirectory home_;
};

const testing::Environment* const hostile_home = testing::AddGlobalTestEnvironment(new HostileHome);

TEST(Hostile, HomeStopsGitItself) {
    EXPECT_EQ(test::run({"git", "config", "--get", "user.name"}).exit_code, 128);
}

}  // namespace
}  // namespace drydock::source
