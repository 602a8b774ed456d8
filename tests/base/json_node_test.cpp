// node is the judge of what JSON is, how it is written, and of what bytes are as text.

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/utf.hpp"
#include "tests/base/random_json.hpp"
#include "tests/support/node.hpp"

namespace drydock::base {
namespace {

constexpr std::uint32_t seed = 20261130;

/// Parses and writes, with the indent that the record's first byte tells; nothing for no JSON.
std::optional<std::string> parsed_and_written(const std::string& record) {
    JsonDocument document;
    const auto root = document.parse(repair_utf8(std::string_view(record).substr(1)));
    if (!root) return std::nullopt;
    return root->text() + '\n' + root->text({static_cast<unsigned>(record[0]) - '0'});
}

std::vector<std::string> json_records() {
    test::RandomJson random(seed);
    std::vector<std::string> records;
    const auto add = [&](const std::string& text, std::size_t indent) {
        records.push_back(static_cast<char>('0' + indent) + text);
    };
    for (int i = 0; i < 100'000; ++i) add(random.text(), random.chance(50) ? 2 : random.below(13));
    for (int i = 0; i < 30'000; ++i) add(random.number(), 0);
    for (std::size_t levels = 0; levels <= 1000; levels += 40) add(random.deep(levels), levels % 3);
    return records;
}

TEST(JsonInNode, ReadsAndWritesTheSameBytes) {
    const std::vector<std::string> records = json_records();
    const auto theirs = test::in_node(R"(
        for (const record of records) {
          let value
          try {
            value = JSON.parse(record.toString('utf8', 1))
          } catch {
            give(null)
            continue
          }
          give(JSON.stringify(value) + '\n' + JSON.stringify(value, null, record[0] - 48))
        })",
                                      records);
    std::size_t refused = 0;
    std::size_t different = 0;
    for (std::size_t i = 0; i < records.size() && different < 5; ++i) {
        const std::optional<std::string> ours = parsed_and_written(records[i]);
        if (!ours) ++refused;
        if (ours == theirs[i]) continue;
        ++different;
        ADD_FAILURE() << "seed " << seed << ", value " << i << ": " << records[i].substr(1)
                      << "\nnode: " << theirs[i].value_or("refused")
                      << "\nours: " << ours.value_or("refused");
    }
    EXPECT_GT(refused, records.size() / 100);
    EXPECT_LT(refused, records.size() / 4);
}

TEST(JsonInNode, TakesBytesForTheSameText) {
    test::RandomJson random(seed);
    std::vector<std::string> records;
    for (int i = 0; i < 20'000; ++i) records.push_back(random.bytes());
    const auto theirs = test::in_node("for (const record of records) give(record.toString('utf8'))", records);
    for (std::size_t i = 0; i < records.size(); ++i) {
        ASSERT_EQ(repair_utf8(records[i]), theirs[i]) << "seed " << seed << ", text " << i;
        ASSERT_EQ(is_utf8(records[i]), records[i] == theirs[i]) << "seed " << seed << ", text " << i;
    }
}

/// Two strings as JSON and a number of units: length, slice, concatenation, and each encoded.
TEST(JsonInNode, MeasuresCutsAndJoinsStringsTheSameWay) {
    test::RandomJson random(seed);
    std::vector<std::string> records;
    for (int i = 0; i < 20'000; ++i) {
        records.push_back("[" + repair_utf8(random.string()) + "," + repair_utf8(random.string()) + "," +
                          std::to_string(random.below(12)) + "]");
    }
    const auto theirs = test::in_node(R"(
        for (const record of records) {
          try {
            const [a, b, units] = JSON.parse(record.toString('utf8'))
            const cut = a.slice(0, units)
            give([a.length, JSON.stringify(cut), JSON.stringify(a + b), cut + (a + b)].join('|'))
          } catch {
            give(null)
          }
        })",
                                      records);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        JsonDocument document;
        const auto root = document.parse(records[i]);
        ASSERT_EQ(root.has_value(), theirs[i].has_value()) << records[i];
        if (!root) continue;
        std::vector<JsonView> parts;
        for (const JsonView part : root->elements()) parts.push_back(part);
        const std::string cut = cut_utf16(parts[0].string(), static_cast<std::size_t>(parts[2].number()));
        std::string joined(parts[0].string());
        append_wtf8(joined, parts[1].string());
        std::string ours = std::to_string(utf16_length(parts[0].string())) + '|';
        write_json_string(ours, cut);
        ours += '|';
        write_json_string(ours, joined);
        append_wtf8(ours += '|', cut);
        append_wtf8(ours, joined);
        ASSERT_EQ(encode_utf8(ours), theirs[i]) << "seed " << seed << ", record " << i << ": " << records[i];
        ++compared;
    }
    EXPECT_GT(compared, records.size() / 2);
}

}  // namespace
}  // namespace drydock::base
