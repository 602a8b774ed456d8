#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace drydock::cli {

/// All bytes of a file that the operator named; `-` is standard input. An io Error for more than `limit`
/// bytes, too.
base::Result<std::string> read_input(const std::string& name, std::uint64_t limit);

}  // namespace drydock::cli
