#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace drydock::cli {
namespace {

using base::ErrorKind;

// The gravest first, with the code that users see.
constexpr std::array kinds = {
    std::pair{ErrorKind::usage, 2},         std::pair{ErrorKind::io, 6},
    std::pair{ErrorKind::wrong_version, 3}, std::pair{ErrorKind::drifted, 4},
    std::pair{ErrorKind::conflict, 5},      std::pair{ErrorKind::build, 8},
    std::pair{ErrorKind::busy, 7},          std::pair{ErrorKind::check, 1},
};

TEST(ExitCode, OfEverySubsetOfProblemsIsTheGravest) {
    for (unsigned subset = 0; subset < (1U << kinds.size()); ++subset) {
        std::vector<base::Error> problems;
        int expected = 0;
        for (std::size_t at = 0; at < kinds.size(); ++at) {
            if ((subset >> at & 1U) == 0) continue;
            if (problems.empty()) expected = kinds[at].second;
            problems.emplace_back().kind = kinds[at].first;
        }
        EXPECT_EQ(static_cast<int>(exit_code(problems)), expected) << "subset " << subset;
        std::reverse(problems.begin(), problems.end());
        EXPECT_EQ(static_cast<int>(exit_code(problems)), expected) << "subset " << subset << " reversed";
    }
}

TEST(ExitCode, EveryKindHasItsWord) {
    EXPECT_EQ(kind_name(ErrorKind::check), "check");
    EXPECT_EQ(kind_name(ErrorKind::usage), "usage");
    EXPECT_EQ(kind_name(ErrorKind::wrong_version), "wrong-version");
    EXPECT_EQ(kind_name(ErrorKind::drifted), "drifted");
    EXPECT_EQ(kind_name(ErrorKind::conflict), "conflict");
    EXPECT_EQ(kind_name(ErrorKind::io), "io");
    EXPECT_EQ(kind_name(ErrorKind::busy), "busy");
    EXPECT_EQ(kind_name(ErrorKind::build), "build");
}

}  // namespace
}  // namespace drydock::cli
