#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/directory.hpp"
#include "base/process.hpp"
#include "cli/start.hpp"

#ifndef DRYDOCK_IMAGE_ONLY
namespace {

/// regenerate and bump are another executable's; returns where that is not there.
void run_elsewhere(const std::vector<std::string>& words, char** argv) {
    if (words.empty() || (words.front() != "regenerate" && words.front() != "bump")) return;
    const drydock::base::Sys<std::string> self = drydock::base::executable_path();
    if (!self) return;
    const std::string folder = self->substr(0, self->rfind('/') + 1);
    for (const char* place : {"../libexec/drydock/drydock-rebuild", "drydock-rebuild"}) {
        execv((folder + place).c_str(), argv);
    }
}

}  // namespace
#endif

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
#ifndef DRYDOCK_IMAGE_ONLY
    run_elsewhere(words, argv);
#endif
    const drydock::cli::Surroundings surroundings = drydock::cli::start();
    // What it puts into its scratch folder is to be cleaned away.
    const bool cleans = !words.empty() && words.front() == "verify";
    if (cleans) drydock::base::catch_interruptions();
    const int exit = drydock::cli::write_reply(drydock::cli::run(words, surroundings));
    if (cleans) drydock::cli::end_if_interrupted();
    return exit;
}
