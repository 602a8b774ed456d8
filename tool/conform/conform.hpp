#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "session/session.hpp"

/// The patched JavaScript, run under node, held against the native code that was written from the same
/// description.
namespace drydock::conform {

/// An installed package that is patched.
struct Package {
    std::string name;       ///< full npm name
    std::string directory;  ///< absolute
};

/// One case, to be run again.
struct CaseName {
    std::string function;  ///< as JavaScript calls it: `mapAcpUpdate`, `Session.append`
    std::uint64_t number{0};
};

/// The greatest number of a case: JavaScript counts to there, and so does who reads our JSON with it.
inline constexpr std::uint64_t last_case = (std::uint64_t{1} << 53U) - 1;

/// The functions that are compared, and the package that one of them is of; empty: there is none such.
std::vector<std::string> function_names();
std::string package_of(std::string_view function);

struct Options {
    std::string node{"node"};     ///< the program
    std::string scratch{"/tmp"};  ///< an existing folder, for what is removed again
    std::uint64_t cases{1'000};   ///< generated for each function, beside its fixed ones
    std::uint64_t seed{1};
    std::optional<CaseName> only;       ///< one case of one function instead
    base::Progress* progress{nullptr};  ///< never null
};

/// Where both did not do the same.
struct Difference {
    CaseName name;
    std::string input;  ///< JSON
    std::string diff;   ///< from what the native code does to what the JavaScript does, a line for each event
};

/// What came of one function of one package.
struct Compared {
    std::string package;
    std::string directory;
    std::string function;
    std::uint64_t cases{0};         ///< that were run
    std::uint64_t different{0};     ///< of those
    std::vector<Difference> shown;  ///< the first few
};

struct Verdict {
    std::vector<Compared> functions;
    std::vector<base::Error>
        problems;  ///< of kind check where JavaScript does something else, io without node
};

/// Compares every function of the packages, case by case, byte for byte. A package that cannot be loaded, or
/// lacks a function, is a problem of kind check.
Verdict verify(const std::vector<Package>& packages, const Options& options);

struct SessionOptions {
    std::string node{"node"};
    std::string scratch{"/tmp"};
    std::uint64_t seed{1};  ///< of the messages that the children send
    /// A folder with a stock dsh-session-persistence-jsonl in its node_modules; empty: the one that Node
    /// finds from where dsh-session lies, if there is one.
    std::string loader;
};

/// A dsh-session-persistence-jsonl, and what Node would load with it: their directories.
struct Loader {
    std::string directory;
    std::string core;  ///< dsh-session
    std::string cordis;
};

/// The one in a folder's node_modules. Errors: usage, where there is none, or check, where it lacks
/// something.
base::Result<Loader> find_loader(const std::string& folder);

/// The steps of one child in a log.
struct Stream {
    std::string provider;
    std::string child_id;
    std::uint64_t steps{0};
};

/// What the installed loader makes of a log, its dsh-session as stock.
struct LoaderAnswer {
    std::string directory;  ///< of dsh-session-persistence-jsonl
    bool opens{false};
    std::uint64_t events{0};
    std::string reason;  ///< why it does not open
};

/// A session that installed packages wrote.
struct WrittenSession {
    std::string core;  ///< the directory of the dsh-session that wrote it
    std::string sink;  ///< of the dsh-subagent that the streams went through; empty for none
    std::vector<Stream> streams;
    std::vector<std::string> warnings;  ///< that the sinks reported
    std::uint64_t events{0};
    session::Opening stock;  ///< what a stock harness makes of it
    session::Opening patched;
    std::optional<LoaderAnswer> loader;
};

struct SessionVerdict {
    std::vector<WrittenSession> sessions;
    std::vector<base::Error> problems;  ///< of kind check where a session would not open, io without node
    std::vector<base::Error> notes;     ///< of what could not be tried
};

/// Lets every dsh-subagent among the packages, over the dsh-session that Node loads beside it, record what
/// children of each provider among the packages send; every dsh-session that is thereby not tried is written
/// to by itself. Each log is written in the harness's format, judged by what a stock and a patched harness of
/// the manifest's version know, and opened by the stock loader where one is installed.
SessionVerdict verify_sessions(const std::vector<Package>& packages, const manifest::Manifest& manifest,
                               const SessionOptions& options);

}  // namespace drydock::conform
