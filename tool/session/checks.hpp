#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "session/event.hpp"
#include "session/header.hpp"
#include "session/session.hpp"
#include "session/surface.hpp"

namespace drydock::session {

/// The turn that is open, and what the loader has to add to end it.
class OpenTurn {
  public:
    /// Why the loader breaks down at this event; nothing where it does not.
    std::string take(const Event& event);

    /// How many events end the turn.
    [[nodiscard]] std::uint64_t closers() const;

    /// Whether one of them would be refused: a call's id is no text.
    [[nodiscard]] bool cannot_close() const { return turn_open_ && hopeless_; }

    [[nodiscard]] std::size_t remembered() const;

  private:
    void forget_calls();
    std::string take_blocks(base::JsonView content);

    bool turn_open_{false};
    bool step_open_{false};
    bool hopeless_{false};  ///< there is a call whose id is no text
    std::set<std::string, std::less<>> calls_;
};

/// What the loader checks of the accepted events. It goes over them once for each check; here each check
/// keeps its first refusal, and the first check that has one tells.
class LoadChecks {
  public:
    explicit LoadChecks(const JudgeOptions& options) : options_(options) {}

    void take_header(HeaderReading reading);
    void take(const Row& row);

    /// Once the last row was taken.
    void finish();

    /// Why it is refused, by a stock or a patched harness.
    [[nodiscard]] const Opening* refusal(bool patched) const;

    [[nodiscard]] const std::optional<Header>& header() const { return header_; }
    [[nodiscard]] std::uint64_t closers() const { return open_turn_.closers(); }
    [[nodiscard]] std::size_t remembered() const;

  private:
    /// In the loader's order.
    enum class Check : std::uint8_t { place, retired, event, known, patched_known, closers, session };
    static constexpr std::size_t checks = 7;

    void refuse(Check check, std::size_t line, std::string message);
    [[nodiscard]] bool refused(Check check) const;
    void check_known(const Event& event);
    void check_session(const Event& event);

    const JudgeOptions& options_;
    std::optional<Header> header_;
    OpenTurn open_turn_;
    Surface surface_;
    std::array<std::optional<Opening>, checks> refusals_;
};

}  // namespace drydock::session
