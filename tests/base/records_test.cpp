#include "base/records.hpp"

#include <gtest/gtest.h>

namespace drydock::base {
namespace {

TEST(Records, ComeBackAsTheyWerePut) {
    const std::string large(70'000, 'x');
    std::string bytes;
    for (const std::string& record : {std::string("a"), std::string(), std::string("\0\xFF\n", 3), large})
        put_record(bytes, record);
    EXPECT_EQ(bytes.substr(0, 12), std::string("\1\0\0\0a\0\0\0\0\3\0\0", 12));
    std::string_view rest = bytes;
    EXPECT_EQ(take_record(rest), "a");
    EXPECT_EQ(take_record(rest), "");
    EXPECT_EQ(take_record(rest), std::string_view("\0\xFF\n", 3));
    EXPECT_EQ(take_record(rest), large);
    EXPECT_EQ(take_record(rest), std::nullopt);
}

TEST(Records, AreTakenWholeOrNotAtAll) {
    std::string bytes;
    put_record(bytes, "abc");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string_view cut = std::string_view(bytes).substr(0, size);
        EXPECT_EQ(take_record(cut), std::nullopt);
        EXPECT_EQ(cut.size(), size);
    }
}

}  // namespace
}  // namespace drydock::base
