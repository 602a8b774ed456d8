#include "cli/run.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/progress.hpp"
#include "cli/render_diff.hpp"
#include "cli/render_json.hpp"
#ifndef DRYDOCK_IMAGE_ONLY
#include "cli/render_log.hpp"
#include "cli/render_log_show.hpp"
#include "cli/render_log_tree.hpp"
#endif
#include "cli/render_patch.hpp"
#include "cli/render_problems.hpp"
#include "cli/render_sbom.hpp"
#include "cli/render_text.hpp"

namespace drydock::cli {
namespace {

constexpr ExitCode trouble_of_diff = ExitCode::usage;  ///< as diff(1) has it, whatever went wrong

Style style_of(const OutputOptions& output, const Surroundings& surroundings) {
    Style style;
    style.quiet = output.quiet;
    style.verbose = output.verbose;
    style.width = surroundings.width;
    style.color = output.color == ColorChoice::always;
    if (output.color == ColorChoice::automatic) {
        const bool unwanted = !surroundings.environment("NO_COLOR").value_or("").empty() ||
                              surroundings.environment("TERM").value_or("") == "dumb";
        style.color = surroundings.terminal && !unwanted;
    }
    return style;
}

/// Whether a run was refused before it wrote anything. After a failure in writing the problems tell what was
/// taken back.
bool is_refusal(const SetReport& report) {
    const std::vector<install::PackageReport>& packages = report.outcome.packages;
    return report.command != SetCommand::status && report.exit != ExitCode::done && !report.outcome.wrote &&
           !packages.empty() && std::none_of(packages.begin(), packages.end(), [](const auto& package) {
               return package.changed;
           });
}

/// Notes are one line each: where a package has several copies, that line says which one it is about.
std::vector<base::Error> told_apart(const install::Outcome& outcome, std::vector<base::Error> notes) {
    for (base::Error& note : notes) {
        const auto copies =
            std::count_if(outcome.packages.begin(), outcome.packages.end(),
                          [&note](const auto& package) { return package.name == note.package; });
        const bool told = note.details.empty() || !note.details.front().starts_with("in ");
        if (copies > 1 && !told) note.message += fmt::format(" ({})", note.details.front());
    }
    return notes;
}

std::string notes_of(const install::Outcome& outcome, const Style& style) {
    std::vector<base::Error> notes = outcome.notes;
    if (!style.quiet) notes.insert(notes.end(), outcome.skipped.begin(), outcome.skipped.end());
    if (!style.verbose) notes = told_apart(outcome, std::move(notes));
    return notes_text(notes, style.verbose);
}

Reply set_reply(const SetReport& report, const OutputOptions& output, const Surroundings& surroundings) {
    Reply reply;
    reply.exit = report.exit;
    reply.lenient = report.lenient;
    const Style style = style_of(output, surroundings);
    if (output.json) {
        reply.out = set_document(report);
    } else if (!style.quiet) {
        reply.out =
            report.command == SetCommand::status ? status_text(report, style) : change_text(report, style);
    }
    reply.err = problems_text(report.outcome.problems) + notes_of(report.outcome, style);
    reply.changed = std::any_of(report.outcome.packages.begin(), report.outcome.packages.end(),
                                [](const auto& package) { return package.changed; });
    if (is_refusal(report)) reply.err += "drydock: nothing was changed\n";
    return reply;
}

Reply patch_reply(const PatchOutcome& outcome, const OutputOptions& output,
                  const Surroundings& surroundings) {
    Reply reply;
    reply.exit = outcome.exit;
    reply.changed = !outcome.dry_run && !outcome.files.empty();
    const Style style = style_of(output, surroundings);
    if (output.json) {
        reply.out = patch_document(outcome);
    } else if (!style.quiet) {
        reply.out = patch_text(outcome, style);
    }
    reply.err = patch_problems_text(outcome.problems) + notes_text(outcome.notes, style.verbose);
    return reply;
}

#ifndef DRYDOCK_IMAGE_ONLY
Reply diff_reply(DiffOutcome outcome, const OutputOptions& output) {
    Reply reply;
    reply.exit = outcome.exit;
    reply.unwritten = trouble_of_diff;
    reply.err = problems_text(outcome.problems);
    if (output.json) {
        reply.out = diff_document(outcome);
    } else if (!output.quiet) {
        reply.out = unpatched_text(outcome);
        if (outcome.patch.empty()) return reply;
        const auto kept = std::make_shared<const DiffOutcome>(std::move(outcome));
        reply.large = [kept](const TakePiece& take) { kept->patch.print(take); };
    }
    return reply;
}
#endif

Reply error_reply(std::string_view command, bool json, const base::Error& error) {
    Reply reply;
    reply.exit = command == "diff" ? trouble_of_diff : exit_code(error.kind);
    reply.err = problems_text({error});
    if (json) reply.out = error_document(command.empty() ? "error" : command, reply.exit, {error});
    return reply;
}

/// Answers each kind of request.
struct Answer {
    std::string_view command;
    const OutputOptions& output;
    const Surroundings& surroundings;

    [[nodiscard]] Reply no_rebuilder() const {
        base::Error error;
        error.message =
            fmt::format("{} needs drydock-rebuild, which was not found; expected it at {} or beside drydock",
                        command, "../libexec/drydock/drydock-rebuild");
        return error_reply(command, output.json, error);
    }

    Reply operator()(const HelpRequest& request) const {
        return {ExitCode::done, request.command == nullptr ? help_text() : help_text(*request.command), {}};
    }
    Reply operator()(const VersionRequest&) const {
        if (output.json) return {ExitCode::done, version_document(DRYDOCK_VERSION_STRING), {}};
        return {ExitCode::done, "drydock " DRYDOCK_VERSION_STRING "\n", {}};
    }
    Reply operator()(const NamesRequest& request) const {
        const std::vector<std::string> names =
            names_for_completion(request.kind, request.selection, surroundings.environment);
        Reply reply;
        for (const std::string& name : names) reply.out += name + '\n';
        return reply;
    }
    Reply operator()(const ApplyOptions& options) const {
        return set_reply(apply(options, surroundings.environment), output, surroundings);
    }
    Reply operator()(const StatusOptions& options) const {
        return set_reply(status(options, surroundings.environment), output, surroundings);
    }
    Reply operator()(const RevertOptions& options) const {
        return set_reply(revert(options, surroundings.environment), output, surroundings);
    }
    Reply operator()(const SbomOptions& options) const {
        const SetReport report = sbom(options, surroundings.environment);
        Reply reply{report.exit, {}, problems_text(report.outcome.problems)};
        if (report.exit == ExitCode::done) reply.out = sbom_document(report);
        reply.err += notes_of(report.outcome, style_of(output, surroundings));
        return reply;
    }
    Reply operator()(const PatchOptions& options) const {
        return patch_reply(patch_files(options), output, surroundings);
    }
#ifdef DRYDOCK_IMAGE_ONLY
    /// The other commands' help is left out there, so that no command line asks for them.
    template <class Options>
    Reply operator()(const Options&) const {
        return {ExitCode::usage, {}, {}};
    }
#else
    Reply operator()(const RegenerateOptions& options) const {
        if (!surroundings.rebuilder) return no_rebuilder();
        return surroundings.rebuilder->regenerate(options, output, style_of(output, surroundings));
    }
    Reply operator()(const BumpOptions& options) const {
        if (!surroundings.rebuilder) return no_rebuilder();
        return surroundings.rebuilder->bump(options, output, style_of(output, surroundings));
    }
    Reply operator()(const VerifyOptions& options) const {
        const Style style = style_of(output, surroundings);
        const bool shown = surroundings.progress && !output.json && !style.quiet;
        const VerifyOutcome outcome = verify(options, surroundings.environment, *make_progress(shown));
        Reply reply;
        reply.exit = outcome.exit;
        if (output.json) {
            reply.out = verify_document(outcome);
        } else if (!style.quiet) {
            reply.out = verify_text(outcome, options, style);
        }
        reply.err = problems_text(outcome.problems) + notes_text(outcome.notes, style.verbose);
        return reply;
    }
    Reply operator()(const LogCheckOptions& options) const {
        const LogCheckOutcome outcome = check_logs(options, surroundings.environment);
        Reply reply{outcome.exit, {}, problems_text(outcome.problems)};
        if (output.json) {
            reply.out = log_check_document(outcome);
        } else if (options.ndjson) {
            reply.out = log_check_lines(outcome);
        } else if (!output.quiet) {
            reply.out = log_check_text(outcome, style_of(output, surroundings));
        }
        return reply;
    }
    Reply operator()(const LogMendOptions& options) const {
        const LogMendOutcome outcome = mend_log(options, surroundings.environment);
        Reply reply{outcome.exit, {}, problems_text(outcome.problems)};
        reply.changed = !outcome.copy.empty();
        if (output.json) {
            reply.out = log_mend_document(outcome);
        } else if (!output.quiet) {
            reply.out = log_mend_text(outcome);
        }
        return reply;
    }
    Reply operator()(const LogShowOptions& options) const {
        const LogShowOutcome outcome = show_log(options, output, style_of(output, surroundings),
                                                surroundings.environment, surroundings.channels);
        Reply reply{outcome.exit, {}, problems_text(outcome.problems) + notes_text(outcome.notes, false)};
        if (output.json) reply.out = log_show_last_line(outcome);
        return reply;
    }
    Reply operator()(const LogTreeOptions& options) const {
        const LogTreeOutcome outcome = grow_tree(options, surroundings.environment);
        Reply reply{outcome.exit, {}, problems_text(outcome.problems) + notes_text(outcome.notes, false)};
        if (output.json) {
            reply.out = log_tree_document(outcome);
        } else if (!output.quiet) {
            reply.out = log_tree_text(outcome, style_of(output, surroundings));
        }
        return reply;
    }
    Reply operator()(const StreamMapOptions& options) const {
        const StreamMapOutcome outcome = map_stream(options, surroundings.channels);
        return {outcome.exit, {}, problems_text(outcome.problems)};
    }
    Reply operator()(const DiffOptions& options) const {
        return diff_reply(diff_files(options), output);
    }
#endif
};

/// Whether a request is one of a boot without strict.
bool is_lenient(const Request& request, const manifest::Environment& environment) {
    const Selection* selection = nullptr;
    if (const auto* options = std::get_if<ApplyOptions>(&request)) selection = &options->selection;
    if (const auto* options = std::get_if<RevertOptions>(&request)) selection = &options->selection;
    return selection != nullptr && cli::is_lenient(*selection, environment);
}

}  // namespace

Reply run(std::span<const std::string> words, const Surroundings& surroundings) {
    const tl::expected<CommandLine, CommandLineError> line = parse_command_line(words);
    if (!line) return error_reply(line.error().command, line.error().json, line.error().error);
    try {
        return std::visit(Answer{line->command, line->output, surroundings}, line->request);
    } catch (const std::exception& exception) {
        // Memory, as a rule. Even that must not keep a container from starting.
        base::Error error;
        error.message = fmt::format("failed: {}", exception.what());
        Reply reply = error_reply(line->command, line->output.json, error);
        reply.lenient = is_lenient(line->request, surroundings.environment);
        if (reply.lenient) reply.exit = ExitCode::done;
        return reply;
    }
}

}  // namespace drydock::cli
