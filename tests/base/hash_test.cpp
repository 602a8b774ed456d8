#include "base/hash.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::base {
namespace {

std::string generated(std::size_t size) {
    std::string bytes;
    std::uint32_t state = 12345;
    while (bytes.size() < size) {
        state = state * 1664525U + 1013904223U;
        bytes += static_cast<char>(state >> 24U);
    }
    return bytes;
}

// Sizes around the block of 64 bytes and its padding, where an implementation goes wrong.
TEST(Hash, IsWhatSha256sumPrints) {
    const test::TemporaryDirectory folder;
    for (const std::size_t size : {0U, 1U, 55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U, 1000U, 1U << 20U}) {
        const std::string bytes = generated(size);
        test::write(folder / "bytes", bytes);
        const ProcessOutcome outcome = test::run({"sha256sum", folder / "bytes"});
        EXPECT_EQ(to_hex(sha256(bytes)), outcome.output.substr(0, 64)) << size << " bytes";
    }
}

TEST(Hash, HexadecimalGoesBothWays) {
    const Digest digest = sha256("drydock");
    EXPECT_EQ(digest_from_hex(to_hex(digest)), digest);
    EXPECT_NE(digest_from_hex(to_hex(sha256("other"))), digest);
}

TEST(Hash, RefusesWhatIsNoDigest) {
    const std::string hex = to_hex(sha256("drydock"));
    const auto with = [&hex](char c) {
        std::string text = hex;
        text[40] = c;
        return text;
    };
    for (const std::string& text : {std::string(), hex.substr(1), hex + "0", with('A'), with('g'), with(' '),
                                    with('\0'), with('/'), with(':'), with('`')}) {
        EXPECT_EQ(digest_from_hex(text), std::nullopt) << text;
    }
}

TEST(Hash, ShortFormIsTwelveDigits) {
    const Digest digest = sha256("drydock");
    EXPECT_EQ(short_hex(digest), to_hex(digest).substr(0, 12) + "\xE2\x80\xA6");
}

TEST(Base64, IsAsTheStandardShowsIt) {
    EXPECT_EQ(to_base64(""), "");
    EXPECT_EQ(to_base64("f"), "Zg==");
    EXPECT_EQ(to_base64("fo"), "Zm8=");
    EXPECT_EQ(to_base64("foo"), "Zm9v");
    EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
    EXPECT_EQ(to_base64("\xfb\xff\xfe"), "+//+");
}

}  // namespace
}  // namespace drydock::base
