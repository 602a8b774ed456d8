#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace drydock::base {

struct ProcessOptions {
    std::string directory;  ///< working directory; empty: ours
    std::vector<std::pair<std::string, std::string>>
        environment;                                      ///< added to ours; an empty value is set empty
    std::vector<std::string> unset;                       ///< names taken out of it
    std::string input;                                    ///< what it reads on standard input
    std::optional<std::chrono::milliseconds> time_limit;  ///< then it and its group are killed
    std::optional<std::size_t> output_limit;              ///< of each of both outputs, likewise
    std::string log;  ///< absolute path of a file that both outputs are appended to, instead of being given
                      ///< back; empty: none
};

struct ProcessOutcome {
    int exit_code{0};  ///< or 128 plus the signal that ended it
    bool timed_out{false};
    bool printed_too_much{false};
    std::string output;
    std::string errors;
};

/// Runs a program without a shell, found on PATH, and waits for it. An io Error when it cannot be started, or
/// when we were interrupted, before or meanwhile.
Result<ProcessOutcome> run_process(const std::vector<std::string>& command,
                                   const ProcessOptions& options = {});

/// From here on SIGHUP, SIGINT and SIGTERM (those that are not ignored) kill the program that run_process
/// waits for, with its group, and leave us running, so that what was begun can be cleaned away. One
/// more, a second later or after that, ends us at once.
void catch_interruptions();

/// The signal that came since then, 0 for none.
int interrupted_by();

}  // namespace drydock::base
