// A kill -9 at every system call of a run: no file is ever between stock and patched, and the next run ends
// what was begun (design, rule 6.2).
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

using Setup = std::function<void(Workshop&)>;
using Words = std::vector<std::string>;

const Words apply{"apply"};
const Words revert{"revert"};
const Words revert_all{"revert", "--all"};

/// A shop at the beginning of a run, and what the two runs make of it undisturbed.
class Scene {
  public:
    Scene(const Setup& setup, const Words& command) : command_(command) {
        setup(shop_);
        start_ = std::make_unique<Kept>(shop_);
        for (const Words& next : {apply, revert, revert_all}) {
            start_->put_back();
            EXPECT_EQ(inject_nothing(command), 0);
            EXPECT_EQ(inject_nothing(next), 0);
            ends_[next] = tree(shop_);
        }
        start_->put_back();
        calls_ = trace(shop_, command);
    }

    [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

    /// Kills the run at a call, looks at what lies there, and has another run end it.
    void kill_at(const Call& call, const Words& next) {
        start_->put_back();
        const std::string where = fmt::format("{} killed at {} ({}), then {}", command_.front(), call.text,
                                              call.ordinal, fmt::join(next, " "));
        const base::ProcessOutcome killed = inject(shop_, command_, {at(call, "signal=KILL")});
        EXPECT_EQ(killed.exit_code, 128 + 9) << where << killed.output << killed.errors;
        expect_settled_files(where);
        const std::string told = told_plainly(shop_, next);
        EXPECT_EQ(told.substr(told.rfind("exit ")), "exit 0\n") << where << "\n" << told;
        EXPECT_EQ(tree(shop_), ends_.at(next)) << where << "\n" << told;
    }

  private:
    int inject_nothing(const Words& words) { return shop_.drydock(words).exit_code; }

    void expect_settled_files(const std::string& where) {
        const std::map<std::string, std::string> states = file_states(shop_);
        for (const auto& [file, state] : states) EXPECT_NE(state, "unknown") << where << ": " << file;
        // At no moment is a provider ahead of its core.
        const auto provider = states.find("@demo/provider: lib/index.js");
        if (provider != states.end() && provider->second == "patched") {
            EXPECT_NE(states.at("@demo/core: lib/index.js"), "stock") << where;
        }
        // A renamed file has at least one of its names.
        const std::string renamed = shop_ / "image/node_modules/changeable/lib/";
        if (states.count("changeable: lib/a.js") > 0) {
            EXPECT_TRUE(exists(renamed + "old-name.js") || exists(renamed + "new-name.js")) << where;
        }
    }

    Words command_;
    Workshop shop_;
    std::unique_ptr<Kept> start_;
    std::map<Words, std::map<std::string, std::string>> ends_;
    std::vector<Call> calls_;
};

/// Every call in turn, two at a time. At the calls that change files both kinds of next run are tried, at
/// the others they take turns.
void kill_at_every_call(const Setup& setup, const Words& command) {
    const TemporariesInMemory memory;
    std::vector<std::unique_ptr<Scene>> scenes;
    for (int i = 0; i < 2; ++i) scenes.push_back(std::make_unique<Scene>(setup, command));
    ASSERT_EQ(scenes[0]->calls().size(), scenes[1]->calls().size());
    std::atomic<std::size_t> next{0};
    std::atomic<int> kills{0};
    const auto work = [&](Scene& scene) {
        for (std::size_t i = next++; i < scene.calls().size(); i = next++) {
            const Call& call = scene.calls()[i];
            const bool both = may_change_files(call);
            if (both || i % 2 == 0) scene.kill_at(call, apply);
            if (both || i % 2 == 1) scene.kill_at(call, i % 4 < 2 ? revert : revert_all);
            kills += both ? 2 : 1;
        }
    };
    std::thread other(work, std::ref(*scenes[1]));
    work(*scenes[0]);
    other.join();
    testing::Test::RecordProperty("kills", kills.load());
    fmt::print("{} kills at {} calls\n", kills.load(), scenes[0]->calls().size());
}

/// All that a patch can do to files, with attributes that a new file does not have of itself.
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

void one_of_every_change(Workshop& shop) {
    shop.roots.pop_back();
    shop.packages = {changeable_package()};
    shop.write_set();
    const std::string directory = shop.install(shop.packages[0]);
    if (geteuid() != 0) return;
    run({"chown", "-R", "1000:1000", directory + "/lib"});
    run({"chmod", "0640", directory + "/lib/gone.js"});
}

void core_with_provider(Workshop& shop) {
    install_core_and_provider(shop);
    shop.write_set();
}

/// Revision 1 lies there, applied by its own set; the set is at revision 2 now.
void first_revision(Workshop& shop) {
    install_core_and_provider(shop);
    shop.write_set();
    EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    shop.revision = 2;
    for (SetPackage& package : shop.packages) {
        SetFile& file = package.files.front();
        package.others.push_back({"revision 1", 1, {{file.path, *file.patched}}, package.provides});
        *file.patched += "// and more in revision 2\n";
    }
    shop.write_set();
}

Setup applied(const Setup& setup) {
    return [setup](Workshop& shop) {
        setup(shop);
        EXPECT_EQ(shop.drydock({"apply"}).exit_code, 0);
    };
}

TEST(Crash, ApplyOfCoreAndProvider) {
    kill_at_every_call(core_with_provider, apply);
}

TEST(Crash, RevertOfCoreAndProvider) {
    kill_at_every_call(applied(core_with_provider), revert);
}

TEST(Crash, ApplyOfFilesCreatedDeletedRenamedAndMadeExecutable) {
    kill_at_every_call(one_of_every_change, apply);
}

TEST(Crash, RevertOfFilesCreatedDeletedRenamedAndMadeExecutable) {
    kill_at_every_call(applied(one_of_every_change), revert);
}

TEST(Crash, ApplyOfAnotherRevision) {
    kill_at_every_call(first_revision, apply);
}

TEST(Crash, RevertByReceiptsAlone) {
    kill_at_every_call(applied(one_of_every_change), revert_all);
}

TEST(Crash, RevertFromAnotherRevision) {
    kill_at_every_call(first_revision, revert);
}

}  // namespace
}  // namespace drydock::test
