#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/directory.hpp"

namespace drydock::test {

/// tests/support/git_server.py with these arguments, until it goes; on 127.0.0.1 only.
class GitServer {
  public:
    explicit GitServer(const std::vector<std::string>& arguments);
    ~GitServer();
    GitServer(const GitServer&) = delete;
    GitServer& operator=(const GitServer&) = delete;
    /// The port that the kernel chose, in digits.
    [[nodiscard]] const std::string& port() const { return port_; }
    /// `SCHEME://127.0.0.1:PORT/PATH`
    [[nodiscard]] std::string url(const std::string& scheme, const std::string& path) const;

  private:
    pid_t pid_{-1};
    base::FileDescriptor held_open_;  ///< its standard input, which ends when we do, however that is
    std::string port_;
};

}  // namespace drydock::test
