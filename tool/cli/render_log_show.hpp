#pragma once

#include <string>

#include "cli/command_log_show.hpp"
#include "cli/output.hpp"
#include "session/narrator.hpp"

namespace drydock::cli {

/// Sets the entries of a log as the lines of a console: time, role, what it is about, and its text, of which
/// `full` shows all and otherwise as many lines as its role is worth, with a count of what is folded. Times
/// are local ones ($TZ), under a line for each day. Nothing in a log can act on a terminal.
class LogConsole {
  public:
    LogConsole(const Style& style, bool full) : style_(style), full_(full) {}

    std::string text(const session::ConsoleLine& entry);

  private:
    [[nodiscard]] std::string body(const session::ConsoleLine& entry, std::size_t column,
                                   std::size_t indent) const;

    const Style& style_;
    bool full_;
    std::string day_;
};

/// An entry as one line of JSON.
std::string log_entry_line(const session::ConsoleLine& entry);

/// The last line of JSON: schema, exit and problems.
std::string log_show_last_line(const LogShowOutcome& outcome);

}  // namespace drydock::cli
