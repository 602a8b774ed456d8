// What is said about each command. Other texts (man pages, completions) are made from the same data.
#include <array>

#include "cli/help.hpp"

namespace drydock::cli {
namespace {

using Text = std::string_view;

constexpr OptionHelp manifest = {
    "-m", "--manifest", "PATH",
    "a manifest, or the folder with one for each version (default: $DRYDOCK_MANIFESTS, else "
    "share/drydock/manifests beside the folder of the executable, else /usr/share/drydock/manifests)",
    "<files>"};
constexpr OptionHelp dsh_version = {"", "--dsh-version", "V", "the installed version (default: $DSH_VERSION)",
                                    "<versions>"};
constexpr OptionHelp stage = {"-s", "--stage", "STAGE",
                              "image or boot: only what is patched at that stage (default: all, as image)",
                              "image boot"};
constexpr OptionHelp package = {"-p", "--package", "NAME",
                                "only this package, with or without its scope; may be given several times",
                                "<packages>"};
constexpr OptionHelp root = {
    "-r", "--root", "NAME=DIR",
    "this directory instead of the manifest's for that root; may be given several times, "
    "and for one root too: then each directory is meant",
    "<roots>"};
constexpr OptionHelp strict = {"", "--strict", "", "at boot too: exit with the code of what went wrong"};
constexpr OptionHelp wait = {"", "--wait", "SECONDS",
                             "how long to wait for another drydock (default: 10, at boot 5), as 2 or 0.5"};
constexpr OptionHelp dry_run = {"-n", "--dry-run", "", "change nothing, tell what would be done"};
constexpr OptionHelp json = {"", "--json", "", "one JSON document on standard output, also on an error"};
constexpr OptionHelp color = {"", "--color", "WHEN",
                              "auto (default: on a terminal, unless NO_COLOR is set), always or never",
                              "auto always never"};
constexpr OptionHelp quiet = {"-q", "--quiet", "", "no results, only what went wrong"};
constexpr OptionHelp help = {"-h", "--help", "", "this text"};

constexpr TermHelp exit_done = {"0", "done, or nothing to do"};
constexpr TermHelp exit_usage = {
    "2", "wrong usage, or a manifest or patch that cannot be read or does not match its hashes"};
constexpr TermHelp exit_version = {"3", "another version is installed"};
constexpr TermHelp exit_drifted = {"4", "a file is neither stock nor patched"};
constexpr TermHelp exit_conflict = {"5", "a patch does not apply, or a requirement is not met"};
constexpr TermHelp exit_io = {"6", "the system refused, or something is missing; nothing is half done"};
constexpr TermHelp exit_busy = {"7", "another drydock was at work for longer than --wait"};

constexpr TermHelp variable_version = {"DSH_VERSION", "the version, when --dsh-version is not given"};
constexpr TermHelp variable_manifests = {"DRYDOCK_MANIFESTS",
                                         "where the manifests are, when --manifest is not given"};
constexpr TermHelp variable_strict = {"DRYDOCK_STRICT", "set, and not 0: as --strict"};
constexpr TermHelp variable_color = {"NO_COLOR", "set: no colour, unless --color says otherwise"};

constexpr std::array set_exit_codes = {exit_done,     exit_usage, exit_version, exit_drifted,
                                       exit_conflict, exit_io,    exit_busy};
constexpr std::array set_environment = {variable_version, variable_manifests, variable_strict,
                                        variable_color};

constexpr std::array apply_description = {
    Text("Brings every selected file to its patched bytes. Everything is checked before the first byte is "
         "written: a "
         "file that is neither stock nor patched, another version or a missing package refuses the whole "
         "run, and "
         "every reason is listed. A second run changes nothing."),
    Text("At boot (--stage boot) what is refused is left alone and said, the rest is patched, and the exit "
         "code is 0, "
         "so that a container starts; --strict turns that off. A command line that cannot be understood is 2 "
         "even so."),
};
constexpr std::array apply_options = {
    manifest,
    dsh_version,
    stage,
    package,
    root,
    dry_run,
    strict,
    wait,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also packages that did not change, and the details of notes"},
    help};
constexpr std::array apply_examples = {
    TermHelp{"drydock apply --stage image", "in the build of an image: patch it, or fail"},
    TermHelp{"drydock apply --stage boot",
             "in the script that starts a container: patch what can be patched"},
    TermHelp{"drydock apply -n -p dsh-session", "tell where each hunk of one package's patch would go"},
    TermHelp{"drydock apply -r stage=/srv/a -r stage=/srv/b",
             "patch two directories that stand for one root"},
};

constexpr std::array status_description = {
    Text("Tells for every selected file whether it is stock, patched, or something else, why it is patched "
         "and what to "
         "do about it. Writes nothing and takes no lock. Without --check a state is information: the exit "
         "code is 0 "
         "unless the manifest cannot be used."),
};
constexpr std::array status_options = {
    OptionHelp{"-c", "--check", "", "exit 0 only if everything is patched (or may be missing at this stage)"},
    manifest,
    dsh_version,
    stage,
    package,
    root,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also hashes, and whether there is a receipt"},
    help};
constexpr std::array status_examples = {
    TermHelp{"drydock status", "a table of all that the set patches"},
    TermHelp{"drydock status --check -q", "only the exit code, and what is wrong"},
    TermHelp{"drydock status --json --dsh-version 0.1.1-rc.2", "the same for a program"},
};
constexpr std::array status_exit_codes = {
    TermHelp{"0", "the state was told; with --check: everything is patched"},
    TermHelp{"1", "with --check: something is stock, at another revision, or absent"},
    exit_usage,
    TermHelp{"3", "with --check: another version is installed"},
    TermHelp{"4", "with --check: a file is neither stock nor patched"},
    TermHelp{"5", "with --check: patched, but a package that it requires is not"},
    TermHelp{"6", "with --check: something cannot be read"},
};
constexpr std::array status_environment = {variable_version, variable_manifests, variable_color};

constexpr std::array sbom_description = {
    Text("Prints a CycloneDX 1.6 document (JSON) of the packages that the set patches, as they lie there: "
         "each "
         "copy with its purl, its files with their SHA-256, and, where they are patched, the patch, what it "
         "resolves and the stock files as its pedigree. What is not patched is listed without a pedigree, "
         "what "
         "is not installed is left out. The same installation gives the same bytes."),
    Text("Writes nothing and takes no lock. A state is information, as it is to status without --check."),
};
constexpr std::array sbom_options = {manifest, dsh_version,
                                     stage,    package,
                                     root,     OptionHelp{"-v", "--verbose", "", "also the details of notes"},
                                     help};
constexpr std::array sbom_examples = {
    TermHelp{"drydock sbom", "of all that the set patches"},
    TermHelp{"drydock sbom -p dsh-session -r image=/srv/dsh", "one package, in another place"},
};
constexpr std::array sbom_exit_codes = {TermHelp{"0", "the document was printed"}, exit_usage, exit_io};
constexpr std::array sbom_environment = {variable_version, variable_manifests};

constexpr std::array revert_description = {
    Text("Brings every selected file back to its stock bytes, and proves it by hash. With --all everything "
         "that "
         "carries a receipt beneath the roots is taken back, from the receipts alone: no manifest is needed "
         "when the "
         "roots are given, and if none is given, the roots of all manifests that can be found are meant."),
};
constexpr std::array revert_options = {
    OptionHelp{"-a", "--all", "", "everything that carries a receipt"},
    manifest,
    dsh_version,
    stage,
    package,
    root,
    dry_run,
    strict,
    wait,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also packages that did not change, and the details of notes"},
    help};
constexpr std::array revert_examples = {
    TermHelp{"drydock revert", "back to what was published"},
    TermHelp{"drydock revert --all -r profile=/srv/profile", "the same where the manifest is lost"},
};

constexpr std::array patch_description = {
    Text("Puts unified diffs, git's and plain ones, on a directory or on one file: all of all patches, or "
         "nothing. A "
         "hunk is looked for at the place it names and then outwards; one that fits at two places equally "
         "near is "
         "refused. A FILE that is - is standard input."),
};
constexpr std::array patch_options = {
    OptionHelp{"-p", "--strip", "N", "leading folders to take from names (default: 1)"},
    OptionHelp{
        "-d", "--directory", "DIR",
        "what the patches are put on: a directory, or one file, whatever the patches call it (default: .)",
        "<files>"},
    OptionHelp{"-R", "--reverse", "", "take the patches back, the last one first"},
    OptionHelp{"", "--fuzz", "N", "lines of context that may be left out at each end of a hunk (default: 0)"},
    OptionHelp{"-n", "--dry-run", "", "change nothing, tell where each hunk would go"},
    OptionHelp{"", "--wait", "SECONDS",
               "how long to wait for another drydock in the same directory (default: 10), as 2 or 0.5"},
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also hunks that are where they said"},
    help};
constexpr std::array patch_examples = {
    TermHelp{"drydock patch -d src fix.patch", "put a patch on a directory"},
    TermHelp{"git diff | drydock patch -R -n -", "tell whether a patch could be taken back"},
};
constexpr std::array patch_exit_codes = {exit_done,
                                         TermHelp{"2", "wrong usage, or a patch that cannot be read"},
                                         TermHelp{"5", "a patch does not apply"}, exit_io, exit_busy};
constexpr std::array patch_environment = {variable_color};

#ifndef DRYDOCK_IMAGE_ONLY
constexpr std::array diff_description = {
    Text("Tells how B differs from A, as a patch that drydock patch, git apply and GNU patch take with -p1: "
         "two "
         "files, or two directories with all that is below them. The patch is read again, applied in both "
         "directions and compared with both sides before it is printed. A or B that is - is standard input, "
         "one "
         "that is /dev/null a file that is not there."),
    Text(
        "Binary files, symbolic links, which are not followed, and whatever changes its kind are named below "
        "the patch: no patch holds them. Of what cannot be read, and of special files, it is said that the "
        "patch is without them, and the exit code is 2."),
};
constexpr std::array diff_options = {
    OptionHelp{"-U", "--context", "N", "equal lines around each change, at least 1 (default: 3)"}, json,
    OptionHelp{"-q", "--quiet", "", "only the exit code, and what went wrong"}, help};
constexpr std::array diff_examples = {
    TermHelp{"drydock diff stock/lib/index.js patched/lib/index.js", "a patch for lib/index.js"},
    TermHelp{"drydock diff -q stock patched", "tell by the exit code whether two directories differ"},
    TermHelp{"git show HEAD:f.js | drydock diff - f.js", "what changed since the last commit"},
};
constexpr std::array diff_exit_codes = {
    TermHelp{"0", "no difference"}, TermHelp{"1", "there are differences"},
    TermHelp{"2", "wrong usage, or something cannot be compared or written"}};

constexpr std::array verify_description = {
    Text(
        "Proves that what is patched does what it should: checks every hash as status --check does, then "
        "runs the patched JavaScript under node and compares it, byte for byte, with the native code, which "
        "was written from the same description: Session.append, the bounds, the sink, the coalescer and both "
        "mappers, on fixed and on generated cases. A difference is shown as what both make of the case."),
    Text(
        "Then the patched packages write a session, with the streams of a child of each provider that is "
        "installed. It is judged as log check does, and opened with the harness's own loader, where "
        "dsh-session-persistence-jsonl is installed beside the core (a patched core is stock to it), or in "
        "--loader, which is looked at first. A session that would not open on a stock harness is a failure."),
    Text("Nothing is written where the packages lie: a function that a package does not export is reached by "
         "an export that is added in memory. Each run of node, with at most 10,000 cases, is ended after 10 "
         "minutes, or when it printed 64 MiB."),
};
constexpr std::array verify_options = {
    OptionHelp{"", "--node", "PROGRAM",
               "the node to run, from 20.6 on, for a loader from 22.19 (default: node)", "<files>"},
    OptionHelp{"", "--cases", "N",
               "how many generated cases of each function, beside the fixed ones (default: 1000)"},
    OptionHelp{"", "--seed", "S", "which cases and messages (default: 1)"},
    OptionHelp{"", "--case", "FUNCTION:N", "only case N of that function, and no session"},
    OptionHelp{"", "--loader", "DIR",
               "a folder with a stock dsh-session-persistence-jsonl in its node_modules", "<directories>"},
    manifest,
    dsh_version,
    stage,
    package,
    root,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also the details of notes"},
    help};
constexpr std::array verify_examples = {
    TermHelp{"drydock verify", "after an image was patched"},
    TermHelp{"drydock verify --cases 100000 --seed 7", "at length"},
    TermHelp{"drydock verify --case mapAcpUpdate:4711", "one case again"},
    TermHelp{"drydock verify --loader ../stock", "with a loader that the image lacks"},
};
constexpr std::array verify_exit_codes = {TermHelp{"0", "all that is patched does what it should"},
                                          TermHelp{"1", "it does not, or something is not patched"},
                                          exit_usage,
                                          exit_version,
                                          exit_drifted,
                                          exit_conflict,
                                          TermHelp{"6", "node cannot be run, or something cannot be read"}};

constexpr OptionHelp harness = {"", "--harness", "REPO",
                                "the monorepo: a folder, or a file, git, http or https URL, which is fetched "
                                "into the cache (default: $DRYDOCK_HARNESS)",
                                "<directories>"};
constexpr OptionHelp published = {
    "", "--published", "WHERE",
    "what the stock build is held against: registry (by npm, the default), none, or a "
    "folder that holds NAME/, node_modules/NAME/ or NAME-VERSION/package/",
    "<directories>"};
constexpr OptionHelp cache = {"", "--cache", "DIR",
                              "where builds and fetched repositories are kept (default: drydock in "
                              "$XDG_CACHE_HOME or ~/.cache)",
                              "<directories>"};
constexpr OptionHelp no_cache = {"", "--no-cache", "", "keep nothing, and build even what was built before"};
constexpr OptionHelp scratch = {"", "--scratch", "DIR",
                                "where checkouts are made and removed again (default: $TMPDIR, else /tmp)",
                                "<directories>"};
constexpr OptionHelp keep = {"", "--keep", "", "leave the checkout where it is, to look at"};
constexpr OptionHelp log = {
    "", "--log", "FILE", "what the build steps print (default: drydock-build.log in the cache)", "<files>"};
constexpr OptionHelp time_limit = {"", "--time-limit", "SECONDS", "for each build step (default: 1800)"};
constexpr TermHelp exit_build = {"8", "a build step failed, or the stock build is not what was published"};
constexpr TermHelp variable_harness = {"DRYDOCK_HARNESS", "the monorepo, when --harness is not given"};

constexpr std::array regenerate_description = {
    Text("Makes the lib.patch files of a set, and the hashes in its manifest, from its source.patch: checks "
         "the pinned "
         "commit out, builds it, holds that against the published packages, applies source.patch, builds "
         "again and "
         "compares. Every patch is applied in both directions before it is written. A checkout, a build and "
         "a set that "
         "are the same give the same bytes; what was built before is taken from the cache."),
    Text("The checkout does not depend on git's configuration, attributes, filters or hooks. The manifest's "
         "build steps "
         "run without a shell."),
};
constexpr std::array regenerate_options = {
    OptionHelp{"-c", "--check", "", "write nothing; exit 1 if a file is not what would be written"},
    harness,
    manifest,
    dsh_version,
    published,
    cache,
    no_cache,
    scratch,
    keep,
    log,
    time_limit,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also the details of notes"},
    help};
constexpr std::array regenerate_examples = {
    TermHelp{"drydock regenerate --dsh-version 0.1.1-rc.2 --harness ../harness",
             "after source.patch was changed"},
    TermHelp{"drydock regenerate --check --harness ../harness",
             "in CI: fail if a patch is not what its source makes"},
};
constexpr std::array regenerate_exit_codes = {
    exit_done,  TermHelp{"1", "with --check: a file is not what would be written"},
    exit_usage, TermHelp{"5", "source.patch does not apply, or changes nothing that is published"},
    exit_io,    exit_build};
constexpr std::array rebuild_environment = {variable_version, variable_manifests, variable_harness,
                                            variable_color};

constexpr std::array bump_description = {
    Text("Carries a set to another tag: a three-way merge of each file that source.patch changes, renames "
         "followed, then "
         "builds and patches as regenerate makes them, a manifest, and a report (report.md and report.json). "
         "Each hunk is "
         "carried, moved, upstream (the new tag has it) or a conflict. When upstream has all of it, the new "
         "manifest says "
         "adopted."),
    Text("With a conflict nothing is written but the report and, beside it, the files to decide on, with "
         "markers. Edit "
         "them and go on with --resolved. A file that one side has deleted is kept as you leave it, or "
         "dropped if you "
         "remove it."),
};
constexpr std::array bump_options = {
    OptionHelp{"", "--from", "V", "the set to carry", "<versions>"},
    OptionHelp{"", "--to", "V", "the version it is carried to"},
    OptionHelp{"", "--tag", "T", "the monorepo's tag for that version"},
    OptionHelp{"", "--resolved", "DIR", "the files of an earlier run's conflicts, edited", "<directories>"},
    OptionHelp{"", "--report", "DIR", "where the report and the conflicts go (default: bump-V)",
               "<directories>"},
    OptionHelp{"-o", "--output", "DIR", "the folder for the new manifest (default: the old one's)",
               "<directories>"},
    OptionHelp{"", "--force", "", "replace a set that is there and differs"},
    OptionHelp{"-c", "--check", "", "write nothing; exit 1 if a file is not what would be written"},
    harness,
    manifest,
    published,
    cache,
    no_cache,
    scratch,
    keep,
    log,
    time_limit,
    json,
    color,
    quiet,
    OptionHelp{"-v", "--verbose", "", "also hunks that fit as they are, and the details of notes"},
    help};
constexpr std::array bump_examples = {
    TermHelp{"drydock bump --from 0.1.0-rc.8 --to 0.1.1-rc.2 --tag dsh-v0.1.1-rc.2",
             "the next set, with the monorepo in DRYDOCK_HARNESS"},
    TermHelp{"drydock bump --from 1.0 --to 1.1 --tag v1.1 --resolved bump-1.1/conflicts",
             "go on when its conflicts have been edited"},
};
constexpr std::array bump_exit_codes = {
    exit_done,  TermHelp{"1", "with --check: a file is not what would be written"},
    exit_usage, TermHelp{"5", "a person must decide: there are conflicts"},
    exit_io,    exit_build};
constexpr std::array bump_environment = {variable_manifests, variable_harness, variable_color};

constexpr std::array stream_map_description = {
    Text("Writes what an out-of-process child sent as the events with which the patched harness records it: "
         "type subagent/stream, one JSON a line, bounded, numbered, marked ignorable. The messages are one "
         "JSON a "
         "line: those of the Claude Agent SDK, or ACP's session/update notifications, whole or only their "
         "update."),
    Text("A line that is no JSON, or longer than 256 MiB, is told with its number and left out. Blank lines "
         "are "
         "passed over. Input of any size is worked on as it comes."),
};
constexpr std::array stream_map_options = {
    OptionHelp{"-f", "--from", "SOURCE", "whose messages these are: claude-code or acp", "claude-code acp"},
    OptionHelp{"", "--child-id", "ID", "the id of the child's run (default: child)"},
    OptionHelp{"", "--provider", "NAME", "the provider that ran it (default: SOURCE)"},
    OptionHelp{"", "--seq", "N", "the seq of the first event (default: 0)"},
    OptionHelp{"", "--time", "MS",
               "the time of every event, in milliseconds since 1970 (default: the clock's)"},
    help};
constexpr std::array stream_map_examples = {
    TermHelp{"drydock stream map --from claude-code messages.jsonl", "the events of a Claude Code run"},
    TermHelp{"drydock stream map --from acp --child-id run-1 --time 0 -",
             "ACP updates from standard input, the same bytes each time"},
};
constexpr OptionHelp as_version = {
    "", "--as-version", "V", "judge as a stock harness of this version does (default: that of --dsh-version)",
    "<versions>"};
constexpr std::array log_environment = {variable_version, variable_manifests, variable_color};
constexpr std::array log_check_description = {
    Text("Tells of session logs what the harness's own loader says of them: each opens, opens with what is "
         "behind "
         "a cut end lost, or is refused, and why; and where a patched harness says something else. Then what "
         "is wrong with the "
         "events of out-of-process children, by line, and a summary of each child. In a directory every "
         "*.jsonl "
         "and *.jsonl.zstd below it is meant."),
    Text("A log is read up to the size that it has when it is opened. That another process wrote to it "
         "meanwhile is a finding: what is said of it may then hold neither for what it was nor for what it "
         "is."),
};
constexpr std::array log_check_options = {
    manifest, dsh_version, as_version, json, OptionHelp{"", "--ndjson", "", "one line of JSON for each log"},
    color,    quiet,       help};
constexpr std::array log_check_examples = {
    TermHelp{"drydock log check ~/.dsh/sessions", "every session of a store"},
    TermHelp{"drydock log check --as-version 0.1.0-rc.8 session.jsonl.zstd",
             "would the older harness open it?"},
};
constexpr std::array log_check_exit_codes = {
    TermHelp{"0", "every log opens whole, without a finding"},
    TermHelp{"1", "a log is refused or loses its end, or there is a finding"}, exit_usage, exit_io};
constexpr std::array log_mend_description = {
    Text("Writes a copy of a log that a stock harness refuses because subagent/stream events in it are not "
         "marked "
         "ignorable: the copy has the markers, and all else as it was. A log that is refused for another "
         "reason is "
         "left alone; the log itself is never changed."),
};
constexpr std::array log_mend_options = {
    OptionHelp{"-o", "--output", "COPY", "the file to write; it must not be there yet", "<files>"},
    manifest,
    dsh_version,
    as_version,
    json,
    color,
    quiet,
    help};
constexpr std::array log_mend_examples = {
    TermHelp{"drydock log mend session.jsonl.zstd -o mended.jsonl.zstd", "a copy that opens"},
    TermHelp{"drydock log mend --as-version 0.1.0-rc.8 a.jsonl -o b.jsonl", "a copy for the older harness"}};
constexpr std::array log_mend_exit_codes = {TermHelp{"0", "the copy is made, or the log opens as it is"},
                                            TermHelp{"1", "the log has another fault"}, exit_usage, exit_io};
constexpr OptionHelp as_version_if = {
    "", "--as-version", "V",
    "judge as a stock harness of this version does (default: that of --dsh-version; without either, events "
    "are not judged by their types)"};
constexpr std::array log_show_description = {
    Text(
        "Shows a session log as a console: a line for each event, with its time, who speaks (USER, CTX for "
        "what plugins tell the model, THINK, ASSIST, CALL, RESULT, STREAM for a child's step, SYS, ERROR, "
        "TURN), and what was said. A streamed answer is joined, and not told again by the message it ends "
        "in. A child's steps stand below the call that delegated to it; where several calls are open, the "
        "log does not say which one is meant, and that is said. Long texts are folded, and lines that cannot "
        "be read one after the other are one line."),
    Text("A log that a stock harness refuses is shown as far as it can be read, and the reason is told. With "
         "--follow it goes on as the file grows, until Ctrl-C: a line or a zstd frame that is not whole is "
         "waited for; that the log comes to be refused or to lose events, that a repair cuts it, or that it "
         "is removed is told; and a new file of its name is gone on with. Without --follow it is told that "
         "another process wrote to it meanwhile. Times are local ones ($TZ)."),
};
constexpr std::array log_show_options = {
    OptionHelp{"-f", "--follow", "", "go on as the log grows, until Ctrl-C"},
    OptionHelp{"", "--child", "ID", "only the steps of that child, by the beginning of its id"},
    OptionHelp{"-k", "--kind", "K",
               "only these: a role as above, a kind of a child's step (tool-call, plan, ...), or an event's "
               "type (session/title); may be given several times"},
    OptionHelp{"", "--full", "", "do not fold long texts"},
    OptionHelp{"", "--raw", "", "the events' JSON lines as they are stored"},
    OptionHelp{"", "--json", "",
               "one line of JSON for each line; the last one has schema, exit and problems"},
    manifest,
    dsh_version,
    as_version_if,
    color,
    OptionHelp{"-v", "--verbose", "",
               "also events that tell nothing new: steps, the inbox, what was streamed"},
    help};
constexpr std::array log_show_examples = {
    TermHelp{"drydock log show session.jsonl.zstd", "read a session"},
    TermHelp{"drydock log show -f --kind stream session.jsonl", "watch what the children do"},
    TermHelp{"drydock log show --raw --kind subagent/stream session.jsonl.zstd",
             "their events, for another program"},
};
constexpr std::array log_show_exit_codes = {
    TermHelp{"0", "the log was shown, or Ctrl-C ended --follow"},
    TermHelp{"1", "a stock harness refuses the log, or no child has the id"}, exit_usage, exit_io};
constexpr std::array log_show_environment = {variable_version, variable_manifests, variable_color,
                                             TermHelp{"TZ", "the time zone of the times"}};
constexpr std::array log_tree_description = {
    Text(
        "Shows the sessions of a store and their children as a tree: subagents and forks, which are sessions "
        "of their own, and external ones, which only their parent's log tells of; with the numbers of "
        "events and errors, and the time that was spent in turns. The call that an external child belongs "
        "to is told where only one can be meant; else that it is one of several."),
    Text(
        "What fails every listing of the store by the harness is told: logs of both encodings, logs in a "
        "project's own folder, an id that two logs have, a log that lies where its header does not belong, "
        "a header with retired keys. That another process wrote to a log meanwhile is a note. DIR may be any "
        "directory with logs below it."),
};
constexpr std::array log_tree_options = {manifest, dsh_version, as_version_if, json, color, quiet, help};
constexpr std::array log_tree_examples = {
    TermHelp{"drydock log tree ~/.dsh/sessions", "all sessions and their children"},
    TermHelp{"drydock log tree --json ~/.dsh/sessions", "the same for a program"}};
constexpr std::array log_tree_exit_codes = {TermHelp{"0", "every log opens, and the store can be listed"},
                                            TermHelp{"1", "a log is refused, or the store cannot be listed"},
                                            exit_usage, exit_io};
constexpr std::array stream_map_exit_codes = {TermHelp{"0", "every line was read"},
                                              TermHelp{"1", "a line was left out"},
                                              TermHelp{"2", "wrong usage"}, exit_io};
#endif

constexpr std::array commands = {
    CommandHelp{"apply", "bring every selected file to its patched bytes", "", apply_description,
                apply_options, apply_examples, set_exit_codes, set_environment},
    CommandHelp{"status", "tell what is patched, why, and what to do", "", status_description, status_options,
                status_examples, status_exit_codes, status_environment},
    CommandHelp{"revert", "bring every selected file back to its stock bytes", "", revert_description,
                revert_options, revert_examples, set_exit_codes, set_environment},
    CommandHelp{"sbom", "list what is patched, and by what, as CycloneDX", "", sbom_description, sbom_options,
                sbom_examples, sbom_exit_codes, sbom_environment},
    CommandHelp{"patch", "put a unified diff on a directory or a file", "FILE…", patch_description,
                patch_options, patch_examples, patch_exit_codes, patch_environment},
#ifndef DRYDOCK_IMAGE_ONLY
    CommandHelp{"diff",
                "tell how two files or directories differ, as a patch",
                "A B",
                diff_description,
                diff_options,
                diff_examples,
                diff_exit_codes,
                {}},
    CommandHelp{"verify", "prove that what is patched does what it should", "", verify_description,
                verify_options, verify_examples, verify_exit_codes, status_environment},
    CommandHelp{"regenerate", "make the lib.patch files of a set from its source.patch", "",
                regenerate_description, regenerate_options, regenerate_examples, regenerate_exit_codes,
                rebuild_environment},
    CommandHelp{"bump", "carry a set to another tag", "", bump_description, bump_options, bump_examples,
                bump_exit_codes, bump_environment},
    CommandHelp{"log check", "tell whether session logs open, and what is wrong in them", "FILE|DIR|-...",
                log_check_description, log_check_options, log_check_examples, log_check_exit_codes,
                log_environment},
    CommandHelp{"log mend", "make a copy of a session log that opens", "FILE", log_mend_description,
                log_mend_options, log_mend_examples, log_mend_exit_codes, log_environment},
    CommandHelp{"log show", "show a session log as a console", "FILE|-", log_show_description,
                log_show_options, log_show_examples, log_show_exit_codes, log_show_environment},
    CommandHelp{"log tree", "show sessions and their children as a tree", "DIR", log_tree_description,
                log_tree_options, log_tree_examples, log_tree_exit_codes, log_environment},
    CommandHelp{"stream map",
                "tell how the patched harness records a child's messages",
                "[FILE|-]",
                stream_map_description,
                stream_map_options,
                stream_map_examples,
                stream_map_exit_codes,
                {}},
#endif
};

constexpr std::array tool_description = {
    Text("Keeps patches on packages that are already installed in container images. Results go to standard "
         "output, "
         "everything else to standard error."),
};
constexpr std::array tool_options = {help, OptionHelp{"-V", "--version", "", "the version of drydock"}};
constexpr std::array tool_examples = {
    TermHelp{"drydock apply --stage image", "patch an image"},
    TermHelp{"drydock help apply", "more about one command"},
};
constexpr std::array tool_exit_codes = {
    exit_done,    TermHelp{"1", "a check said no, or diff found differences"},
    exit_usage,   exit_version,
    exit_drifted, exit_conflict,
    exit_io,      exit_busy,
#ifndef DRYDOCK_IMAGE_ONLY
    exit_build,
#endif
};
constexpr CommandHelp tool = {
    "", "", "", tool_description, tool_options, tool_examples, tool_exit_codes, set_environment};

}  // namespace

std::span<const CommandHelp> all_commands() {
    return commands;
}

const CommandHelp& tool_help() {
    return tool;
}

}  // namespace drydock::cli
