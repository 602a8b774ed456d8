#include "install/receipt.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "install/recipe.hpp"
#include "tests/support/support.hpp"

namespace drydock::install {
namespace {

Receipt full_receipt() {
    Receipt receipt;
    receipt.set = "demo";
    receipt.package = "@demo/provider";
    receipt.version = "1.2.3";
    receipt.revision = 2;
    receipt.provides = 1;
    receipt.requirements = {{"@demo/core", 1}};
    receipt.files.push_back(
        {"lib/a.js", base::sha256("stock"), base::sha256("patched"), false, true, std::nullopt});
    receipt.files.push_back({"lib/gone.js", base::sha256("gone"), std::nullopt, std::nullopt, std::nullopt,
                             Restore{0640, {{"user.note", std::string("\0\xff", 2)}}}});
    receipt.created_directories = {"lib/new"};
    receipt.patch = "a patch in Latin-1: \xe9\n";
    receipt.from.push_back({"revision 1",
                            1,
                            {{"lib/a.js", base::sha256("stock"), base::sha256("old"), {}, {}, {}}},
                            "the old patch\n"});
    return receipt;
}

std::string refused(const std::string& text) {
    const base::Result<Receipt> receipt = parse_receipt(text);
    return receipt ? "read" : base::describe(receipt.error());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ReceiptText, ComesBackAsItWasWithAnyBytes) {
    const std::string text = print(full_receipt());
    const base::Result<Receipt> read = parse_receipt(text);
    ASSERT_TRUE(read) << base::describe(read.error());
    EXPECT_EQ(print(*read), text);
    EXPECT_EQ(read->patch, full_receipt().patch);
    EXPECT_EQ(read->files[1].restore->extended, full_receipt().files[1].restore->extended);
    EXPECT_EQ(read->files[1].restore->mode, 0640U);
    EXPECT_EQ(read->from[0].patch, "the old patch\n");
}

TEST(ReceiptText, IsRefusedWhereItIsNotOurs) {
    const std::string text = print(full_receipt());
    const std::string start = ".drydock-receipt.json: not a receipt of ours: ";
    EXPECT_EQ(refused(""), start + "it is not JSON");
    EXPECT_EQ(refused("[]"), start + "no object where one is expected");
    EXPECT_EQ(refused(std::string(100'000, '[')), start + "it is nested too deeply");
    EXPECT_EQ(refused(replaced(text, "drydock.receipt/1", "drydock.receipt/9")),
              start + "its schema is not drydock.receipt/1");
    EXPECT_EQ(refused(replaced(text, "lib/a.js", "../a.js")), start + "a path that leaves the package");
    EXPECT_EQ(refused(replaced(text, "\"0640\"", "\"4755\"")),
              start + "'mode' has more than permission bits");
    EXPECT_EQ(refused(replaced(text, "user.note", "security.capability")),
              start + "an extended attribute that no receipt of ours holds");
    EXPECT_EQ(refused(replaced(text, "\"patchSha256\": \"", "\"patchSha256\": \"0")),
              start + "its patch does not match its sha256");
    Receipt twice = full_receipt();
    twice.files.push_back(twice.files.front());
    EXPECT_EQ(refused(print(twice)), start + "it lists lib/a.js twice");
    EXPECT_EQ(refused(replaced(text, "\"revision\": 2", "\"revision\": -2")),
              start + "'revision' is no number in its range");
}

TEST(ReceiptText, IsKnownByAGlance) {
    const test::TemporaryDirectory folder;
    const base::Directory package = base::Directory::open(folder.path()).value();
    Receipt ours = full_receipt();
    ours.set = "a \"set\", of \\ and \x01 and ü";
    EXPECT_EQ(glance_at_receipt(package, ours), Glance::absent);
    test::write(folder / std::string(receipt_name), print(ours));
    EXPECT_EQ(glance_at_receipt(package, ours), Glance::ours);
    for (const auto change :
         {+[](Receipt& other) { other.revision = 20; }, +[](Receipt& other) { other.version += "4"; },
          +[](Receipt& other) { other.package += "s"; }, +[](Receipt& other) { other.set += "s"; }}) {
        Receipt other = ours;
        change(other);
        EXPECT_EQ(glance_at_receipt(package, other), Glance::other);
        test::write(folder / std::string(receipt_name), print(other));
        EXPECT_EQ(glance_at_receipt(package, ours), Glance::other);
        test::write(folder / std::string(receipt_name), print(ours));
    }
}

TEST(ReceiptText, HoldsABoundedNumberOfHunks) {
    Receipt receipt = full_receipt();
    receipt.from.clear();
    receipt.files.resize(1);
    receipt.patch = "--- a/lib/a.js\n+++ b/lib/a.js\n";
    for (std::size_t i = 1; i <= most_receipt_hunks + 1; ++i)
        receipt.patch += fmt::format("@@ -{0} +{0} @@\n-a\n+b\n", 2 * i);
    const auto recipe = recipe_of(receipt);
    ASSERT_FALSE(recipe);
    EXPECT_EQ(
        base::describe(recipe.error()),
        ".drydock-receipt.json: has 20001 hunks, and a receipt holds at most 20000; make fewer of them");
}

}  // namespace
}  // namespace drydock::install
