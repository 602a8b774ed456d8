#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/command_rebuild.hpp"
#include "cli/start.hpp"

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    drydock::cli::Surroundings surroundings = drydock::cli::start();
    surroundings.rebuilder =
        drydock::cli::make_rebuilder(surroundings.environment, isatty(STDERR_FILENO) == 1);
    return drydock::cli::write_reply(drydock::cli::run(words, surroundings));
}
