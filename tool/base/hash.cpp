#include "base/hash.hpp"

#include <new>

#include <nettle/base64.h>
#include <nettle/sha2.h>

namespace drydock::base {

Digest sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.digest();
}

Sha256::Sha256() {
    static_assert(sizeof(sha256_ctx) <= sizeof(context_) && alignof(sha256_ctx) <= 8);
    sha256_init(new (context_.data()) sha256_ctx);
}

void Sha256::add(std::string_view bytes) {
    sha256_update(reinterpret_cast<sha256_ctx*>(context_.data()), bytes.size(),
                  reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

Digest Sha256::digest() {
    Digest digest;
    sha256_digest(reinterpret_cast<sha256_ctx*>(context_.data()), digest.bytes.size(), digest.bytes.data());
    return digest;
}

std::string to_hex(const Digest& digest) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(64);
    for (const std::uint8_t byte : digest.bytes) {
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

std::string to_base64(std::string_view bytes) {
    std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
    base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    return text;
}

std::optional<Digest> digest_from_hex(std::string_view hex) {
    Digest digest;
    if (hex.size() != 2 * digest.bytes.size()) return std::nullopt;
    for (std::size_t i = 0; i < hex.size(); ++i) {
        const char c = hex[i];
        unsigned value = 0;
        if (c >= '0' && c <= '9') {
            value = static_cast<unsigned>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = static_cast<unsigned>(c - 'a') + 10U;
        } else {
            return std::nullopt;
        }
        std::uint8_t& byte = digest.bytes[i / 2];
        byte = static_cast<std::uint8_t>((static_cast<unsigned>(byte) << 4U) | value);
    }
    return digest;
}

std::string short_hex(const Digest& digest) {
    return to_hex(digest).substr(0, 12) + "…";
}

}  // namespace drydock::base
