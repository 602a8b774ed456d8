#include "conform/node_run.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/process.hpp"
#include "conform/scripts.hpp"

namespace drydock::conform {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::chrono::minutes time_limit{10};
constexpr std::chrono::seconds time_to_tell_a_version{60};
constexpr std::size_t most_printed_mib = 64;
constexpr std::uint64_t largest_answer = std::uint64_t{1} << 32U;
// giveUp of packages.mjs: on a package, or on what it holds.
constexpr int code_cannot_load = 3;
constexpr int code_gave_up = 4;

/// The line in which node says what went wrong: the first that names an error, else the last.
std::string reason_in(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t error = std::min(text.find("Error: "), text.find("Error ["));
    const std::size_t at = error == std::string_view::npos ? text.size() : error;
    const std::size_t feed = text.rfind('\n', at);
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    return std::string(text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin));
}

base::ProcessOptions bounded(std::chrono::milliseconds time) {
    base::ProcessOptions options;
    options.time_limit = time;
    options.output_limit = most_printed_mib << 20U;
    options.unset = {"NODE_OPTIONS", "NODE_PATH"};
    return options;
}

/// Whether a program tells a version as node does: `v20.6.0`.
bool is_node(const std::string& program) {
    const Result<base::ProcessOutcome> told =
        base::run_process({program, "--version"}, bounded(time_to_tell_a_version));
    return told && told->exit_code == 0 && told->output.size() > 1 && told->output[0] == 'v' &&
           told->output[1] >= '0' && told->output[1] <= '9';
}

/// Why we ended it; empty: we did not.
std::string why_stopped(const base::ProcessOutcome& outcome) {
    if (outcome.printed_too_much) return fmt::format("node printed more than {} MiB", most_printed_mib);
    if (outcome.timed_out) return fmt::format("node ran for longer than {} minutes", time_limit.count());
    return {};
}

/// The answer of a script that ended well.
Result<NodeRun> with_answer(const std::string& node, const std::string& file) {
    NodeRun run;
    if (access(file.c_str(), F_OK) == 0) {
        Result<std::string> answer = base::read_file(file, largest_answer);
        if (!answer) return base::fail(answer.error());
        run.answer = *std::move(answer);
        return run;
    }
    if (!is_node(node)) {
        return base::fail(
            ErrorKind::io,
            fmt::format("{} gave no answer, and is not node; --node wants node, from 20.6 on", node));
    }
    run.end = NodeRun::End::no_answer;
    run.reason = "node ended without an answer";
    return run;
}

}  // namespace

base::Error about(std::string_view package, ErrorKind kind, std::string message) {
    base::Error error;
    error.kind = kind;
    error.package = package;
    error.message = std::move(message);
    return error;
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    if (!file.flush()) return base::fail(ErrorKind::io, "cannot write " + path);
    return {};
}

Result<void> write_scripts(const std::string& folder) {
    for (const Script& script : scripts) {
        if (Result<void> done = write_file(fmt::format("{}/{}", folder, script.name), script.text); !done)
            return done;
    }
    return {};
}

Result<NodeRun> run_node(const std::string& node, const std::string& folder, std::string_view script,
                         const std::vector<std::string>& words) {
    const std::string answer = folder + "/answer";
    unlink(answer.c_str());  // of the run before
    std::vector<std::string> command = {node, fmt::format("{}/{}", folder, script)};
    command.insert(command.end(), words.begin(), words.end());
    command.push_back(answer);
    const Result<base::ProcessOutcome> outcome = base::run_process(command, bounded(time_limit));
    if (const int signal = base::interrupted_by(); signal != 0) {
        return base::fail(ErrorKind::io,
                          fmt::format("interrupted by signal {} before all was verified", signal));
    }
    if (!outcome) {
        return base::fail(
            ErrorKind::io,
            fmt::format("{}; verify needs node, from 20.6 on: install it, or name it with --node",
                        outcome.error().message));
    }
    NodeRun run;
    run.exit_code = outcome->exit_code;
    run.reason = why_stopped(*outcome);
    if (!run.reason.empty()) {
        run.end = NodeRun::End::stopped;
        return run;
    }
    if (run.exit_code == 0) return with_answer(node, answer);
    run.end = run.exit_code == code_cannot_load ? NodeRun::End::cannot_load
              : run.exit_code == code_gave_up   ? NodeRun::End::gave_up
                                                : NodeRun::End::failed;
    run.reason = reason_in(outcome->errors);
    return run;
}

}  // namespace drydock::conform
