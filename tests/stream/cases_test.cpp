// stream/cases.cpp, stream/make_case.cpp and stream/generator.cpp.

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
        const std::uint64_t fixed = fixed_cases(function);
        for (std::uint64_t number = fixed; number < fixed + 200; ++number) {
            const std::string text = make_case(function, 7, number);
            EXPECT_EQ(text, make_case(function, 7, number));
            const auto input = document.parse(text);
            ASSERT_TRUE(input) << text;
            cases.insert(text);
            answers.insert(answer_case(function, *input));
        }
        EXPECT_GT(cases.size(), 120U) << function_name(function);
        EXPECT_GT(answers.size(), 80U) << function_name(function);
        EXPECT_NE(make_case(function, 8, fixed) + make_case(function, 8, fixed + 1),
                  make_case(function, 7, fixed) + make_case(function, 7, fixed + 1));
    }
}

TEST(Cases, BeginWithTheEdgesWhateverTheSeed) {
    EXPECT_EQ(fixed_cases(Function::claude), 0U);
    base::JsonDocument document;
    std::size_t cut = 0;
    std::size_t dropped = 0;
    const std::uint64_t bounds = fixed_cases(Function::bounds);
    for (std::uint64_t number = 0; number < bounds; ++number) {
        const std::string text = make_case(Function::bounds, 1, number);
        EXPECT_EQ(text, make_case(Function::bounds, 2, number));
        const auto input = document.parse(text);
        ASSERT_TRUE(input) << text;
        if (answer_case(Function::bounds, *input).find("\"truncated\":true") == std::string::npos) continue;
        (text.find("\"meta\"") == std::string::npos ? cut : dropped) += 1;
    }
    EXPECT_GT(cut, bounds / 4);
    EXPECT_LT(cut, bounds / 2);
    EXPECT_GT(dropped, 30U);
    EXPECT_NE(make_case(Function::bounds, 1, bounds), make_case(Function::bounds, 2, bounds));
    std::set<std::string> joined;
    for (std::uint64_t number = 0; number < fixed_cases(Function::coalescer); ++number) {
        const auto input = document.parse(make_case(Function::coalescer, 1, number));
        ASSERT_TRUE(input);
        joined.insert(answer_case(Function::coalescer, *input));
    }
    EXPECT_GT(joined.size(), fixed_cases(Function::coalescer) / 3);
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
