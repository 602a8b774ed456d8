#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Records of bytes, one after the other, as programs hand them to each other in a file: a size in four
/// bytes, the lowest first, and that many bytes.
namespace drydock::base {

/// Appends a record of less than 4 GiB.
void put_record(std::string& bytes, std::string_view record);

/// Takes the next record off, a part of `bytes`; nothing when there is no whole one.
std::optional<std::string_view> take_record(std::string_view& bytes);

}  // namespace drydock::base
