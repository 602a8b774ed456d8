#include <map>
#include <string>

#include <gtest/gtest.h>

#include "manifest/manifest.hpp"

namespace drydock::manifest {
namespace {

std::optional<std::string> environment(std::string_view name) {
    static const std::map<std::string, std::string, std::less<>> values{
        {"STAGE", "/srv/stage"}, {"EMPTY", ""}, {"ODD", "${STAGE}"}};
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string expanded(std::string_view text) {
    const base::Result<std::string> result = expand(text, environment);
    if (result) return *result;
    EXPECT_EQ(result.error().kind, base::ErrorKind::usage);
    return "refused: " + base::describe(result.error());
}

TEST(Expand, FillsInVariables) {
    EXPECT_EQ(expanded("/srv/app"), "/srv/app");
    EXPECT_EQ(expanded("${STAGE}"), "/srv/stage");
    EXPECT_EQ(expanded("${STAGE}/a/${STAGE}"), "/srv/stage/a//srv/stage");
    EXPECT_EQ(expanded("a $STAGE $ {STAGE}"), "a $STAGE $ {STAGE}");
}

TEST(Expand, FillsInValuesAsTheyAre) {
    EXPECT_EQ(expanded("${ODD}"), "${STAGE}");
}

TEST(Expand, FallsBackToTheDefault) {
    EXPECT_EQ(expanded("${STAGE:-/x}"), "/srv/stage");
    EXPECT_EQ(expanded("${NONE:-/x}/y"), "/x/y");
    EXPECT_EQ(expanded("${EMPTY:-/x:-z}"), "/x:-z");
    EXPECT_EQ(expanded("${NONE:-}"), "");
}

TEST(Expand, RefusesAVariableWithoutAValue) {
    EXPECT_EQ(expanded("${NONE}/a"),
              "refused: ${NONE} is not set; set it, or give the directory with --root NAME=DIR");
    EXPECT_EQ(expanded("${EMPTY}/a"),
              "refused: ${EMPTY} is empty; set it, or give the directory with --root NAME=DIR");
}

TEST(Expand, RefusesWhatIsNoVariable) {
    const std::string why = "' holds a variable that cannot be read; expected ${NAME} or ${NAME:-default}";
    for (const std::string text : {"${}", "${1A}", "${A B}", "${A:x}", "${NONE:-${STAGE}}", "${:-x}"}) {
        EXPECT_EQ(expanded(text), "refused: '" + text + why);
    }
    EXPECT_EQ(expanded("a/${STAGE"), "refused: 'a/${STAGE' has a '${' without its '}'");
}

}  // namespace
}  // namespace drydock::manifest
