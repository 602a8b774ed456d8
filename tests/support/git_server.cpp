#include "tests/support/git_server.hpp"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drydock::test {

GitServer::GitServer(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"python3", DRYDOCK_SOURCE_DIR "/tests/support/git_server.py"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    std::array<int, 2> ends{};
    std::array<int, 2> life{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0 || pipe2(life.data(), O_CLOEXEC) != 0) return;
    const base::FileDescriptor from(ends[0]);
    base::FileDescriptor to(ends[1]);
    const base::FileDescriptor its_input(life[0]);
    held_open_ = base::FileDescriptor(life[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its_input.get(), 0);
    posix_spawn_file_actions_adddup2(&actions, to.get(), 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int started = posix_spawnp(&pid_, pointers[0], &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    EXPECT_EQ(started, 0) << "python3 cannot be started";
    to = base::FileDescriptor();
    for (char letter = 0; ::read(from.get(), &letter, 1) == 1 && letter != '\n';) port_ += letter;
    EXPECT_FALSE(port_.empty()) << "the server told no port";
}

GitServer::~GitServer() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

std::string GitServer::url(const std::string& scheme, const std::string& path) const {
    return scheme + "://127.0.0.1:" + port_ + "/" + path;
}

}  // namespace drydock::test
