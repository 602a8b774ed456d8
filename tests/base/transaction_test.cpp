#include "base/transaction.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/support/refuse.hpp"
#include "tests/support/support.hpp"

namespace drydock::base {
namespace {

/// What can be told of a tree: for every path its kind, mode, owner, inode and bytes.
std::map<std::string, std::string> tree_of(const std::string& top, bool with_inodes = true) {
    std::map<std::string, std::string> tree;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
        struct stat found {};
        EXPECT_EQ(lstat(entry.path().c_str(), &found), 0) << entry.path();
        std::string text = fmt::format("{:o} {}:{}", found.st_mode, found.st_uid, found.st_gid);
        if (with_inodes) text += fmt::format(" inode {}", found.st_ino);
        if (entry.is_regular_file() && !entry.is_symlink()) text += ": " + test::read(entry.path());
        tree[entry.path().lexically_relative(top)] = text;
    }
    return tree;
}

std::string error_of(const Result<void>& result) {
    return result ? "no error" : describe(result.error());
}

class TransactionTest : public testing::Test {
  protected:
    void SetUp() override {
        test::write(folder / "root/lib/index.js", "stock index");
        test::write(folder / "root/lib/second.js", "stock second");
        test::write(folder / "root/gone.js", "stock gone");
        root = Directory::open(folder / "root").value();
    }

    [[nodiscard]] std::string at(std::string_view path) const {
        return folder / ("root/" + std::string(path));
    }

    /// A target as it stands now, named by its path.
    [[nodiscard]] Target target(const std::string& path) const {
        Target made{&root, path, path, std::nullopt};
        const Sys<std::optional<FileInfo>> info = root.info(path);
        if (info && *info) made.expected = (*info)->identity;
        return made;
    }

    [[nodiscard]] Attributes attributes(const std::string& path) const {
        return attributes_of(root.open_file(path).value()).value();
    }

    static Attributes own() { return {0644, geteuid(), getegid(), {}}; }

    void rewrite(Transaction& transaction, const std::string& path, const std::string& bytes) const {
        transaction.write(target(path), bytes, attributes(path));
    }

    static void expect_done(Transaction& transaction) {
        EXPECT_EQ(error_of(transaction.stage()), "no error");
        const Result<std::vector<std::string>> left = transaction.commit();
        ASSERT_TRUE(left) << describe(left.error());
        EXPECT_EQ(*left, std::vector<std::string>());
    }

    static Error commit_error(Transaction& transaction) {
        EXPECT_EQ(error_of(transaction.stage()), "no error");
        const Result<std::vector<std::string>> left = transaction.commit();
        EXPECT_FALSE(left);
        return left ? Error{} : left.error();
    }

    [[nodiscard]] std::map<std::string, std::string> tree() const { return tree_of(folder / "root"); }

    test::TemporaryDirectory folder;
    Directory root;
};

TEST_F(TransactionTest, ChangesSeveralFilesTogether) {
    Transaction transaction;
    EXPECT_TRUE(transaction.empty());
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.make_directory(target("new"));
    transaction.make_directory(target("new/deep"));
    transaction.write(target("new/deep/created.js"), "created", own());
    transaction.remove(target("gone.js"));
    EXPECT_FALSE(transaction.empty());
    expect_done(transaction);
    std::map<std::string, std::string> contents;
    for (const auto& [path, text] : tree_of(folder / "root", false)) contents[path] = text;
    const std::string file = fmt::format("100644 {}:{}: ", geteuid(), getegid());
    const std::string directory = fmt::format("40755 {}:{}", geteuid(), getegid());
    EXPECT_EQ(contents, (std::map<std::string, std::string>{{"lib", directory},
                                                            {"lib/index.js", file + "patched index"},
                                                            {"lib/second.js", file + "stock second"},
                                                            {"new", directory},
                                                            {"new/deep", directory},
                                                            {"new/deep/created.js", file + "created"}}));
}

TEST_F(TransactionTest, StagingShowsNothingAndLeavesNothing) {
    const auto before = tree();
    {
        Transaction transaction;
        rewrite(transaction, "lib/index.js", "patched");
        transaction.make_directory(target("new"));
        transaction.write(target("new/a.js"), "created", own());
        transaction.remove(target("gone.js"));
        ASSERT_EQ(error_of(transaction.stage()), "no error");
        EXPECT_EQ(test::read(at("lib/index.js")), "stock index");
        EXPECT_FALSE(test::exists(at("new")));
        // In the target's directory, or the nearest one above it that is there.
        EXPECT_EQ(temporaries_in(root.open_directory("lib").value()).value(),
                  (std::vector<std::string>{".drydock-tmp.0.new", ".drydock-tmp.0.old"}));
        EXPECT_EQ(temporaries_in(root).value(), std::vector<std::string>{".drydock-tmp.2.new"});
    }
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, KeepsModeOwnerAndAttributes) {
    ASSERT_EQ(chmod(at("lib/index.js").c_str(), 0640), 0);
    const bool root_user = geteuid() == 0;
    if (root_user) {
        ASSERT_EQ(chown(at("lib/index.js").c_str(), 1234, 4321), 0);
    }
    ASSERT_EQ(setxattr(at("lib/index.js").c_str(), "user.origin", "npm", 3, 0), 0);
    ASSERT_EQ(setxattr(at("lib/index.js").c_str(), "user.empty", "", 0, 0), 0);
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    expect_done(transaction);
    const Attributes kept = attributes("lib/index.js");
    EXPECT_EQ(kept.mode, 0640U);
    EXPECT_EQ(kept.uid, root_user ? 1234U : geteuid());
    EXPECT_EQ(kept.gid, root_user ? 4321U : getegid());
    EXPECT_EQ(kept.extended,
              (std::vector<std::pair<std::string, std::string>>{{"user.empty", ""}, {"user.origin", "npm"}}));
    EXPECT_EQ(test::read(at("lib/index.js")), "patched");
}

TEST_F(TransactionTest, KeepsAnAccessListAndTakesOnNoDefaultOne) {
    if (test::run({"setfacl", "-m", "u:1234:rw", at("lib/index.js")}).exit_code != 0)
        GTEST_SKIP() << "no ACLs here";
    ASSERT_EQ(test::run({"setfacl", "-d", "-m", "u:77:rwx", at("lib")}).exit_code, 0);
    const auto list = [this](const std::string& path) {
        return test::run({"getfacl", "--omit-header", "--absolute-names", at(path)}).output;
    };
    const std::string with = list("lib/index.js");
    const std::string without = list("lib/second.js");
    EXPECT_NE(with.find("user:1234:rw-"), std::string::npos) << with;
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    rewrite(transaction, "lib/second.js", "patched");
    expect_done(transaction);
    EXPECT_EQ(list("lib/index.js"), with);
    EXPECT_EQ(list("lib/second.js"), without);
}

TEST_F(TransactionTest, AHardLinkElsewhereKeepsTheOldBytes) {
    std::filesystem::create_hard_link(at("lib/index.js"), folder / "store.js");
    std::filesystem::create_hard_link(at("gone.js"), folder / "gone.js");
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    transaction.remove(target("gone.js"));
    expect_done(transaction);
    EXPECT_EQ(test::read(folder / "store.js"), "stock index");
    EXPECT_EQ(test::read(folder / "gone.js"), "stock gone");
    EXPECT_EQ(test::read(at("lib/index.js")), "patched");
    EXPECT_EQ(std::filesystem::hard_link_count(folder / "store.js"), 1U);
    EXPECT_EQ(std::filesystem::hard_link_count(folder / "gone.js"), 1U);
}

TEST_F(TransactionTest, ADirectoryGetsItsParentsModeAndOwner) {
    ASSERT_EQ(chmod(at("lib").c_str(), 0751), 0);
    const bool root_user = geteuid() == 0;
    if (root_user) {
        ASSERT_EQ(chown(at("lib").c_str(), 1234, 4321), 0);
    }
    Transaction transaction;
    transaction.make_directory(target("lib/new"));
    expect_done(transaction);
    const FileInfo made = root.info("lib/new").value().value();
    EXPECT_EQ(made.type, FileType::directory);
    EXPECT_EQ(made.mode, 0751U);
    EXPECT_EQ(made.uid, root_user ? 1234U : geteuid());
    EXPECT_EQ(made.gid, root_user ? 4321U : getegid());
}

TEST_F(TransactionTest, ADirectoryBelowAStickyOneIsNotForEverybody) {
    ASSERT_EQ(chmod(at("lib").c_str(), 01777), 0);
    Transaction transaction;
    transaction.make_directory(target("lib/new"));
    transaction.make_directory(target("lib/wanted"), 0750);
    expect_done(transaction);
    EXPECT_EQ(root.info("lib/new").value().value().mode, 0755U);
    EXPECT_EQ(root.info("lib/wanted").value().value().mode, 0750U);
}

TEST_F(TransactionTest, ADirectoryWhoseOwnerCannotBeGivenIsOurOwn) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make a directory of another user";
    ASSERT_EQ(chmod(at("lib").c_str(), 0777), 0);
    test::in_child([this] {
        ASSERT_EQ(setgroups(0, nullptr), 0);
        ASSERT_EQ(setresgid(65534, 65534, 65534), 0);
        ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
        Transaction transaction;
        transaction.make_directory(target("lib/new"));
        expect_done(transaction);
    });
    EXPECT_EQ(root.info("lib/new").value().value().uid, 65534U);
}

TEST_F(TransactionTest, RemovesDirectoriesThatAreEmptyInTheEnd) {
    test::write(at("made/deep/a.js"), "a");
    test::write(at("kept/a.js"), "a");
    test::write(at("kept/theirs"), "theirs");
    Transaction transaction;
    transaction.remove(target("made/deep/a.js"));
    transaction.remove_directory(target("made/deep"));
    transaction.remove_directory(target("made"));
    transaction.remove(target("kept/a.js"));
    transaction.remove_directory(target("kept"));
    transaction.remove_directory(target("none"));
    transaction.remove_directory(target("none/none"));
    transaction.remove_directory(target("gone.js"));
    expect_done(transaction);
    EXPECT_FALSE(test::exists(at("made")));
    EXPECT_EQ(test::read(at("kept/theirs")), "theirs");
    EXPECT_EQ(root.open_directory("kept").value().names().value(), std::vector<std::string>{"theirs"});
    EXPECT_EQ(test::read(at("gone.js")), "stock gone");
}

TEST_F(TransactionTest, TellsADirectoryThatCouldNotBeRemoved) {
    std::filesystem::create_directory(folder / "outside");
    std::filesystem::create_directory(folder / "outside/empty");
    std::filesystem::create_symlink("../outside", at("link"));
    Transaction transaction;
    transaction.remove_directory(target("link/empty"));
    ASSERT_EQ(error_of(transaction.stage()), "no error");
    EXPECT_EQ(transaction.commit().value(), std::vector<std::string>{"link/empty"});
    EXPECT_TRUE(test::exists(folder / "outside/empty"));
}

TEST_F(TransactionTest, AStageThatFailsLeavesNothing) {
    std::filesystem::create_symlink("lib", at("lib-link"));
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    transaction.write(target("new/deep/created.js"), "created", own());
    transaction.write(target("lib-link/other.js"), "created", own());
    EXPECT_EQ(error_of(transaction.stage()),
              "lib-link/other.js: cannot open its directory: too many levels of symbolic links");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, AWriteThatFailsLeavesNothing) {
    const auto before = tree();
    test::in_child([this] {
        rlimit limit{1U << 20U, 1U << 20U};
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
        ASSERT_NE(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
        Transaction transaction;
        rewrite(transaction, "lib/index.js", "patched");
        rewrite(transaction, "lib/second.js", std::string(2U << 20U, 'x'));
        EXPECT_EQ(error_of(transaction.stage()),
                  "lib/second.js: cannot write its new bytes: file too large; raise the limit on file sizes "
                  "(ulimit -f), then run again");
    });
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, ASyncThatFailsLeavesNothing) {
    const auto before = tree();
    test::in_child([this] {
        test::refuse_system_calls({SYS_fsync}, EIO);
        Transaction transaction;
        rewrite(transaction, "lib/index.js", "patched");
        EXPECT_EQ(
            error_of(transaction.stage()),
            "lib/index.js: cannot write its new bytes: input/output error; look at the disk, then run again");
    });
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, AnotherFileThanExpectedIsNotTouched) {
    Transaction transaction;
    rewrite(transaction, "lib/second.js", "patched second");
    rewrite(transaction, "lib/index.js", "patched index");
    test::write(at("stranger"), "stranger's");
    std::filesystem::rename(at("stranger"), at("lib/index.js"));
    const auto before = tree();
    EXPECT_EQ(error_of(transaction.stage()), "lib/index.js: changed while we worked; run again");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, ALinkPutInItsPlaceIsNotFollowed) {
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    std::filesystem::rename(at("lib/index.js"), folder / "outside.js");
    std::filesystem::create_symlink(folder / "outside.js", at("lib/index.js"));
    const auto before = tree();
    EXPECT_EQ(error_of(transaction.stage()), "lib/index.js: changed while we worked; run again");
    EXPECT_EQ(tree(), before);
    EXPECT_EQ(test::read(folder / "outside.js"), "stock index");
}

TEST_F(TransactionTest, AFileThatIsGoneIsNotMadeAgain) {
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    const Target in_new_directory{&root, "none/index.js", "none/index.js", Identity{1, 2}};
    std::filesystem::remove(at("lib/index.js"));
    const auto before = tree();
    EXPECT_EQ(error_of(transaction.stage()), "lib/index.js: changed while we worked; run again");
    Transaction other;
    other.write(in_new_directory, "patched", own());
    EXPECT_EQ(error_of(other.stage()), "none/index.js: changed while we worked; run again");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, AnotherFileBetweenStageAndCommitTakesAllBack) {
    Transaction transaction;
    rewrite(transaction, "lib/second.js", "patched second");
    rewrite(transaction, "lib/index.js", "patched index");
    test::write(folder / "stranger", "stranger's");
    const auto before = tree();
    ASSERT_EQ(error_of(transaction.stage()), "no error");
    std::filesystem::rename(folder / "stranger", at("lib/index.js"));
    const Result<std::vector<std::string>> left = transaction.commit();
    ASSERT_FALSE(left);
    EXPECT_EQ(describe(left.error()), "lib/index.js: changed while we worked; run again");
    EXPECT_EQ(left.error().kind, ErrorKind::io);
    EXPECT_EQ(left.error().details, std::vector<std::string>());
    EXPECT_EQ(test::read(at("lib/index.js")), "stranger's");
    auto after = tree();
    after["lib/index.js"] = before.at("lib/index.js");
    EXPECT_EQ(after, before);
}

TEST_F(TransactionTest, AStepThatFailsTakesTheEarlierOnesBack) {
    std::filesystem::create_hard_link(at("gone.js"), folder / "store.js");
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.remove(target("gone.js"));
    transaction.make_directory(target("new"));
    transaction.make_directory(target("new/deep"));
    transaction.write(target("new/deep/a.js"), "created", own());
    transaction.write(target("new/b.js"), "created", own());
    transaction.write(target("blocked"), "created", own());
    rewrite(transaction, "lib/second.js", "patched second");
    // After the checks somebody makes a directory where a file will be created.
    std::filesystem::create_directory(at("blocked"));
    const Error error = commit_error(transaction);
    EXPECT_EQ(describe(error), "blocked: cannot rename its new bytes over it: file exists");
    EXPECT_EQ(error.details, std::vector<std::string>());
    std::filesystem::remove(at("blocked"));
    EXPECT_EQ(tree(), before);  // with the same inodes
}

TEST_F(TransactionTest, TellsWhereOldAndNewBytesLie) {
    Transaction transaction;
    transaction.make_directory(target("made"));
    rewrite(transaction, "lib/second.js", "patched b");
    transaction.write(target("made/a.js"), "created", own());
    transaction.remove(target("gone.js"));
    EXPECT_EQ(error_of(transaction.stage()), "no error");
    EXPECT_EQ(error_of(transaction.sync_names()), "no error");
    std::vector<std::string> told;
    for (const StagedStep& step : transaction.staged()) {
        told.push_back(fmt::format("{} '{}' {} new '{}' old '{}'", step.path, step.bytes, step.replaces,
                                   step.new_path, step.old_path));
        EXPECT_TRUE(step.new_path.empty() || test::read(at(step.new_path)) == step.bytes);
        EXPECT_TRUE(!step.replaces || test::read(at(step.old_path)) == "stock second");
    }
    EXPECT_EQ(told,
              (std::vector<std::string>{
                  "made '' false new '' old ''",
                  "lib/second.js 'patched b' true new 'lib/.drydock-tmp.1.new' old 'lib/.drydock-tmp.1.old'",
                  "made/a.js 'created' false new '.drydock-tmp.2.new' old ''",
                  "gone.js '' false new '' old '.drydock-tmp.3.old'"}));
    EXPECT_EQ(error_of(transaction.run()), "no error");
    EXPECT_FALSE(transaction.stuck());
    EXPECT_EQ(test::read(at(".drydock-tmp.3.old")), "stock gone");
}

TEST_F(TransactionTest, AFileThatAppearedIsNotReplaced) {
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.write(target("lib/created.js"), "created", own());
    ASSERT_EQ(error_of(transaction.stage()), "no error");
    test::write(at("lib/created.js"), "stranger's");
    const Result<std::vector<std::string>> left = transaction.commit();
    ASSERT_FALSE(left);
    EXPECT_EQ(describe(left.error()), "lib/created.js: cannot rename its new bytes over it: file exists");
    EXPECT_EQ(test::read(at("lib/created.js")), "stranger's");
    std::filesystem::remove(at("lib/created.js"));
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, ADirectoryThatAppearedStopsIt) {
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.make_directory(target("new"));
    std::filesystem::create_directory(at("new"));
    EXPECT_EQ(describe(commit_error(transaction)), "new: cannot make the directory: file exists");
    std::filesystem::remove(at("new"));
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, ADirectoryThatIsStillMissingStopsIt) {
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.write(target("none/a.js"), "created", own());
    EXPECT_EQ(describe(commit_error(transaction)),
              "none/a.js: cannot open its directory: no such file or directory");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, RemovingAnotherFileThanExpectedStopsIt) {
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    transaction.remove(target("gone.js"));
    test::write(at("stranger"), "stranger's");
    std::filesystem::rename(at("stranger"), at("gone.js"));
    const auto before = tree();
    EXPECT_EQ(describe(commit_error(transaction)), "gone.js: changed while we worked; run again");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, WhatCannotBeTakenBackIsSaidAndItsBytesStay) {
    Transaction transaction;
    transaction.remove(target("gone.js"));
    for (int i = 0; i < 100; ++i) transaction.write(target(fmt::format("{}.js", i)), "created", own());
    transaction.write(target("none/a.js"), "created", own());
    // Somebody takes the place as soon as it is free, long before the last step fails.
    std::thread stranger([this] {
        while (test::exists(at("gone.js"))) {
        }
        test::write(at("gone.js"), "stranger's");
    });
    const Error error = commit_error(transaction);
    stranger.join();
    EXPECT_EQ(describe(error), "none/a.js: cannot open its directory: no such file or directory");
    EXPECT_EQ(error.details, std::vector<std::string>{
                                 "gone.js: cannot be taken back: file exists; the next run settles it"});
    EXPECT_TRUE(transaction.stuck());
    EXPECT_EQ(test::read(at("gone.js")), "stranger's");
    EXPECT_EQ(test::read(at(".drydock-tmp.0.old")), "stock gone");
    EXPECT_EQ(root.names().value(), (std::vector<std::string>{".drydock-tmp.0.old", "gone.js", "lib"}));
}

TEST_F(TransactionTest, WhatWasReplacedMeanwhileStaysAndAllElseIsTakenBack) {
    auto before = tree();
    test::write(folder / "stranger", "stranger's");
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched index");
    for (int i = 0; i < 100; ++i) transaction.write(target(fmt::format("{}.js", i)), "created", own());
    // Somebody replaces the file as soon as it is patched, long before the last step.
    std::thread stranger([this] {
        while (test::read(at("lib/index.js")) != "patched index") {
        }
        std::filesystem::rename(folder / "stranger", at("lib/index.js"));
    });
    const Error error = commit_error(transaction);
    stranger.join();
    EXPECT_EQ(describe(error), "lib/index.js: changed while we worked; run again");
    EXPECT_EQ(error.details, std::vector<std::string>());
    EXPECT_EQ(test::read(at("lib/index.js")), "stranger's");
    auto now = tree();
    before.erase("lib/index.js");
    now.erase("lib/index.js");
    EXPECT_EQ(now, before);
}

TEST_F(TransactionTest, WhatWasWrittenToSinceItWasReadIsNotTouched) {
    for (const bool removes : {false, true}) {
        Transaction transaction;
        rewrite(transaction, "lib/second.js", "patched second");
        Target written = target("lib/index.js");
        written.as_read = *root.info("lib/index.js").value();
        if (removes) {
            transaction.remove(written);
        } else {
            transaction.write(written, "patched index", own());
        }
        EXPECT_EQ(error_of(transaction.stage()), "no error");
        test::write(at("lib/index.js"), "in place");
        const Result<std::vector<std::string>> left = transaction.commit();
        ASSERT_FALSE(left);
        EXPECT_EQ(describe(left.error()), "lib/index.js: changed while we worked; run again");
        EXPECT_EQ(test::read(at("lib/index.js")), "in place");
        EXPECT_EQ(test::read(at("lib/second.js")), "stock second");
        EXPECT_EQ(temporaries_in(root.open_directory("lib").value()).value(), std::vector<std::string>());
    }
}

TEST_F(TransactionTest, TellsTemporariesThatStay) {
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    transaction.remove(target("gone.js"));
    ASSERT_EQ(error_of(transaction.stage()), "no error");
    test::in_child([&transaction] {
        test::refuse_system_calls({SYS_unlinkat}, EROFS);
        EXPECT_EQ(transaction.commit().value(),
                  (std::vector<std::string>{"lib/.drydock-tmp.0.old", ".drydock-tmp.1.old"}));
    });
    EXPECT_EQ(test::read(at("lib/index.js")), "patched");
}

TEST_F(TransactionTest, NamesThatStrangersTookArePassedOver) {
    test::write(at("lib/.drydock-tmp.0.new"), "theirs");
    test::write(at("lib/.drydock-tmp.0.old"), "theirs");
    std::filesystem::create_directory(at("lib/.drydock-tmp.0.1.new"));
    std::filesystem::create_directory(at("lib/.drydock-tmp.0.1.old"));
    std::filesystem::create_symlink("nowhere", at("lib/.drydock-tmp.0.2.new"));
    test::write(at(".drydock-tmp.1.old"), "theirs");
    auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    transaction.remove(target("gone.js"));
    expect_done(transaction);
    EXPECT_EQ(test::read(at("lib/index.js")), "patched");
    auto after = tree();
    after.erase("lib/index.js");
    before.erase("lib/index.js");
    before.erase("gone.js");
    EXPECT_EQ(after, before);
}

TEST_F(TransactionTest, GivesUpWhenAllNamesAreTaken) {
    test::write(at("lib/.drydock-tmp.0.new"), "theirs");
    for (int i = 1; i < 100; ++i) test::write(at(fmt::format("lib/.drydock-tmp.0.{}.new", i)), "theirs");
    const auto before = tree();
    Transaction transaction;
    rewrite(transaction, "lib/index.js", "patched");
    EXPECT_EQ(error_of(transaction.stage()), "lib/index.js: cannot write its new bytes: file exists");
    EXPECT_EQ(tree(), before);
}

TEST_F(TransactionTest, TakesTheLongestNames) {
    const std::string first(NAME_MAX, 'a');
    const std::string second = std::string(NAME_MAX - 1, 'a') + "b";
    test::write(at(first), "stock");
    test::write(at(second), "stock");
    const std::string created(NAME_MAX, 'c');
    Transaction write;
    rewrite(write, first, "patched");
    rewrite(write, second, "patched");
    write.write(target(created), "created", own());
    expect_done(write);
    EXPECT_EQ(test::read(at(first)), "patched");
    EXPECT_EQ(test::read(at(created)), "created");
    Transaction remove;
    remove.remove(target(first));
    remove.remove(target(second));
    expect_done(remove);
    EXPECT_FALSE(test::exists(at(first)));
    EXPECT_FALSE(test::exists(at(second)));
}

TEST_F(TransactionTest, WorksWhereLinksAndNewRenamesAreRefused) {
    ASSERT_EQ(chmod(at("lib/index.js").c_str(), 0640), 0);
    for (const int error : {EPERM, ENOSYS}) {
        const auto before = tree_of(folder / "root", false);
        test::in_child([this, error, &before] {
            test::refuse_system_calls({SYS_linkat, SYS_renameat2, SYS_openat2, SYS_statx}, error);
            Transaction fails;
            rewrite(fails, "lib/index.js", "patched index");
            fails.remove(target("gone.js"));
            fails.write(target("blocked"), "created", own());
            std::filesystem::create_directory(at("blocked"));
            EXPECT_EQ(describe(commit_error(fails)),
                      "blocked: cannot rename its new bytes over it: file exists");
            std::filesystem::remove(at("blocked"));
            EXPECT_EQ(tree_of(folder / "root", false), before);

            Transaction works;
            rewrite(works, "lib/index.js", "patched index");
            works.remove(target("gone.js"));
            works.write(target("created.js"), "created", own());
            expect_done(works);
        });
        EXPECT_EQ(test::read(at("lib/index.js")), "patched index");
        EXPECT_EQ(root.names().value(), (std::vector<std::string>{"created.js", "lib"}));
        EXPECT_EQ(attributes("lib/index.js").mode, 0640U);
        std::filesystem::rename(at("created.js"), at("gone.js"));
    }
}

TEST_F(TransactionTest, WorksOnAnOverlayWhereTheFirstChangeGivesAnotherInode) {
    // The layers of an image: linked files in a lower layer are other inodes once they are copied up.
    test::write(folder / "lower/index.js", "stock index");
    test::write(folder / "lower/gone.js", "stock gone");
    // One without other names tells its old identity by its old name even afterwards.
    test::write(folder / "lower/alone.js", "stock alone");
    std::filesystem::create_hard_link(folder / "lower/index.js", folder / "lower/store.js");
    std::filesystem::create_hard_link(folder / "lower/gone.js", folder / "lower/gone-store.js");
    test::in_child([this] {
        const std::string over = folder / "over";
        for (const std::string_view name : {"over", "work"}) std::filesystem::create_directory(folder / name);
        bool mounted = unshare(CLONE_NEWNS) == 0 &&
                       mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("tmpfs", (folder / "work").c_str(), "tmpfs", 0, nullptr) == 0;
        for (const std::string_view name : {"work/upper", "work/work"})
            std::filesystem::create_directory(folder / name);
        const std::string options = "lowerdir=" + (folder / "lower") +
                                    ",upperdir=" + (folder / "work/upper") +
                                    ",workdir=" + (folder / "work/work");
        mounted = mounted && mount("overlay", over.c_str(), "overlay", 0, options.c_str()) == 0;
        if (!mounted) GTEST_SKIP() << "no overlay can be mounted here";
        const Directory top = Directory::open(over).value();
        const auto on_overlay = [&top](const std::string& path) {
            return Target{&top, path, path, top.info(path).value().value().identity};
        };
        Transaction transaction;
        transaction.write(on_overlay("index.js"), "patched index", own());
        transaction.write(on_overlay("alone.js"), "patched alone", own());
        transaction.remove(on_overlay("gone.js"));
        expect_done(transaction);
        EXPECT_EQ(test::read(over + "/index.js"), "patched index");
        EXPECT_EQ(test::read(over + "/alone.js"), "patched alone");
        EXPECT_EQ(test::read(folder / "lower/alone.js"), "stock alone");
        EXPECT_EQ(top.names().value(),
                  (std::vector<std::string>{"alone.js", "gone-store.js", "index.js", "store.js"}));
    });
}

TEST_F(TransactionTest, NeedsFewDescriptorsForManyFiles) {
    test::in_child([this] {
        rlimit limit{64, 64};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
        Transaction transaction;
        for (int i = 0; i < 100; ++i)
            transaction.write(target(fmt::format("lib/{}.js", i)), "created", own());
        expect_done(transaction);
    });
    EXPECT_EQ(test::read(at("lib/99.js")), "created");
}

TEST_F(TransactionTest, RaisesTheSoftLimitForManyDirectories) {
    test::in_child([this] {
        rlimit limit{};
        ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
        ASSERT_GE(limit.rlim_max, 300U);
        limit.rlim_cur = 64;
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
        Transaction transaction;
        for (int i = 0; i < 100; ++i) {
            std::filesystem::create_directory(at(fmt::format("{}", i)));
            transaction.write(target(fmt::format("{}/a.js", i)), "created", own());
        }
        expect_done(transaction);
    });
    EXPECT_EQ(test::read(at("99/a.js")), "created");
}

TEST_F(TransactionTest, LeavesNoDescriptorOpen) {
    const auto open_descriptors = [] { return Directory::open("/proc/self/fd").value().names().value(); };
    const std::vector<std::string> before = open_descriptors();
    {
        Transaction transaction;
        rewrite(transaction, "lib/index.js", "patched");
        transaction.remove(target("gone.js"));
        transaction.make_directory(target("new"));
        transaction.write(target("none/a.js"), "created", own());
        EXPECT_FALSE(describe(commit_error(transaction)).empty());
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(TransactionTest, FindsAndRemovesTemporariesButNoDirectories) {
    test::write(at("lib/.drydock-tmp.0.new"), "left");
    test::write(at("lib/.drydock-tmp.7.3.old"), "left");
    test::write(at("lib/.drydock-tmp"), "not ours");
    test::write(at("lib/.drydock-tmp.directory/file"), "not ours");
    std::filesystem::create_symlink("index.js", at("lib/.drydock-tmp.link"));
    const Directory lib = root.open_directory("lib").value();
    EXPECT_EQ(temporaries_in(lib).value(),
              (std::vector<std::string>{".drydock-tmp.0.new", ".drydock-tmp.7.3.old",
                                        ".drydock-tmp.directory", ".drydock-tmp.link"}));
    EXPECT_TRUE(remove_temporaries(lib));
    EXPECT_EQ(lib.names().value(),
              (std::vector<std::string>{".drydock-tmp", ".drydock-tmp.directory", "index.js", "second.js"}));
    EXPECT_EQ(test::read(at("lib/.drydock-tmp.directory/file")), "not ours");
    EXPECT_EQ(test::read(at("lib/index.js")), "stock index");
    EXPECT_TRUE(remove_temporaries(lib));
}

TEST(CannotKeep, NamesWhatAnotherUserCannotGive) {
    test::in_child([] {
        if (geteuid() == 0) {
            EXPECT_EQ(cannot_keep({0600, 1234, 4321, {{"trusted.a", "1"}, {"security.capability", "x"}}}),
                      std::nullopt);
            ASSERT_EQ(setgroups(0, nullptr), 0);
            ASSERT_EQ(setresgid(65534, 65534, 65534), 0);
            ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
        }
        const uid_t user = geteuid();
        const gid_t group = getegid();
        const auto with = [user, group](const std::string& name) {
            return cannot_keep({0644, user, group, {{name, "value"}}});
        };
        EXPECT_EQ(cannot_keep({0644, user, group, {}}), std::nullopt);
        EXPECT_EQ(cannot_keep({0644, 0, group, {}}), "owner 0");
        EXPECT_EQ(cannot_keep({0644, user, 0, {}}), "group 0");
        EXPECT_EQ(with("user.origin"), std::nullopt);
        EXPECT_EQ(with("trusted.origin"), "attribute trusted.origin");
        EXPECT_EQ(with("security.capability"), "attribute security.capability");
        EXPECT_EQ(with("security.ima"), "attribute security.ima");
        EXPECT_EQ(with("security.selinux"), std::nullopt);
        EXPECT_EQ(with("system.posix_acl_access"), std::nullopt);
    });
}

}  // namespace
}  // namespace drydock::base
