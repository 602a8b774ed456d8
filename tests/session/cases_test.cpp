// session/cases.cpp; what its cases say of Session.append is asked in append_test.cpp.
#include "session/cases.hpp"

#include <set>

#include <gtest/gtest.h>

namespace drydock::session {
namespace {

TEST(AppendCases, AreJsonAndTheSameForTheSameNumbers) {
    base::JsonDocument document;
    std::set<std::string> cases;
    std::set<std::string> answers;
    const std::uint64_t fixed = fixed_append_cases();
    for (std::uint64_t number = 0; number < fixed + 200; ++number) {
        const std::string text = make_append_case(7, number);
        EXPECT_EQ(text, make_append_case(7, number));
        EXPECT_TRUE(number >= fixed || text == make_append_case(8, number)) << number;
        const auto input = document.parse(text);
        ASSERT_TRUE(input) << text;
        cases.insert(text);
        answers.insert(answer_append_case(*input, AppendRules::patched));
    }
    EXPECT_GT(cases.size(), fixed + 150);
    EXPECT_GT(answers.size(), fixed);
    EXPECT_NE(make_append_case(8, fixed) + make_append_case(8, fixed + 1),
              make_append_case(7, fixed) + make_append_case(7, fixed + 1));
}

TEST(AppendCases, AnswerALineForEachAppend) {
    base::JsonDocument document;
    const auto input = document.parse(
        R"([{"type":"x","data":{"$js":"undefined"}},{"type":"x","data":[1],"options":{"ignorable":true}},{"type":"x"}])");
    ASSERT_TRUE(input);
    EXPECT_EQ(answer_append_case(*input, AppendRules::patched),
              "[\"refused\"]\n"
              "{\"type\":\"x\",\"seq\":0,\"time\":1000,\"data\":[1],\"ignorable\":true}\n"
              "[\"refused\"]\n"
              "[\"events\",1]\n");
    EXPECT_EQ(answer_append_case(*input, AppendRules::stock),
              "[\"refused\"]\n"
              "{\"type\":\"x\",\"seq\":0,\"time\":1000,\"data\":[1]}\n"
              "[\"refused\"]\n"
              "[\"events\",1]\n");
}

}  // namespace
}  // namespace drydock::session
