// stream/sink.cpp, stream/item.cpp and stream/recording.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using testing::ElementsAre;

class MemoryLog final : public Log {
  public:
    [[nodiscard]] std::optional<double> ignorable_level() const override { return level; }
    base::Result<void> append_ignorable(std::string_view type, std::string_view data) override {
        if (tries++ == fails_at) return base::fail(base::ErrorKind::io, "the log is full");
        events.push_back(std::string(type) + ' ' + std::string(data));
        return {};
    }

    std::optional<double> level{1};
    std::size_t tries{0};
    std::size_t fails_at{99};
    std::vector<std::string> events;
};

class SinkTest : public testing::Test {
  protected:
    static Item said(std::string text) {
        Item item;
        item.kind = Kind::assistant;
        item.text = std::move(text);
        return item;
    }

    MemoryLog log;
    std::vector<std::string> told;
    Sink sink{log, "run-1", "acp", [this](const base::Error& error) { told.push_back(error.message); }};
};

TEST(Item, KindsHaveNames) {
    std::string names;
    for (int kind = 0; kind <= static_cast<int>(Kind::other); ++kind) {
        const std::string_view name = kind_name(static_cast<Kind>(kind));
        EXPECT_EQ(kind_of(name), static_cast<Kind>(kind));
        names += std::string(name) + ' ';
    }
    EXPECT_EQ(names, "system assistant thought tool-call tool-result result plan other ");
    EXPECT_EQ(kind_of("tool_call"), std::nullopt);
}

TEST_F(SinkTest, NumbersWhatItAppends) {
    sink.push(said("a"));
    sink.push(said("b"));
    EXPECT_THAT(
        log.events,
        ElementsAre(
            R"(subagent/stream {"childId":"run-1","provider":"acp","index":0,"item":{"kind":"assistant","text":"a"}})",
            R"(subagent/stream {"childId":"run-1","provider":"acp","index":1,"item":{"kind":"assistant","text":"b"}})"));
    EXPECT_THAT(told, ElementsAre());
}

TEST_F(SinkTest, WritesEveryFieldInOrderAndMarksWhatWasCut) {
    Item item = said(std::string(largest_text + 1, 'x'));
    item.name = "n";
    item.call_id = "\"";
    item.is_error = false;
    item.meta = R"({"a":1})";
    sink.push(item);
    EXPECT_THAT(
        log.events,
        ElementsAre(
            R"(subagent/stream {"childId":"run-1","provider":"acp","index":0,"item":{"kind":"assistant","text":")" +
            std::string(16'360, 'x') +
            R"(\n[stream text truncated]","name":"n","callId":"\"","isError":false,"meta":{"a":1}},"truncated":true})"));
}

TEST_F(SinkTest, WritesNothingToALogThatDoesNotMarkEvents) {
    for (const std::optional<double> level :
         {std::optional<double>(), std::optional<double>(0), std::optional<double>(0.9)}) {
        MemoryLog stock;
        stock.level = level;
        std::vector<std::string> reasons;
        Sink inert(stock, "run-1", "acp",
                   [&](const base::Error& error) { reasons.push_back(error.message); });
        EXPECT_THAT(reasons, ElementsAre());  // not before there is something to record
        inert.push(said("a"));
        stock.level = 1;
        inert.push(said("b"));
        EXPECT_THAT(reasons, ElementsAre("the parent session cannot mark events as ignorable"));
        EXPECT_EQ(stock.tries, 0U);
    }
}

TEST_F(SinkTest, TellsOfTheFirstFailureAndIsSilentThen) {
    log.fails_at = 1;
    for (const std::string_view text : {"a", "b", "c"}) sink.push(said(std::string(text)));
    EXPECT_EQ(log.tries, 2U);
    EXPECT_THAT(told, ElementsAre("the log is full"));
    sink.stop(base::Error());
    EXPECT_THAT(told, ElementsAre("the log is full"));
}

TEST_F(SinkTest, StopsForAReasonThatIsToldOnce) {
    base::Error reason;
    reason.message = "the mapper failed";
    sink.stop(reason);
    sink.stop(base::Error());
    sink.push(said("a"));
    EXPECT_EQ(log.tries, 0U);
    EXPECT_THAT(told, ElementsAre("the mapper failed"));
}

TEST_F(SinkTest, ARecordingIsCoalescedForAcpOnlyAndEndsWhenClosed) {
    base::JsonDocument document;
    const base::JsonView chunk =
        *document.parse(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},)"
                        R"("type":"assistant","message":{"content":[{"type":"text","text":"c"}]}})");
    Recording acp(Source::acp, sink);
    acp.record(chunk);
    acp.record(chunk);
    EXPECT_EQ(log.events.size(), 0U);
    acp.close();
    acp.record(chunk);
    acp.close();
    Recording claude(Source::claude_code, sink);
    claude.record(chunk);
    claude.record(chunk);
    EXPECT_THAT(log.events,
                ElementsAre(testing::HasSubstr(R"("index":0,"item":{"kind":"assistant","text":"aa"})"),
                            testing::HasSubstr(R"("index":1,"item":{"kind":"assistant","text":"c"})"),
                            testing::HasSubstr(R"("index":2,"item":{"kind":"assistant","text":"c"})")));
}

}  // namespace
}  // namespace drydock::stream
