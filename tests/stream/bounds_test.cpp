#include <gtest/gtest.h>

#include "base/utf.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

const std::string marker{truncation_marker};

BoundedItem bounded_text(std::string text) {
    Item item;
    item.text = std::move(text);
    return bound_item(std::move(item));
}

TEST(Bounds, AreThoseOfTheDescription) {
    EXPECT_EQ(largest_text, 16'384U);
    EXPECT_EQ(largest_meta, 2'048U);
    EXPECT_EQ(largest_label, 256U);
    EXPECT_EQ(coalesce_units, 1'024U);
    EXPECT_EQ(marker, "\n[stream text truncated]");
    EXPECT_EQ(marker.size(), 24U);
}

TEST(Bounds, LeaveATextOfExactlyTheBoundAlone) {
    const std::string text =
        std::string(16'381, 'x') + "\xED\xA0\xBD";  // a lone surrogate is three bytes, too
    EXPECT_EQ(*bounded_text(text).item.text, text);
    EXPECT_FALSE(bounded_text(text).truncated);
    EXPECT_FALSE(bounded_text("").truncated);
    EXPECT_FALSE(bound_item(Item()).truncated);
}

TEST(Bounds, CutALongerTextWhereACharacterBegins) {
    struct Row {
        std::size_t before;
        std::string_view piece;
        std::size_t kept;
    };
    for (const Row& row :
         {Row{0, "x", 16'360}, Row{1, "é", 16'359}, Row{0, "é", 16'360}, Row{0, "€", 16'359},
          Row{2, "€", 16'358}, Row{0, "😀", 16'360}, Row{1, "😀", 16'357}, Row{3, "😀", 16'359}}) {
        std::string text(row.before, 'x');
        while (text.size() <= largest_text) text += row.piece;
        const BoundedItem bounded = bounded_text(text);
        EXPECT_EQ(*bounded.item.text, text.substr(0, row.kept) + marker) << row.piece << row.before;
        EXPECT_TRUE(bounded.truncated);
    }
}

TEST(Bounds, ATextThatIsCutHasNoLoneSurrogatesLeft) {
    const std::string text = "\xEF\xBB\xBF\xED\xA0\xBD" + std::string(largest_text, 'x');
    EXPECT_EQ(*bounded_text(text).item.text, "\xEF\xBB\xBF\xEF\xBF\xBD" + std::string(16'354, 'x') + marker);
}

TEST(Bounds, DropMetaThatIsLarger) {
    Item item;
    item.meta = R"({"m":")" + std::string(2'040, 'x') + "\"}";
    ASSERT_EQ(item.meta->size(), largest_meta);
    EXPECT_EQ(bound_item(item).item, item);
    EXPECT_FALSE(bound_item(item).truncated);
    item.meta->insert(6, "y");
    EXPECT_EQ(bound_item(item).item, Item());
    EXPECT_TRUE(bound_item(item).truncated);
}

TEST(Bounds, CutLabelsSilently) {
    Item item;
    for (std::size_t i = 0; i < 127; ++i) item.name = item.name.value_or("") + "😀";
    *item.name += "a€b";
    item.call_id = std::string(255, 'x') + "😀";
    const BoundedItem bounded = bound_item(item);
    EXPECT_EQ(*bounded.item.name + "b", *item.name);
    EXPECT_EQ(*bounded.item.call_id, std::string(255, 'x') + "\xED\xA0\xBD");
    EXPECT_FALSE(bounded.truncated);
    EXPECT_EQ(base::utf16_length(*bounded.item.name), 256U);
}

}  // namespace
}  // namespace drydock::stream
