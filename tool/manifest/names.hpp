#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drydock::manifest {

/// Whether it is a version as sets have them: letters, digits, `.`, `-`, `+` and `_`, no `.` first. So it can
/// be a file's name and leads nowhere else.
bool is_plain_version(std::string_view version);

/// Whether it is an npm package name: `name` or `@scope/name`, each of letters, digits and `-._~`, no `.`
/// first.
bool is_package_name(std::string_view name);

/// The part of a package name behind its scope.
std::string_view unscoped(std::string_view name);

/// Whether it is an environment variable's name: letters, digits and `_`, no digit first.
bool is_variable_name(std::string_view name);

/// A failed Result of kind usage about a line of a file.
tl::unexpected<base::Error> refused(std::string file, std::size_t line, std::string message);

}  // namespace drydock::manifest
