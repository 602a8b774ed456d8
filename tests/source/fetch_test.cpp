// Also tests source/transfer.cpp.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/source/scene.hpp"
#include "tests/support/git_server.hpp"

namespace drydock::source {
namespace {

using std::chrono::milliseconds;

/// A folder `served` with repositories of all kinds.
const Scene& served() {
    static const auto* const scene = [] {
        auto* made = new Scene;
        made->repository("served/repo");
        made->sh(
            "cd served/repo; head -c 400000 /dev/urandom >big; git add .; git commit -qm big; git tag -a -m "
            "x v2; "
            "git tag -a -m x v2-nested v2; echo later >a.txt; git commit -qam later; git tag v3; "
            "git tag data HEAD:big; cd ..; git init -q empty; mkdir plain; git init -q "
            "--object-format=sha256 sha256; "
            "cd sha256; git commit -q --allow-empty -m x; git tag v1; cd ..; "
            "git clone -q --depth 1 --branch v3 file://$PWD/repo shallow; git -C repo update-server-info");
        return made;
    }();
    return *scene;
}

const test::GitServer& git_server() {
    static const test::GitServer server({"git", served() / "served"});
    return server;
}

const test::GitServer& http_server() {
    static const test::GitServer server({"http", served() / "served"});
    return server;
}

TransferLimits short_limits() {
    TransferLimits limits;
    limits.silence = std::chrono::seconds(20);  // generous: a busy machine is no silent server
    return limits;
}

/// Fetches into `here`/clone.
base::Result<Repository> fetch_into(const Scene& here, const std::string& url,
                                    const std::vector<std::string>& tags,
                                    const TransferLimits& limits = short_limits()) {
    base::Silent silent;
    return fetch(url, tags, here / "clone", limits, silent);
}

std::string names_in(const Scene& scene) {
    return scene.sh("rm -f .gitconfig; ls -A");
}

std::string tag_of(const base::Result<Repository>& repository, const std::string& name) {
    if (!repository) return message_of(repository);
    const base::Result<std::string> commit = repository->commit_of_tag(name);
    return commit ? *commit : message_of(commit);
}

TEST(Fetch, BringsTheWantedTagsAndNothingElse) {
    const std::string nested = served().sh("git -C served/repo rev-parse v2-nested^{commit}");
    const std::string first = served().sh("git -C served/repo rev-parse v1");
    for (const std::string& url : {git_server().url("git", "repo"), http_server().url("http", "repo")}) {
        const Scene scene;
        Recorder recorder;
        const base::Result<Repository> repository =
            fetch(url, {"v2-nested", "v1"}, scene / "clone", short_limits(), recorder);
        ASSERT_EQ(tag_of(repository, "v2-nested"), nested) << url;
        EXPECT_EQ(tag_of(repository, "v1"), first);
        EXPECT_EQ(tag_of(repository, "v3"), scene / "clone" + " has no tag 'v3'; the nearest is 'v1'");
        EXPECT_EQ(
            scene.sh(
                "git -C clone fsck --strict --no-dangling; git -C clone for-each-ref --format='%(refname)'"),
            "refs/tags/v1\nrefs/tags/v2-nested");
        EXPECT_THAT(recorder.seen, testing::HasSubstr("receiving objects "));
        EXPECT_EQ(names_in(scene), "clone");
        scene.sh("mkdir out");
        base::Silent silent;
        EXPECT_EQ(message_of(repository->check_out(nested, scene / "out", silent)), "(none)");
        EXPECT_EQ(test::read(scene / "out/big"), test::read(served() / "served/repo/big"));
    }
}

TEST(Fetch, ReplacesWhatWasFetchedBefore) {
    const Scene scene;
    EXPECT_EQ(message_of(fetch_into(scene, git_server().url("git", "repo"), {"v1"})), "(none)");
    const base::Result<Repository> again = fetch_into(scene, git_server().url("git", "repo"), {"v3"});
    EXPECT_EQ(tag_of(again, "v3"), served().sh("git -C served/repo rev-parse v3"));
    EXPECT_EQ(scene.sh("git -C clone for-each-ref --format='%(refname)'"), "refs/tags/v3");
    EXPECT_EQ(names_in(scene), "clone");
}

TEST(Fetch, AsksForTagsOnly) {
    for (const std::string& url : {git_server().url("git", "repo"), http_server().url("http", "repo")}) {
        base::Silent silent;
        const base::Result<std::vector<Tag>> tags = remote_tags(url, short_limits(), silent);
        ASSERT_TRUE(tags) << message_of(tags);
        std::string text;
        for (const Tag& tag : *tags) text += tag.commit + " " + tag.name + "\n";
        EXPECT_EQ(text, served().sh("cd served/repo; for t in data v1 v2 v2-nested v3; do "
                                    "echo $(git rev-parse $t^{}) $t; done") +
                            "\n");
    }
}

TEST(Fetch, NamesTheNearestTagsOfTheRemote) {
    const Scene scene;
    const std::string url = git_server().url("git", "repo");
    EXPECT_EQ(message_of(fetch_into(scene, url, {"v1", "v4"})),
              url + " has no tag 'v4'; the nearest are 'v1', 'v2', 'v3'");
    EXPECT_EQ(message_of(fetch_into(scene, url, {"v*"})),
              url + " has no tag 'v*'; the nearest are 'v1', 'v2', 'v3'");
    EXPECT_EQ(message_of(fetch_into(scene, url, {"v2^{}"})),
              url + " has no tag 'v2^{}', nor one like it among its 5");
    const std::string empty = git_server().url("git", "empty");
    EXPECT_EQ(message_of(fetch_into(scene, empty, {"v1"})), empty + " has no tag 'v1', nor any other tag");
    EXPECT_EQ(names_in(scene), "");
}

struct Refusal {
    std::string url;
    std::string message;
};

TEST(Fetch, SaysWhatIsWrong) {
    const test::GitServer dumb({"dumb", served() / "served"});
    const test::GitServer locked({"status", "401"});
    const test::GitServer forbidden({"status", "403"});
    const std::string port = [] {  // one that nobody listens on any more
        const test::GitServer gone({"silent"});
        return gone.port();
    }();
    const std::string ids =
        "the server's list of refs cannot be read: its ids are SHA-256, or its repository is a "
        "shallow clone; expected a full one with SHA-1 ids";
    const std::string password =
        "the server wants a password, and none is used here; expected a URL that anybody "
        "may read, or a local clone";
    const std::string nothing =
        "the server has no git repository there (http status 404); check the path in the URL";
    const std::string refused =
        "no connection to 127.0.0.1: Connection refused; check host and port, and the network";
    const std::string unknown = "there is no such host; check the URL, and the network";
    const std::vector<Refusal> cases{
        {git_server().url("git", "nothing"),
         "the server says 'access denied or repository not exported: /nothing'; check the path in the URL"},
        {git_server().url("git", "plain"),
         "the server says 'access denied or repository not exported: /plain'; check the path in the URL"},
        {git_server().url("git", "sha256"), ids},
        {git_server().url("git", "shallow"), ids},
        {http_server().url("http", "nothing"), nothing},
        {http_server().url("http", "plain"), nothing},
        {http_server().url("http", "sha256"), ids},
        {http_server().url("http", "shallow"), ids},
        {http_server().url("https", "repo"),
         "no TLS connection (0xffff8e00 - SSL - An invalid SSL record was received); does the server speak "
         "https there?"},
        {dumb.url("http", "repo/.git"),
         "the server answers with 'application/octet-stream', not with git's smart http; dumb http (a folder "
         "of "
         "files) cannot be fetched from: clone it with git, and name the clone"},
        {dumb.url("http", "nothing/.git"), nothing},
        {locked.url("http", "repo"), password},
        {forbidden.url("http", "repo"),
         "the server forbids it (http status 403); expected a URL that anybody may read, or a local clone"},
        {"http://127.0.0.1:" + port + "/repo", refused},
        {"git://127.0.0.1:" + port + "/repo", refused},
        {"http://nowhere.invalid/repo", unknown},
        {"git://nowhere.invalid/repo", unknown},
        {"http://127.0.0.1:port/repo",
         "'http://127.0.0.1:port/repo' is not a URL; expected SCHEME://HOST[:PORT]/PATH"},
    };
    const Scene scene;
    for (const Refusal& refusal : cases) {
        const base::Result<Repository> repository = fetch_into(scene, refusal.url, {"v1"});
        EXPECT_EQ(message_of(repository), "cannot fetch " + refusal.url + ": " + refusal.message);
        EXPECT_EQ(repository.error().kind, base::ErrorKind::io);
    }
    EXPECT_EQ(names_in(scene), "");
}

TEST(Fetch, TrustsCertificatesThatAreNamed) {
    const Scene scene;
    scene.sh(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out certificate -days 2 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost 2>&1; cat key certificate >pem");
    const test::GitServer server({"https", served() / "served", scene / "pem"});
    const std::string url = "https://localhost:" + server.port() + "/repo";
    const Scene there;
    const std::string refused =
        ": the server's certificate is not trusted, or is another host's; check the URL, or name the "
        "authority's "
        "certificates in SSL_CERT_FILE";
    EXPECT_EQ(message_of(fetch_into(there, url, {"v1"})), "cannot fetch " + url + refused);
    setenv("SSL_CERT_FILE", (scene / "certificate").c_str(), 1);
    const base::Result<Repository> trusted = fetch_into(there, url, {"v1"});
    const base::Result<Repository> misnamed = fetch_into(there, server.url("https", "repo"), {"v1"});
    unsetenv("SSL_CERT_FILE");
    EXPECT_EQ(tag_of(trusted, "v1"), served().sh("git -C served/repo rev-parse v1"));
    EXPECT_EQ(message_of(misnamed), "cannot fetch " + server.url("https", "repo") + refused);
}

TEST(Fetch, EndsAServerThatIsSilent) {
    const test::GitServer silent({"silent"});
    // Well behind the list of refs, in the middle of the pack.
    const test::GitServer git_hold({"hold", git_server().port(), "100000"});
    const test::GitServer http_hold({"hold", http_server().port(), "100000"});
    const Scene scene;
    TransferLimits limits;
    limits.silence = milliseconds(500);
    for (const std::string& url :
         {silent.url("git", "repo"), silent.url("http", "repo"), silent.url("https", "repo"),
          git_hold.url("git", "repo"), http_hold.url("http", "repo")}) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(message_of(fetch_into(scene, url, {"v3"}, limits)),
                  "cannot fetch " + url +
                      ": the server was silent for 0.5 s, which is the limit; try again later, or "
                      "fetch it with git and name the clone");
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << url;
        EXPECT_EQ(names_in(scene), "") << url;
    }
}

TEST(Fetch, EndsATransferThatTakesTooLong) {
    const test::GitServer silent({"silent"});
    const Scene scene;
    TransferLimits limits;
    limits.total = milliseconds(300);
    const std::string url = silent.url("git", "repo");
    EXPECT_EQ(message_of(fetch_into(scene, url, {"v1"}, limits)),
              "cannot fetch " + url +
                  ": it took longer than 0.3 s, which is the limit; try again later, or fetch it "
                  "with git and name the clone");
}

TEST(Fetch, TriesAgainAfterABrokenConnection) {
    const std::string commit = served().sh("git -C served/repo rev-parse v3");
    struct Break {
        const char* kind;
        const test::GitServer& behind;
        const char* scheme;
        const char* bytes;
    };
    for (const Break& broken :
         {Break{"cut", git_server(), "git", "0"}, Break{"end", git_server(), "git", "200"},
          Break{"cut", git_server(), "git", "100000"}, Break{"end", git_server(), "git", "100000"},
          Break{"end", http_server(), "http", "100000"}}) {
        const test::GitServer server({broken.kind, broken.behind.port(), "2", broken.bytes});
        const Scene scene;
        EXPECT_EQ(tag_of(fetch_into(scene, server.url(broken.scheme, "repo"), {"v3"}), "v3"), commit)
            << broken.kind << broken.bytes;
        EXPECT_EQ(scene.sh("git -C clone fsck --strict --no-dangling"), "");
        EXPECT_EQ(names_in(scene), "clone");
    }
}

TEST(Fetch, GivesUpAfterAllAttempts) {
    const test::GitServer server({"cut", git_server().port(), "3", "100"});
    const Scene scene;
    test::write(scene / "clone/kept", "");
    const std::string url = server.url("git", "repo");
    EXPECT_EQ(message_of(fetch_into(scene, url, {"v3"})),
              "cannot fetch " + url +
                  ": the connection broke (error receiving socket data: Connection reset by peer), "
                  "3 of 3 attempts; try again later");
    EXPECT_EQ(names_in(scene), "clone");
    EXPECT_TRUE(test::exists(scene / "clone/kept"));
    // The fourth connection is passed on whole.
    base::Silent silent;
    EXPECT_EQ(message_of(remote_tags(url, short_limits(), silent)), "(none)");
}

TEST(Fetch, GoesThroughTheEnvironmentsProxy) {
    const Scene scene;
    setenv("http_proxy", ("http://127.0.0.1:" + http_server().port()).c_str(), 1);
    const base::Result<Repository> through = fetch_into(scene, "http://nowhere.invalid/repo", {"v1"});
    setenv("no_proxy", "nowhere.invalid", 1);
    const base::Result<Repository> past = fetch_into(scene, "http://nowhere.invalid/repo", {"v1"});
    unsetenv("no_proxy");
    const test::GitServer* const gone = new test::GitServer({"silent"});
    const std::string port = gone->port();
    delete gone;
    setenv("http_proxy", ("http://127.0.0.1:" + port).c_str(), 1);
    const base::Result<Repository> refused = fetch_into(scene, "http://nowhere.invalid/repo", {"v1"});
    setenv("https_proxy", ("http://127.0.0.1:" + port).c_str(), 1);
    const base::Result<Repository> tls = fetch_into(scene, "https://nowhere.invalid/repo", {"v1"});
    unsetenv("http_proxy");
    unsetenv("https_proxy");
    EXPECT_EQ(tag_of(through, "v1"), served().sh("git -C served/repo rev-parse v1"));
    EXPECT_EQ(
        message_of(past),
        "cannot fetch http://nowhere.invalid/repo: there is no such host; check the URL, and the network");
    EXPECT_EQ(message_of(refused),
              "cannot fetch http://nowhere.invalid/repo: no connection to the proxy 127.0.0.1: "
              "connection refused; check host and port, and the network");
    EXPECT_EQ(message_of(tls),
              "cannot fetch https://nowhere.invalid/repo: no connection to 127.0.0.1: Connection "
              "refused; check host and port, and the network");
}

TEST(Fetch, RemovesWhatADeadFetchLeft) {
    const test::GitServer silent({"silent"});
    const Scene scene;
    const std::string left = "ls -A | grep -c 'drydock-tmp.fetch.clone' || true";
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(fetch_into(scene, silent.url("git", "repo"), {"v1"}));
        std::_Exit(0);
    }
    for (int i = 0; i < 500 && scene.sh(left) != "1"; ++i) usleep(10'000);
    EXPECT_EQ(scene.sh(left), "1");
    // While that one lives, another leaves it alone.
    EXPECT_EQ(message_of(fetch_into(scene, git_server().url("git", "repo"), {"v1"})), "(none)");
    EXPECT_EQ(scene.sh(left), "1");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // Its own child holds the lock for a moment yet.
    for (int i = 0; i < 50 && scene.sh(left) != "0"; ++i)
        EXPECT_EQ(message_of(fetch_into(scene, git_server().url("git", "repo"), {"v1"})), "(none)");
    EXPECT_EQ(names_in(scene), "clone");
}

TEST(Fetch, SaysWhereItCannotWrite) {
    const Scene scene;
    base::Silent silent;
    EXPECT_EQ(message_of(fetch(git_server().url("git", "repo"), {"v1"}, scene / "none/clone", short_limits(),
                               silent)),
              "cannot make a folder beside " + scene / "none/clone" + ": no such file or directory");
}

TEST(Obtain, OpensPathsAndFetchesUrls) {
    const Scene scene;
    base::Silent silent;
    const std::string commit = served().sh("git -C served/repo rev-parse v1");
    for (const std::string& location : {served() / "served/repo", "file://" + (served() / "served/repo")}) {
        EXPECT_EQ(tag_of(obtain(location, {"v1"}, scene / "clone", short_limits(), silent), "v1"), commit);
        EXPECT_EQ(names_in(scene), "");
    }
    EXPECT_EQ(tag_of(obtain(git_server().url("git", "repo"), {"v1"}, scene / "clone", short_limits(), silent),
                     "v1"),
              commit);
    EXPECT_EQ(message_of(obtain("https://me:s3cret@host/r", {"v1"}, scene / "clone", short_limits(), silent)),
              "the URL for host holds a user name or a password, and none are used here; expected a URL "
              "without, or a "
              "local clone");
    EXPECT_EQ(message_of(obtain("git@host:repo", {"v1"}, scene / "clone", short_limits(), silent)),
              "git repositories are not fetched over ssh, as 'git@host:repo' would be; expected a path, or a "
              "URL that "
              "begins with file://, git://, http:// or https://");
}

}  // namespace
}  // namespace drydock::source
