#include "session/append.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "session/cases.hpp"
#include "tests/support/node.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

constexpr std::uint64_t generated = 1'000;

/// A module that answers each case.
constexpr std::string_view append_script = R"(
import { answerCase } from 'ANSWERS'
const functions = await import('LIBRARY')
for (const record of records) {
  const lines = answerCase(functions, 'Session.append', JSON.parse(record.toString('utf8')))
  give(lines.map(line => line + '\n').join(''))
}
)";

/// A folder in which the published dsh-session can be imported, patched or as it is.
std::string library_in(const TemporaryDirectory& directory, bool patched) {
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    const std::string scope =
        std::string(packages == nullptr ? "" : packages) + "/loader/node_modules/@deepseek-ai";
    const std::string own = directory / "node_modules/@deepseek-ai";
    run({"mkdir", "-p", own});
    run({"sh", "-c", R"(ln -s "$0"/* "$1"; rm "$1/dsh-session"; cp -R "$0/dsh-session" "$1")", scope, own});
    if (patched) {
        const base::ProcessOutcome outcome =
            run({drydock(), "patch", "-d", own + "/dsh-session",
                 std::string(DRYDOCK_SOURCE_DIR) + "/patches/dsh-0.1.0-rc.8/dsh-session.lib.patch"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    }
    return own + "/dsh-session/lib/index.js";
}

void put(std::string& script, std::string_view word, std::string_view text) {
    script.replace(script.find(word), word.size(), text);
}

void compare_appends(session::AppendRules rules, std::uint64_t seed) {
    const std::uint64_t count = session::fixed_append_cases() + generated;
    std::vector<std::string> records;
    for (std::uint64_t i = 0; i < count; ++i) records.push_back(session::make_append_case(seed, i));
    const TemporaryDirectory directory;
    std::string script(append_script);
    put(script, "ANSWERS", DRYDOCK_SOURCE_DIR "/tool/conform/answers.mjs");
    put(script, "LIBRARY", library_in(directory, rules == session::AppendRules::patched));
    const std::vector<std::optional<std::string>> theirs = in_node(script, records);
    ASSERT_EQ(theirs.size(), count);
    base::JsonDocument document;
    std::size_t refused = 0;
    std::size_t appended = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto input = document.parse(records[i]);
        ASSERT_TRUE(input) << records[i];
        const std::string ours = session::answer_append_case(*input, rules);
        EXPECT_EQ(ours, theirs[i].value_or("")) << records[i];
        for (std::size_t at = ours.find('\n'); at != std::string::npos; at = ours.find('\n', at + 1))
            (ours.substr(0, at).ends_with(R"(["refused"])") ? refused : appended) += 1;
    }
    EXPECT_GT(appended, count);
    EXPECT_GT(refused, count);
}

TEST(Append, AgreesWithThePublishedSession) {
    compare_appends(session::AppendRules::stock, 1);
}

TEST(Append, AgreesWithThePatchedSession) {
    compare_appends(session::AppendRules::patched, 2);
}

}  // namespace
}  // namespace drydock::test
