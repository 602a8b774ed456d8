#pragma once

#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "session/session.hpp"

/// Cases on which the native Appender and the JavaScript's `Session.append` are compared, as stream/cases.hpp
/// has them for the stream's functions.
namespace drydock::session {

/// The JavaScript that is compared, for a person and for driver.mjs.
inline constexpr std::string_view append_name = "Session.append";

/// The time of every event in an answer.
inline constexpr std::int64_t append_time = 1'000;

/// How many cases, from number 0 on, are the same for every seed: the edges that the description names.
std::uint64_t fixed_append_cases();

/// The case of that number, the same for the same seed: a list of appends to one new session, each an object
/// with `type`, and where they are given `data` and `options`. In data `{"$js":WORD}` stands for what JSON
/// has not: undefined, nan, bigint, function, symbol, date, map, hole, extra, hidden or cycle.
std::string make_append_case(std::uint64_t seed, std::uint64_t number);

/// What the Appender does with a case: for each append a line with the event, or `["refused"]`; then
/// `["events",COUNT]`.
std::string answer_append_case(base::JsonView input, AppendRules rules);

}  // namespace drydock::session
