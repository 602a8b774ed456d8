#include <algorithm>
#include <cerrno>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/directory.hpp"
#include "base/json.hpp"
#include "base/process.hpp"
#include "base/scratch.hpp"
#include "conform/conform.hpp"
#include "conform/node_run.hpp"
#include "install/install.hpp"
#include "install/resolve.hpp"
#include "session/review.hpp"
#include "stream/cases.hpp"
#include "stream/stream.hpp"

namespace drydock::conform {
namespace {

using base::Error;
using base::ErrorKind;
using base::JsonView;
using base::Result;

constexpr std::uint64_t messages_of_a_child = 200;

struct Provider {
    std::string_view package;
    std::string_view name;  ///< as it stands in its events
    stream::Function mapper;
    bool coalesces;
};
constexpr std::array<Provider, 2> providers = {{
    {claude_package, "claude-code", stream::Function::claude, false},
    {acp_package, "acp", stream::Function::acp, true},
}};

/// Who writes a log.
struct Writers {
    std::string core;
    std::string sink;  ///< empty for none
};

std::string quoted(std::string_view text) {
    std::string json;
    base::write_json_string(json, text);
    return json;
}

std::optional<std::string> node_finds(const std::string& directory, std::string_view package) {
    const base::Sys<std::string> real = base::real_path(directory);
    if (!real) return std::nullopt;
    install::ModuleFolders folders;
    return install::node_resolve(*real, std::string(package), {}, folders);
}

std::string real_or_same(const std::string& path) {
    const base::Sys<std::string> real = base::real_path(path);
    return real ? *real : path;
}

/// The loader in its directory, with what it loads.
Result<Loader> loader_in(const std::string& directory) {
    static constexpr std::string_view cordis_package = "@deepseek-ai/cordis";
    const std::optional<std::string> core = node_finds(directory, core_package);
    const std::optional<std::string> cordis = node_finds(directory, cordis_package);
    if (core && cordis) return Loader{directory, *core, *cordis};
    return base::fail(about(
        loader_package, ErrorKind::check,
        fmt::format("no {} where Node would look from {}", core ? cordis_package : core_package, directory)));
}

/// The messages of a child: the first generated cases of its mapper.
std::string messages_of(stream::Function function, std::uint64_t seed) {
    std::string list = "[";
    for (std::uint64_t number = 0; number < messages_of_a_child; ++number) {
        if (number > 0) list += ',';
        list += stream::make_case(function, seed, stream::fixed_cases(function) + number);
    }
    return list + ']';
}

/// One item of each kind, for a log that no provider writes to.
std::string plain_items() {
    std::string list = "[";
    for (const stream::Kind kind :
         {stream::Kind::system, stream::Kind::assistant, stream::Kind::thought, stream::Kind::tool_call,
          stream::Kind::tool_result, stream::Kind::result, stream::Kind::plan, stream::Kind::other}) {
        if (list.size() > 1) list += ',';
        list += fmt::format(R"({{"kind":"{}","text":"x"}})", stream::kind_name(kind));
    }
    return list + ']';
}

std::string request_of(const Writers& writers, const std::vector<Package>& packages, std::uint64_t seed) {
    std::vector<std::string> children;
    for (const Package& package : packages) {
        for (const Provider& provider : providers) {
            if (writers.sink.empty() || package.name != provider.package) continue;
            children.push_back(fmt::format(
                R"({{"childId":"child-{}","provider":"{}","directory":{},"function":"{}","coalesce":{},"messages":{}}})",
                children.size() + 1, provider.name, quoted(package.directory),
                stream::function_name(provider.mapper), provider.coalesces,
                messages_of(provider.mapper, seed)));
        }
    }
    if (children.empty()) {
        children.push_back(fmt::format(
            R"({{"childId":"child-1","provider":"drydock","coalesce":false,"messages":{}}})", plain_items()));
    }
    return fmt::format(R"({{"session":{},"sink":{},"children":[{}]}})", quoted(writers.core),
                       writers.sink.empty() ? "null" : quoted(writers.sink), fmt::join(children, ","));
}

/// Makes the folders of a path below one that is there.
Result<void> make_folders(const std::string& top, const std::string& path) {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
        const std::string folder = top + '/' + path.substr(0, end);
        if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
            return base::fail(base::io_error(base::Errno{errno}, "cannot make " + folder));
        if (end == std::string::npos) return {};
    }
}

/// One session: written, judged, opened.
class Trial {
  public:
    Trial(const Writers& writers, const std::vector<Package>& packages, const manifest::Manifest& manifest,
          const SessionOptions& options, const std::string& folder, SessionVerdict& verdict)
        : writers_(writers),
          packages_(packages),
          manifest_(manifest),
          options_(options),
          folder_(folder),
          verdict_(verdict) {
        written_.core = writers.core;
        written_.sink = writers.sink;
    }

    void run() {
        Result<void> done = write();
        if (done) done = judge();
        if (done) done = open();
        if (!done) verdict_.problems.push_back(done.error());
        if (judged_) verdict_.sessions.push_back(std::move(written_));
    }

  private:
    [[nodiscard]] std::string_view blamed() const {
        return writers_.sink.empty() ? core_package : sink_package;
    }
    void complain(std::string message) {
        verdict_.problems.push_back(about(blamed(), ErrorKind::check, std::move(message)));
    }

    Result<void> write() {
        const std::string request = folder_ + "/request";
        if (Result<void> made = write_file(request, request_of(writers_, packages_, options_.seed)); !made)
            return made;
        const Result<NodeRun> run = run_node(options_.node, folder_, "writer.mjs", {request});
        if (!run) return base::fail(run.error());
        if (run->end != NodeRun::End::done) {
            return base::fail(about(blamed(), ErrorKind::check,
                                    fmt::format("no session could be written: {}", run->reason)));
        }
        base::JsonDocument document;
        const auto given = document.parse(run->answer);
        if (!given) return base::fail(ErrorKind::io, "writer.mjs gave no JSON: " + given.error().message);
        for (const JsonView warning : (*given)["warnings"].elements())
            written_.warnings.emplace_back(warning.string());
        std::string lines;
        for (const JsonView event : (*given)["events"].elements()) {
            lines += event.string();
            lines += '\n';
        }
        return write_log(std::string((*given)["header"].string()) + '\n', lines);
    }

    Result<void> write_log(const std::string& header, const std::string& lines) {
        static constexpr std::string_view place = "--root--/drydock-verify";
        if (Result<void> made = make_folders(folder_, "logs/" + std::string(place)); !made) return made;
        log_ = fmt::format("{}/logs/{}/session.jsonl.zstd", folder_, place);
        place_ = place;
        const Result<std::string> log = session::make_log(header, lines);
        if (!log) return base::fail(log.error());
        return write_file(log_, *log);
    }

    Result<void> judge() {
        const base::FileDescriptor file(::open(log_.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file.valid()) return base::fail(base::io_error(base::Errno{errno}, "cannot read " + log_));
        session::JudgeOptions judging;
        judging.encoding = session::Encoding::zstd;
        judging.place = place_;
        const std::vector<std::string>& known = manifest_.harness->known_event_types;
        judging.known_types.insert(known.begin(), known.end());
        judging.patched_types.emplace(stream::event_type);
        session::Review review;
        const Result<session::Judgement> judgement = session::judge(file, judging, &review);
        if (!judgement) return base::fail(judgement.error());
        judged_ = true;
        written_.stock = judgement->stock;
        written_.patched = judgement->patched;
        written_.events = judgement->events;
        for (const session::ChildSummary& child : review.children())
            written_.streams.push_back({child.provider, child.child_id, child.steps});
        tell(review);
        return {};
    }

    void tell(const session::Review& review) {
        for (const auto& [opening, who] :
             {std::pair{&written_.stock, "stock"}, {&written_.patched, "patched"}}) {
            if (opening->verdict == session::Verdict::opens) continue;
            complain(fmt::format(
                "the session that it writes over {} does not open on a {} harness: {}{}", written_.core, who,
                opening->line == 0 ? "" : fmt::format("line {}: ", opening->line), opening->reason));
        }
        for (const session::Finding& finding : review.findings()) {
            if (finding.code == "unmarked") continue;  // told by what a stock harness makes of it
            complain(fmt::format("the session that it writes over {}: line {}: {}", written_.core,
                                 finding.line, finding.message));
            break;
        }
        const bool core_is_patched =
            std::any_of(packages_.begin(), packages_.end(), [this](const Package& package) {
                return package.name == core_package &&
                       real_or_same(package.directory) == real_or_same(written_.core);
            });
        if (!written_.warnings.empty()) {
            std::string message =
                fmt::format("nothing is recorded over {}: {}", written_.core, written_.warnings.front());
            if (core_is_patched) {
                complain(std::move(message));
            } else {
                verdict_.notes.push_back(about(blamed(), ErrorKind::check, std::move(message)));
            }
        } else if (review.children().empty()) {
            complain(fmt::format("nothing is recorded over {}, and nothing said why", written_.core));
        }
    }

    // ---- The loader.

    /// Nothing where none is installed.
    [[nodiscard]] Result<std::optional<Loader>> loader() const {
        if (!options_.loader.empty()) {
            Result<Loader> named = find_loader(options_.loader);
            if (!named) return base::fail(named.error());
            return *std::move(named);
        }
        std::optional<std::string> found = node_finds(written_.core, loader_package);
        if (!found && !written_.sink.empty()) found = node_finds(written_.sink, loader_package);
        if (!found) return std::nullopt;
        Result<Loader> installed = loader_in(*found);
        if (!installed) return base::fail(installed.error());
        return *std::move(installed);
    }

    /// The stock texts of its dsh-session, by path, as members of a JSON object.
    [[nodiscard]] Result<std::string> stock_texts(const std::string& core) const {
        const manifest::Package* const package = manifest_.find_package(core_package);
        if (package == nullptr) return std::string();
        const auto files = install::stock_texts(manifest_, *package, core);
        if (!files) return base::fail(files.error());
        std::vector<std::string> texts;
        for (const auto& [path, text] : *files)
            texts.push_back(fmt::format("{}:{}", quoted(fmt::format("{}/{}", core, path)), quoted(text)));
        return fmt::format("{}", fmt::join(texts, ","));
    }

    Result<void> open() {
        const Result<std::optional<Loader>> found = loader();
        if (!found) return base::fail(found.error());
        if (!*found) {
            verdict_.notes.push_back(about(
                loader_package, ErrorKind::check,
                fmt::format("not installed where Node would look from {}, so no loader opened the session; "
                            "--loader names a folder with one",
                            written_.core)));
            return {};
        }
        const auto& [directory, core, cordis] = **found;
        const Result<std::string> texts = stock_texts(core);
        if (!texts) return base::fail(texts.error());
        const std::string request = folder_ + "/request";
        Result<void> made = write_file(
            request,
            fmt::format(
                R"({{"persistence":{},"session":{},"cordis":{},"root":{},"id":"drydock-verify","texts":{{{}}}}})",
                quoted(directory), quoted(core), quoted(cordis), quoted(folder_ + "/logs"), *texts));
        if (!made) return made;
        const Result<NodeRun> run = run_node(options_.node, folder_, "loader.mjs", {request});
        if (!run) return base::fail(run.error());
        if (run->end == NodeRun::End::gave_up) {
            return base::fail(
                about(loader_package, ErrorKind::check,
                      fmt::format("the loader in {} is not stock: {}", directory, run->reason)));
        }
        if (run->end != NodeRun::End::done) {
            return base::fail(about(loader_package, ErrorKind::io,
                                    fmt::format("the loader in {} cannot be run: {}; it needs node 22.19 or "
                                                "later, which --node can name",
                                                directory, run->reason)));
        }
        base::JsonDocument document;
        const auto given = document.parse(run->answer);
        if (!given) return base::fail(ErrorKind::io, "loader.mjs gave no JSON: " + given.error().message);
        tell(directory, *given);
        return {};
    }

    void tell(const std::string& directory, JsonView given) {
        LoaderAnswer& answer = written_.loader.emplace();
        answer.directory = directory;
        answer.opens = given["opens"].is_true();
        answer.events = static_cast<std::uint64_t>(given["events"].number());
        answer.reason = given["error"].string();
        if (!answer.opens) {
            complain(fmt::format("the session that it writes over {} is refused by the loader in {}: {}",
                                 written_.core, directory, answer.reason));
        } else if (answer.events != written_.events) {
            complain(
                fmt::format("of the session that it writes over {} the loader in {} reads {} events, not {}",
                            written_.core, directory, answer.events, written_.events));
        }
    }

    const Writers& writers_;
    const std::vector<Package>& packages_;
    const manifest::Manifest& manifest_;
    const SessionOptions& options_;
    const std::string& folder_;
    SessionVerdict& verdict_;
    WrittenSession written_;
    std::string log_;
    std::string place_;
    bool judged_{false};
};

std::vector<Writers> writers_among(const std::vector<Package>& packages, SessionVerdict& verdict) {
    std::vector<Writers> all;
    std::set<std::string> cores;
    for (const Package& package : packages) {
        if (package.name != sink_package) continue;
        const std::optional<std::string> core = node_finds(package.directory, core_package);
        if (!core) {
            verdict.problems.push_back(
                about(package.name, ErrorKind::check,
                      fmt::format("no {} where Node would look from {}", core_package, package.directory)));
            continue;
        }
        all.push_back({*core, package.directory});
        cores.insert(*core);
    }
    for (const Package& package : packages) {
        if (package.name == core_package && !cores.contains(real_or_same(package.directory)))
            all.push_back({package.directory, {}});
    }
    return all;
}

}  // namespace

Result<Loader> find_loader(const std::string& folder) {
    if (!base::is_directory(folder)) {
        return base::fail(ErrorKind::usage,
                          fmt::format("{} is no folder; expected one with a stock {} in its node_modules",
                                      folder, loader_package));
    }
    const std::string directory = fmt::format("{}/node_modules/{}", folder, loader_package);
    if (!base::is_directory(directory)) {
        return base::fail(ErrorKind::usage,
                          fmt::format("no {} in {}/node_modules; expected a stock one there, by which the "
                                      "session is opened",
                                      loader_package, folder));
    }
    return loader_in(real_or_same(directory));
}

SessionVerdict verify_sessions(const std::vector<Package>& packages, const manifest::Manifest& manifest,
                               const SessionOptions& options) {
    SessionVerdict verdict;
    const std::vector<Writers> all = writers_among(packages, verdict);
    if (all.empty()) return verdict;
    if (!manifest.harness || manifest.harness->known_event_types.empty()) {
        verdict.notes.push_back(base::error_at(
            ErrorKind::check, manifest.file, 0,
            "no harness section with known-event-types, so no session was written and judged"));
        return verdict;
    }
    for (const Writers& writers : all) {
        if (base::interrupted_by() != 0 && !verdict.problems.empty()) return verdict;  // and it is told
        const Result<base::Scratch> scratch = base::Scratch::make(options.scratch);
        const Result<void> ready = scratch ? write_scripts(scratch->path()) : base::fail(scratch.error());
        if (!ready) {
            verdict.problems.push_back(ready.error());
            return verdict;
        }
        Trial(writers, packages, manifest, options, scratch->path(), verdict).run();
    }
    return verdict;
}

}  // namespace drydock::conform
