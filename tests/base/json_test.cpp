// base/json.cpp, base/json_parse.cpp and base/json_write.cpp, but for what node is the judge of:
// json_node_test.cpp.

#include "base/json.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drydock::base {
namespace {

std::string refusal(std::string_view text) {
    JsonDocument document;
    const auto root = document.parse(text);
    EXPECT_TRUE(document.root().is_undefined() || root.has_value());
    return root ? "accepted" : std::to_string(root.error().offset) + ": " + root.error().message;
}

TEST(Json, TellsWhereAndWhyATextIsNone) {
    EXPECT_EQ(refusal(""), "0: expected a value, found the end");
    EXPECT_EQ(refusal("\xEF\xBB\xBF{}"), "0: expected a value, found byte 0xef");
    EXPECT_EQ(refusal("{} x"), "3: expected the end, found 'x'");
    EXPECT_EQ(refusal("[1,]"), "3: expected a value, found ']'");
    EXPECT_EQ(refusal("[1 2]"), "3: expected ',' or ']', found '2'");
    EXPECT_EQ(refusal("{1:2}"), "1: expected a key or '}', found '1'");
    EXPECT_EQ(refusal("{\"a\":1,}"), "7: expected a key, found '}'");
    EXPECT_EQ(refusal("{\"a\" 1}"), "5: expected ':', found '1'");
    EXPECT_EQ(refusal("{\"a\":1"), "6: expected ',' or '}', found the end");
    EXPECT_EQ(refusal("\"a"), "2: expected '\"', found the end");
    EXPECT_EQ(refusal("\"a\n\""), "2: expected a character of a string, found byte 0x0a");
    EXPECT_EQ(refusal("\"\\x\""), "2: expected an escape, found 'x'");
    EXPECT_EQ(refusal("\"\\u12g4\""), "5: expected a hexadecimal digit, found 'g'");
    EXPECT_EQ(refusal("-a"), "1: expected a digit, found 'a'");
    EXPECT_EQ(refusal("1.e3"), "2: expected a digit, found 'e'");
    EXPECT_EQ(refusal("1e+"), "3: expected a digit, found the end");
    EXPECT_EQ(refusal("01"), "1: expected the end, found '1'");
    EXPECT_EQ(refusal("nul"), "3: expected null, found the end");
    EXPECT_EQ(refusal("\xC2\xA0 1"), "0: expected a value, found byte 0xc2");
}

TEST(Json, ShowsWhatItRead) {
    JsonDocument document;
    const JsonView root = *document.parse(R"( {"b":[1,-0,"x",null], "a":true, "b2":{"a":false}} )");
    EXPECT_EQ(root.kind(), JsonKind::object);
    EXPECT_EQ(root.size(), 3U);
    EXPECT_TRUE(root["a"].is_true());
    EXPECT_FALSE(root["a"].is_false());
    EXPECT_TRUE(root["b2"]["a"].is_false());
    std::vector<JsonView> elements;
    for (const JsonView element : root["b"].elements()) elements.push_back(element);
    ASSERT_EQ(elements.size(), root["b"].size());
    EXPECT_EQ(elements[0].number(), 1);
    EXPECT_TRUE(std::signbit(elements[1].number()));
    EXPECT_EQ(elements[2].string(), "x");
    EXPECT_TRUE(elements[3].is_null());
    EXPECT_EQ(elements[2].kind(), JsonKind::string);
    EXPECT_EQ(root["a"].kind(), JsonKind::boolean);
}

TEST(Json, WhatIsNotThereIsUndefined) {
    JsonDocument document;
    EXPECT_TRUE(document.root().is_undefined());
    const JsonView root = *document.parse(R"({"text":"x","number":5})");
    for (const JsonView nothing : {root["none"], root["text"]["none"], root["none"]["none"], JsonView()}) {
        EXPECT_EQ(nothing.kind(), JsonKind::undefined);
        EXPECT_EQ(nothing.text(), "");
    }
    EXPECT_EQ(root["text"].number(), 0);
    EXPECT_EQ(root["number"].string(), "");
    EXPECT_EQ(root["text"].size(), 0U);
    for (const JsonView element : root.elements()) ADD_FAILURE() << element.text();
    for (const JsonMember member : root["text"].members()) ADD_FAILURE() << member.key;
}

TEST(Json, OrdersKeysAsJavaScriptDoes) {
    JsonDocument document;
    const JsonView root = *document.parse(R"({"b":1,"10":2,"a":3,"2":4,"b":5,"__proto__":6,"01":7,"2":8})");
    EXPECT_EQ(root.text(), R"({"2":8,"10":2,"b":5,"a":3,"__proto__":6,"01":7})");
    EXPECT_EQ(root.size(), 6U);
    EXPECT_EQ(root["b"].number(), 5);
    std::string keys;
    for (const JsonMember member : root.members()) keys += std::string(member.key) + ' ';
    EXPECT_EQ(keys, "2 10 b a __proto__ 01 ");
}

TEST(Json, FindsEqualKeysAmongMany) {
    std::string text = "{";
    for (int i = 0; i < 5000; ++i) text += "\"k" + std::to_string(i % 2500) + "\":" + std::to_string(i) + ",";
    text += "\"last\":0}";
    JsonDocument document;
    const JsonView root = *document.parse(text);
    EXPECT_EQ(root.size(), 2501U);
    EXPECT_EQ(root["k7"].number(), 2507);
    EXPECT_THAT(root.text(), testing::StartsWith(R"({"k0":2500,"k1":2501,)"));
    EXPECT_THAT(root.text(), testing::EndsWith(R"("k2499":4999,"last":0})"));
}

TEST(Json, DepthCostsNoStack) {
    constexpr std::size_t levels = 1'000'000;
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) text += i % 2 == 0 ? "[" : "{\"1\":0,\"0\":";
    text += "7";
    for (std::size_t i = levels; i > 0; --i) text += i % 2 == 1 ? "]" : "}";
    JsonDocument copy;
    {
        JsonDocument document;
        ASSERT_TRUE(document.parse(text));
        copy = document;
    }
    std::string expected;
    for (std::size_t i = 0; i < levels; ++i) expected += i % 2 == 0 ? "[" : "{\"0\":";
    expected += "7";
    for (std::size_t i = levels; i > 0; --i) expected += i % 2 == 1 ? "]" : ",\"1\":0}";
    EXPECT_TRUE(copy.root().text() == expected);
}

TEST(Json, StopsWritingWhenThereIsEnough) {
    const std::string text = std::string(100'000, '[') + std::string(100'000, ']');
    JsonDocument document;
    const JsonView root = *document.parse(text);
    const std::string written = root.text({2, 1000});
    EXPECT_GE(written.size(), 1000U);
    EXPECT_LT(written.size(), 1100U);
    std::string whole = "[\n";
    for (std::size_t level = 1; level < 60; ++level) whole += std::string(2 * level, ' ') + "[\n";
    EXPECT_EQ(written, whole.substr(0, written.size()));
}

TEST(Json, AppendsWhatItWrites) {
    JsonDocument document;
    std::string target = "=";
    document.parse(R"({"a":[],"b":{}})")->write(target, {2, 3});
    EXPECT_EQ(target, "={\n  \"a\": []");
    write_json_string(target = ">", "\x01\"\\\b\f\n\r\t\x7F\xED\xA0\xBD");
    EXPECT_EQ(target, ">\"\\u0001\\\"\\\\\\b\\f\\n\\r\\t\x7F\\ud83d\"");
}

TEST(Json, NamesNumbersThatAreNone) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(number_text(infinity), "Infinity");
    EXPECT_EQ(number_text(-infinity), "-Infinity");
    EXPECT_EQ(number_text(std::nan("")), "NaN");
    EXPECT_EQ(number_text(-0.0), "0");
    EXPECT_EQ(number_text(-1.5e-7), "-1.5e-7");
    std::string target;
    write_json_number(target, infinity);
    write_json_number(target, std::nan(""));
    EXPECT_EQ(target, "nullnull");
}

TEST(Json, KeepsWhatItReadBeforeWhatIsAdded) {
    JsonDocument document;
    const JsonView first = document.add(R"({"b":["x"],"1":null})").value();
    EXPECT_FALSE(document.add(R"({"a":"lost","2":[1,)"));
    EXPECT_TRUE(document.root().is_undefined());
    std::string long_array = "[0";
    for (int i = 1; i < 5000; ++i) long_array += ",\"" + std::to_string(i) + "\"";
    long_array += "]";
    const JsonView second = document.add(long_array).value();
    EXPECT_EQ(first.text(), R"({"1":null,"b":["x"]})");
    EXPECT_EQ(second.text(), long_array);
    EXPECT_EQ(document.root().text(), long_array);
    EXPECT_EQ(JsonDocument(document).root().text(), long_array);
    document.clear();
    EXPECT_TRUE(document.root().is_undefined());
}

TEST(Json, AnErrorLeavesNothingBehind) {
    JsonDocument document;
    ASSERT_TRUE(document.parse(R"({"a":1})"));
    EXPECT_FALSE(document.parse(R"({"b":)"));
    EXPECT_TRUE(document.root().is_undefined());
    EXPECT_EQ(document.parse("[2]")->text(), "[2]");
}

}  // namespace
}  // namespace drydock::base
