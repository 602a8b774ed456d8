#include "cli/command_verify.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command_status.hpp"
#include "cli/json_document.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace drydock::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_input = 2'000;

/// Those that carry the set's bytes. Where something they require is not patched, what they do is still what
/// counts: it is why they are unsafe.
std::vector<conform::Package> patched_among(const std::vector<install::PackageReport>& reports) {
    std::vector<conform::Package> packages;
    for (const install::PackageReport& package : reports) {
        if (package.state == install::State::patched || package.state == install::State::unsafe)
            packages.push_back({package.name, package.directory});
    }
    return packages;
}

std::string scratch_folder(const manifest::Environment& environment) {
    const std::optional<std::string> folder = environment("TMPDIR");
    return folder && !folder->empty() ? *folder : "/tmp";
}

void append(std::vector<base::Error>& errors, const std::vector<base::Error>& more) {
    errors.insert(errors.end(), more.begin(), more.end());
}

/// How much of a case is shown: whole characters.
std::size_t shown_size(std::string_view input) {
    if (input.size() <= longest_input) return input.size();
    std::size_t size = longest_input;
    while (size > 0 && (static_cast<unsigned char>(input[size]) & 0xC0U) == 0x80U) --size;
    return size;
}

Cell verdict_cell(const session::Opening& opening) {
    const bool opens = opening.verdict == session::Verdict::opens;
    return {std::string(session::verdict_name(opening.verdict)), opens ? Tone::good : Tone::bad};
}

Cell loader_cell(const std::optional<conform::LoaderAnswer>& loader) {
    if (!loader) return {"not tried", Tone::faint};
    return loader->opens ? Cell{"opens", Tone::good} : Cell{"refuses", Tone::bad};
}

std::string sessions_text(const std::vector<conform::WrittenSession>& sessions, const Style& style) {
    if (sessions.empty()) return {};
    std::vector<std::vector<Cell>> rows{
        {{"SESSION OF"}, {"STREAMS OF"}, {"STEPS"}, {"EVENTS"}, {"STOCK"}, {"PATCHED"}, {"STOCK LOADER"}}};
    for (const conform::WrittenSession& session : sessions) {
        std::vector<std::string> providers;
        std::uint64_t steps = 0;
        for (const conform::Stream& stream : session.streams) {
            providers.push_back(stream.provider);
            steps += stream.steps;
        }
        rows.push_back({{session.sink.empty() ? "dsh-session" : "dsh-subagent"},
                        {printable(fmt::format("{}", fmt::join(providers, ", ")))},
                        {fmt::format("{}", steps)},
                        {fmt::format("{}", session.events)},
                        verdict_cell(session.stock),
                        verdict_cell(session.patched),
                        loader_cell(session.loader)});
    }
    return "\n" + table_text(std::move(rows), style.color);
}

Json opening_json(const session::Opening& opening) {
    return {{"verdict", session::verdict_name(opening.verdict)},
            {"reason", opening.reason},
            {"line", opening.line}};
}

Json sessions_json(const std::vector<conform::WrittenSession>& sessions) {
    Json list = Json::array();
    for (const conform::WrittenSession& session : sessions) {
        Json streams = Json::array();
        for (const conform::Stream& stream : session.streams) {
            streams.push_back(
                {{"childId", stream.child_id}, {"provider", stream.provider}, {"steps", stream.steps}});
        }
        Json entry{{"dir", session.core},
                   {"sink", session.sink},
                   {"streams", std::move(streams)},
                   {"warnings", session.warnings},
                   {"events", session.events},
                   {"stock", opening_json(session.stock)},
                   {"patched", opening_json(session.patched)},
                   {"loader", nullptr}};
        if (session.loader) {
            entry["loader"] = {{"dir", session.loader->directory},
                               {"opens", session.loader->opens},
                               {"events", session.loader->events},
                               {"reason", session.loader->reason}};
        }
        list.push_back(std::move(entry));
    }
    return list;
}

/// Why nothing was run. What is installed and not patched is a problem of its own.
base::Error nothing_run(const VerifyOptions& options) {
    base::Error error;
    error.kind = base::ErrorKind::check;
    error.message = "nothing is patched that could be run; see 'drydock status'";
    if (!options.only) return error;
    error.package = conform::package_of(options.only->function);
    const std::vector<std::string>& selected = options.selection.packages;
    const bool meant =
        selected.empty() || std::any_of(selected.begin(), selected.end(), [&](const auto& name) {
            return name == error.package || name == unscoped(error.package);
        });
    error.message = fmt::format("is not {}, so {} cannot be run", meant ? "installed" : "selected",
                                options.only->function);
    return error;
}

}  // namespace

VerifyOutcome verify(const VerifyOptions& options, const manifest::Environment& environment,
                     base::Progress& progress) {
    VerifyOutcome outcome;
    outcome.status = status(StatusOptions{options.selection, true}, environment);
    outcome.problems = outcome.status.outcome.problems;
    outcome.notes = outcome.status.outcome.notes;
    append(outcome.notes, outcome.status.outcome.skipped);
    // Found out before the cases, which take their time.
    if (!options.loader.empty()) {
        if (const base::Result<conform::Loader> loader = conform::find_loader(options.loader); !loader) {
            outcome.problems.push_back(loader.error());
            outcome.exit = exit_code(outcome.problems);
            return outcome;
        }
    }
    const std::vector<conform::Package> packages = patched_among(outcome.status.outcome.packages);
    const std::string scratch = scratch_folder(environment);
    conform::Options run;
    run.node = options.node;
    run.scratch = scratch;
    run.cases = options.cases;
    run.seed = options.seed;
    run.only = options.only;
    run.progress = &progress;
    outcome.verdict = conform::verify(packages, run);
    append(outcome.problems, outcome.verdict.problems);
    const base::Result<manifest::Manifest> manifest = load_manifest(options.selection, environment);
    // Without a node there is no session either, and once is enough to say so.
    const bool cannot_run =
        std::any_of(outcome.verdict.problems.begin(), outcome.verdict.problems.end(),
                    [](const base::Error& problem) { return problem.kind == base::ErrorKind::io; });
    if (manifest && !options.only && !cannot_run) {
        outcome.sessions = conform::verify_sessions(packages, *manifest,
                                                    {options.node, scratch, options.seed, options.loader});
        append(outcome.problems, outcome.sessions.problems);
        append(outcome.notes, outcome.sessions.notes);
    }
    if (outcome.problems.empty() && outcome.verdict.functions.empty())
        outcome.problems.push_back(nothing_run(options));
    outcome.exit = exit_code(outcome.problems);
    return outcome;
}

std::string verify_text(const VerifyOutcome& outcome, const VerifyOptions& options, const Style& style) {
    if (outcome.verdict.functions.empty()) return sessions_text(outcome.sessions.sessions, style);
    std::vector<std::vector<Cell>> rows{{{"PACKAGE"}, {"FUNCTION"}, {"CASES"}, {"RESULT"}}};
    for (const conform::Compared& compared : outcome.verdict.functions) {
        const bool same = compared.different == 0;
        rows.push_back(
            {{printable(unscoped(compared.package))},
             {printable(compared.function)},
             {fmt::format("{}", compared.cases)},
             {same ? "same" : fmt::format("{} differ", compared.different), same ? Tone::good : Tone::bad}});
    }
    std::string text = table_text(std::move(rows), style.color);
    text += sessions_text(outcome.sessions.sessions, style);
    for (const conform::Compared& compared : outcome.verdict.functions) {
        for (const conform::Difference& difference : compared.shown) {
            const std::size_t shown = shown_size(difference.input);
            text += fmt::format("\n{}: case {}: {}{}\n", printable(unscoped(compared.package)),
                                difference.name.number, printable(difference.input.substr(0, shown)),
                                shown < difference.input.size() ? "…" : "");
            for (std::string_view rest = difference.diff; !rest.empty();) {
                const std::size_t end = std::min(rest.find('\n'), rest.size());
                text += printable(rest.substr(0, end)) + "\n";
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
            text += fmt::format("again: drydock verify --seed {} --case {}:{}\n", options.seed,
                                compared.function, difference.name.number);
        }
    }
    return text;
}

std::string verify_document(const VerifyOutcome& outcome) {
    Json document = document_head("verify", outcome.exit, outcome.problems);
    document["notes"] = problems_json(outcome.notes);
    document["version"] = outcome.status.outcome.version;
    document["revision"] = outcome.status.outcome.revision;
    Json functions = Json::array();
    for (const conform::Compared& compared : outcome.verdict.functions) {
        Json differences = Json::array();
        for (const conform::Difference& difference : compared.shown) {
            differences.push_back(
                {{"case", difference.name.number}, {"input", difference.input}, {"diff", difference.diff}});
        }
        functions.push_back({{"package", compared.package},
                             {"dir", compared.directory},
                             {"function", compared.function},
                             {"cases", compared.cases},
                             {"different", compared.different},
                             {"differences", std::move(differences)}});
    }
    document["functions"] = std::move(functions);
    document["sessions"] = sessions_json(outcome.sessions.sessions);
    return printed(document);
}

}  // namespace drydock::cli
