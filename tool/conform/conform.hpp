#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"

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
    std::string function;  ///< as JavaScript calls it: `mapAcpUpdate`
    std::uint64_t number{0};
};

struct Options {
    std::string node{"node"};    ///< the program
    std::uint64_t cases{1'000};  ///< of each function, from number 0
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

}  // namespace drydock::conform
