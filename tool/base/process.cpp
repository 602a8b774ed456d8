#include "base/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/directory.hpp"

namespace drydock::base {
namespace {

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

Sys<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno_now();
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::vector<std::string> environment_for(const ProcessOptions& options) {
    std::vector<std::string> variables;
    const auto replaced = [&options](std::string_view name) {
        return std::any_of(options.environment.begin(), options.environment.end(),
                           [name](const auto& variable) { return variable.first == name; }) ||
               std::find(options.unset.begin(), options.unset.end(), name) != options.unset.end();
    };
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (!replaced(text.substr(0, text.find('=')))) variables.emplace_back(text);
    }
    for (const auto& [name, value] : options.environment)
        variables.push_back(fmt::format("{}={}", name, value));
    return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Takes what is there; false at the end of it.
bool drain(const FileDescriptor& from, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/// Feeds and drains the three pipes until the program closed its ends; false at the deadline, or when it
/// printed too much, which is noted.
bool exchange_until(Pipe& in, Pipe& out, Pipe& err, const ProcessOptions& options, ProcessOutcome& outcome,
                    std::optional<std::chrono::steady_clock::time_point> deadline) {
    const std::string& input = options.input;
    std::size_t written = 0;
    bool out_open = true;
    bool err_open = true;
    while (out_open || err_open) {
        if (in.write.valid() && written == input.size()) in.write = FileDescriptor();
        std::array<pollfd, 3> polls{{{in.write.valid() ? in.write.get() : -1, POLLOUT, 0},
                                     {out_open ? out.read.get() : -1, POLLIN, 0},
                                     {err_open ? err.read.get() : -1, POLLIN, 0}}};
        int timeout = -1;
        if (deadline) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                *deadline - std::chrono::steady_clock::now());
            if (left.count() <= 0) return false;
            timeout = static_cast<int>(std::min<long long>(left.count() + 1, 1'000'000));
        }
        if (poll(polls.data(), polls.size(), timeout) < 0 && errno != EINTR) return true;
        if (polls[0].revents != 0) {
            const ssize_t put = ::write(in.write.get(), input.data() + written, input.size() - written);
            if (put > 0) written += static_cast<std::size_t>(put);
            if (put < 0 && errno != EAGAIN && errno != EINTR) written = input.size();  // it reads no further
        }
        if (polls[1].revents != 0) out_open = drain(out.read, outcome.output);
        if (polls[2].revents != 0) err_open = drain(err.read, outcome.errors);
        if (options.output_limit &&
            std::max(outcome.output.size(), outcome.errors.size()) > *options.output_limit) {
            outcome.printed_too_much = true;
            return false;
        }
    }
    return true;
}

/// Waits for the program's end: it may have closed its outputs and run on, so the deadline holds here too.
/// False when that passed first.
bool wait_until(pid_t pid, std::optional<std::chrono::steady_clock::time_point> deadline, int& status) {
    while (true) {
        const pid_t ended = waitpid(pid, &status, deadline ? WNOHANG : 0);
        if (ended == pid) return true;
        if (ended < 0 && errno != EINTR) return true;
        if (!deadline) continue;
        if (std::chrono::steady_clock::now() >= *deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

constexpr std::array interruptions{SIGHUP, SIGINT, SIGTERM};

// What the signal handler reads and writes.
volatile std::sig_atomic_t interruption = 0;
volatile std::sig_atomic_t running_group = 0;
volatile std::sig_atomic_t interrupted_process = 0;
timespec interrupted_at{};  // only the handler's, which no signal interrupts

/// Whether a signal that came before was less than a second ago.
bool came_just_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto milliseconds =
        (now.tv_sec - interrupted_at.tv_sec) * 1'000 + (now.tv_nsec - interrupted_at.tv_nsec) / 1'000'000;
    return milliseconds < 1'000;
}

void on_interruption(int signal) {
    if (getpid() != interrupted_process) {  // a fork of ours that has no program of its own: nothing to clean
        std::signal(signal, SIG_DFL);
        raise(signal);
        return;
    }
    if (interruption != 0) {
        // `timeout` sends its signal twice, to us and to our group: that is one wish, not impatience.
        if (came_just_now()) return;
        std::signal(signal, SIG_DFL);
        raise(signal);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &interrupted_at);
    interruption = signal;
    if (running_group != 0) kill(-running_group, SIGKILL);
}

/// While one lives, the signals wait: between a program's start and our knowing its group.
class HeldInterruptions {
  public:
    HeldInterruptions() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : interruptions) sigaddset(&held, signal);
        pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    ~HeldInterruptions() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    HeldInterruptions(const HeldInterruptions&) = delete;
    HeldInterruptions& operator=(const HeldInterruptions&) = delete;
    [[nodiscard]] const sigset_t& before() const { return before_; }

  private:
    sigset_t before_{};
};

Error was_interrupted(const std::vector<std::string>& command) {
    Error error;
    error.message =
        fmt::format("interrupted by signal {}: {} was not run to its end", interrupted_by(), command.front());
    return error;
}

Error cannot_run(const std::vector<std::string>& command, const ProcessOptions& options, Errno reason) {
    const std::string where = options.directory.empty() ? "" : " in " + options.directory;
    return io_error(reason, "cannot run " + command.front() + where);
}

}  // namespace

Result<ProcessOutcome> run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
    if (command.empty()) return fail(ErrorKind::io, "no command to run");
    if (interrupted_by() != 0) return fail(was_interrupted(command));
    Sys<Pipe> in = make_pipe();
    Sys<Pipe> out = make_pipe();
    Sys<Pipe> err = make_pipe();
    for (const Sys<Pipe>* pipe : {&in, &out, &err}) {
        if (!*pipe) return fail(cannot_run(command, options, pipe->error()));
    }
    fcntl(in->write.get(), F_SETFL, O_NONBLOCK);
    // The program that stops reading must not end us.
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction before {};
    sigaction(SIGPIPE, &ignore, &before);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    // The log is opened after this: its path must be absolute.
    if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
    posix_spawn_file_actions_adddup2(&actions, in->read.get(), 0);
    if (options.log.empty()) {
        posix_spawn_file_actions_adddup2(&actions, out->write.get(), 1);
        posix_spawn_file_actions_adddup2(&actions, err->write.get(), 2);
    } else {
        posix_spawn_file_actions_addopen(&actions, 1, options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                         0666);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

    std::vector<std::string> words = command;
    std::vector<std::string> variables = environment_for(options);
    pid_t pid = 0;
    int started = 0;
    {
        const HeldInterruptions held;
        posix_spawnattr_setsigmask(&attributes, &held.before());
        started = posix_spawnp(&pid, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                               pointers(variables).data());
        if (started == 0) running_group = pid;
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (started != 0) {
        sigaction(SIGPIPE, &before, nullptr);
        return fail(cannot_run(command, options, Errno{started}));
    }
    in->read = FileDescriptor();
    out->write = FileDescriptor();
    err->write = FileDescriptor();

    // One that came before the program was there for it.
    if (interrupted_by() != 0) kill(-pid, SIGKILL);
    ProcessOutcome outcome;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    if (options.time_limit) deadline = std::chrono::steady_clock::now() + *options.time_limit;
    int status = 0;
    const bool ended =
        exchange_until(*in, *out, *err, options, outcome, deadline) && wait_until(pid, deadline, status);
    outcome.timed_out = !ended && !outcome.printed_too_much;
    if (!ended) {
        kill(-pid, SIGKILL);
        wait_until(pid, std::nullopt, status);
    }
    running_group = 0;
    sigaction(SIGPIPE, &before, nullptr);
    if (interrupted_by() != 0) return fail(was_interrupted(command));
    outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
}

void catch_interruptions() {
    interrupted_process = getpid();
    for (const int signal : interruptions) {
        struct sigaction now {};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler == SIG_IGN) continue;
        struct sigaction ours {};
        ours.sa_handler = on_interruption;
        for (const int held : interruptions) sigaddset(&ours.sa_mask, held);
        sigaction(signal, &ours, nullptr);
    }
}

int interrupted_by() {
    return interruption;
}

}  // namespace drydock::base
