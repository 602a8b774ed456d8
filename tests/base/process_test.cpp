#include "base/process.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "base/directory.hpp"
#include "tests/support/support.hpp"

namespace drydock::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::string much(std::size_t{4} << 20U, 'x');  // a pipe holds 64 KiB

ProcessOutcome shell(const std::string& script, const ProcessOptions& options = {}) {
    return test::run({"sh", "-c", script}, options);
}

/// Soon gone, or only waiting for its parent to take note (`PID (sleep) Z ...`): a signal takes a moment.
bool runs_no_more(const std::string& pid) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const Result<std::string> state = read_file("/proc/" + pid + "/stat", 4096);
        if (!state || state->find(") Z ") != std::string::npos) return true;
        std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
}

TEST(Process, GivesOutputErrorsAndExitCode) {
    const ProcessOutcome outcome = shell("printf out; printf err >&2; exit 3");
    EXPECT_EQ(outcome.output, "out");
    EXPECT_EQ(outcome.errors, "err");
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_FALSE(outcome.timed_out);
}

TEST(Process, CarriesMoreThanAPipeHoldsBothWays) {
    ProcessOptions options;
    options.input = much;
    const ProcessOutcome outcome = shell("tee /dev/stderr", options);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.output == much) << outcome.output.size();
    EXPECT_TRUE(outcome.errors == much) << outcome.errors.size();
}

TEST(Process, OutlivesAProgramThatReadsNoInput) {
    ProcessOptions options;
    options.input = much;
    const ProcessOutcome outcome = shell("exec <&-; exit 5", options);
    EXPECT_EQ(outcome.exit_code, 5);
}

TEST(Process, NoInputIsAnEmptyOne) {
    EXPECT_EQ(shell("cat; echo end").output, "end\n");
}

TEST(Process, TellsTheSignalThatEndedIt) {
    EXPECT_EQ(shell("kill -9 $$").exit_code, 128 + SIGKILL);
    // Ours is to ignore a broken pipe, its is not.
    EXPECT_EQ(shell("kill -PIPE $$").exit_code, 128 + SIGPIPE);
}

TEST(Process, LeavesOurSignalsAsTheyWere) {
    shell("true");
    struct sigaction now {};
    ASSERT_EQ(sigaction(SIGPIPE, nullptr, &now), 0);
    EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST(Process, TheTimeLimitEndsItsWholeGroup) {
    ProcessOptions options;
    options.time_limit = milliseconds(300);
    const auto start = steady_clock::now();
    const ProcessOutcome outcome = shell("sleep 60 & echo $!; wait", options);
    EXPECT_LT(steady_clock::now() - start, milliseconds(20'000));
    EXPECT_TRUE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
    ASSERT_FALSE(outcome.output.empty());
    EXPECT_TRUE(runs_no_more(outcome.output.substr(0, outcome.output.size() - 1)));
}

TEST(Process, TheTimeLimitHoldsWhenItsOutputsAreClosed) {
    ProcessOptions options;
    options.time_limit = milliseconds(300);
    const auto start = steady_clock::now();
    const ProcessOutcome outcome = shell("exec >&- 2>&-; sleep 60", options);
    EXPECT_LT(steady_clock::now() - start, milliseconds(20'000));
    EXPECT_TRUE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
}

TEST(Process, ATimeLimitNotReachedChangesNothing) {
    ProcessOptions options;
    options.time_limit = milliseconds(60'000);
    const ProcessOutcome outcome = shell("exec >&- 2>&-; sleep 0.1; exit 4", options);
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 4);
}

TEST(Process, TheOutputLimitEndsItsWholeGroup) {
    ProcessOptions options;
    options.output_limit = std::size_t{1} << 20U;
    for (const char* script : {"sleep 60 & echo $! >&2; exec yes", "sleep 60 & echo $!; exec yes >&2"}) {
        const ProcessOutcome outcome = shell(script, options);
        EXPECT_TRUE(outcome.printed_too_much);
        EXPECT_FALSE(outcome.timed_out);
        EXPECT_EQ(outcome.exit_code, 128 + SIGKILL);
        const bool out_is_long = outcome.output.size() > outcome.errors.size();
        EXPECT_LE((out_is_long ? outcome.output : outcome.errors).size(), (std::size_t{1} << 20U) + 65'536);
        const std::string& pid = out_is_long ? outcome.errors : outcome.output;
        ASSERT_FALSE(pid.empty());
        EXPECT_TRUE(runs_no_more(pid.substr(0, pid.size() - 1)));
    }
}

TEST(Process, AnOutputLimitNotReachedChangesNothing) {
    ProcessOptions options;
    options.output_limit = much.size();
    options.input = much;
    const ProcessOutcome outcome = shell("tee /dev/stderr", options);
    EXPECT_FALSE(outcome.printed_too_much);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.output == much) << outcome.output.size();
}

TEST(Process, RunsInItsDirectory) {
    const test::TemporaryDirectory folder;
    ProcessOptions options;
    options.directory = folder.path();
    EXPECT_EQ(shell("pwd -P", options).output, real_path(folder.path()).value() + "\n");
}

TEST(Process, ChangesItsEnvironmentOnly) {
    ASSERT_EQ(setenv("DRYDOCK_TEST_A", "ours", 1), 0);
    ASSERT_EQ(setenv("DRYDOCK_TEST_B", "ours", 1), 0);
    ASSERT_EQ(setenv("DRYDOCK_TEST_C", "ours", 1), 0);
    ProcessOptions options;
    options.environment = {{"DRYDOCK_TEST_A", ""}, {"DRYDOCK_TEST_D", "a=b"}};
    options.unset = {"DRYDOCK_TEST_B"};
    const std::string script =
        "echo ${DRYDOCK_TEST_A-unset} ${DRYDOCK_TEST_B-unset} $DRYDOCK_TEST_C $DRYDOCK_TEST_D";
    EXPECT_EQ(shell("printf %s \"[${DRYDOCK_TEST_A-unset}]\"", options).output, "[]");
    EXPECT_EQ(shell(script, options).output, "unset ours a=b\n");
    EXPECT_STREQ(getenv("DRYDOCK_TEST_A"), "ours");
}

TEST(Process, SaysWhichProgramIsMissing) {
    const Result<ProcessOutcome> missing = run_process({"drydock-no-such-program", "--help"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::io);
    EXPECT_EQ(describe(missing.error()), "cannot run drydock-no-such-program: no such file or directory");
}

TEST(Process, SaysWhereItCouldNotRun) {
    const test::TemporaryDirectory folder;
    ProcessOptions options;
    options.directory = folder / "gone";
    const Result<ProcessOutcome> failed = run_process({"true"}, options);
    ASSERT_FALSE(failed);
    EXPECT_EQ(describe(failed.error()),
              "cannot run true in " + options.directory + ": no such file or directory");
}

TEST(Process, NeedsACommand) {
    const Result<ProcessOutcome> none = run_process({});
    ASSERT_FALSE(none);
    EXPECT_EQ(describe(none.error()), "no command to run");
}

TEST(Process, LeavesNoDescriptorOpen) {
    const auto open_descriptors = [] { return Directory::open("/proc/self/fd").value().names().value(); };
    const std::vector<std::string> before = open_descriptors();
    shell("true");
    EXPECT_FALSE(run_process({"drydock-no-such-program"}));
    EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace drydock::base
