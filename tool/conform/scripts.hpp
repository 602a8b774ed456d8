#pragma once

#include <string_view>

namespace drydock::conform {

/// The texts of answers.mjs and driver.mjs; the build puts them in.
extern const std::string_view answers_script;
extern const std::string_view driver_script;

}  // namespace drydock::conform
