#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace drydock::source {

struct Proxy {
    std::string host;
    std::string port;
    std::string url;  ///< in full
};

/// The proxy that the environment names for a URL (`http_proxy`, `https_proxy`, `no_proxy`, or in capitals),
/// or nothing; one that is not `[http://]HOST:PORT` is a usage Error.
base::Result<std::optional<Proxy>> proxy_for(std::string_view url);

/// Makes every plain connection of libgit2's in this process one to the proxy. It asks for `http://` as one
/// asks a proxy, but connects to the host itself.
void connect_to(const Proxy& proxy);

}  // namespace drydock::source
