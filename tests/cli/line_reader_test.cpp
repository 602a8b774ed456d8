#include "cli/line_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::cli {
namespace {

/// Each line as `NUMBER:TEXT|`, one that is too long as `NUMBER!|`.
std::string lines_of(const std::string& text, std::size_t longest) {
    const test::TemporaryDirectory folder;
    test::write(folder / "file", text);
    LineReader reader(base::FileDescriptor(open((folder / "file").c_str(), O_RDONLY | O_CLOEXEC)), longest);
    std::string told;
    while (true) {
        const base::Sys<std::optional<InputLine>> line = reader.next();
        if (!line) return told + base::errno_text(line.error().value);
        if (!*line) return told;
        told += std::to_string((*line)->number) +
                ((*line)->too_long ? "!" : ":" + std::string((*line)->text)) + "|";
    }
}

TEST(LineReader, CountsLines) {
    EXPECT_EQ(lines_of("", 9), "");
    EXPECT_EQ(lines_of("a\n\nb\r\n", 9), "1:a|2:|3:b\r|");
    EXPECT_EQ(lines_of("a\nb", 9), "1:a|2:b|");
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
    const std::string blocks(1'000'000, 'x');
    EXPECT_EQ(lines_of("abc\nabcd\nab\n", 3), "1:abc|2!|3:ab|");
    EXPECT_EQ(lines_of("a\n" + blocks + "\nb\n" + blocks, 3), "1:a|2!|3:b|4!|");
    EXPECT_EQ(lines_of(blocks, 3), "1!|");
    EXPECT_EQ(lines_of(blocks + "\n", blocks.size()), "1:" + blocks + "|");
    EXPECT_EQ(lines_of("a\n" + blocks + "\nb", blocks.size()), "1:a|2:" + blocks + "|3:b|");
}

TEST(LineReader, TellsWhatTheSystemSays) {
    LineReader reader(base::FileDescriptor(open("/", O_RDONLY | O_CLOEXEC)), 9);
    EXPECT_EQ(base::errno_text(reader.next().error().value), "is a directory");
}

}  // namespace
}  // namespace drydock::cli
