// A kill -9 at every system call of `drydock patch`: no file is ever between, the next run ends or takes back
// what was begun, and no litter stays (design, rule 6.2).
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

constexpr const char* every_kind_of_change =
    "--- a/one\n+++ b/one\n@@ -1 +1 @@\n-one\n+ONE\n"
    "--- a/lib/two\n+++ b/lib/two\n@@ -1 +1 @@\n-two\n+TWO\n"
    "diff --git a/lib/run b/lib/run\nold mode 100644\nnew mode 100755\n"
    "diff --git a/new/deep/made b/new/deep/made\nnew file mode 100644\n--- /dev/null\n+++ b/new/deep/made\n"
    "@@ -0,0 +1 @@\n+made\n"
    "diff --git a/gone/deep/away b/gone/deep/away\ndeleted file mode 100644\n--- a/gone/deep/away\n"
    "+++ /dev/null\n@@ -1 +0,0 @@\n-away\n"
    "diff --git a/lib/from b/lib/to\nsimilarity index 100%\nrename from lib/from\nrename to lib/to\n";

/// A tree in a workshop's root `image`, and a patch for it.
class PatchScene {
  public:
    explicit PatchScene(const std::string& patch) {
        for (const char* name : {"one", "lib/two", "lib/run", "gone/deep/away", "lib/from", "other"}) {
            const std::string path(name);
            write(shop_ / ("image/" + path), path.substr(path.rfind('/') + 1) + "\n");
        }
        EXPECT_EQ(chmod((shop_ / "image/lib/two").c_str(), 0640), 0);
        write(shop_ / "profile/nothing", "");
        write(shop_ / "the.patch", patch);
        write(shop_ / "other.patch", "--- a/other\n+++ b/other\n@@ -1 +1 @@\n-other\n+OTHER\n");
        start_ = std::make_unique<Kept>(shop_);
        before_ = tree(shop_);
        EXPECT_EQ(told_plainly(shop_, command()).substr(0, 8), "patched ");
        after_ = tree(shop_);
        start_->put_back();
        calls_ = trace(shop_, command());
    }

    [[nodiscard]] std::vector<std::string> command(const std::string& patch = "the.patch") const {
        return {"patch", "-d", shop_ / "image", shop_ / patch};
    }
    [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
    [[nodiscard]] const Workshop& shop() const { return shop_; }

    void kill_at(const Call& call) {
        start_->put_back();
        const base::ProcessOutcome killed = inject(shop_, command(), {at(call, "signal=KILL")});
        EXPECT_EQ(killed.exit_code, 128 + 9) << call.text << killed.output << killed.errors;
    }

    /// The same again: it is done then.
    void expect_same_again_ends_it(const Call& call) {
        kill_at(call);
        const bool done = tree(shop_) == after_;
        const std::string told = told_plainly(shop_, command());
        // A run that was cut short after its last step has nothing to end, and a patch is not put on twice.
        EXPECT_EQ(told.substr(told.rfind("exit ")), done ? "exit 5\n" : "exit 0\n") << call.text << told;
        EXPECT_EQ(tree(shop_), after_) << call.text << "\n" << told;
    }

    /// Another patch: it settles what was begun.
    void expect_other_settles_it(const Call& call) {
        kill_at(call);
        const std::string told = told_plainly(shop_, command("other.patch"));
        EXPECT_EQ(told.substr(told.rfind("exit ")), "exit 0\n") << call.text << told;
        EXPECT_EQ(read(shop_ / "image/other"), "OTHER\n");
        write(shop_ / "image/other", "other\n");
        const std::map<std::string, std::string> now = tree(shop_);
        EXPECT_TRUE(now == before_ || now == after_) << call.text << "\n" << told;
    }

    /// Somebody changed a file since: what was begun is taken back, or was ended, but for that file.
    void expect_taken_back_around_a_drifted_file(const Call& call) {
        kill_at(call);
        write(shop_ / "image/lib/two", "mine\n");
        const std::string told = told_plainly(shop_, command("other.patch"));
        EXPECT_EQ(told.substr(told.rfind("exit ")), "exit 0\n") << call.text << told;
        EXPECT_EQ(read(shop_ / "image/lib/two"), "mine\n");
        write(shop_ / "image/other", "other\n");
        std::map<std::string, std::string> now = tree(shop_);
        std::map<std::string, std::string> before = before_;
        std::map<std::string, std::string> after = after_;
        for (auto* each : {&now, &before, &after}) each->erase("image/lib/two");
        EXPECT_TRUE(now == before || now == after) << call.text << "\n" << told;
    }

  private:
    Workshop shop_;
    std::unique_ptr<Kept> start_;
    std::map<std::string, std::string> before_;
    std::map<std::string, std::string> after_;
    std::vector<Call> calls_;
};

TEST(PatchCrash, ARunThatIsKilledAtAnyCallIsEndedByTheNext) {
    const TemporariesInMemory memory;
    PatchScene scene(every_kind_of_change);
    for (const Call& call : scene.calls()) {
        if (may_change_files(call)) scene.expect_same_again_ends_it(call);
    }
}

TEST(PatchCrash, AnotherPatchSettlesWhatWasBegunFirst) {
    const TemporariesInMemory memory;
    PatchScene scene(every_kind_of_change);
    for (const Call& call : scene.calls()) {
        if (may_change_files(call)) scene.expect_other_settles_it(call);
    }
}

TEST(PatchCrash, AFileThatDriftedSinceStaysAndTheOthersAgree) {
    const TemporariesInMemory memory;
    PatchScene scene(every_kind_of_change);
    for (const Call& call : scene.calls()) {
        if (may_change_files(call)) scene.expect_taken_back_around_a_drifted_file(call);
    }
}

TEST(PatchCrash, AChangeOfOneFileLeavesNoLitterEither) {
    const TemporariesInMemory memory;
    PatchScene scene("--- a/one\n+++ b/one\n@@ -1 +1 @@\n-one\n+ONE\n");
    for (const Call& call : scene.calls()) {
        if (may_change_files(call)) scene.expect_other_settles_it(call);
    }
}

/// The n-th call that renames.
const Call& rename_of(const PatchScene& scene, std::size_t n) {
    for (const Call& call : scene.calls()) {
        if (call.name.starts_with("rename") && n-- == 0) return call;
    }
    ADD_FAILURE() << "no such rename";
    return scene.calls().front();
}

TEST(PatchCrash, TheNextRunSaysWhatItSettled) {
    PatchScene scene(every_kind_of_change);
    scene.kill_at(rename_of(scene, 2));
    std::vector<std::string> dry = scene.command();
    dry.emplace_back("--dry-run");
    EXPECT_EQ(
        told_plainly(scene.shop(), dry),
        "drydock: .drydock-patch-journal: a run of drydock patch is under way here, or was cut short; run "
        "it without --dry-run, which settles that first\nexit 6\n");
    EXPECT_EQ(told_plainly(scene.shop(), scene.command()),
              "patched one\npatched lib/two\npatched lib/run\ncreated new/deep/made\nremoved gone/deep/away\n"
              "removed lib/from\ncreated lib/to\n"
              "drydock: note: ended what an earlier run began and was cut short in: one, lib/two, lib/run, "
              "and 4 more\nexit 0\n");
    scene.kill_at(rename_of(scene, 2));
    write(scene.shop() / "image/one", "mine\n");
    EXPECT_EQ(told_plainly(scene.shop(), scene.command("other.patch")),
              "patched other\ndrydock: note: took back what an earlier run began and was cut short in: one, "
              "lib/two, lib/run, and 4 more; left alone, since changed by somebody else: one\nexit 0\n");
    scene.kill_at(rename_of(scene, 0));
    for (const std::string& path : litter(scene.shop() / "image")) {
        run({"rm", "-r", scene.shop() / ("image/" + path)});
    }
    EXPECT_EQ(told_plainly(scene.shop(), scene.command("other.patch")),
              "patched other\ndrydock: note: took back what an earlier run began and was cut short in: one, "
              "lib/two, lib/run, and 4 more\n"
              "exit 0\n");
    scene.kill_at(rename_of(scene, 2));
    run({"find", scene.shop() / "image", "-name", ".drydock-tmp.*", "-delete"});
    EXPECT_EQ(
        told_plainly(scene.shop(), scene.command("other.patch")),
        "drydock: .drydock-patch-journal: tells of a run that was cut short, and can be neither ended nor "
        "taken back, since its temporary files are gone; put its files in order by hand, then remove "
        "it\nexit 6\n");
    write(scene.shop() / "image/.drydock-patch-journal", "hello\n");
    EXPECT_EQ(told_plainly(scene.shop(), scene.command("other.patch")),
              "drydock: .drydock-patch-journal: is no journal of drydock patch; move it away\nexit 6\n");
    if (geteuid() != 0) return;
    run({"chown", "65534", scene.shop() / "image/.drydock-patch-journal"});
    EXPECT_EQ(told_plainly(scene.shop(), scene.command("other.patch")),
              "drydock: .drydock-patch-journal: is of user 65534, whose run was cut short here; run drydock "
              "patch as that user first\nexit 6\n");
}

}  // namespace
}  // namespace drydock::test
