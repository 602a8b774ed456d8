#pragma once

#include <memory>

#include "base/progress.hpp"

namespace drydock::cli {

/// Shows how far a long work has come on one line of standard error, which must be a terminal then, and
/// clears that line when it goes; with `shown` false it shows nothing.
std::unique_ptr<base::Progress> make_progress(bool shown);

}  // namespace drydock::cli
