#include "cli/output.hpp"

#include <cerrno>
#include <exception>
#include <string_view>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/process.hpp"

namespace drydock::cli {
namespace {

base::Sys<void> write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
            poll(&waiting, 1, -1);
        } else if (errno != EINTR) {
            return base::errno_now();
        }
    }
    return {};
}

/// A pipe tells when its last reader goes; a signal ends the waiting.
bool wait_for_end(std::chrono::milliseconds time) {
    pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    if (base::interrupted_by() == 0) poll(&output, 1, static_cast<int>(time.count()));
    return base::interrupted_by() == 0 && (output.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

}  // namespace

Channels standard_channels() {
    // Nobody is left to hear that standard error cannot be written.
    return {[](std::string_view bytes) { return write_all(STDOUT_FILENO, bytes); },
            [](std::string_view bytes) { (void)write_all(STDERR_FILENO, bytes); }, wait_for_end};
}

int write_reply(const Reply& reply) {
    std::string errors = reply.err;
    ExitCode exit = reply.exit;
    base::Sys<void> written;
    const auto take = [&](std::string_view bytes) {
        written = write_all(STDOUT_FILENO, bytes);
        return written.has_value();
    };
    try {
        if (reply.large) reply.large(take);
        if (written) take(reply.out);
    } catch (const std::exception& exception) {
        errors += fmt::format("drydock: failed: {}\n", exception.what());
        exit = reply.unwritten;
    }
    if (!written && written.error().value != EPIPE) {
        errors += "drydock: " + base::io_error(written.error(), "cannot write to standard output").message;
        if (reply.changed) errors += "; the work was done all the same: files were changed";
        errors += '\n';
        if (!reply.lenient) exit = reply.unwritten;
    }
    // Nobody is left to hear that standard error cannot be written.
    (void)write_all(STDERR_FILENO, errors);
    return static_cast<int>(exit);
}

}  // namespace drydock::cli
