#include "tests/support/node.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

constexpr std::uint32_t nothing = 0xFFFFFFFF;

/// Both files hold records: a size in four bytes, the lowest first, and that many bytes.
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
  const size = Buffer.alloc(4)
  size.writeUInt32LE(value === null ? 0xffffffff : bytes.length)
  parts.push(size, bytes)
}
)";

std::string framed(const std::vector<std::string>& records) {
    std::string bytes;
    for (const std::string& record : records) {
        const auto size = static_cast<std::uint32_t>(record.size());
        bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
        bytes += record;
    }
    return bytes;
}

std::vector<std::optional<std::string>> unframed(std::string_view bytes) {
    std::vector<std::optional<std::string>> records;
    std::uint32_t size = 0;
    while (bytes.size() >= sizeof size) {
        std::memcpy(&size, bytes.data(), sizeof size);
        bytes.remove_prefix(sizeof size);
        if (size == nothing) {
            records.emplace_back(std::nullopt);
            continue;
        }
        records.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
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
