#include "session/review.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/session/loader.hpp"

namespace drydock::test {
namespace {

struct Seen {
    std::vector<std::string> findings;  ///< `line: code: message`
    std::vector<std::string> children;
};

Seen review(std::string_view body) {
    session::Review review;
    const LogFile log{"", ".jsonl", usual_header() + "\n" + written_out(body)};
    EXPECT_EQ(judge_log(log, &review).patched.verdict, session::Verdict::opens);
    Seen seen;
    for (const session::Finding& each : review.findings())
        seen.findings.push_back(fmt::format("{}: {}: {}", each.line, each.code, each.message));
    for (const session::ChildSummary& each : review.children()) {
        seen.children.push_back(
            fmt::format("{} {} {} {}", each.child_id, each.provider, each.steps, each.truncated));
    }
    return seen;
}

std::string step(std::string_view rest, std::string_view item = R"("kind":"assistant")") {
    return fmt::format(
        R"({{"type":"subagent/stream",#,"data":{{"childId":"k","provider":"acp",{},"item":{{{}}}}},"ignorable":true}})"
        "\n",
        rest, item);
}

using Lines = std::vector<std::string>;

TEST(Review, CountsTheStepsOfEachChild) {
    std::string other = step(R"("index":0,"truncated":true)");
    other.replace(other.find("\"k\""), 3, "\"l\"");
    const Seen seen = review(step(R"("index":0)") + other + step(R"("index":1)"));
    EXPECT_EQ(seen.findings, Lines());
    EXPECT_EQ(seen.children, (Lines{"k acp 2 0", "l acp 1 1"}));
}

TEST(Review, FindsGapsAndRepeats) {
    EXPECT_EQ(
        review(step(R"("index":0)") + step(R"("index":2)") + step(R"("index":2)") + step(R"("index":3)"))
            .findings,
        (Lines{"3: gap: child k: expected index 1, found 2",
               "4: repeat: child k: expected index 3, found 2"}));
    EXPECT_EQ(review(step(R"("index":1.5)")).findings, (Lines{"2: malformed: index is no count"}));
}

TEST(Review, FindsWhatIsNotMarked) {
    std::string unmarked = step(R"("index":0)");
    unmarked.erase(unmarked.find(",\"ignorable\":true"), 17);
    EXPECT_EQ(review(unmarked).findings, (Lines{"2: unmarked: not marked ignorable: a stock harness refuses "
                                                "this log; drydock log mend makes a copy "
                                                "that opens"}));
}

TEST(Review, HoldsTextsToTheirBounds) {
    const auto item = [](std::string_view key, std::size_t size) {
        return fmt::format(R"("kind":"result","{}":"{}")", key, std::string(size, 'x'));
    };
    EXPECT_EQ(review(step(R"("index":0)", item("text", 16'384))).findings, Lines());
    EXPECT_EQ(review(step(R"("index":0)", item("text", 16'385))).findings,
              (Lines{"2: too-long: text has 16385 bytes, at most 16384 are allowed"}));
    EXPECT_EQ(review(step(R"("index":0)", item("name", 256))).findings, Lines());
    EXPECT_EQ(review(step(R"("index":0)", item("callId", 257))).findings,
              (Lines{"2: too-long: callId has more than 256 units"}));
    EXPECT_EQ(review(step(R"("index":0)", item("meta", 2'046))).findings, Lines());
    EXPECT_EQ(review(step(R"("index":0)", item("meta", 2'047))).findings,
              (Lines{"2: too-long: meta has more than 2048 bytes"}));
}

TEST(Review, FindsWhatNoSinkWrites) {
    EXPECT_EQ(
        review(
            step(R"("index":0,"truncated":false,"more":1)", R"("kind":"odd","extra":1,"isError":0,"text":5)"))
            .findings,
        (Lines{"2: unknown-key: data has the key more", "2: truncated: truncated is there, and not true",
               "2: unknown-key: item has the key extra", "2: unknown-kind: the kind \"odd\"",
               "2: malformed: text is no text", "2: malformed: isError is neither true nor false"}));
    EXPECT_EQ(review("{\"type\":\"subagent/stream\",#,\"data\":5,\"ignorable\":true}\n").findings,
              (Lines{"2: malformed: the event's data is no object"}));
}

std::string answer(std::string_view stored) {
    return R"({"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"block-start","index":0,"blockType":"text"}}}
{"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["H\ud83d","\ude00","llo"]}}
{"type":"reasoning-chunks",@1,"data":{"turn":1,"step":1,"index":1,"dt":[],"texts":["why"]}}
{"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":2,"text":"draft"}}}
{"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"block-end","index":2,"block":{"type":"text","text":"!"}}}}
{"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}}
{"type":"assistant/message",#,"data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"text","text":")" +
           std::string(stored) +
           R"("}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append","sourceEventSeqs":[0,1,2]}
)";
}

TEST(Review, HoldsTheStoredAnswerToItsChunks) {
    EXPECT_EQ(review(answer("H\U0001F600llo!")).findings, Lines());
    EXPECT_EQ(review(answer("Hello!")).findings,
              (Lines{"8: assembled-text: the assistant/message has another text than the chunks before it"}));
    std::string old = answer("Hello!");
    const std::string_view wrapped = R"("message":{"id":"a","role":"assistant",)";
    old.replace(old.find(wrapped), wrapped.size(), "");
    const std::string_view source = R"("source":{"kind":"model","provider":"p","model":"m"}})";
    old.replace(old.find(source), source.size(), R"("provenance":{"provider":"p","model":"m"})");
    EXPECT_EQ(review(old).findings,
              (Lines{"8: assembled-text: the assistant/message has another text than the chunks before it"}));
    old.replace(old.find("Hello!"), 6, "H\U0001F600llo!");
    EXPECT_EQ(review(old).findings, Lines());
}

}  // namespace
}  // namespace drydock::test
