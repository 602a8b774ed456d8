#pragma once

#include <string>
#include <vector>

#include "stream/cases.hpp"

namespace drydock::stream {

/// The cases of a function that lie on both sides of each bound in its description.
const std::vector<std::string>& edge_cases(Function function);

}  // namespace drydock::stream
