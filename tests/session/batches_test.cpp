#include "session/batches.hpp"

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "session/frames.hpp"
#include "session/session.hpp"
#include "tests/session/logs.hpp"
#include "tests/support/support.hpp"

namespace drydock::session {
namespace {

/// Three mebibytes and a bit, which zstd hardly makes smaller.
std::string long_text() {
    std::mt19937_64 random(1);
    std::string text;
    while (text.size() < (3U << 20U) + 100) text += std::to_string(random()) + "\n";
    return text;
}

class BatchesOfAFile : public testing::Test {
  protected:
    base::FileDescriptor file_with(const std::string& bytes) {
        test::write(directory_ / "log", bytes);
        return base::FileDescriptor(open((directory_ / "log").c_str(), O_RDONLY));
    }

    test::TemporaryDirectory directory_;
};

std::string all_text(Batches&& batches) {
    std::string text;
    batches.each([&text](Batch& batch) {
        text += batch.text;
        return true;
    });
    return text;
}

TEST_F(BatchesOfAFile, give_its_bytes_in_their_order) {
    const std::string text = long_text();
    const base::FileDescriptor file = file_with(text);
    EXPECT_EQ(all_text(Batches::of_lines(file, text.size())), text);
    EXPECT_EQ(all_text(Batches::of_lines(file, 1000)), text.substr(0, 1000));
}

TEST_F(BatchesOfAFile, end_where_somebody_cut_it) {
    const base::FileDescriptor file = file_with("short\n");
    EXPECT_EQ(all_text(Batches::of_lines(file, 5U << 20U)), "short\n");
    EXPECT_EQ(all_text(Batches::of_lines(file, 100)), "short\n");
}

TEST_F(BatchesOfAFile, can_be_left_before_the_end) {
    const std::string text = long_text() + long_text() + long_text();
    const base::FileDescriptor file = file_with(text);
    std::vector<std::string> seen;
    Batches::of_lines(file, text.size()).each([&seen](Batch& batch) {
        seen.push_back(batch.text);
        return false;
    });
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0], text.substr(0, seen[0].size()));
}

/// Keeps the rows, and is slow at first: lines are read ahead then.
class SlowRows final : public Observer {
  public:
    void on_row(const Row& row) override {
        if (row.line % 2000 == 0 && row.line < 20000)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        text += row.text;
        text += '\n';
        last = row;
    }
    std::string text;
    Row last{};
};

TEST_F(BatchesOfAFile, are_the_same_rows_where_lines_are_read_ahead) {
    std::string body;
    const std::size_t events = 60000;
    for (std::size_t i = 0; i < events; ++i)
        body += fmt::format(R"({{"type":"note","seq":{},"time":1,"data":{{"é":"{}"}},"ignorable":true}})"
                            "\n",
                            i, std::string(i % 97, 'x'));
    const std::string header = test::usual_header() + "\n";
    const std::string log = header + body;
    std::string frames = make_frame(header).value();
    for (std::size_t at = 0; at < body.size(); at += body.size() / 3)  // of these some end within a line
        frames += make_frame(std::string_view(body).substr(at, body.size() / 3)).value();
    for (const std::string& bytes : {log, frames}) {
        const base::FileDescriptor file = file_with(bytes);
        JudgeOptions options;
        options.encoding = bytes == log ? Encoding::plain : Encoding::zstd;
        SlowRows rows;
        const auto judgement = judge(file, options, &rows);
        ASSERT_TRUE(judgement);
        EXPECT_EQ(judgement->stock.reason, "");
        EXPECT_EQ(judgement->events, events);
        EXPECT_TRUE(rows.text == body);
        EXPECT_EQ(rows.last.line, events + 1);
    }
}

TEST_F(BatchesOfAFile, are_small_whatever_the_frames_hold) {
    std::string bytes = make_frame(long_text()).value();
    for (int i = 0; i < 10000; ++i) bytes += make_frame("").value();
    const base::FileDescriptor file = file_with(bytes);
    std::size_t ends = 0;
    Batches::of_frames(file, bytes.size(), bytes.size()).each([&ends](Batch& batch) {
        EXPECT_LE(batch.text.size(), 1U << 17U);
        EXPECT_LE(batch.ends.size(), 1U << 12U);
        ends += batch.ends.size();
        return true;
    });
    EXPECT_EQ(ends, 10001U);
}

TEST_F(BatchesOfAFile, tell_where_each_frame_ends_and_which_is_wrong) {
    const std::string text = long_text();
    std::string bytes = make_frame("header\n").value() + make_frame(text).value();
    const std::size_t good = bytes.size();
    ASSERT_GT(good, 1U << 18U) << "a file of this size gets no thread";
    std::string bad = make_frame("last\n").value();
    bad[bad.size() - 1] = static_cast<char>(bad[bad.size() - 1] ^ 1);
    bytes += bad + make_frame("unseen\n").value();
    const base::FileDescriptor file = file_with(bytes);
    std::string seen;
    std::vector<std::size_t> ends;
    std::string wrong;
    Batches::of_frames(file, bytes.size(), bytes.size()).each([&](Batch& batch) {
        for (const FrameEnd& end : batch.ends) {
            ends.push_back(seen.size() + end.at);
            if (end.wrong) wrong = *end.wrong;
        }
        seen += batch.text;
        return true;
    });
    EXPECT_EQ(seen.substr(0, 7 + text.size()), "header\n" + text);
    ASSERT_EQ(ends.size(), 3U);
    EXPECT_EQ(ends[0], 7U);
    EXPECT_EQ(ends[1], 7 + text.size());
    EXPECT_EQ(wrong, "the zstd frame at byte " + std::to_string(good) +
                         " cannot be decoded: Restored data doesn't match checksum");
}

}  // namespace
}  // namespace drydock::session
