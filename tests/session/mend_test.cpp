#include "session/mend.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/frames.hpp"
#include "tests/session/loader.hpp"

namespace drydock::test {
namespace {

struct Mended {
    LogFile log;
    std::vector<std::size_t> lines;
    bool tail_dropped{false};
    std::string error;
    std::size_t error_line{0};
};

Mended mend(const LogFile& log) {
    const base::FileDescriptor file(memfd_create("log", MFD_CLOEXEC));
    EXPECT_EQ(::write(file.get(), log.bytes.data(), log.bytes.size()),
              static_cast<ssize_t>(log.bytes.size()));
    Mended mended{{log.name, log.suffix, {}}, {}, false, {}, 0};
    const auto mending = session::mend(file, options_for(log.suffix), [&mended](std::string_view bytes) {
        mended.log.bytes += bytes;
        return base::Sys<void>();
    });
    if (!mending) {
        mended.error = mending.error().message;
        mended.error_line = mending.error().line;
        return mended;
    }
    mended.lines = mending->lines;
    mended.tail_dropped = mending->tail_dropped;
    return mended;
}

constexpr std::string_view unmarked_step =
    R"({"type":"subagent/stream",#,"data":{"childId":"k","provider":"acp","index":0,"item":{"kind":"plan","text":"}"}} })";

std::string body() {
    return "$B\n" + std::string(unmarked_step) + "\r\n$U\n" + std::string(unmarked_step) + "\n$E\n";
}

TEST(Mend, MarksStreamEventsAndNothingElse) {
    const std::string expected = [] {
        std::string text = usual_header() + "\n" + written_out(body());
        for (std::size_t at = text.find("}} }"); at != std::string::npos; at = text.find("}} }", at + 5))
            text.replace(at, 4, "}} ,\"ignorable\":true}");
        return text;
    }();
    const Mended mended = mend({"", ".jsonl", usual_header() + "\n" + written_out(body())});
    EXPECT_EQ(mended.log.bytes, expected);
    EXPECT_EQ(mended.lines, (std::vector<std::size_t>{3, 5}));
    EXPECT_EQ(mended.error, "");
}

TEST(Mend, TheLoaderOpensTheCopy) {
    std::vector<LogFile> copies;
    for (LogFile& log : both_encodings("", usual_header(), body())) {
        EXPECT_EQ(in_short(judge_log(log)), "refused");
        copies.push_back(mend(log).log);
    }
    // A last frame of which a checksum is missing.
    LogFile cut = both_encodings("", usual_header(), body())[1];
    cut.bytes.pop_back();
    const Mended mended = mend(cut);
    EXPECT_TRUE(mended.tail_dropped);
    copies.push_back(mended.log);
    for (const nlohmann::json& answer : ask_loader(copies))
        EXPECT_EQ(in_short(answer), "opens: 5 events, 0 closers") << answer.dump();
}

TEST(Mend, LeavesALogAloneThatOpens) {
    const Mended mended = mend({"", ".jsonl", usual_header() + "\n" + written_out("$B\n$E\n")});
    EXPECT_EQ(mended.error, "");
    EXPECT_EQ(mended.log.bytes, "");
    EXPECT_TRUE(mended.lines.empty());
}

TEST(Mend, RefusesALogWithAnotherFault) {
    const std::string other = R"({"type":"new/event",#,"data":1})"
                              "\n";
    const Mended mended =
        mend({"", ".jsonl", usual_header() + "\n" + written_out(std::string(unmarked_step) + "\n" + other)});
    EXPECT_EQ(mended.error,
              "the event type new/event is unknown to this harness, and not marked ignorable; only "
              "unmarked "
              "subagent/stream events can be mended");
    EXPECT_EQ(mended.error_line, 3U);
    EXPECT_EQ(mended.log.bytes, "");
}

}  // namespace
}  // namespace drydock::test
