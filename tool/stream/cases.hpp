#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.hpp"

/// Cases on which the native code and the JavaScript of our patches are compared: seeded, so that one number
/// makes a case again, and odd where the description has an edge. A case is JSON; so is each line of an
/// answer.
namespace drydock::stream {

enum class Function : std::uint8_t { bounds, sink, coalescer, claude, acp };

inline constexpr std::array<Function, 5> all_functions = {
    Function::bounds, Function::sink, Function::coalescer, Function::claude, Function::acp};

/// The function as the JavaScript exports it: `boundSubagentStreamItem`, ...
std::string_view function_name(Function function);

/// How many cases, from number 0 on, are the same for every seed: the edges that the description names.
std::uint64_t fixed_cases(Function function);

/// The case of that number, the same for the same seed.
/// - An ITEM is as it is written to a log, but that its text, name and callId may be lists of [string,
///   count]: each string so many times, all joined.
/// - bounds: an ITEM.
/// - sink: {childId, provider, append, level?, fails?, steps}: whether the session has an `append`
///   function, its `ignorableAppendLevel`, {at, with, raw} for the append from 0 that throws `with`, itself
///   if raw is true, else as an Error's message; steps are {push: ITEM} and {stop: {with, raw}}.
/// - coalescer: a list of ITEMs and the word "flush".
/// - claude, acp: any value.
std::string make_case(Function function, std::uint64_t seed, std::uint64_t number);

/// What the native function does with a case, one line each:
/// - bounds: {"item":ITEM,"truncated":BOOL};
/// - sink: ["append",TYPE,DATA,OPTIONS] and ["error",MESSAGE];
/// - coalescer: [STEP,ITEM] for what is emitted at each step, counted from 0;
/// - claude, acp: an ITEM.
/// `input` is a case that make_case made, or one like it; what such a case cannot hold reads as absent.
std::string answer_case(Function function, base::JsonView input);

}  // namespace drydock::stream
