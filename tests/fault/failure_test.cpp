// Every call that changes something on disk fails in turn: the exit code tells the truth, nothing is left
// half done, and the next run ends what was begun (design, rule 6.2).
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<const char*, 3> error_names{"EIO", "ENOSPC", "EROFS"};

void two_packages(Workshop& shop) {
    install_core_and_provider(shop);
    shop.write_set();
}

/// Files of a foreign owner with an attribute, in directories whose default access list every new file
/// inherits and must lose again: chown, setxattr and removexattr happen too.
void attributes_and_directories(Workshop& shop) {
    SetPackage package;
    package.name = "changeable";
    package.files.push_back({"lib/a.js", numbered_lines("line", 12), numbered_lines("line", 13)});
    package.files.push_back({"lib/created/deep/new.js", std::nullopt, "made by the patch\n"});
    package.files.push_back({"lib/gone.js", "to be deleted\n", std::nullopt});
    shop.roots.pop_back();
    shop.packages = {package};
    shop.write_set();
    const std::string directory = shop.install(package);
    EXPECT_EQ(run({"setfattr", "-n", "user.note", "-v", "kept", directory + "/lib/a.js"}).exit_code, 0);
    EXPECT_EQ(run({"setfacl", "-d", "-m", "u:1000:rwx", directory + "/lib"}).exit_code, 0);
    if (geteuid() == 0) run({"chown", "-R", "1000:1000", directory + "/lib"});
}

/// A shop at the beginning of a run, and its tree before and after it.
class FailingRun {
  public:
    FailingRun(const std::function<void(Workshop&)>& setup, Words command) : command_(std::move(command)) {
        setup(shop_);
        if (command_.front() == "revert") {
            EXPECT_EQ(shop_.drydock({"apply"}).exit_code, 0);
        }
        start_ = std::make_unique<Kept>(shop_);
        before_ = tree(shop_);
        for (const Call& call : trace(shop_, command_)) {
            if (may_change_files(call) && !is_output(call)) calls_.push_back(call);
        }
        after_ = tree(shop_);
    }

    [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

    void fail_at(const Call& call, const std::string& error) {
        start_->put_back();
        const std::string told = told_with(shop_, command_, {at(call, "error=" + error)});
        const std::string where =
            fmt::format("{}, {} at {} ({})\n{}", command_.front(), error, call.text, call.ordinal, told);
        const std::string exit = told.substr(told.rfind("exit "));
        for (const auto& [file, state] : file_states(shop_)) EXPECT_NE(state, "unknown") << where << file;
        if (exit == "exit 6\n") {
            EXPECT_EQ(tree_without_litter(), before_) << where;
            EXPECT_EQ(told.find("patched "), std::string::npos) << where;
            EXPECT_EQ(told.find("reverted "), std::string::npos) << where;
        } else {
            EXPECT_EQ(exit, "exit 0\n") << where;
            expect_done(told, where);
        }
        // What could not be removed is all that may be left.
        if (call.name != "unlinkat") {
            EXPECT_EQ(litter_in(shop_), std::vector<std::string>()) << where;
        }
        const std::string next = told_plainly(shop_, command_);
        EXPECT_EQ(next.substr(next.rfind("exit ")), "exit 0\n") << where << next;
        EXPECT_EQ(tree(shop_), after_) << where << next;
    }

  private:
    static bool is_output(const Call& call) { return call.text.rfind("write(1", 0) == 0; }

    [[nodiscard]] std::map<std::string, std::string> tree_without_litter() const {
        std::map<std::string, std::string> found = tree(shop_);
        for (auto entry = found.begin(); entry != found.end();) {
            const bool temporary = entry->first.find("/.drydock-tmp.") != std::string::npos;
            entry = temporary ? found.erase(entry) : std::next(entry);
        }
        return found;
    }

    /// Done, and what is not as an undisturbed run leaves it is told.
    void expect_done(const std::string& told, const std::string& where) const {
        const std::string wanted = command_.front() == "apply" ? "patched" : "stock";
        for (const auto& [file, state] : file_states(shop_)) {
            EXPECT_EQ(state, wanted) << where << file;
        }
        if (tree(shop_) == after_) return;
        EXPECT_NE(told.find("drydock: "), std::string::npos) << where << "nothing told of what is left";
    }

    Words command_;
    Workshop shop_;
    std::unique_ptr<Kept> start_;
    std::map<std::string, std::string> before_;
    std::map<std::string, std::string> after_;
    std::vector<Call> calls_;
};

std::set<std::string> fail_every_call(const std::function<void(Workshop&)>& setup, const Words& command) {
    const TemporariesInMemory memory;
    std::vector<std::unique_ptr<FailingRun>> scenes;
    for (int i = 0; i < 2; ++i) scenes.push_back(std::make_unique<FailingRun>(setup, command));
    const std::size_t count = scenes[0]->calls().size() * error_names.size();
    std::atomic<std::size_t> next{0};
    const auto work = [&](FailingRun& scene) {
        for (std::size_t i = next++; i < count; i = next++) {
            scene.fail_at(scene.calls()[i / error_names.size()], error_names.at(i % error_names.size()));
        }
    };
    std::thread other(work, std::ref(*scenes[1]));
    work(*scenes[0]);
    other.join();
    testing::Test::RecordProperty("faults", static_cast<int>(count));
    fmt::print("{} faults\n", count);
    std::set<std::string> names;
    for (const Call& call : scenes[0]->calls()) names.insert(call.name);
    return names;
}

using Names = std::set<std::string>;

TEST(Failure, EveryCallOfAnApply) {
    EXPECT_EQ(fail_every_call(two_packages, {"apply"}),
              (Names{"fchmod", "fsync", "linkat", "openat", "renameat", "renameat2", "unlinkat", "write"}));
}

TEST(Failure, EveryCallOfARevert) {
    EXPECT_EQ(fail_every_call(two_packages, {"revert"}),
              (Names{"fchmod", "fsync", "linkat", "openat", "renameat", "unlinkat", "write"}));
}

TEST(Failure, EveryCallOfAnApplyWithAttributesAndDirectories) {
    if (geteuid() != 0) GTEST_SKIP() << "as root only: files of another owner";
    EXPECT_EQ(fail_every_call(attributes_and_directories, {"apply"}),
              (Names{"fchmod", "fchown", "fremovexattr", "fsetxattr", "fsync", "linkat", "mkdirat", "openat",
                     "renameat", "renameat2", "unlinkat", "write"}));
}

TEST(Failure, EveryCallOfARevertWithAttributesAndDirectories) {
    if (geteuid() != 0) GTEST_SKIP() << "as root only: files of another owner";
    EXPECT_EQ(fail_every_call(attributes_and_directories, {"revert"}),
              (Names{"fchmod", "fchown", "fremovexattr", "fsetxattr", "fsync", "linkat", "openat", "renameat",
                     "renameat2", "unlinkat", "write"}));
}

class Failing : public testing::Test {
  protected:
    void SetUp() override { two_packages(shop_); }

    const TemporariesInMemory memory_;
    Workshop shop_;
};

TEST_F(Failing, TheSecondRenameIsToldAndTheFirstTakenBack) {
    const auto before = tree(shop_);
    EXPECT_EQ(
        told_with(shop_, {"apply"}, {"renameat:error=EIO:when=2"}),
        "drydock: provider: lib/index.js: cannot rename its new bytes over it: input/output error; look at "
        "the disk, then run again\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "exit 6\n");
    EXPECT_EQ(tree(shop_), before);
}

TEST_F(Failing, ATakingBackThatFailsTooIsToldAndSettledByTheNextRun) {
    EXPECT_EQ(
        told_with(shop_, {"apply"}, {"renameat:error=EIO:when=2+"}),
        "drydock: provider: lib/index.js: cannot rename its new bytes over it: input/output error; look at "
        "the disk, then run again\n"
        "  in @/profile/node_modules/@demo/provider\n"
        "  core: lib/index.js: cannot be taken back: input/output error; the next run settles it\n"
        "exit 6\n");
    EXPECT_EQ(file_states(shop_),
              (std::map<std::string, std::string>{{"@demo/core: lib/index.js", "patched"},
                                                  {"@demo/provider: lib/index.js", "stock"}}));
    EXPECT_EQ(told_plainly(shop_, {"apply"}),
              "patched @demo/provider 1.2.3 (revision 1): lib/index.js\nexit 0\n");
    EXPECT_EQ(litter_in(shop_), std::vector<std::string>());
    EXPECT_EQ(shop_.drydock({"status", "--check"}).exit_code, 0);
}

TEST_F(Failing, ABootGoesOnWithoutThePackageThatCannotBeWritten) {
    SetPackage lonely;
    lonely.name = "lonely";
    lonely.files.push_back({"index.js", "stock\n", "patched\n"});
    shop_.packages.push_back(lonely);
    shop_.write_set();
    shop_.install(lonely);
    EXPECT_EQ(
        told_with(shop_, {"apply", "--stage", "boot"}, {"renameat:error=EIO:when=1"}),
        "patched lonely 1.2.3 (revision 1): index.js\n"
        "drydock: note: core: lib/index.js: cannot rename its new bytes over it: input/output error; look at "
        "the disk, then run again\n"
        "drydock: note: provider: requires core at level 1, and @/image/node_modules/@demo/core, which Node "
        "loads from here, is at level 0 (stock); patch that copy first\n"
        "exit 0\n");
    EXPECT_EQ(file_states(shop_),
              (std::map<std::string, std::string>{{"@demo/core: lib/index.js", "stock"},
                                                  {"@demo/provider: lib/index.js", "stock"},
                                                  {"lonely: index.js", "patched"}}));
    EXPECT_EQ(litter_in(shop_), std::vector<std::string>());
}

TEST_F(Failing, AFolderThatCannotBeListedIsNotTakenForEmpty) {
    // The first four calls list the manifests. One failure alone would be passed over: it is looked at twice.
    EXPECT_EQ(
        told_with(shop_, {"revert", "--all", "--root", "image=" + (shop_ / "image")},
                  {"getdents64:error=EIO:when=5+"}),
        "drydock: @/image/node_modules: cannot be looked into: input/output error; what is patched in it "
        "is not known; put it right, or run as root\n"
        "drydock: @/profile/node_modules: cannot be looked into: input/output error; what is patched in "
        "it is not known; put it right, or run as root\n"

        "exit 6\n");
}

TEST_F(Failing, AJournalThatCannotBeRemovedIsToldAndRemovedByTheNextRun) {
    const std::string tree = shop_ / "tree";
    std::string patch;
    for (const std::string name : {"f", "g"}) {
        write(tree + "/" + name, "a\nb\nc\n");
        patch += "--- a/" + name + "\n+++ b/" + name + "\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    }
    write(shop_ / "change.patch", patch);
    const std::vector<std::string> command{"patch", "-d", tree, shop_ / "change.patch"};
    EXPECT_EQ(told_with(shop_, command, {"unlinkat:error=EIO:when=3"}),
              "patched f\npatched g\n"
              "drydock: note: .drydock-patch-journal: could not be removed; the next run does it\n"
              "exit 0\n");
    EXPECT_EQ(told_plainly(shop_, {"patch", "-R", "-d", tree, shop_ / "change.patch"}),
              "patched g\npatched f\n"
              "drydock: note: an earlier run had done its work but was cut short before it had tidied up\n"
              "exit 0\n");
    EXPECT_FALSE(exists(tree + "/.drydock-patch-journal"));
}

}  // namespace
}  // namespace drydock::test
