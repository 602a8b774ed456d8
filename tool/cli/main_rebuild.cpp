#include <algorithm>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "cli/command_rebuild.hpp"
#include "cli/start.hpp"

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    drydock::cli::Surroundings surroundings = drydock::cli::start();
    surroundings.rebuilder = drydock::cli::make_rebuilder(surroundings.environment, surroundings.progress);
    drydock::base::catch_interruptions();
    const int exit = drydock::cli::write_reply(drydock::cli::run(words, surroundings));
    drydock::cli::end_if_interrupted();
    return exit;
}
