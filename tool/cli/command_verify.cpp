#include "cli/command_verify.hpp"

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

}  // namespace

VerifyOutcome verify(const VerifyOptions& options, const manifest::Environment& environment,
                     base::Progress& progress) {
    VerifyOutcome outcome;
    outcome.status = status(StatusOptions{options.selection, true}, environment);
    outcome.problems = outcome.status.outcome.problems;
    outcome.notes = outcome.status.outcome.notes;
    const std::vector<base::Error>& skipped = outcome.status.outcome.skipped;
    outcome.notes.insert(outcome.notes.end(), skipped.begin(), skipped.end());
    std::vector<conform::Package> packages;
    for (const install::PackageReport& package : outcome.status.outcome.packages) {
        if (package.state == install::State::patched) packages.push_back({package.name, package.directory});
    }
    conform::Options run{options.node, options.cases, options.seed, options.only, &progress};
    outcome.verdict = conform::verify(packages, run);
    outcome.problems.insert(outcome.problems.end(), outcome.verdict.problems.begin(),
                            outcome.verdict.problems.end());
    if (outcome.problems.empty() && outcome.verdict.functions.empty()) {
        base::Error error;
        error.kind = base::ErrorKind::check;
        error.message = "nothing is patched that could be run; see 'drydock status'";
        outcome.problems.push_back(std::move(error));
    }
    outcome.exit = exit_code(outcome.problems);
    return outcome;
}

std::string verify_text(const VerifyOutcome& outcome, const VerifyOptions& options, const Style& style) {
    if (outcome.verdict.functions.empty()) return {};
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
    for (const conform::Compared& compared : outcome.verdict.functions) {
        for (const conform::Difference& difference : compared.shown) {
            const bool cut = difference.input.size() > longest_input;
            text += fmt::format("\n{}: case {}: {}{}\n", printable(unscoped(compared.package)),
                                difference.name.number, printable(difference.input.substr(0, longest_input)),
                                cut ? "…" : "");
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
    return printed(document);
}

}  // namespace drydock::cli
