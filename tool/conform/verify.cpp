#include <algorithm>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/records.hpp"
#include "base/scratch.hpp"
#include "conform/conform.hpp"
#include "conform/node_run.hpp"
#include "diff/diff.hpp"
#include "session/cases.hpp"
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

/// A function with two homes.
struct Subject {
    std::string_view package;
    std::string_view function;
    std::uint64_t fixed;  ///< cases, from number 0 on
    std::string (*make_case)(std::uint64_t seed, std::uint64_t number);
    std::string (*answer)(base::JsonView input);
};

template <Function function>
Subject in_stream(std::string_view package) {
    return {
        package, stream::function_name(function), stream::fixed_cases(function),
        [](std::uint64_t seed, std::uint64_t number) { return stream::make_case(function, seed, number); },
        [](base::JsonView input) { return stream::answer_case(function, input); }};
}

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> all{
        {core_package, session::append_name, session::fixed_append_cases(), session::make_append_case,
         [](base::JsonView input) {
             return session::answer_append_case(input, session::AppendRules::patched);
         }},
        in_stream<Function::bounds>(sink_package),
        in_stream<Function::sink>(sink_package),
        in_stream<Function::coalescer>(sink_package),
        in_stream<Function::claude>(claude_package),
        in_stream<Function::acp>(acp_package),
    };
    return all;
}

/// Both answers, line by line.
std::string diff_of(const std::string& native, const std::string& javascript) {
    const Result<std::string> text =
        diff::make_patch_text({{"events", diff::FileSide{native, {}}, diff::FileSide{javascript, {}}}});
    if (!text || text->empty()) return fmt::format("-{}\n+{}\n", native, javascript);
    const std::size_t hunks = text->find("@@");
    return "--- native\n+++ javascript\n" + text->substr(std::min(hunks, text->size()));
}

class Comparison {
  public:
    Comparison(const Package& package, const Subject& subject, const Options& options,
               const std::string& folder)
        : package_(package), subject_(subject), options_(options), folder_(folder) {
        compared_.package = package.name;
        compared_.directory = package.directory;
        compared_.function = subject.function;
    }

    Result<Compared> run() {
        const std::uint64_t first = options_.only ? options_.only->number : 0;
        const std::uint64_t end =
            options_.only ? first + 1 : subject_.fixed + std::min(options_.cases, last_case);
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
            base::put_record(input, subject_.make_case(options_.seed, number));
        }
        const std::string cases = folder_ + "/cases";
        if (Result<void> written = write_file(cases, input); !written) return written;
        const Result<NodeRun> run =
            run_node(options_.node, folder_, "driver.mjs", {package_.directory, compared_.function, cases});
        if (!run) return base::fail(run.error());
        loaded_ = run->end != NodeRun::End::cannot_load;
        switch (run->end) {
            case NodeRun::End::done:
                break;
            case NodeRun::End::cannot_load:
            case NodeRun::End::gave_up:
                return base::fail(about(package_.name, ErrorKind::check, run->reason));
            case NodeRun::End::failed:
                return base::fail(about(package_.name, ErrorKind::check,
                                        fmt::format("{} ends node with exit code {}: {}", compared_.function,
                                                    run->exit_code, run->reason)));
            case NodeRun::End::stopped:
            case NodeRun::End::no_answer:
                return base::fail(about(package_.name, ErrorKind::check,
                                        fmt::format("{}: {}", compared_.function, run->reason)));
        }
        return compare(input, run->answer, begin);
    }

    Result<void> compare(std::string_view input, std::string_view output, std::uint64_t number) {
        base::JsonDocument document;
        while (const std::optional<std::string_view> text = base::take_record(input)) {
            const std::optional<std::string_view> theirs = base::take_record(output);
            const auto value = document.parse(*text);
            if (!theirs || !value) {
                return base::fail(
                    about(package_.name, ErrorKind::check,
                          fmt::format("{} gave no answer to case {}", compared_.function, number)));
            }
            const std::string ours = subject_.answer(*value);
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
    const Subject& subject_;
    const Options& options_;
    const std::string& folder_;  ///< of the scripts
    Compared compared_;
    bool loaded_{true};
};

}  // namespace

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const Subject& subject : subjects()) names.emplace_back(subject.function);
    return names;
}

std::string package_of(std::string_view function) {
    for (const Subject& subject : subjects()) {
        if (subject.function == function) return std::string(subject.package);
    }
    return {};
}

Verdict verify(const std::vector<Package>& packages, const Options& options) {
    Verdict verdict;
    const Result<base::Scratch> scratch = base::Scratch::make(options.scratch);
    const Result<void> written = scratch ? write_scripts(scratch->path()) : base::fail(scratch.error());
    if (!written) {
        verdict.problems.push_back(written.error());
        return verdict;
    }
    for (const Package& package : packages) {
        for (const Subject& subject : subjects()) {
            if (subject.package != package.name) continue;
            if (options.only && options.only->function != subject.function) continue;
            Comparison comparison(package, subject, options, scratch->path());
            Result<Compared> compared = comparison.run();
            if (!compared) {
                const bool no_node = compared.error().kind == ErrorKind::io;
                verdict.problems.push_back(compared.error());
                if (no_node) return verdict;
                if (!comparison.loaded()) break;
                continue;
            }
            if (compared->different > 0) {
                verdict.problems.push_back(
                    about(package.name, ErrorKind::check,
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
