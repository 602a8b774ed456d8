#include "tests/support/node.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/records.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

/// Both files hold records as base/records.hpp has them; a record that is given begins with a 1, or is a 0
/// for null.
constexpr std::string_view frame = R"(
import { readFileSync, writeFileSync } from 'node:fs'
const input = readFileSync(process.argv[2])
const records = []
for (let at = 0; at < input.length;) {
  const size = input.readUInt32LE(at)
  records.push(input.subarray(at + 4, at + 4 + size))
  at += 4 + size
}
const parts = []
const give = (value) => {
  const bytes = value === null ? Buffer.alloc(0) : Buffer.from(value)
  const head = Buffer.alloc(5)
  head.writeUInt32LE(bytes.length + 1)
  head[4] = value === null ? 0 : 1
  parts.push(head, bytes)
}
)";

std::string framed(const std::vector<std::string>& records) {
    std::string bytes;
    for (const std::string& record : records) base::put_record(bytes, record);
    return bytes;
}

std::vector<std::optional<std::string>> unframed(std::string_view bytes) {
    std::vector<std::optional<std::string>> records;
    while (const std::optional<std::string_view> record = base::take_record(bytes)) {
        const bool given = record->starts_with('\1');
        records.emplace_back(given ? std::optional(std::string(record->substr(1))) : std::nullopt);
    }
    return records;
}

}  // namespace

std::vector<std::optional<std::string>> in_node(std::string_view script,
                                                const std::vector<std::string>& records) {
    const TemporaryDirectory directory;
    write(directory / "script.mjs", std::string(frame) + std::string(script) +
                                        "\nwriteFileSync(process.argv[3], Buffer.concat(parts))\n");
    write(directory / "in", framed(records));
    const base::ProcessOutcome outcome =
        run({"node", directory / "script.mjs", directory / "in", directory / "out"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    if (outcome.exit_code != 0) return {};
    std::vector<std::optional<std::string>> results = unframed(read(directory / "out"));
    EXPECT_EQ(results.size(), records.size());
    results.resize(records.size());
    return results;
}

std::string toolchain() {
    const char* folder = std::getenv("DRYDOCK_TEST_PACKAGES");
    const std::string path = std::string(folder == nullptr ? "" : folder) + "/toolchain";
    EXPECT_TRUE(exists(path)) << path << "; tests/run.sh sets DRYDOCK_TEST_PACKAGES and prepares it";
    return path;
}

}  // namespace drydock::test
