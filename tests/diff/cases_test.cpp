// Folders of cases for diff/diff.cpp: each folder of data/ has `old` and `new`, and `patch` is what becomes
// of them. DRYDOCK_ACCEPT=1 writes it.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "diff/diff.hpp"
#include "tests/support/support.hpp"

namespace drydock::diff {
namespace {

std::string data_folder() {
    return std::string(DRYDOCK_SOURCE_DIR) + "/tests/diff/data";
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder()))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

class DiffCases : public testing::TestWithParam<std::string> {};

TEST_P(DiffCases, give_what_their_folder_says) {
    const std::string old_text = test::read(data_folder() + "/" + GetParam() + "/old");
    const std::string new_text = test::read(data_folder() + "/" + GetParam() + "/new");
    const base::Result<std::string> patch =
        make_patch_text({{"lib/index.js", FileSide{old_text, {}}, FileSide{new_text, {}}}});
    ASSERT_TRUE(patch.has_value()) << base::describe(patch.error());
    test::expect_golden("diff/data/" + GetParam() + "/patch", *patch);
}

INSTANTIATE_TEST_SUITE_P(Data, DiffCases, testing::ValuesIn(case_names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace drydock::diff
