#include "rebuild/steps.hpp"

#include <algorithm>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directory.hpp"
#include "base/process.hpp"
#include "rebuild/stopwatch.hpp"

namespace drydock::rebuild {
namespace {

using base::Result;

constexpr std::size_t shown_lines = 12;
constexpr std::size_t longest_shown_line = 300;
constexpr std::streamoff tail_bytes = 16'384;

/// What a person's shell may have set, and would change what is built.
const std::vector<std::string> unwanted_variables{"NODE_OPTIONS", "NODE_PATH",     "NODE_ENV",
                                                  "GIT_DIR",      "GIT_WORK_TREE", "GIT_INDEX_FILE"};

std::string quoted_for_reading(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') ||
               std::string_view("-_./=:@+,").find(letter) != std::string::npos;
    });
    return plain ? word : "'" + word + "'";
}

/// Gives where the log ends then.
std::streamoff note_in_log(const std::string& log, const std::string& text) {
    std::ofstream file(log, std::ios::app | std::ios::binary);
    file << text;
    return file.tellp();
}

/// Bytes at the end of a file, from `begin` on at most.
std::string tail_of(const std::string& path, std::streamoff begin) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    file.seekg(std::max(begin, size - tail_bytes));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Without colours and other control bytes.
std::string readable(std::string_view line) {
    std::string text;
    for (std::size_t at = 0; at < line.size() && text.size() < longest_shown_line; ++at) {
        if (line[at] == '\x1b' && at + 1 < line.size() && line[at + 1] == '[') {
            at = std::min(line.find_first_not_of("0123456789;?", at + 2), line.size());
        } else if (static_cast<unsigned char>(line[at]) >= 0x20) {
            text += line[at];
        }
    }
    return text;
}

/// The last lines of the log that hold anything, from `begin` on.
std::vector<std::string> last_lines(const std::string& log, std::streamoff begin) {
    const std::string tail = tail_of(log, begin);
    std::vector<std::string> lines;
    std::string_view rest = tail;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string line = readable(rest.substr(0, end));
        if (line.find_first_not_of(' ') != std::string::npos) lines.push_back(std::move(line));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines.size() > shown_lines) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(shown_lines));
    }
    return lines;
}

Result<void> run_step(const manifest::Manifest& manifest, const manifest::BuildStep& step,
                      const std::string& checkout, BuildSide side, const Settings& settings) {
    std::vector<std::string> words;
    std::transform(step.command.begin(), step.command.end(), std::back_inserter(words), quoted_for_reading);
    const std::streamoff begin = note_in_log(
        settings.log,
        fmt::format("== {} build: {}\n$ {}\n", side_name(side), step.name, fmt::join(words, " ")));
    const auto failed = [&](std::string_view what) {
        base::Error error =
            base::error_at(base::ErrorKind::build, manifest.file, step.line,
                           fmt::format("step '{}' of the {} build {}; all that it printed is in {}",
                                       step.name, side_name(side), what, settings.log));
        error.details = last_lines(settings.log, begin);
        return base::fail(std::move(error));
    };
    base::ProcessOptions options;
    options.directory = step.directory.empty() ? checkout : checkout + "/" + step.directory;
    options.environment = step.environment;
    options.unset = unwanted_variables;
    options.time_limit = settings.step_limit;
    options.log = settings.log;
    const Result<base::ProcessOutcome> outcome = base::run_process(step.command, options);
    if (!outcome) {
        const bool missing =
            base::interrupted_by() == 0 && step.command.front().find('/') == std::string::npos;
        return failed(outcome.error().message + (missing ? ": install it, or put it in PATH" : ""));
    }
    if (outcome->timed_out) {
        return failed(fmt::format("ran for longer than {} s and was ended",
                                  std::chrono::duration<double>(settings.step_limit).count()));
    }
    if (outcome->exit_code != 0) {
        return failed(fmt::format("failed with exit code {}", outcome->exit_code));
    }
    return {};
}

}  // namespace

std::string_view side_name(BuildSide side) {
    return side == BuildSide::stock ? "stock" : "patched";
}

Result<void> begin_log(const std::string& log) {
    const base::FileDescriptor file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) return base::fail(base::io_error(base::Errno{errno}, "cannot write the log " + log));
    return {};
}

Result<void> run_steps(const manifest::Manifest& manifest, const std::string& checkout, BuildSide side,
                       const Settings& settings, std::chrono::milliseconds& building) {
    std::uint64_t done = 0;
    for (const manifest::BuildStep& step : manifest.build) {
        settings.progress->update(fmt::format("{} build: {}", side_name(side), step.name), done++,
                                  manifest.build.size());
        if (step.once && side == BuildSide::patched) continue;
        const Stopwatch time(building);
        if (Result<void> ran = run_step(manifest, step, checkout, side, settings); !ran) return ran;
    }
    return {};
}

}  // namespace drydock::rebuild
