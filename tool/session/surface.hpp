#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "session/event.hpp"

namespace drydock::session {

/// What the model sees: the message events in their order, some of them in the place of others.
class Surface {
  public:
    /// Begins a session's: old messages without an id get one that is made of the session's.
    void begin(std::string_view session_id) { session_id_ = session_id; }

    /// Takes the next event. Why it is refused; empty where it is not.
    std::string take(const Event& event);

    [[nodiscard]] std::size_t remembered() const;

  private:
    using Print = std::array<std::uint8_t, 16>;

    /// What must stay the same when a tool/result is replaced.
    struct Result {
        Print id;
        Print rest;
    };

    struct Range {
        std::size_t begin{0};
        std::size_t end{0};
    };

    std::string find_range(base::JsonView op, Range& range) const;
    std::string check_sources(const Event& event, const Range& range) const;
    std::string check_rewrite(const Event& event, const Range& range) const;
    [[nodiscard]] Result result_of(const Event& event) const;

    std::string session_id_;
    std::vector<double> nodes_;  ///< the events' seqs
    std::unordered_map<double, Result> results_;
};

}  // namespace drydock::session
