#include "source/transfer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <git2.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "source/library.hpp"
#include "source/proxy.hpp"
#include "source/state.hpp"

// The child tells its parent lines, each a letter and words behind it:
//   p RECEIVED TOTAL INDEXED   objects so far
//   a                          alive: the other side said something
//   t ID NAME                  a tag of the remote, or what an annotated one leads to (NAME^{})
//   m NAME                     a wanted tag that the remote lacks
//   f CLASS CODE WORDS         failed, in libgit2's terms
//   d                          done
namespace drydock::source {
namespace {

using base::ErrorKind;
using base::fail;
using base::Result;
using Clock = std::chrono::steady_clock;

constexpr std::string_view tags_folder = "refs/tags/";
constexpr std::string_view peeled_mark = "^{}";
constexpr auto between_reports = std::chrono::milliseconds(50);

/// The child's side. Whatever hangs in here is ended from outside.
class Child {
  public:
    Child(const Transfer& transfer, const std::optional<Proxy>& proxy, int to_parent)
        : transfer_(transfer), proxy_(proxy), to_parent_(to_parent) {}

    void run() noexcept {
        prepare_library();
        use_certificates();
        if (proxy_ && transfer_.url.starts_with("http://")) connect_to(*proxy_);
        tell(work() == 0 ? std::string("d") : failure());
    }

  private:
    void tell(std::string line) const {
        line += '\n';
        std::string_view left = line;
        while (!left.empty()) {
            const ssize_t put = ::write(to_parent_, left.data(), left.size());
            if (put < 0 && errno != EINTR) return;
            if (put > 0) left.remove_prefix(static_cast<std::size_t>(put));
        }
    }

    static std::string failure() {
        const git_error* error = git_error_last();
        return fmt::format("f {} {}", error != nullptr ? error->klass : 0, library_words());
    }

    /// Where OpenSSL's own programs look for them too.
    static void use_certificates() {
        const char* file = std::getenv("SSL_CERT_FILE");
        const char* folder = std::getenv("SSL_CERT_DIR");
        if (file != nullptr || folder != nullptr)
            git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, folder);
    }

    static int on_objects(const git_indexer_progress* stats, void* self) {
        auto* child = static_cast<Child*>(self);
        const auto now = Clock::now();
        if (now - child->reported_ < between_reports && stats->indexed_objects < stats->total_objects)
            return 0;
        child->reported_ = now;
        child->tell(
            fmt::format("p {} {} {}", stats->received_objects, stats->total_objects, stats->indexed_deltas));
        return 0;
    }

    static int on_words(const char*, int, void* self) {
        static_cast<Child*>(self)->tell("a");
        return 0;
    }

    int work() {
        git_repository* repository = nullptr;
        git_remote* remote = nullptr;
        if (!transfer_.folder.empty()) {
            const int made = git_repository_init(&repository, transfer_.folder.c_str(), 1);
            if (made != 0) return made;
        }
        const int named = repository == nullptr
                              ? git_remote_create_detached(&remote, transfer_.url.c_str())
                              : git_remote_create_anonymous(&remote, repository, transfer_.url.c_str());
        if (named != 0) return named;
        git_fetch_options options = GIT_FETCH_OPTIONS_INIT;
        options.callbacks.payload = this;
        options.callbacks.transfer_progress = on_objects;
        options.callbacks.sideband_progress = on_words;
        options.proxy_opts.type = proxy_ ? GIT_PROXY_SPECIFIED : GIT_PROXY_NONE;
        if (proxy_) options.proxy_opts.url = proxy_->url.c_str();
        options.update_fetchhead = 0;
        options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
        const int connected =
            git_remote_connect(remote, GIT_DIRECTION_FETCH, &options.callbacks, &options.proxy_opts, nullptr);
        if (connected != 0) return connected;
        const git_remote_head** heads = nullptr;
        std::size_t count = 0;
        if (const int listed = git_remote_ls(&heads, &count, remote); listed != 0) return listed;
        const bool all_there = tell_tags(heads, count);
        return repository == nullptr || !all_there ? 0 : fetch(*remote, options);
    }

    [[nodiscard]] bool tell_tags(const git_remote_head** heads, std::size_t count) const {
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view name = heads[i]->name;
            if (!name.starts_with(tags_folder)) continue;
            names.push_back(name.substr(tags_folder.size()));
            tell(fmt::format("t {} {}", git_oid_tostr_s(&heads[i]->oid), names.back()));
        }
        bool all_there = true;
        for (const std::string& wanted : transfer_.tags) {
            if (std::find(names.begin(), names.end(), wanted) != names.end() &&
                !wanted.ends_with(peeled_mark))
                continue;
            tell("m " + wanted);
            all_there = false;
        }
        return all_there;
    }

    int fetch(git_remote& remote, const git_fetch_options& options) const {
        std::vector<std::string> specs;
        for (const std::string& tag : transfer_.tags)
            specs.push_back(fmt::format("+{0}{1}:{0}{1}", tags_folder, tag));
        std::vector<char*> pointers;
        pointers.reserve(specs.size());
        for (std::string& spec : specs) pointers.push_back(spec.data());
        const git_strarray array{pointers.data(), pointers.size()};
        return git_remote_fetch(&remote, &array, &options, nullptr);
    }

    const Transfer& transfer_;
    const std::optional<Proxy>& proxy_;
    int to_parent_;
    Clock::time_point reported_;
};

/// What the parent made of the child's lines.
struct Heard {
    Outcome outcome;
    bool done{false};
    bool failed{false};
    int failure_class{0};
    std::string words;
};

void hear_tag(std::istringstream& line, std::vector<Tag>& tags) {
    Tag tag;
    line >> tag.commit;
    std::getline(line >> std::ws, tag.name);
    if (!tag.name.ends_with(peeled_mark)) {
        tags.push_back(std::move(tag));
        return;
    }
    tag.name.resize(tag.name.size() - peeled_mark.size());
    if (!tags.empty() && tags.back().name == tag.name) tags.back().commit = tag.commit;
}

void hear(const std::string& text, Heard& heard, base::Progress& progress) {
    std::istringstream line(text);
    char letter = 0;
    line >> letter;
    if (letter == 'd') heard.done = true;
    if (letter == 't') hear_tag(line, heard.outcome.tags);
    if (letter == 'm') std::getline(line >> std::ws, heard.outcome.missing.emplace_back());
    if (letter == 'f') {
        heard.failed = true;
        line >> heard.failure_class;
        std::getline(line >> std::ws, heard.words);
    }
    if (letter == 'p') {
        std::uint64_t received = 0;
        std::uint64_t total = 0;
        std::uint64_t deltas = 0;
        line >> received >> total >> deltas;
        if (received < total || deltas == 0)
            progress.update("receiving objects", received, total);
        else
            progress.update("resolving deltas", deltas, 0);
    }
}

enum class Ending { closed, silent, too_long };

/// Listens until the child closes its end, or a limit.
Ending listen(int from, const TransferLimits& limits, Heard& heard, base::Progress& progress) {
    const auto end = Clock::now() + limits.total;
    auto silent_at = Clock::now() + limits.silence;
    std::string pending;
    std::array<char, 65536> buffer{};
    while (true) {
        const auto until = std::min(end, silent_at);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
        if (left.count() <= 0) return until == end ? Ending::too_long : Ending::silent;
        pollfd polled{from, POLLIN, 0};
        const int ready = poll(&polled, 1, static_cast<int>(std::min<long long>(left.count(), 1'000'000)));
        if (ready <= 0) continue;
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Ending::closed;
        silent_at = Clock::now() + limits.silence;
        pending.append(buffer.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t newline = 0; (newline = pending.find('\n', begin)) != std::string::npos;) {
            hear(pending.substr(begin, newline - begin), heard, progress);
            begin = newline + 1;
        }
        pending.erase(0, begin);
    }
}

std::string seconds(std::chrono::milliseconds time) {
    return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

/// What libgit2 says, and what we say of it; `{}` is what stands behind its words.
struct Cause {
    std::string_view words;
    std::string_view told;
};

/// Its codes don't tell causes apart, its words do. None of these gets better by another attempt.
constexpr std::array causes{
    Cause{"failed to resolve address", "there is no such host; check the URL, and the network"},
    Cause{"failed to connect to ", "no connection to {}; check host and port, and the network"},
    Cause{"malformed URL ", "{} is not a URL; expected SCHEME://HOST[:PORT]/PATH"},
    Cause{"remote error: ", "the server says '{}'; check the path in the URL"},
    Cause{"status code: 404",
          "the server has no git repository there (http status 404); check the path in the URL"},
    Cause{"status code: 401",
          "the server wants a password, and none is used here; expected a URL that "
          "anybody may read, or a local clone"},
    Cause{"status code: 403",
          "the server forbids it (http status 403); expected a URL that anybody may "
          "read, or a local clone"},
    Cause{"authentication required",
          "the server wants a password, and none is used here; expected a URL that "
          "anybody may read, or a local clone"},
    Cause{"invalid content-type: ",
          "the server answers with {}, not with git's smart http; dumb http (a folder of "
          "files) cannot be fetched from: clone it with git, and name the clone"},
    Cause{"error parsing REF",
          "the server's list of refs cannot be read: its ids are SHA-256, or its repository "
          "is a shallow clone; expected a full one with SHA-1 ids"},
    Cause{"SSL error: ", "no TLS connection ({}); does the server speak https there?"},
    Cause{"certificate",
          "the server's certificate is not trusted, or is another host's; check the URL, or name the "
          "authority's "
          "certificates in SSL_CERT_FILE"},
};

struct Reading {
    std::string message;  ///< behind `cannot fetch URL: `
    bool broke{false};    ///< the connection, so that another attempt may help
};

Reading read_failure(const Heard& heard) {
    for (const Cause& cause : causes) {
        const std::size_t at = heard.words.find(cause.words);
        if (at == std::string::npos) continue;
        const std::string rest = printable(std::string_view(heard.words).substr(at + cause.words.size()));
        return {fmt::format(fmt::runtime(cause.told), rest), false};
    }
    const std::string words = printable(heard.words);
    if (heard.failure_class == GIT_ERROR_NET || heard.failure_class == GIT_ERROR_HTTP ||
        heard.failure_class == GIT_ERROR_SSL)
        return {fmt::format("the connection broke ({})", words), true};
    return {fmt::format("{}; check that there is room, and try again", words), false};
}

/// Nothing where the child did its work.
std::optional<Reading> read_ending(Ending ending, int status, const Heard& heard,
                                   const TransferLimits& limits) {
    if (heard.failed) return read_failure(heard);
    if (heard.done) return std::nullopt;
    if (ending == Ending::silent) {
        return Reading{
            fmt::format("the server was silent for {}, which is the limit; try again later, or "
                        "fetch it with git and name the clone",
                        seconds(limits.silence))};
    }
    if (ending == Ending::too_long) {
        return Reading{
            fmt::format("it took longer than {}, which is the limit; try again later, or fetch it with "
                        "git and name the clone",
                        seconds(limits.total))};
    }
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return Reading{fmt::format("the process that does it was ended by signal {}; try again", signal)};
}

}  // namespace

Result<Outcome> run_transfer(const Transfer& transfer, const TransferLimits& limits, base::Progress& progress,
                             bool& broke) {
    broke = false;
    const Result<std::optional<Proxy>> proxy = proxy_for(transfer.url);
    if (!proxy) return fail(proxy.error());
    const std::string cannot = fmt::format("cannot fetch {}: ", transfer.url);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail(io_error(errno_now().value(), cannot + "no pipe"));
    const base::FileDescriptor from(ends[0]);
    base::FileDescriptor to(ends[1]);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) return fail(io_error(errno_now().value(), cannot + "no process"));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGPIPE, SIG_IGN);  // a server that is gone is an error to be told
        if (getppid() == parent) Child(transfer, *proxy, to.get()).run();
        std::_Exit(0);  // only the child: what is registered for the tool's own end is not its
    }
    to = base::FileDescriptor();
    Heard heard;
    const Ending ending = listen(from.get(), limits, heard, progress);
    if (ending != Ending::closed) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (const std::optional<Reading> reading = read_ending(ending, status, heard, limits)) {
        broke = reading->broke;
        return fail(ErrorKind::io, cannot + reading->message);
    }
    return std::move(heard.outcome);
}

}  // namespace drydock::source
