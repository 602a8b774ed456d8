#include "cli/input.hpp"

#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/directory.hpp"

namespace drydock::cli {

base::Result<std::string> read_input(const std::string& name, std::uint64_t limit) {
    if (name != "-") return base::read_file(name, limit);
    const base::FileDescriptor input(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    base::Sys<std::string> text = input.valid() ? base::read_all(input, limit) : base::errno_now();
    if (!text) return base::fail(base::io_error(text.error(), "cannot read standard input"));
    return *std::move(text);
}

}  // namespace drydock::cli
