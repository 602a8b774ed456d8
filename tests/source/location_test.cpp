// Tests source/location.cpp.
#include "source/location.hpp"

#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

const std::string had = "; expected a path, or a URL that begins with file://, git://, http:// or https://";

TEST(Location, TellsPathsFromUrls) {
    for (const char* url : {"git://h/r", "http://h/r", "https://h:1/r"}) EXPECT_TRUE(is_remote(url)) << url;
    for (const char* path : {"repo", "/a/git://x", "file:///r", "ssh://h/r", "h:r"})
        EXPECT_FALSE(is_remote(path)) << path;
}

TEST(Location, ReadsFileUrls) {
    EXPECT_EQ(local_path("file:///a/b%20c%2Fd"), "/a/b c/d");
    EXPECT_EQ(local_path("file://localhost/a"), "/a");
    for (const char* url : {"file://host/a", "file://", "file:///a%2", "file:///a%zz", "file:///a%00"})
        EXPECT_EQ(message_of(local_path(url)),
                  std::string(url) + " names no file on this machine; expected file:///PATH");
}

TEST(Location, SaysWhatIsNotFetched) {
    EXPECT_EQ(message_of(local_path("ssh://git@host/repo")),
              "git repositories are not fetched by 'ssh://'" + had);
    EXPECT_EQ(message_of(local_path("ftp://host/repo")),
              "git repositories are not fetched by 'ftp://'" + had);
    EXPECT_EQ(message_of(local_path("git@host:org/repo.git")),
              "git repositories are not fetched over ssh, as 'git@host:org/repo.git' would be" + had);
    EXPECT_EQ(message_of(local_path("")), "'' names no git repository" + had);
    EXPECT_EQ(local_path("./git@host:repo"), "./git@host:repo");
    EXPECT_EQ(local_path("ssh://git@host/repo").error().kind, base::ErrorKind::usage);
}

TEST(Location, APathWithAColonIsAPath) {
    const Scene scene;
    scene.repository("a:b");
    EXPECT_EQ(local_path(scene / "a:b"), scene / "a:b");
}

TEST(Location, RefusesUrlsWithSecretsAndDoesNotRepeatThem) {
    EXPECT_EQ(
        message_of(check_remote("https://me:s3cret@host/r")),
        "the URL for host holds a user name or a password, and none are used here; expected a URL without, "
        "or a local clone");
    const std::string expected =
        "' is not a URL; expected SCHEME://HOST/PATH, blanks and other letters than ASCII's as %XX";
    EXPECT_EQ(message_of(check_remote("http:///r")), "'http:///r" + expected);
    EXPECT_EQ(message_of(check_remote("http://:80/r")), "'http://:80/r" + expected);
    EXPECT_EQ(message_of(check_remote("git://-oProxy/r")), "'git://-oProxy/r" + expected);
    EXPECT_EQ(message_of(check_remote("git://host/a\nb")), "'git://host/a?b" + expected);
    EXPECT_EQ(message_of(check_remote("git://host/a b")), "'git://host/a b" + expected);
    EXPECT_EQ(message_of(check_remote("http://host/a@b")), "(none)");
}

}  // namespace
}  // namespace drydock::source
