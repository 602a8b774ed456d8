#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using testing::ElementsAre;

class CoalescerTest : public testing::Test {
  protected:
    static Item fragment(Kind kind, std::string text) {
        Item item;
        item.kind = kind;
        item.text = std::move(text);
        return item;
    }
    void say(std::string text) { coalescer.push(fragment(Kind::assistant, std::move(text))); }
    void think(std::string text) { coalescer.push(fragment(Kind::thought, std::move(text))); }

    std::vector<std::string> emitted;
    Coalescer coalescer{[this](const Item& item) {
        std::string text;
        write_item(text, item);
        emitted.push_back(std::move(text));
    }};
};

TEST_F(CoalescerTest, JoinsOneKindAndFlushesAtTheNext) {
    say("a");
    say("b");
    EXPECT_THAT(emitted, ElementsAre());
    think("c");
    EXPECT_THAT(emitted, ElementsAre(R"({"kind":"assistant","text":"ab"})"));
    coalescer.flush();
    coalescer.flush();
    EXPECT_THAT(emitted,
                ElementsAre(R"({"kind":"assistant","text":"ab"})", R"({"kind":"thought","text":"c"})"));
}

TEST_F(CoalescerTest, PassesEverythingElseThroughBehindWhatIsPending) {
    Item named = fragment(Kind::assistant, "n");
    named.name = "";
    Item called = fragment(Kind::thought, "c");
    called.call_id = "";
    Item judged = fragment(Kind::assistant, "j");
    judged.is_error = false;
    Item noted = fragment(Kind::assistant, "m");
    noted.meta = "{}";
    Item silent;
    silent.kind = Kind::assistant;
    const Item other = fragment(Kind::other, "o");
    for (const Item& item : {named, called, judged, noted, silent, other}) {
        emitted.clear();
        say("a");
        coalescer.push(item);
        std::string text;
        write_item(text, item);
        EXPECT_THAT(emitted, ElementsAre(R"({"kind":"assistant","text":"a"})", text));
    }
}

TEST_F(CoalescerTest, EmitsAtTheBoundAndNeverSplits) {
    say(std::string(1'023, 'a'));
    EXPECT_EQ(emitted.size(), 0U);
    say("😀");
    say("b");
    coalescer.flush();
    say(std::string(5'000, 'c'));
    EXPECT_THAT(emitted, ElementsAre(R"({"kind":"assistant","text":")" + std::string(1'023, 'a') + "😀\"}",
                                     R"({"kind":"assistant","text":"b"})",
                                     R"({"kind":"assistant","text":")" + std::string(5'000, 'c') + "\"}"));
}

TEST_F(CoalescerTest, CountsUnitsNotBytes) {
    std::string text;
    for (int i = 0; i < 511; ++i) text += "😀";
    say(text + "€");
    EXPECT_EQ(emitted.size(), 0U);
    say("é");
    EXPECT_EQ(emitted.size(), 1U);
}

TEST_F(CoalescerTest, AnEmptyFragmentOpensAnItem) {
    say("");
    think("");
    coalescer.flush();
    EXPECT_THAT(emitted, ElementsAre(R"({"kind":"assistant","text":""})", R"({"kind":"thought","text":""})"));
}

TEST_F(CoalescerTest, JoinsTheHalvesOfACharacter) {
    say("\xED\xA0\xBD");
    say("\xED\xB8\x80");
    coalescer.flush();
    EXPECT_THAT(emitted, ElementsAre(R"({"kind":"assistant","text":"😀"})"));
}

}  // namespace
}  // namespace drydock::stream
