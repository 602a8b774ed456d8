#include "source/proxy.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>
#include <git2.h>
#include <git2/sys/stream.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "source/location.hpp"
#include "source/state.hpp"

namespace drydock::source {
namespace {

std::string_view variable(const char* lower, const char* upper) {
    for (const char* name : {lower, upper}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return {};
}

std::string_view without_port(std::string_view authority) {
    const std::size_t colon = authority.rfind(':');
    return colon == std::string_view::npos || authority.ends_with(']') ? authority
                                                                       : authority.substr(0, colon);
}

/// `*`, a host, or a domain with or without `.` or `*.` before it.
bool is_meant(std::string_view pattern, std::string_view host) {
    if (pattern == "*") return true;
    if (pattern.starts_with('*')) pattern.remove_prefix(1);
    if (pattern.starts_with('.')) pattern.remove_prefix(1);
    if (pattern.empty() || !host.ends_with(pattern)) return false;
    return host.size() == pattern.size() || host[host.size() - pattern.size() - 1] == '.';
}

bool is_excepted(std::string_view list, std::string_view authority) {
    while (!list.empty()) {
        const std::size_t end = list.find_first_of(", ");
        const std::string_view pattern = list.substr(0, end);
        if (is_meant(pattern, authority) || is_meant(pattern, without_port(authority))) return true;
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return false;
}

Proxy chosen;  // by connect_to, which only a child process calls that makes one transfer

struct PlainStream {
    git_stream parent;  // first, as libgit2 wants it
    base::FileDescriptor socket;
};

int net_error(const std::string& message) {
    git_error_set_str(GIT_ERROR_NET, message.c_str());
    return -1;
}

int connect_stream(git_stream* stream) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* addresses = nullptr;
    if (const int code = getaddrinfo(chosen.host.c_str(), chosen.port.c_str(), &hints, &addresses); code != 0)
        return net_error(
            fmt::format("failed to connect to the proxy {}: {}", chosen.host, gai_strerror(code)));
    int reason = 0;
    for (const addrinfo* address = addresses; address != nullptr; address = address->ai_next) {
        base::FileDescriptor socket(
            ::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
        if (socket.valid() && ::connect(socket.get(), address->ai_addr, address->ai_addrlen) == 0) {
            reinterpret_cast<PlainStream*>(stream)->socket = std::move(socket);
            break;
        }
        reason = errno;
    }
    freeaddrinfo(addresses);
    if (reinterpret_cast<PlainStream*>(stream)->socket.valid()) return 0;
    return net_error(
        fmt::format("failed to connect to the proxy {}: {}", chosen.host, base::errno_text(reason)));
}

ssize_t read_stream(git_stream* stream, void* into, std::size_t size) {
    const ssize_t got = ::recv(reinterpret_cast<PlainStream*>(stream)->socket.get(), into, size, 0);
    return got < 0 ? net_error("error receiving socket data: " + base::errno_text(errno)) : got;
}

ssize_t write_stream(git_stream* stream, const char* bytes, std::size_t size, int flags) {
    const ssize_t put = ::send(reinterpret_cast<PlainStream*>(stream)->socket.get(), bytes, size, flags);
    return put < 0 ? net_error("error sending data: " + base::errno_text(errno)) : put;
}

int close_stream(git_stream* stream) {
    reinterpret_cast<PlainStream*>(stream)->socket = base::FileDescriptor();
    return 0;
}

void free_stream(git_stream* stream) {
    delete reinterpret_cast<PlainStream*>(stream);
}

int make_stream(git_stream** made, const char*, const char*) {
    auto* stream = new PlainStream{};
    stream->parent.version = GIT_STREAM_VERSION;
    stream->parent.connect = connect_stream;
    stream->parent.read = read_stream;
    stream->parent.write = write_stream;
    stream->parent.close = close_stream;
    stream->parent.free = free_stream;
    *made = &stream->parent;
    return 0;
}

}  // namespace

base::Result<std::optional<Proxy>> proxy_for(std::string_view url) {
    std::string_view named;
    const char* from = "http_proxy";
    if (url.starts_with("http://")) named = variable("http_proxy", "HTTP_PROXY");
    if (url.starts_with("https://")) {
        named = variable("https_proxy", "HTTPS_PROXY");
        from = "https_proxy";
    }
    if (named.empty() || is_excepted(variable("no_proxy", "NO_PROXY"), authority_of(url)))
        return std::nullopt;
    const bool has_scheme = named.find("://") != std::string_view::npos;
    Proxy proxy;
    proxy.url = has_scheme ? std::string(named) : fmt::format("http://{}", named);
    const std::string_view authority = authority_of(proxy.url);
    const std::string_view place = authority.substr(authority.rfind('@') + 1);
    proxy.host = without_port(place);
    if (proxy.host.size() + 1 < place.size()) proxy.port = place.substr(proxy.host.size() + 1);
    const bool digits = proxy.port.find_first_not_of("0123456789") == std::string::npos;
    if (!proxy.url.starts_with("http://") || proxy.host.empty() || proxy.port.empty() || !digits) {
        // Its value may hold a password.
        return base::fail(base::ErrorKind::usage,
                          fmt::format("the environment's {} names a proxy of another kind for {}; expected "
                                      "http://HOST:PORT, or no {}",
                                      from, printable(url), from));
    }
    if (proxy.host.starts_with('[')) proxy.host = proxy.host.substr(1, proxy.host.size() - 2);
    return proxy;
}

void connect_to(const Proxy& proxy) {
    chosen = proxy;
    git_stream_registration registration{};
    registration.version = GIT_STREAM_VERSION;
    registration.init = make_stream;
    git_stream_register(GIT_STREAM_STANDARD, &registration);
}

}  // namespace drydock::source
