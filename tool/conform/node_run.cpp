#include "conform/node_run.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <fmt/format.h>

#include "base/process.hpp"
#include "conform/scripts.hpp"

namespace drydock::conform {
namespace {

using base::ErrorKind;
using base::Result;

constexpr std::chrono::minutes time_limit{10};
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
    std::vector<std::string> command = {node, fmt::format("{}/{}", folder, script)};
    command.insert(command.end(), words.begin(), words.end());
    base::ProcessOptions process;
    process.time_limit = time_limit;
    process.unset = {"NODE_OPTIONS", "NODE_PATH"};
    const Result<base::ProcessOutcome> outcome = base::run_process(command, process);
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
    if (run.exit_code == 0) return run;
    run.end = run.exit_code == code_cannot_load ? NodeRun::End::cannot_load
              : run.exit_code == code_gave_up   ? NodeRun::End::gave_up
                                                : NodeRun::End::failed;
    run.reason = outcome->timed_out ? "ran for longer than 600 s" : reason_in(outcome->errors);
    return run;
}

}  // namespace drydock::conform
