#include "base/records.hpp"

#include <cstdint>

namespace drydock::base {

void put_record(std::string& bytes, std::string_view record) {
    const auto size = static_cast<std::uint32_t>(record.size());
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((size >> shift) & 0xFFU);
    bytes += record;
}

std::optional<std::string_view> take_record(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::uint32_t size = 0;
    for (unsigned at = 0; at < 4; ++at)
        size |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) << (8 * at);
    if (bytes.size() - 4 < size) return std::nullopt;
    const std::string_view record = bytes.substr(4, size);
    bytes.remove_prefix(4 + record.size());
    return record;
}

}  // namespace drydock::base
