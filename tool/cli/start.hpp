#pragma once

#include "cli/run.hpp"

namespace drydock::cli {

/// Makes the process ready: a reader that hangs up and a limit on file sizes become failures to be told of,
/// and a standard stream that is closed one on which writing fails. Gives what a run sees of the process.
Surroundings start();

/// Ends us by the signal that came since base::catch_interruptions, if one did: a shell that waits for us
/// shall see that we were interrupted, and stop too.
void end_if_interrupted();

}  // namespace drydock::cli
