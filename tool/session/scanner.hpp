#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/checks.hpp"
#include "session/header.hpp"
#include "session/lines.hpp"
#include "session/rows.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// Why reading ends, or the accepted part does, and at which line.
struct Fault {
    std::string message;
    std::size_t line{0};
};

/// Splits a log's text into lines and accepts the events from the first one on, as long as they are events
/// and numbered without a gap. Damage in the middle is forgiven only if no `turn/end` follows it.
class Scanner {
  public:
    /// `checks` sees each accepted row.
    Scanner(LoadChecks& checks, Observer* observer) : checks_(checks), observer_(observer) {}

    /// The next piece of text; false once the log is refused. `ahead`, null for none, has lines of it that
    /// were read before.
    bool write(std::string_view piece, LinesAhead* ahead = nullptr);

    /// Why the log is refused, whatever follows.
    [[nodiscard]] const std::optional<Fault>& refusal() const { return refusal_; }
    /// Where the accepted part ends before the text does.
    [[nodiscard]] const std::optional<Fault>& issue() const { return issue_; }
    [[nodiscard]] bool ends_in_line() const { return lines_.ends_in_line(); }
    [[nodiscard]] std::size_t lines() const { return line_; }
    [[nodiscard]] std::uint64_t events() const { return events_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  private:
    bool take_line(std::string_view text, bool too_long);
    bool take_header(std::string_view text);
    bool take_event(std::string_view text);
    bool take_gap(const StoredRow& row);
    ParsedLine read(std::string_view text);
    bool unreadable(std::string_view why);
    bool refuse(std::string message);

    LoadChecks& checks_;
    Observer* observer_;
    LineSplitter lines_;
    LineParser parser_;
    LinesAhead* ahead_{nullptr};
    std::size_t line_{0};
    std::uint64_t events_{0};
    std::uint64_t dropped_{0};
    std::optional<Fault> issue_;
    std::optional<Fault> refusal_;
};

}  // namespace drydock::session
