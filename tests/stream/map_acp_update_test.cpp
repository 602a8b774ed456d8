// Each row of the table for ACP in the description of the event.

#include <gtest/gtest.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

/// The item of an update as JSON; empty where there is none.
std::string acp_item(std::string_view update) {
    base::JsonDocument document;
    const auto root = document.parse(update);
    if (!root) return "no JSON: " + root.error().message;
    std::string text;
    if (const std::optional<Item> item = map_acp_update(*root)) write_item(text, *item);
    return text;
}

/// The text that a completed tool call's update shows.
std::string shown(std::string_view fields) {
    base::JsonDocument document;
    const std::string update =
        R"({"sessionUpdate":"tool_call_update","status":"completed",)" + std::string(fields) + "}";
    return map_acp_update(*document.parse(update))->text.value();
}

TEST(MapAcpUpdate, Chunks) {
    const std::string text = R"(","content":{"type":"text","text":"hi"}})";
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"agent_message_chunk)" + text),
              R"({"kind":"assistant","text":"hi"})");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"agent_thought_chunk)" + text),
              R"({"kind":"thought","text":"hi"})");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"user_message_chunk)" + text), R"({"kind":"other","text":"hi"})");
    for (const std::string_view content :
         {R"({"type":"image","text":"x"})", R"({"type":"text","text":1})", "\"x\"", "null"}) {
        EXPECT_EQ(
            acp_item(R"({"sessionUpdate":"agent_message_chunk","content":)" + std::string(content) + "}"),
            R"({"kind":"assistant","text":""})");
    }
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"agent_message_chunk"})"), R"({"kind":"assistant","text":""})");
}

TEST(MapAcpUpdate, ToolCall) {
    EXPECT_EQ(
        acp_item(
            R"({"sessionUpdate":"tool_call","title":"Read","toolCallId":"c","rawInput":{"p":1},"status":"in_progress","kind":"read"})"),
        R"({"kind":"tool-call","text":"{\n  \"p\": 1\n}","name":"Read","callId":"c","meta":{"status":"in_progress","toolKind":"read"}})");
    EXPECT_EQ(
        acp_item(R"({"sessionUpdate":"tool_call","title":null,"status":5})"),
        R"({"kind":"tool-call","text":"","name":"tool","callId":"","meta":{"status":"pending","toolKind":null}})");
    EXPECT_EQ(
        acp_item(
            R"({"sessionUpdate":"tool_call","title":"","status":"","kind":"","rawInput":null,"toolCallId":null})"),
        R"({"kind":"tool-call","text":"null","name":"","callId":"","meta":{"status":"","toolKind":""}})");
}

TEST(MapAcpUpdate, IdsAsJavaScriptPrintsThem) {
    for (const auto& [id, printed] : {std::pair("7", "7"), std::pair("-0", "0"), std::pair("1e21", "1e+21"),
                                      std::pair("1e400", "Infinity"), std::pair("true", "true"),
                                      std::pair("{}", ""), std::pair("[1]", ""), std::pair("null", "")}) {
        EXPECT_EQ(acp_item(R"({"sessionUpdate":"tool_call_update","status":"failed","toolCallId":)" +
                           std::string(id) + "}"),
                  R"({"kind":"tool-result","text":"","callId":")" + std::string(printed) +
                      R"(","isError":true,"meta":{"status":"failed"}})");
    }
}

TEST(MapAcpUpdate, ToolCallUpdate) {
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"tool_call_update","status":"in_progress"})"), "");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"tool_call_update","rawOutput":""})"), "");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"tool_call_update","rawOutput":null})"),
              R"({"kind":"tool-result","text":"null","callId":"","isError":false,"meta":{"status":null}})");
    EXPECT_EQ(
        acp_item(R"({"sessionUpdate":"tool_call_update","status":"completed","title":"T","toolCallId":"c"})"),
        R"({"kind":"tool-result","text":"","name":"T","callId":"c","isError":false,"meta":{"status":"completed"}})");
    EXPECT_EQ(shown(R"("rawOutput":{"a":1},"content":[])"), "{\n  \"a\": 1\n}");
    EXPECT_EQ(
        shown(R"("rawOutput":"raw","content":[{"type":"content","content":{"type":"text","text":""}}])"),
        "raw");
    EXPECT_EQ(shown(R"("rawOutput":"raw","content":[{"type":"terminal","terminalId":"t1"}])"),
              "[terminal t1]");
    EXPECT_EQ(shown(R"("content":[{"type":"terminal"},{"type":"terminal","terminalId":3}])"),
              "[terminal ]\n[terminal 3]");
    EXPECT_EQ(
        shown(
            R"("content":[{"type":"diff","path":"f","oldText":"a","newText":"b"},{"type":"diff","oldText":null}])"),
        "--- f\na\n+++ f\nb\n--- \n\n+++ \n");
    // Items that show nothing take no line, an empty text block does.
    EXPECT_EQ(
        shown(
            R"("content":[{"type":"other"},{"type":"content","content":{"type":"image"}},null,[],)"
            R"({"type":"content","content":{"type":"text"}},{"type":"content","content":{"type":"text","text":"x"}}])"),
        "\nx");
}

TEST(MapAcpUpdate, Plans) {
    EXPECT_EQ(
        acp_item(
            R"({"sessionUpdate":"plan","entries":[{"content":"a","status":"pending"},1,{"content":2},{}]})"),
        R"({"kind":"plan","text":"- [pending] a\n- [] \n- [] "})");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"plan"})"), R"({"kind":"plan","text":""})");
    EXPECT_EQ(
        acp_item(
            R"({"sessionUpdate":"plan_update","plan":{"entries":[{"content":"a"}]},"entries":[{"content":"b"}]})"),
        R"({"kind":"plan","text":"- [] a"})");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"plan_update","plan":1,"entries":[{"content":"b"}]})"),
              R"({"kind":"plan","text":"- [] b"})");
    EXPECT_EQ(acp_item(R"({"sessionUpdate":"plan_update","plan":[],"entries":[{"content":"b"}]})"),
              R"({"kind":"plan","text":""})");
}

TEST(MapAcpUpdate, WhatIsNoStepHasNoItem) {
    for (const std::string_view update :
         {R"({"sessionUpdate":"usage_update"})", R"({"sessionUpdate":"plan_removed"})",
          R"({"sessionUpdate":1})", "{}", "[]", "null", "\"plan\""}) {
        EXPECT_EQ(acp_item(update), "") << update;
    }
}

}  // namespace
}  // namespace drydock::stream
