#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/report.hpp"
#include "cli/selection.hpp"
#include "conform/conform.hpp"

namespace drydock::cli {

struct VerifyOptions {
    Selection selection;
    std::string node{"node"};
    std::string loader;  ///< empty: where Node finds one
    std::uint64_t cases{1'000};
    std::uint64_t seed{1};
    std::optional<conform::CaseName> only;
};

struct VerifyOutcome {
    ExitCode exit{ExitCode::done};
    SetReport status;                  ///< as status --check gives it, its problems and notes among ours
    conform::Verdict verdict;          ///< its problems among ours
    conform::SessionVerdict sessions;  ///< likewise, and its notes
    std::vector<base::Error> problems;
    std::vector<base::Error> notes;
};

/// Holds the selected packages against their hashes, runs what is patched against the native code, and opens
/// what it writes. One case: that only.
VerifyOutcome verify(const VerifyOptions& options, const manifest::Environment& environment,
                     base::Progress& progress);

/// For a person: a line for each function, one for each session, then the differences.
std::string verify_text(const VerifyOutcome& outcome, const VerifyOptions& options, const Style& style);

/// The document `drydock.verify/1`.
std::string verify_document(const VerifyOutcome& outcome);

}  // namespace drydock::cli
