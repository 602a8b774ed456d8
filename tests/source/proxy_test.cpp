// Tests source/proxy.cpp; tests/source/fetch_test.cpp fetches through one.
#include "source/proxy.hpp"

#include <cstdlib>
#include <initializer_list>

#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

/// Sets variables for a while, and takes out the others that name proxies.
class ProxyEnvironment {
  public:
    explicit ProxyEnvironment(std::initializer_list<std::pair<const char*, const char*>> variables) {
        clear();
        for (const auto& [name, value] : variables) setenv(name, value, 1);
    }
    ~ProxyEnvironment() { clear(); }
    ProxyEnvironment(const ProxyEnvironment&) = delete;
    ProxyEnvironment& operator=(const ProxyEnvironment&) = delete;

  private:
    static void clear() {
        for (const char* name :
             {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"})
            unsetenv(name);
    }
};

std::string proxy_of(std::string_view url) {
    const base::Result<std::optional<Proxy>> proxy = proxy_for(url);
    if (!proxy) return message_of(proxy);
    return *proxy ? (*proxy)->host + " " + (*proxy)->port + " " + (*proxy)->url : "none";
}

TEST(Proxy, IsTheEnvironments) {
    const ProxyEnvironment set(
        {{"http_proxy", "proxy.example:3128"}, {"HTTPS_PROXY", "http://u:p@[::1]:8080/"}});
    EXPECT_EQ(proxy_of("http://host/r"), "proxy.example 3128 http://proxy.example:3128");
    EXPECT_EQ(proxy_of("https://host/r"), "::1 8080 http://u:p@[::1]:8080/");
    EXPECT_EQ(proxy_of("git://host/r"), "none");
}

TEST(Proxy, IsNoneForHostsThatAreExcepted) {
    const ProxyEnvironment set({{"http_proxy", "http://proxy:1"},
                                {"no_proxy", "localhost, .inner.example,*.lab,127.0.0.1:80,exact"}});
    for (const char* url :
         {"http://localhost/r", "http://localhost:81/r", "http://inner.example/r",
          "http://git.inner.example:8/r", "http://a.lab/", "http://127.0.0.1:80/r", "http://exact"})
        EXPECT_EQ(proxy_of(url), "none") << url;
    for (const char* url : {"http://127.0.0.1:81/r", "http://notlocalhost/r", "http://inner.example.org/r"})
        EXPECT_EQ(proxy_of(url), "proxy 1 http://proxy:1") << url;
}

TEST(Proxy, IsNoneAtAllWithAStar) {
    const ProxyEnvironment set({{"http_proxy", "http://proxy:1"}, {"NO_PROXY", "*"}});
    EXPECT_EQ(proxy_of("http://host/r"), "none");
}

TEST(Proxy, OfAnotherKindIsRefusedWithoutRepeatingIt) {
    for (const char* value : {"socks5://u:s3cret@h:1", "http://h", "http://:3128", "h:port", "https://h:1"}) {
        const ProxyEnvironment set({{"https_proxy", value}});
        EXPECT_EQ(proxy_of("https://host/r"),
                  "the environment's https_proxy names a proxy of another kind for https://host/r; expected "
                  "http://HOST:PORT, or no https_proxy");
    }
}

}  // namespace
}  // namespace drydock::source
