#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <stdlib.h>

#include "base/directory.hpp"
#include "base/json.hpp"
#include "base/process.hpp"
#include "conform/conform.hpp"
#include "conform/scripts.hpp"
#include "diff/diff.hpp"
#include "patch/patch.hpp"
#include "stream/cases.hpp"

namespace drydock::conform {
namespace {

using base::Error;
using base::ErrorKind;
using base::Result;
using stream::Function;

/// Bounds what is held in memory at once.
constexpr std::uint64_t batch_size = 10'000;
constexpr std::size_t shown_at_most = 3;
constexpr std::uint64_t largest_answers = std::uint64_t{1} << 32U;
constexpr std::chrono::minutes batch_limit{10};
/// driver.mjs gave up, and says why: on the package, or on the function.
constexpr int cannot_load = 3;
constexpr int lacks_function = 4;

struct PackageFunctions {
    std::string_view package;
    std::vector<Function> functions;
};

const std::vector<PackageFunctions>& table() {
    static const std::vector<PackageFunctions> packages{
        {"@deepseek-ai/dsh-subagent", {Function::bounds, Function::sink, Function::coalescer}},
        {"@deepseek-ai/dsh-subagent-claude-code", {Function::claude}},
        {"@deepseek-ai/dsh-subagent-acp", {Function::acp}},
    };
    return packages;
}

const std::vector<Function>& stream_functions_of(std::string_view package) {
    static const std::vector<Function> none;
    const auto found = std::find_if(table().begin(), table().end(),
                                    [&](const PackageFunctions& entry) { return entry.package == package; });
    return found == table().end() ? none : found->functions;
}

/// The scripts in a folder of their own, removed when it goes.
class Scripts {
  public:
    static Result<Scripts> write() {
        const char* const folder = std::getenv("TMPDIR");
        std::string path =
            std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/drydock-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) {
            return base::fail(base::io_error(base::Errno{errno}, "cannot make a scratch folder"));
        }
        Scripts scripts(path);
        for (const auto& [name, text] :
             {std::pair{"answers.mjs", answers_script}, std::pair{"driver.mjs", driver_script}}) {
            std::ofstream file(path + "/" + name, std::ios::binary);
            file << text;
            if (!file.flush())
                return base::fail(ErrorKind::io, fmt::format("cannot write {}/{}", path, name));
        }
        return scripts;
    }
    Scripts(Scripts&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}
    Scripts& operator=(Scripts&&) = delete;
    Scripts(const Scripts&) = delete;
    Scripts& operator=(const Scripts&) = delete;
    ~Scripts() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    explicit Scripts(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

void put_record(std::string& bytes, std::string_view record) {
    const auto size = static_cast<std::uint32_t>(record.size());
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((size >> shift) & 0xFFU);
    bytes += record;
}

/// Takes the next record off; nothing when there is no whole one.
std::optional<std::string_view> take_record(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (unsigned at = 0; at < 4; ++at)
        size |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) << (8 * at);
    bytes.remove_prefix(4);
    if (bytes.size() < size) return std::nullopt;
    const std::string_view record = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return record;
}

Error about(const Package& package, ErrorKind kind, std::string message) {
    Error error;
    error.kind = kind;
    error.package = package.name;
    error.message = std::move(message);
    return error;
}

/// The line in which node says what went wrong: the first that names an error, else the last.
std::string reason_in(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t error = std::min(text.find("Error: "), text.find("Error ["));
    const std::size_t at = error == std::string_view::npos ? text.size() : error;
    const std::size_t feed = text.rfind('\n', at);
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    return std::string(text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin));
}

/// Both answers, line by line.
std::string diff_of(const std::string& native, const std::string& javascript) {
    const auto file =
        diff::make_file_patch({"events", diff::FileSide{native, {}}, diff::FileSide{javascript, {}}});
    if (!file || !*file) return fmt::format("-{}\n+{}\n", native, javascript);
    patch::Patch patch;
    patch.files.push_back(**file);
    const std::string text = patch::print(patch);
    const std::size_t hunks = text.find("@@");
    return "--- native\n+++ javascript\n" + text.substr(std::min(hunks, text.size()));
}

class Comparison {
  public:
    Comparison(const Package& package, Function function, const Options& options, const std::string& folder)
        : package_(package), function_(function), options_(options), folder_(folder) {
        compared_.package = package.name;
        compared_.directory = package.directory;
        compared_.function = stream::function_name(function);
    }

    Result<Compared> run() {
        const std::uint64_t first = options_.only ? options_.only->number : 0;
        const std::uint64_t end = options_.only ? first + 1 : options_.cases;
        for (std::uint64_t begin = first; begin < end; begin += batch_size) {
            options_.progress->update(fmt::format("{}: {}", package_.name, compared_.function), begin, end);
            if (const Result<void> done = batch(begin, std::min(end, begin + batch_size)); !done) {
                return base::fail(done.error());
            }
        }
        return std::move(compared_);
    }

    /// Whether node could load the package; true until it is known.
    [[nodiscard]] bool loaded() const { return loaded_; }

  private:
    Result<void> batch(std::uint64_t begin, std::uint64_t end) {
        std::string input;
        for (std::uint64_t number = begin; number < end; ++number) {
            put_record(input, stream::generate_case(function_, options_.seed, number));
        }
        const std::string cases = folder_ + "/cases";
        const std::string answers = folder_ + "/answers";
        std::ofstream file(cases, std::ios::binary);
        file << input;
        file.close();
        if (!file) return base::fail(ErrorKind::io, "cannot write " + cases);
        base::ProcessOptions process;
        process.time_limit = batch_limit;
        process.unset = {"NODE_OPTIONS", "NODE_PATH"};
        const Result<base::ProcessOutcome> outcome = base::run_process(
            {options_.node, folder_ + "/driver.mjs", package_.directory, compared_.function, cases, answers},
            process);
        if (!outcome) {
            return base::fail(
                ErrorKind::io,
                fmt::format("{}; verify needs node, from 20.6 on: install it, or name it with --node",
                            outcome.error().message));
        }
        if (outcome->exit_code == cannot_load || outcome->exit_code == lacks_function) {
            loaded_ = outcome->exit_code != cannot_load;
            return base::fail(about(package_, ErrorKind::check, reason_in(outcome->errors)));
        }
        if (outcome->exit_code != 0) {
            const std::string why =
                outcome->timed_out ? "ran for longer than 600 s" : reason_in(outcome->errors);
            return base::fail(about(package_, ErrorKind::check,
                                    fmt::format("{} ends node with exit code {}: {}", compared_.function,
                                                outcome->exit_code, why)));
        }
        const Result<std::string> output = base::read_file(answers, largest_answers);
        if (!output) return base::fail(output.error());
        return compare(input, *output, begin);
    }

    Result<void> compare(std::string_view input, std::string_view output, std::uint64_t number) {
        base::JsonDocument document;
        while (const std::optional<std::string_view> text = take_record(input)) {
            const std::optional<std::string_view> theirs = take_record(output);
            const auto value = document.parse(*text);
            if (!theirs || !value) {
                return base::fail(
                    about(package_, ErrorKind::check,
                          fmt::format("{} gave no answer to case {}", compared_.function, number)));
            }
            const std::string ours = stream::answer_case(function_, *value);
            ++compared_.cases;
            if (ours != *theirs) {
                ++compared_.different;
                if (compared_.shown.size() < shown_at_most) {
                    compared_.shown.push_back({{compared_.function, number},
                                               std::string(*text),
                                               diff_of(ours, std::string(*theirs))});
                }
            }
            ++number;
        }
        return {};
    }

    const Package& package_;
    Function function_;
    const Options& options_;
    const std::string& folder_;  ///< of the scripts
    Compared compared_;
    bool loaded_{true};
};

}  // namespace

Verdict verify(const std::vector<Package>& packages, const Options& options) {
    Verdict verdict;
    const Result<Scripts> scripts = Scripts::write();
    if (!scripts) {
        verdict.problems.push_back(scripts.error());
        return verdict;
    }
    for (const Package& package : packages) {
        for (const Function function : stream_functions_of(package.name)) {
            if (options.only && options.only->function != stream::function_name(function)) continue;
            Comparison comparison(package, function, options, scripts->path());
            Result<Compared> compared = comparison.run();
            if (!compared) {
                verdict.problems.push_back(compared.error());
                if (!comparison.loaded()) break;
                continue;
            }
            if (compared->different > 0) {
                verdict.problems.push_back(
                    about(package, ErrorKind::check,
                          fmt::format("{} does something else than it should in {} of {} cases; the first is "
                                      "case {} of seed {}",
                                      compared->function, compared->different, compared->cases,
                                      compared->shown.front().name.number, options.seed)));
            }
            verdict.functions.push_back(*std::move(compared));
        }
    }
    return verdict;
}

}  // namespace drydock::conform
