#pragma once

#include <cstdint>
#include <string_view>

#include "cli/exit_code.hpp"
#include "install/install.hpp"

namespace drydock::cli {

enum class SetCommand : std::uint8_t { apply, status, revert };

/// What a command on a set found and did, before it is printed.
struct SetReport {
    SetCommand command{SetCommand::status};
    install::Outcome outcome;
    ExitCode exit{ExitCode::done};
    bool adopted{false};  ///< upstream has the set's change
    bool dry_run{false};
    bool lenient{false};  ///< a boot without strict: what went wrong is in the notes
};

/// `apply`, ...
std::string_view command_name(SetCommand command);

/// `published` or `built`.
std::string_view origin_name(manifest::Origin origin);

/// Sets a report's exit code by its problems; with `lenient` they become notes, and the code is done.
void settle(SetReport& report, bool lenient);

/// What `status --check` says to a package's state: nothing when it is as it should be.
ExitCode check_code(const install::PackageReport& package);

}  // namespace drydock::cli
