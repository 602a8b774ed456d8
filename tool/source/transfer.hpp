#pragma once

#include <string>
#include <vector>

#include "source/source.hpp"

namespace drydock::source {

/// What a child process is to do: ask a remote for its tags and, with a folder, fetch some of them.
struct Transfer {
    std::string url;
    std::vector<std::string> tags;  ///< to be fetched
    std::string folder;             ///< for a bare repository; empty: only ask
};

struct Outcome {
    std::vector<Tag> tags;             ///< all that the remote has
    std::vector<std::string> missing;  ///< of those to be fetched
};

/// Runs it in a child process, which is killed at a limit. `broke` tells of an error whether another attempt
/// may help.
base::Result<Outcome> run_transfer(const Transfer& transfer, const TransferLimits& limits,
                                   base::Progress& progress, bool& broke);

}  // namespace drydock::source
