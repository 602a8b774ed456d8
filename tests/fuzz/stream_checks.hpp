#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/stream.hpp"

/// What is true of every item, and of every child's recording.
namespace drydock::fuzz {

/// Brought within the bounds, it is within them, and tells what was cut.
void check_item(const stream::Item& item);

/// An item mapped as far as the bounds need is, brought within them, the one that is mapped whole.
void check_extents(const stream::Item& whole, const stream::Item& bounded);

/// The lines as a child's messages, those that are no JSON left out: what is recorded of them is appended to
/// a session that opens without a finding, and says the same as `items`, which they are mapped to.
void check_recording(stream::Source source, std::string_view lines, const std::vector<stream::Item>& items);

/// Those that are JSON. Good during the call.
void each_message(std::string_view lines, const std::function<void(base::JsonView)>& take);

/// How many messages are at the edge of the bounds, whatever the seed.
inline constexpr std::uint64_t edge_messages = 48;

/// One message a line.
std::string make_messages(stream::Source source, std::uint32_t seed, std::uint64_t number);

}  // namespace drydock::fuzz
