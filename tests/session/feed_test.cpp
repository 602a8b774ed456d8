// session/feed.cpp, and what it reads with: session/reader.cpp, session/frames.cpp, session/lines.cpp,
// session/rows.cpp.
#include "session/feed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/session/loader.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

using session::Feed;

/// What is given, one line each.
class Given final : public session::FeedObserver {
  public:
    void on_header(const session::Header& header) override { add("header " + header.id); }
    void on_row(const session::Row& row) override {
        add(fmt::format("{} {} {}", row.line, row.seq, row.type));
        if (row.type == last_) more_ = false;
    }
    void on_unreadable(std::size_t line, std::string_view why) override {
        add(fmt::format("{}: {}", line, why));
    }
    void on_again() override {
        muted_ = true;
        add_always("again");
    }
    void on_news() override {
        muted_ = false;
        add_always("news");
    }
    [[nodiscard]] bool wants_more() const override { return more_; }

    /// What came since it was asked.
    std::string take() { return std::exchange(text_, {}); }
    /// A row of this type is the last one that is wanted.
    void end_with(std::string type) { last_ = std::move(type); }

  private:
    void add(const std::string& line) {
        if (!muted_) add_always(line);
    }
    void add_always(const std::string& line) { text_ += line + "\n"; }

    std::string text_;
    std::string last_;
    bool more_{true};
    bool muted_{false};
};

std::string row_of(std::string_view type, std::size_t seq) {
    return fmt::format(R"({{"type":"{}","seq":{},"time":1,"data":{{}}}})"
                       "\n",
                       type, seq);
}

/// A log that grows.
class Feeds : public testing::Test {
  protected:
    void open_as(session::Encoding encoding) {
        write(path, "");
        file = base::FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
        feed.emplace(file, encoding, seen);
    }

    void append(std::string_view bytes) { write(path, test::read(path) += bytes); }
    void cut(std::size_t bytes) { ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(bytes)), 0); }

    /// What reading gives, and what it saw changed.
    std::string look() {
        const base::Sys<Feed::Change> change = feed->read();
        EXPECT_TRUE(change);
        static const std::vector<std::string> names = {"none", "grown", "cut", "rewritten"};
        return seen.take() + names[static_cast<std::size_t>(*change)];
    }

    TemporaryDirectory folder;
    const std::string path = folder / "log";
    const std::string header = usual_header() + "\n";
    base::FileDescriptor file;
    Given seen;
    std::optional<Feed> feed;
};

TEST_F(Feeds, LinesComeWhenTheyAreWhole) {
    open_as(session::Encoding::plain);
    EXPECT_EQ(look(), "none");
    append(header.substr(0, 10));
    EXPECT_EQ(look(), "grown");
    append(header.substr(10) + row_of("a", 0) + row_of("b", 1).substr(0, 5));
    EXPECT_EQ(look(), "header a\n2 0 a\ngrown");
    EXPECT_EQ(look(), "none");
    append(row_of("b", 1).substr(5));
    EXPECT_EQ(look(), "3 1 b\ngrown");
}

TEST_F(Feeds, FramesComeWhenTheyAreWhole) {
    open_as(session::Encoding::zstd);
    const std::string frame = session::make_frame(row_of("b", 1) + row_of("c", 2)).value();
    append(session::make_frame(header).value() + session::make_frame(row_of("a", 0)).value() +
           frame.substr(0, 9));
    EXPECT_EQ(look(), "header a\n2 0 a\ngrown");
    append(frame.substr(9, 10));
    EXPECT_EQ(look(), "grown");
    append(frame.substr(19));
    EXPECT_EQ(look(), "3 1 b\n4 2 c\ngrown");
}

TEST_F(Feeds, OfATornFrameWholeLinesComeAtTheEnd) {
    open_as(session::Encoding::zstd);
    std::string body;
    for (std::size_t i = 0; i < 60'000; ++i)
        body += row_of(fmt::format("t{}", i * 2'654'435'761U % 99'991), i);
    const std::string frame = session::make_frame(body).value();
    append(session::make_frame(header).value() + frame.substr(0, frame.size() - 1'000));
    EXPECT_EQ(look(), "header a\ngrown");
    ASSERT_TRUE(feed->finish());
    const std::string lines = seen.take();
    EXPECT_EQ(lines.substr(0, 20), "2 0 t0\n3 1 t74675\n4 ");
    EXPECT_EQ(lines.back(), '\n');
    EXPECT_LT(std::count(lines.begin(), lines.end(), '\n'), 60'000);
}

TEST_F(Feeds, ARepairThatCutsATornLineRepeatsNothing) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0));
    const std::size_t whole = test::read(path).size();
    append("{\"torn");
    EXPECT_EQ(look(), "header a\n2 0 a\ngrown");
    cut(whole);
    EXPECT_EQ(look(), "cut");
    append(row_of("b", 1));
    EXPECT_EQ(look(), "3 1 b\ngrown");
}

TEST_F(Feeds, ARepairIsNotSeenWhereItAddsMoreThanItCuts) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0) + "{\"torn");
    EXPECT_EQ(look(), "header a\n2 0 a\ngrown");
    write(path, header + row_of("a", 0) + row_of("turn/end", 1));
    EXPECT_EQ(look(), "3 1 turn/end\ngrown");
}

TEST_F(Feeds, ARepairCutsDamagedLinesThatWereGiven) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0) + "x\n" + row_of("c", 2));
    EXPECT_EQ(look(), "header a\n2 0 a\n3: the line is no event\n4 2 c\ngrown");
    EXPECT_TRUE(feed->damaged());
    cut((header + row_of("a", 0)).size());
    EXPECT_EQ(look(), "again\nnews\ncut");
    EXPECT_FALSE(feed->damaged());
    append(row_of("b", 1));
    EXPECT_EQ(look(), "3 1 b\ngrown");
}

TEST_F(Feeds, ARepairOfDamageInOneGoIsNoticedByItsBytes) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0) + "x\n");
    EXPECT_EQ(look(), "header a\n2 0 a\n3: the line is no event\ngrown");
    write(path, header + row_of("a", 0) + row_of("b", 1));
    EXPECT_EQ(look(), "again\nnews\n3 1 b\nrewritten");
}

TEST_F(Feeds, ACutAnywhereGoesOnFromThere) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0) + row_of("b", 1));
    EXPECT_EQ(look(), "header a\n2 0 a\n3 1 b\ngrown");
    cut((header + row_of("a", 0)).size() + 4);
    EXPECT_EQ(look(), "again\nnews\ncut");
    append(row_of("c", 1).substr(4));
    EXPECT_EQ(look(), "3 1 c\ngrown");
}

TEST_F(Feeds, ALogThatIsWrittenAnewIsGivenAnew) {
    open_as(session::Encoding::plain);
    append(header + row_of("a", 0));
    EXPECT_EQ(look(), "header a\n2 0 a\ngrown");
    write(path, header + row_of("z", 0) + row_of("b", 1));
    EXPECT_EQ(look(), "again\nnews\nheader a\n2 0 z\n3 1 b\nrewritten");
}

TEST_F(Feeds, WhatCannotBeReadIsSaidAndPassedOver) {
    open_as(session::Encoding::plain);
    append("no header\n" + row_of("a", 0) + "5\nnull\n\n{\"type\":5}\n" + row_of("c", 7) +
           "{\"type\":\"d\"}\n" + written_out(R"({"type":"text-chunks",@2,"data":{}})") + "\n");
    EXPECT_EQ(look(),
              "1: the header line is no JSON: expected null, found 'o'\n2 0 a\n3: the line is no event\n"
              "4: the line is no event\n5: the line is no event\n6: the line is no event\n7 7 c\n8 8 d\n"
              "9: the line is no event\ngrown");
}

TEST_F(Feeds, BrokenFramesAreSaidOnce) {
    open_as(session::Encoding::zstd);
    std::string damaged = session::make_frame(row_of("a", 0)).value();
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    const std::string first = session::make_frame(header).value();
    append(first + damaged + session::make_frame(row_of("b", 1) + "{").value() + "x");
    EXPECT_EQ(
        look(),
        fmt::format("header a\n0: the zstd frame at byte {} cannot be decoded: Restored data doesn't match "
                    "checksum\n2 1 b\n0: a zstd frame ends within a line\ngrown",
                    first.size()));
    const std::size_t end = test::read(path).size() - 1;
    append("xxx");
    EXPECT_EQ(look(), fmt::format("0: no zstd frame begins at byte {}\ngrown", end));
    append("x");
    EXPECT_EQ(look(), "grown");
}

TEST_F(Feeds, EndsWhenNoMoreIsWanted) {
    for (const session::Encoding encoding : {session::Encoding::plain, session::Encoding::zstd}) {
        open_as(encoding);
        seen.end_with("b");
        const std::string body = row_of("a", 0) + row_of("b", 1) + row_of("c", 2);
        append(encoding == session::Encoding::plain
                   ? header + body
                   : session::make_frame(header).value() + session::make_frame(body).value());
        EXPECT_TRUE(feed->read());
        const std::string first = "header a\n2 0 a\n3 1 b\n";
        EXPECT_EQ(seen.take(), encoding == session::Encoding::plain ? first : "");
    }
}

}  // namespace
}  // namespace drydock::test
