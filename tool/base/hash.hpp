#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drydock::base {

/// A SHA-256 digest (FIPS 180-4), the name that every file here is known by.
struct Digest {
    std::array<std::uint8_t, 32> bytes{};
    friend bool operator==(const Digest&, const Digest&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy takes the 0 that it compares with for a pointer.
    friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// SHA-256 of the bytes.
Digest sha256(std::string_view bytes);

/// SHA-256 of what comes piece by piece.
class Sha256 {
  public:
    Sha256();
    void add(std::string_view bytes);
    [[nodiscard]] Digest digest();  ///< of all that was added; then it begins anew

  private:
    // The library's context, whose header stays in hash.cpp.
    alignas(8) std::array<unsigned char, 128> context_{};
};

/// 64 lower-case hexadecimal digits.
std::string to_hex(const Digest& digest);

/// The digest of exactly 64 hexadecimal digits, lower case only; nothing for any other text.
std::optional<Digest> digest_from_hex(std::string_view hex);

/// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);

/// The first 12 digits and an ellipsis, for messages.
std::string short_hex(const Digest& digest);

}  // namespace drydock::base
