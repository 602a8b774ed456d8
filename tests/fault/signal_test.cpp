#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/workshop.hpp"

namespace drydock::test {
namespace {

/// strace sends the signal when the first rename is made: twenty files would be left half done.
TEST(Signals, AHandMadePatchIsAllOrNothingForWhoeverStopsIt) {
    for (const char* signal : {"INT", "TERM", "HUP"}) {
        const TemporaryDirectory directory;
        std::vector<SetFile> files;
        for (int i = 10; i < 30; ++i) {
            files.push_back({"f" + std::to_string(i), numbered_lines("old", 5), numbered_lines("new", 5)});
            write(directory / "tree/" + files.back().path, *files.back().stock);
        }
        write(directory / "p", make_patch(files));
        const base::ProcessOutcome outcome =
            run({"strace", "-o", directory / "trace", "-e",
                 std::string("inject=renameat,renameat2:signal=") + signal + ":when=1", drydock(), "patch",
                 "-d", directory / "tree", directory / "p"});
        EXPECT_NE(outcome.exit_code, 0) << signal << " did end it";
        EXPECT_EQ(litter(directory.path()), std::vector<std::string>());
        for (const SetFile& file : files)
            EXPECT_EQ(read(directory / "tree/" + file.path), *file.patched) << signal;
    }
}

}  // namespace
}  // namespace drydock::test
