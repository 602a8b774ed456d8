#include "source/location.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "source/source.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

constexpr std::string_view what_can_be_had =
    "expected a path, or a URL that begins with file://, git://, http:// or https://";
constexpr std::string_view file_scheme = "file://";
constexpr std::array<std::string_view, 3> remote_schemes{"git://", "http://", "https://"};

base::ErrorKind usage() {
    return base::ErrorKind::usage;
}

std::optional<unsigned> digit_value(char digit) {
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A') + 10;
    return std::nullopt;
}

/// `%20` as a blank; nothing where two digits are missing, or for a NUL.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            plain += text[at];
            continue;
        }
        if (text.size() - at < 3) return std::nullopt;
        const std::optional<unsigned> high = digit_value(text[at + 1]);
        const std::optional<unsigned> low = digit_value(text[at + 2]);
        if (!high || !low || *high + *low == 0) return std::nullopt;
        plain += static_cast<char>(*high * 16 + *low);
        at += 2;
    }
    return plain;
}

base::Result<std::string> path_of_file_url(const std::string& url) {
    const std::string_view host = authority_of(url);
    const std::optional<std::string> path =
        percent_decoded(std::string_view(url).substr(file_scheme.size() + host.size()));
    if ((!host.empty() && host != "localhost") || !path || path->empty()) {
        return base::fail(
            usage(), fmt::format("{} names no file on this machine; expected file:///PATH", printable(url)));
    }
    return *path;
}

/// `host:path` and `user@host:path`, as git takes them: a colon before any slash.
bool is_scp_like(std::string_view location) {
    const std::size_t colon = location.find(':');
    return colon != std::string_view::npos && colon > 0 && location.find('/') > colon;
}

}  // namespace

std::string_view authority_of(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    return url.substr(0, url.find_first_of("/?#"));
}

bool is_remote(std::string_view location) {
    return std::any_of(remote_schemes.begin(), remote_schemes.end(),
                       [location](std::string_view scheme) { return location.starts_with(scheme); });
}

base::Result<std::string> local_path(const std::string& location) {
    if (location.empty() || location.find('\0') != std::string::npos) {
        return base::fail(
            usage(), fmt::format("'{}' names no git repository; {}", printable(location), what_can_be_had));
    }
    if (location.starts_with(file_scheme)) return path_of_file_url(location);
    if (::access(location.c_str(), F_OK) == 0) return location;
    const std::size_t scheme = location.find("://");
    if (scheme != std::string::npos && location.find('/') > scheme) {
        return base::fail(usage(), fmt::format("git repositories are not fetched by '{}'; {}",
                                               printable(location.substr(0, scheme + 3)), what_can_be_had));
    }
    if (is_scp_like(location)) {
        return base::fail(usage(),
                          fmt::format("git repositories are not fetched over ssh, as '{}' would be; {}",
                                      printable(location), what_can_be_had));
    }
    return location;
}

base::Result<void> check_remote(const std::string& url) {
    const std::string_view authority = authority_of(url);
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
        return base::fail(
            usage(),
            fmt::format("the URL for {} holds a user name or a password, and none are used here; expected "
                        "a URL without, or a local clone",
                        printable(authority.substr(at + 1))));
    }
    const bool clean = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c != '\x7f'; });
    if (!clean || authority.empty() || authority.front() == ':' || authority.front() == '-') {
        return base::fail(usage(), fmt::format("'{}' is not a URL; expected SCHEME://HOST/PATH, blanks and "
                                               "other letters than ASCII's as %XX",
                                               printable(url)));
    }
    return {};
}

}  // namespace drydock::source
