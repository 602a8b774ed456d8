#include "session/narrator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/session/logs.hpp"

namespace drydock::test {
namespace {

using session::ConsoleLine;
using session::Narrator;

/// `ROLE head (note) | text`, as told.
std::string shown(const ConsoleLine& line) {
    std::string text = fmt::format("{} {}", line.line, session::role_name(line.label.role));
    if (!line.head.empty()) text += " " + line.head;
    if (!line.note.empty()) text += " (" + line.note + ")";
    if (line.continued) text += " continued";
    if (line.label.is_error) text += " !";
    if (line.minor) text += " minor";
    return text + (line.text.empty() ? "" : " | " + line.text) + "\n";
}

/// Reads a log's body, written out (logs.hpp), and tells it.
std::string told(const std::string& body) {
    std::string text;
    Narrator narrator([&text](const ConsoleLine& line) { text += shown(line); });
    const base::FileDescriptor file(memfd_create("log", MFD_CLOEXEC));
    const std::string log = usual_header() + "\n" + written_out(body);
    EXPECT_EQ(::write(file.get(), log.data(), log.size()), static_cast<ssize_t>(log.size()));
    session::Feed feed(file, session::Encoding::plain, narrator);
    EXPECT_TRUE(feed.read());
    narrator.finish();
    const std::string first = "1 SYS session a | in /srv/x\n";
    EXPECT_EQ(text.substr(0, first.size()), first);
    return text.substr(std::min(first.size(), text.size()));
}

std::string plain(std::string_view type, std::string_view data, std::string_view more = {}) {
    return fmt::format(R"({{"type":"{}",#,"data":{}{}}})"
                       "\n",
                       type, data, more);
}

std::string chunk(std::string_view what, int step = 1) {
    return plain("assistant/chunk", fmt::format(R"({{"turn":1,"step":{},"chunk":{}}})", step, what));
}

std::string text_chunk(std::string_view text, int index = 0) {
    return chunk(fmt::format(R"({{"type":"text-delta","index":{},"text":"{}"}})", index, text));
}

std::string message(std::string_view blocks, std::string_view sources = "[0]", std::string_view more = {}) {
    return plain("assistant/message",
                 fmt::format(R"({{"turn":1,"step":1,"message":{{"id":"m","role":"assistant","content":[{}],)"
                             R"("source":{{"kind":"model","provider":"p","model":"m"}}}}{}}})",
                             blocks, more),
                 fmt::format(R"(,"sourceEventSeqs":{},"surfaceOp":"append")", sources));
}

constexpr std::string_view finish = R"({"type":"finish","reason":{"kind":"stop"}})";

TEST(Answers, AreJoinedAndToldOnce) {
    EXPECT_EQ(told(text_chunk("Hel") + text_chunk("lo") +
                   chunk(R"({"type":"block-end","index":0,"block":{"type":"text","text":"Hello"}})") +
                   chunk(finish) + message(R"({"type":"text","text":"Hello"})")),
              "2 ASSIST | Hello\n6 ASSIST as streamed minor | Hello\n");
}

TEST(Answers, ArePackedRowsAndEventsInTheirOrder) {
    EXPECT_EQ(
        told(
            R"({"type":"reasoning-chunks",@2,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["th","ink"]}})"
            "\n" +
            chunk(R"({"type":"reasoning-delta","index":0,"text":"ing"})") +
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":1,"dt":[1,1],"texts":["a"," ","b"]}})"
            "\n" +
            message(R"({"type":"reasoning","text":"thinking"},{"type":"text","text":"a b"})")),
        "2 THINK | thinking\n4 ASSIST | a b\n5 ASSIST as streamed minor | a b\n");
}

TEST(Lines, ThatCannotBeReadAreToldOneAfterTheOtherAtOnce) {
    EXPECT_EQ(told(text_chunk("a") + "bad\nbad\n\n" + text_chunk("b") + "bad\n"),
              "2 ASSIST | a\n3 ERROR lines 3 to 5 ! | none can be read; the first: the line is no event\n"
              "6 ASSIST continued | b\n7 ERROR line 7 ! | the line is no event\n");
}

/// Bytes that hold no lines, and a header, are no run.
TEST(Lines, AreToldUpToWhereTheNarratorSettles) {
    std::string text;
    Narrator narrator([&text](const ConsoleLine& line) { text += shown(line); });
    for (const std::size_t line : {0, 0, 1, 2, 3}) narrator.on_unreadable(line, "why");
    narrator.settle();
    EXPECT_EQ(std::exchange(text, {}),
              "0 ERROR ! | why\n0 ERROR ! | why\n1 ERROR line 1 ! | why\n"
              "2 ERROR lines 2 to 3 ! | none can be read; the first: why\n");
    narrator.on_unreadable(4, "why");
    narrator.settle();
    narrator.settle();
    EXPECT_EQ(std::exchange(text, {}), "4 ERROR line 4 ! | why\n");
}

TEST(Answers, HalvesOfACharacterAreJoined) {
    EXPECT_EQ(told(text_chunk("\\ud83d") + text_chunk("\\ude00")), "2 ASSIST | \U0001F600\n");
}

TEST(Answers, TheEndOfABlockTellsWhatNoPieceTold) {
    const std::string end = chunk(R"({"type":"block-end","index":0,"block":{"type":"text","text":"whole"}})");
    EXPECT_EQ(told(end + text_chunk("late") + end), "2 ASSIST | whole\n");
    // It comes when the next block has begun.
    EXPECT_EQ(told(text_chunk("who") + text_chunk("next", 1) + end), "2 ASSIST | who\n3 ASSIST | next\n");
}

TEST(Answers, OtherEventsInBetweenSplitThem) {
    EXPECT_EQ(told(text_chunk("a") + plain("goal/change", "{}") + text_chunk("b")),
              "2 ASSIST | a\n3 SYS goal/change\n4 ASSIST continued | b\n");
}

TEST(Answers, AMessageThatWasNotStreamedIsTold) {
    EXPECT_EQ(told(message(R"({"type":"reasoning","text":"t"},{"type":"text","text":"a"})", "[]")),
              "2 THINK | t\n2 ASSIST | a\n");
    EXPECT_EQ(told(message("", "[]")), "2 ASSIST without text minor\n");
}

TEST(Answers, AMessageThatSaysOtherwiseIsTold) {
    EXPECT_EQ(told(text_chunk("a") + message(R"({"type":"text","text":"b"})")),
              "2 ASSIST | a\n3 ASSIST (other than what was streamed) | b\n");
    EXPECT_EQ(
        told(text_chunk("a") + message(R"({"type":"text","text":"a"})", "[0]", R"(,"interrupted":true)")),
        "2 ASSIST | a\n3 ASSIST as streamed (interrupted) | a\n");
}

TEST(Answers, ASecondAttemptIsAnAnswerOfItsOwn) {
    EXPECT_EQ(
        told(text_chunk("a") +
             chunk(R"({"type":"finish","reason":{"kind":"error","failure":{"message":"no","code":"E"}}})") +
             text_chunk("b") + chunk(finish) + message(R"({"type":"text","text":"b"})", "[2]")),
        "2 ASSIST | a\n3 ERROR answer failed ! | no (E)\n4 ASSIST | b\n6 ASSIST as streamed minor | b\n");
}

TEST(Answers, LongOnesComeInPieces) {
    const std::string long_text(Narrator::longest_piece, 'x');
    EXPECT_EQ(told(text_chunk(long_text) + text_chunk("y")),
              "2 ASSIST | " + long_text + "\n3 ASSIST continued | y\n");
}

TEST(Answers, ACallThatWasStreamedAndNeverMadeIsTold) {
    const std::string streamed =
        chunk(R"({"type":"tool-call-delta","index":0,"id":"c","name":"bash","argumentsDelta":"{\"a\":"})") +
        chunk(R"({"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"1}"})");
    EXPECT_EQ(told(streamed + plain("step/end", "{}")),
              "2 CALL bash (streamed, never made) | a: 1\n4 SYS step/end minor\n");
    EXPECT_EQ(told(streamed), "2 CALL bash (streamed, never made) | a: 1\n");
    EXPECT_EQ(told(streamed + message(R"({"type":"tool-call","id":"c","name":"bash","arguments":"{}"})") +
                   plain("tool/call", R"({"callId":"c","name":"bash","arguments":"{\"a\":1}"})")),
              "4 ASSIST without text minor\n5 CALL bash | a: 1\n");
}

TEST(Console, TellsWhoSpeaks) {
    const std::string body =
        plain(
            "user/message",
            R"({"id":"u","role":"user","content":[{"type":"text","text":"hi"}],"source":{"kind":"user"}})") +
        plain(
            "user/message",
            R"({"id":"u","role":"user","content":[{"type":"text","text":"c"}],"source":{"kind":"plugin","plugin":"p"}})") +
        plain("user/message",
              R"({"id":"u","role":"user","content":[{"type":"text","text":"g"}],"source":{"kind":"goal"}})") +
        plain("user/message", R"({"content":[{"type":"text","text":"old"}]})");
    EXPECT_EQ(told(body), "2 USER | hi\n3 CTX p | c\n4 CTX goal | g\n5 USER | old\n");
}

TEST(Console, TellsCallsAndTheirResults) {
    const std::string result =
        R"({"message":{"id":"r","role":"user","source":{"kind":"tool","callId":"c"},)"
        R"("content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text",)"
        R"("text":"out"}],"isError":)";
    EXPECT_EQ(told(plain("tool/call",
                         R"({"callId":"c","name":"bash","arguments":"{\"command\":\"ls\",\"n\":[1]}"})") +
                   plain("tool/result", result + "false}]}}") +
                   plain("tool/result", result + R"(true}]},"error":{"code":"E"}})")),
              "2 CALL bash | command: ls\nn: [1]\n3 RESULT bash (1 ms) | out\n4 RESULT c (E) ! | out\n");
    EXPECT_EQ(told(plain("tool/call", R"({"callId":"c","name":"t","arguments":"no json"})") +
                   plain("tool/result",
                         R"({"callId":"c","content":[{"type":"text","text":"old"}],"isError":true})")),
              "2 CALL t | no json\n3 RESULT t (1 ms) ! | old\n");
}

TEST(Console, TellsTurns) {
    EXPECT_EQ(
        told(plain("turn/start", R"({"turn":1})") +
             chunk(R"({"type":"usage","usage":{"inputTokens":10,"outputTokens":2}})") +
             message("", "[]", R"(,"usage":{"inputTokens":1,"outputTokens":1})") +
             plain("turn/end", R"({"turn":1,"reason":{"kind":"completed"}})") +
             plain("turn/end",
                   R"({"turn":2,"reason":{"kind":"error","error":{"message":"bad","code":"E"}}})") +
             plain("turn/end", R"({"turn":3,"reason":{"kind":"aborted","reason":{"kind":"user"}}})")),
        "2 TURN 1 begins\n4 ASSIST without text minor\n5 TURN 1 completed (3 ms, 11 tokens in, 3 out)\n"
        "6 TURN 2 error (11 tokens in, 3 out) ! | bad (E)\n7 TURN 3 aborted by user (11 tokens in, 3 out)\n");
}

TEST(Console, TellsWhatTheHarnessNotes) {
    EXPECT_EQ(
        told(plain("request/header",
                   R"({"header":{"config":{"provider":"p","model":"m"}},"reason":"initial"})") +
             plain("session/title", R"({"title":"T"})") +
             plain("subagent/descriptor",
                   R"({"version":2,"mode":"one-shot","provider":"spawn","label":"L"})") +
             plain("subagent/descriptor", R"({"version":2})") +
             plain("subagent/catalog",
                   R"({"version":0,"children":[{"childId":"k","mode":"one-shot","label":"L"}]})") +
             plain("todo/write",
                   R"({"todos":[{"status":"done","content":"a"},{"status":"open","content":"b"}]})") +
             plain("llm/retry", R"({"delayMs":500,"failure":{"message":"busy"}})") +
             plain("new/type", R"({"a":[1]})") + plain("step/start", R"({"step":1})") + "x\n"),
        "2 SYS model (initial) | p/m\n3 SYS title | T\n4 SYS subagent | one-shot by spawn: L\n"
        "5 SYS subagent (cannot be read) | {\"version\":2}\n6 SYS children | k one-shot L\n"
        "7 SYS todo | [done] a\n[open] b\n8 SYS retry (in 500 ms) ! | busy\n9 SYS new/type | {\"a\":[1]}\n"
        "10 SYS step/start minor | {\"step\":1}\n11 ERROR line 11 ! | the line is no event\n");
}

std::string step_of(std::string_view child, std::string_view item,
                    std::string_view more = R"(,"ignorable":true)") {
    return plain("subagent/stream",
                 fmt::format(R"({{"childId":"{}","provider":"acp","index":0,"item":{}}})", child, item),
                 more);
}

TEST(Console, TellsAChildsStepsBelowWhoItIs) {
    const std::string call = plain(
        "tool/call",
        R"({"callId":"c1","name":"subagent","arguments":"{\"description\":\"look\",\"prompt\":\"p\"}"})");
    EXPECT_EQ(told(call + step_of("k", R"({"kind":"assistant","text":"t"})") +
                   step_of("k", R"({"kind":"tool-call","name":"Bash","text":"ls"})", "") +
                   step_of("k", R"({"kind":"result","text":"no","isError":true})")),
              "2 CALL subagent | description: look\nprompt: p\n3 STREAM child k | of c1 (look)\n3 STREAM "
              "assistant | t\n"
              "4 STREAM tool-call Bash (not marked ignorable) | ls\n5 STREAM result ! | no\n");
}

TEST(Console, SaysWhenTheLogDoesNotTellWhoseChildItIs) {
    const std::string calls =
        plain("tool/call", R"({"callId":"c1","name":"subagent","arguments":"{}"})") +
        plain("tool/call", R"({"callId":"c2","name":"subagent","arguments":"{\"description\":\"d\"}"})");
    EXPECT_EQ(told(calls + step_of("k", R"({"kind":"plan"})")),
              "2 CALL subagent\n3 CALL subagent | description: d\n"
              "4 STREAM child k | of one of 2 open delegations, and the log does not say which:\nc1\nc2 (d)\n"
              "4 STREAM plan\n");
    EXPECT_EQ(told(step_of("k", R"({"kind":"plan"})")),
              "2 STREAM child k | no delegation is open\n2 STREAM plan\n");
}

TEST(Console, RolesHaveNames) {
    EXPECT_EQ(session::role_of("ctx"), session::Role::context);
    EXPECT_EQ(session::role_of("THINK"), session::Role::thought);
    EXPECT_EQ(session::role_of("turns"), std::nullopt);
    EXPECT_EQ(session::role_of(""), std::nullopt);
}

}  // namespace
}  // namespace drydock::test
