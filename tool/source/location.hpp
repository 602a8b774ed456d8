#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drydock::source {

/// The path that a path or a `file://` URL names; anything that looks like another URL is a usage Error.
base::Result<std::string> local_path(const std::string& location);

/// Nothing for a URL that can be fetched from; a usage Error for one that can't: a user name or password in
/// it (which is not repeated), control bytes, no host.
base::Result<void> check_remote(const std::string& url);

/// What stands between the scheme and the path of a URL: a host, perhaps with a port, perhaps with a user.
std::string_view authority_of(std::string_view url);

}  // namespace drydock::source
