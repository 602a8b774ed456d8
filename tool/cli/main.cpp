#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/run.hpp"

namespace {

/// A standard stream that is closed would give its number to the next file that is opened, and our output
/// would go there: it becomes a stream on which writing fails.
void occupy_standard_streams() {
    int descriptor = 0;
    while (descriptor >= 0 && descriptor <= STDERR_FILENO)
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor > STDERR_FILENO) close(descriptor);
}

std::optional<std::string> variable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

drydock::cli::Surroundings surroundings() {
    drydock::cli::Surroundings result;
    result.environment = variable;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        result.terminal = true;
        if (size.ws_col > 0) result.width = std::clamp<std::size_t>(size.ws_col, 60, 160);
    }
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    // A reader that hangs up and a limit on file sizes are failures to be told of, not to die of.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    occupy_standard_streams();
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    return drydock::cli::write_reply(drydock::cli::run(words, surroundings()));
}
