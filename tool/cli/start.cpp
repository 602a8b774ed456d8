#include "cli/start.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/process.hpp"

namespace drydock::cli {
namespace {

/// A standard stream that is closed would give its number to the next file that is opened, and our output
/// would go there. What takes its place cannot be used either: input is not empty, output not written.
void occupy_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (fcntl(stream, F_GETFD) >= 0) continue;
        const int access = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        // The lowest number that is free, which is this one.
        if (open("/dev/null", access | O_CLOEXEC) < 0) return;
    }
}

std::optional<std::string> variable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace

Surroundings start() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    occupy_standard_streams();
    Surroundings result;
    result.environment = variable;
    result.progress = isatty(STDERR_FILENO) == 1;
    result.channels = standard_channels();
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        result.terminal = true;
        if (size.ws_col > 0) result.width = std::clamp<std::size_t>(size.ws_col, 60, 160);
    }
    return result;
}

void end_if_interrupted() {
    const int signal = base::interrupted_by();
    if (signal == 0) return;
    std::signal(signal, SIG_DFL);
    raise(signal);
}

}  // namespace drydock::cli
