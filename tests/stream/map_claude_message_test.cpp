// Each row of the table for the Claude Agent SDK in the description of the event.

#include <gtest/gtest.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

/// The items of a message, one JSON a line.
std::string claude_items(std::string_view message) {
    base::JsonDocument document;
    const auto root = document.parse(message);
    if (!root) return "no JSON: " + root.error().message;
    std::string lines;
    for (const Item& item : map_claude_message(*root)) {
        write_item(lines, item);
        lines += '\n';
    }
    return lines;
}

/// The items of one block in an assistant's or a user's message.
std::string of_block(std::string_view type, std::string_view block) {
    return claude_items(R"({"type":")" + std::string(type) + R"(","message":{"content":[)" +
                        std::string(block) + "]}}");
}

/// The text of a tool result with this content.
std::string of_content(std::string_view content) {
    base::JsonDocument document;
    const std::string message = R"({"type":"user","message":{"content":[{"type":"tool_result","content":)" +
                                std::string(content) + "}]}}";
    return map_claude_message(*document.parse(message)).at(0).text.value();
}

TEST(MapClaudeMessage, Init) {
    EXPECT_EQ(claude_items(
                  R"({"type":"system","subtype":"init","model":"m-1","claude_code_version":"2.0","cwd":"/w",
                               "tools":["a","b",3]})"),
              R"({"kind":"system","text":"claude-code 2.0 · m-1 · cwd /w · 3 tools",)"
              R"("meta":{"model":"m-1","claudeCodeVersion":"2.0"}})"
              "\n");
    const std::string bare = R"({"kind":"system","text":"claude-code  · unknown model · cwd  · 0 tools",)"
                             R"("meta":{"model":null,"claudeCodeVersion":null}})"
                             "\n";
    EXPECT_EQ(claude_items(R"({"type":"system","subtype":"init"})"), bare);
    EXPECT_EQ(
        claude_items(
            R"({"type":"system","subtype":"init","model":1,"claude_code_version":null,"cwd":[],"tools":5})"),
        bare);
    EXPECT_EQ(
        claude_items(R"({"type":"system","subtype":"init","model":"","claude_code_version":""})"),
        R"({"kind":"system","text":"claude-code  ·  · cwd  · 0 tools","meta":{"model":"","claudeCodeVersion":""}})"
        "\n");
}

TEST(MapClaudeMessage, PermissionDenied) {
    EXPECT_EQ(
        claude_items(
            R"({"type":"system","subtype":"permission_denied","message":"no","tool_name":"Bash","tool_use_id":"t"})"),
        R"({"kind":"system","text":"no","name":"Bash","callId":"t","isError":true})"
        "\n");
    EXPECT_EQ(
        claude_items(
            R"({"type":"system","subtype":"permission_denied","message":{},"tool_name":1,"tool_use_id":null})"),
        R"({"kind":"system","text":"permission denied","isError":true})"
        "\n");
}

TEST(MapClaudeMessage, WhatIsNoStepHasNoItem) {
    for (const std::string_view message :
         {R"({"type":"system","subtype":"status"})", R"({"type":"system"})", R"({"type":"stream_event"})",
          R"({"type":1})", "{}", "[]", "null", "5", "\"system\"", R"({"type":"assistant"})",
          R"({"type":"assistant","message":[]})", R"({"type":"assistant","message":{"content":"text"}})",
          R"({"type":"user","message":{"content":"text"}})",
          R"({"type":"assistant","message":{"content":[null,1,"x",[],{}]}})",
          R"({"type":"user","message":{"content":{}}})"}) {
        EXPECT_EQ(claude_items(message), "") << message;
    }
}

TEST(MapClaudeMessage, AssistantBlocks) {
    EXPECT_EQ(of_block("assistant", R"({"type":"text","text":"hi"})"),
              "{\"kind\":\"assistant\",\"text\":\"hi\"}\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"text","text":7})"),
              "{\"kind\":\"assistant\",\"text\":\"\"}\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"thinking","thinking":"hm"})"),
              "{\"kind\":\"thought\",\"text\":\"hm\"}\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"redacted_thinking","data":"x"})"), "");
    EXPECT_EQ(of_block("assistant", R"({"type":"tool_result","content":"x"})"), "");
    EXPECT_EQ(
        of_block("assistant", R"({"type":"tool_use","name":"Bash","id":"t1","input":{"a":[1,{}]}})"),
        R"({"kind":"tool-call","text":"{\n  \"a\": [\n    1,\n    {}\n  ]\n}","name":"Bash","callId":"t1"})"
        "\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"server_tool_use","id":5,"input":"as it is"})"),
              R"({"kind":"tool-call","text":"as it is","name":"tool"})"
              "\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"tool_use","name":"","id":""})"),
              R"({"kind":"tool-call","text":"","name":"","callId":""})"
              "\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"tool_use","input":null})"),
              "{\"kind\":\"tool-call\",\"text\":\"null\",\"name\":\"tool\"}\n");
    EXPECT_EQ(of_block("assistant", R"({"type":"text","text":"1"},null,{"type":"thinking"})"),
              "{\"kind\":\"assistant\",\"text\":\"1\"}\n{\"kind\":\"thought\",\"text\":\"\"}\n");
}

TEST(MapClaudeMessage, ToolResults) {
    EXPECT_EQ(
        of_block("user", R"({"type":"tool_result","tool_use_id":"t","content":"done","is_error":true})"),
        R"({"kind":"tool-result","text":"done","callId":"t","isError":true})"
        "\n");
    for (const std::string_view is_error : {"false", "null", "1", "\"true\"", "{}"}) {
        EXPECT_EQ(of_block("user", R"({"type":"tool_result","tool_use_id":5,"is_error":)" +
                                       std::string(is_error) + "}"),
                  "{\"kind\":\"tool-result\",\"text\":\"\",\"isError\":false}\n");
    }
    EXPECT_EQ(of_block("user", R"({"type":"text","text":"x"})"), "");
    EXPECT_EQ(of_content("{}"), "");
    EXPECT_EQ(of_content("[]"), "");
    EXPECT_EQ(
        of_content(
            R"([{"type":"text","text":"a"},{"type":"image"},{"type":"text"},null,"x",{"type":"text","text":"b"}])"),
        "a\n[image]\n\nb");
    EXPECT_EQ(of_content(R"([{"type":"other","a":1},[2]])"),
              "{\n  \"type\": \"other\",\n  \"a\": 1\n}\n[\n  2\n]");
}

TEST(MapClaudeMessage, Result) {
    EXPECT_EQ(
        claude_items(
            R"({"type":"result","subtype":"success","result":"ok","duration_ms":12,"num_turns":3,"total_cost_usd":0.5})"),
        R"({"kind":"result","text":"ok","isError":false,"meta":{"subtype":"success","durationMs":12,"numTurns":3,"costUsd":0.5}})"
        "\n");
    EXPECT_EQ(
        claude_items(
            R"({"type":"result","subtype":"success","result":5,"is_error":true,"num_turns":1e400,"duration_ms":"1"})"),
        R"({"kind":"result","text":"","isError":true,"meta":{"subtype":"success","durationMs":null,"numTurns":null,"costUsd":null}})"
        "\n");
    EXPECT_EQ(
        claude_items(
            R"({"type":"result","subtype":"error_max_turns","errors":["a",1,"b"],"result":"x","total_cost_usd":-0})"),
        R"({"kind":"result","text":"a\nb","isError":true,"meta":{"subtype":"error_max_turns","durationMs":null,"numTurns":null,"costUsd":0}})"
        "\n");
    EXPECT_EQ(
        claude_items(R"({"type":"result"})"),
        R"({"kind":"result","text":"","isError":true,"meta":{"subtype":"unknown","durationMs":null,"numTurns":null,"costUsd":null}})"
        "\n");
}

TEST(MapClaudeMessage, WritesNoMoreThanTheBoundsKeep) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    base::JsonDocument document;
    const auto root = document.parse(
        R"({"type":"assistant","message":{"content":[{"type":"tool_use","input":)" + deep + "}]}}");
    const std::vector<Item> items = map_claude_message(*root, Extent::bounded);
    ASSERT_EQ(items.size(), 1U);
    EXPECT_GT(items[0].text->size(), largest_text);
    EXPECT_LT(items[0].text->size(), 2 * largest_text);
    EXPECT_EQ(bound_item(items[0]).item.text->size(), largest_text);
}

}  // namespace
}  // namespace drydock::stream
