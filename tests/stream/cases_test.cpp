// stream/cases.cpp and stream/generate_case.cpp.

#include "stream/cases.hpp"

#include <set>

#include <gtest/gtest.h>

namespace drydock::stream {
namespace {

TEST(Cases, AreJsonAndTheSameForTheSameNumbers) {
    base::JsonDocument document;
    for (const Function function : all_functions) {
        std::set<std::string> cases;
        std::set<std::string> answers;
        for (std::uint64_t number = 0; number < 200; ++number) {
            const std::string text = generate_case(function, 7, number);
            EXPECT_EQ(text, generate_case(function, 7, number));
            const auto input = document.parse(text);
            ASSERT_TRUE(input) << text;
            cases.insert(text);
            answers.insert(answer_case(function, *input));
        }
        EXPECT_GT(cases.size(), 120U) << function_name(function);
        EXPECT_GT(answers.size(), 80U) << function_name(function);
        EXPECT_NE(generate_case(function, 8, 0) + generate_case(function, 8, 1),
                  generate_case(function, 7, 0) + generate_case(function, 7, 1));
    }
}

TEST(Cases, AnswerInLines) {
    base::JsonDocument document;
    EXPECT_EQ(
        answer_case(
            Function::sink,
            *document.parse(
                R"({"childId":"c","provider":"p","append":true,"level":1,"fails":{"at":1,"with":5,"raw":true},"steps":[)"
                R"({"push":{"kind":"plan","text":[["ab",2],["c",1]]}},{"push":{"kind":"plan"}},{"stop":{"with":"x"}}]})")),
        R"(["append","subagent/stream",{"childId":"c","provider":"p","index":0,"item":{"kind":"plan","text":"ababc"}},{"ignorable":true}])"
        "\n"
        R"(["append","subagent/stream",{"childId":"c","provider":"p","index":1,"item":{"kind":"plan"}},{"ignorable":true}])"
        "\n"
        R"(["error","5"])"
        "\n");
    EXPECT_EQ(answer_case(Function::coalescer,
                          *document.parse(R"([{"kind":"thought","text":"a"},"flush",{"kind":"other"}])")),
              R"([1,{"kind":"thought","text":"a"}])"
              "\n"
              R"([2,{"kind":"other"}])"
              "\n");
    EXPECT_EQ(answer_case(Function::bounds, *document.parse(R"({"kind":"other","isError":true})")),
              R"({"item":{"kind":"other","isError":true},"truncated":false})"
              "\n");
}

}  // namespace
}  // namespace drydock::stream
