// What a run does to the disk, in order, as a trace shows it (design, rule 6.2).
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/injection.hpp"

namespace drydock::test {
namespace {

/// Links, renames, removals and syncs, with paths from the workshop on.
std::vector<std::string> writes(const Workshop& shop, const std::string& command) {
    const std::set<std::string> wanted{"fsync", "linkat", "renameat", "renameat2", "unlinkat"};
    const std::regex entry("[0-9]+<([^>]*)>, \"([^\"]*)\"");
    const std::regex handle("[0-9]+<([^>]*)>");
    const std::regex result("\\) += 0");
    const std::regex place(shop.path() + "/(image|profile)/node_modules/@demo/");
    std::vector<std::string> found;
    for (const Call& call : trace(shop, {command})) {
        if (wanted.count(call.name) == 0) continue;
        std::string line = std::regex_replace(call.text, entry, "$1/$2");
        line = std::regex_replace(line, handle, "$1");
        line = std::regex_replace(line, result, ")");
        found.push_back(std::regex_replace(line, place, ""));
    }
    return found;
}

TEST(Order, OfAnApply) {
    const TemporariesInMemory memory;
    Workshop shop;
    install_core_and_provider(shop);
    shop.write_set();
    EXPECT_THAT(
        writes(shop, "apply"),
        testing::ElementsAre(
            "fsync(core/.drydock-tmp.0.new)", "fsync(provider/.drydock-tmp.1.new)",
            "fsync(core/lib/.drydock-tmp.2.new)", "linkat(core/lib/index.js, core/lib/.drydock-tmp.2.old, 0)",
            "fsync(provider/lib/.drydock-tmp.3.new)",
            "linkat(provider/lib/index.js, provider/lib/.drydock-tmp.3.old, 0)",
            // Receipts first,
            "renameat2(core/.drydock-tmp.0.new, core/.drydock-receipt.json, RENAME_NOREPLACE)", "fsync(core)",
            "renameat2(provider/.drydock-tmp.1.new, provider/.drydock-receipt.json, RENAME_NOREPLACE)",
            "fsync(provider)",
            // then what is required before what requires it.
            "renameat(core/lib/.drydock-tmp.2.new, core/lib/index.js)", "fsync(core/lib)",
            "renameat(provider/lib/.drydock-tmp.3.new, provider/lib/index.js)", "fsync(provider/lib)",
            "unlinkat(core/lib/.drydock-tmp.2.old, 0)", "unlinkat(provider/lib/.drydock-tmp.3.old, 0)"));
}

TEST(Order, OfARevert) {
    const TemporariesInMemory memory;
    Workshop shop;
    install_core_and_provider(shop);
    shop.write_set();
    ASSERT_EQ(shop.drydock({"apply"}).exit_code, 0);
    EXPECT_THAT(
        writes(shop, "revert"),
        testing::ElementsAre(
            "fsync(provider/lib/.drydock-tmp.0.new)",
            "linkat(provider/lib/index.js, provider/lib/.drydock-tmp.0.old, 0)",
            "fsync(core/lib/.drydock-tmp.1.new)", "linkat(core/lib/index.js, core/lib/.drydock-tmp.1.old, 0)",
            // What requires it before what is required,
            "renameat(provider/lib/.drydock-tmp.0.new, provider/lib/index.js)", "fsync(provider/lib)",
            "renameat(core/lib/.drydock-tmp.1.new, core/lib/index.js)", "fsync(core/lib)",
            "unlinkat(provider/lib/.drydock-tmp.0.old, 0)", "unlinkat(core/lib/.drydock-tmp.1.old, 0)",
            // and the receipts last.
            "unlinkat(provider/.drydock-receipt.json, 0)", "fsync(provider)",
            "unlinkat(core/.drydock-receipt.json, 0)", "fsync(core)"));
}

}  // namespace
}  // namespace drydock::test
