#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace drydock::test {

/// Seeded texts of JSON values with all that is odd in JavaScript: keys that are numbers or come twice, lone
/// surrogates, numbers at the edges, blanks, mistakes, bytes that are no UTF-8.
class RandomJson {
  public:
    explicit RandomJson(std::uint32_t seed) : random_(seed) {}

    std::size_t below(std::size_t end) { return random_() % end; }
    bool chance(unsigned percent) { return below(100) < percent; }

    std::string text() {
        std::string result = blanks() + value(chance(20) ? 6 : 2) + blanks();
        if (chance(12)) break_something(result);
        return result;
    }

    /// A value in `levels` containers.
    std::string deep(std::size_t levels) {
        std::string result = value(1);
        for (std::size_t i = 0; i < levels; ++i) {
            result = chance(50) ? "[" + result + "]" : "{" + string() + ":" + result + "}";
        }
        return result;
    }

    std::string number() {
        switch (below(8)) {
            case 0:
                return std::to_string(static_cast<int>(below(2000)) - 1000);
            case 1:
                return sign() + digits(1 + below(25)) + (chance(50) ? "." + any_digits(1 + below(25)) : "");
            case 2:
                return sign() + digits(1 + below(3)) + exponent();
            case 3:
                return sign() + digits(1 + below(18)) + "." + any_digits(1 + below(18)) + exponent();
            case 4: {
                static constexpr std::array<std::string_view, 22> edges = {"-0",
                                                                           "0",
                                                                           "-0.0",
                                                                           "-0e5",
                                                                           "1e21",
                                                                           "1e20",
                                                                           "999999999999999999999",
                                                                           "1e-6",
                                                                           "1e-7",
                                                                           "0.000001",
                                                                           "1e400",
                                                                           "-1e400",
                                                                           "1e-400",
                                                                           "-1e-400",
                                                                           "5e-324",
                                                                           "2.2250738585072011e-308",
                                                                           "1.7976931348623157e308",
                                                                           "1.7976931348623159e308",
                                                                           "9007199254740993",
                                                                           "4294967295",
                                                                           "0.1",
                                                                           "123456789012345680000"};
                return std::string(edges[below(edges.size())]);
            }
            default:
                return any_double();
        }
    }

    std::string string() {
        std::string result = "\"";
        const std::size_t size = chance(70) ? below(8) : below(60);
        for (std::size_t i = 0; i < size; ++i) result += character();
        return result + "\"";
    }

    /// Bytes, mostly UTF-8 with mistakes.
    std::string bytes() {
        std::string result;
        const std::size_t size = below(30);
        for (std::size_t i = 0; i < size; ++i) {
            result += chance(50) ? std::string(1, static_cast<char>(random_())) : plain();
        }
        return result;
    }

  private:
    std::string sign() { return chance(40) ? "-" : ""; }
    std::string any_digits(std::size_t count) {
        std::string result;
        for (std::size_t i = 0; i < count; ++i) result += static_cast<char>('0' + below(10));
        return result;
    }
    std::string digits(std::size_t count) {
        return static_cast<char>('1' + below(9)) + any_digits(count - 1);
    }
    std::string exponent() {
        static constexpr std::array<std::string_view, 5> letters = {"e", "E", "e+", "e-", "E-"};
        return std::string(letters[below(letters.size())]) + std::to_string(below(chance(50) ? 30 : 340));
    }

    /// Any bits that are a finite number, in as many digits as tell it from its neighbours.
    std::string any_double() {
        const std::uint64_t bits = (std::uint64_t{random_()} << 32U) | random_();
        double number = 0;
        std::memcpy(&number, &bits, sizeof number);
        if (!std::isfinite(number)) number = static_cast<double>(bits);
        std::array<char, 64> buffer{};
        const int size = std::snprintf(buffer.data(), buffer.size(), chance(50) ? "%.17g" : "%.15g", number);
        return {buffer.data(), static_cast<std::size_t>(size)};
    }

    std::string blanks() {
        if (!chance(15)) return {};
        std::string result;
        for (std::size_t i = below(4); i > 0; --i) result += " \t\n\r"[below(4)];
        return result;
    }

    std::string escape(unsigned unit) {
        std::array<char, 8> buffer{};
        (void)std::snprintf(buffer.data(), buffer.size(), chance(50) ? "\\u%04x" : "\\u%04X", unit);
        return buffer.data();
    }

    std::string plain() {
        static constexpr std::array<std::string_view, 14> characters = {"a",
                                                                        "z",
                                                                        "0",
                                                                        "/",
                                                                        "~",
                                                                        "\x7F",
                                                                        "é",
                                                                        "€",
                                                                        "\xED\x9F\xBF",
                                                                        "\xEE\x80\x80",
                                                                        "\xEF\xBB\xBF",
                                                                        "\xE2\x80\xA8",
                                                                        "😀",
                                                                        "\xF4\x8F\xBF\xBF"};
        return std::string(characters[below(characters.size())]);
    }

    std::string character() {
        switch (below(14)) {
            case 0:
                return std::string("\\") + "\"\\/bfnrt"[below(8)];
            case 1:
                return escape(static_cast<unsigned>(below(0x10000)));
            case 2:
                return escape(static_cast<unsigned>(0xD800 + below(0x800)));
            case 3:
                return escape(static_cast<unsigned>(0xD800 + below(0x400))) +
                       escape(static_cast<unsigned>(0xDC00 + below(0x400)));
            case 4:
                return escape(static_cast<unsigned>(below(0x30)));
            case 5:
                return chance(10) ? std::string(1, static_cast<char>(random_())) : plain();
            default:
                return plain();
        }
    }

    std::string key() {
        static constexpr std::array<std::string_view, 20> keys = {
            "a",         "b",           "c",   "1",          "2",          "10",         "0",
            "01",        "-1",          "1.5", "4294967294", "4294967295", "4294967296", "99999999999",
            "__proto__", "constructor", "",    "\\u0061",    "\\u0031",    "length"};
        if (chance(75)) return "\"" + std::string(keys[below(keys.size())]) + "\"";
        return string();
    }

    std::string value(unsigned depth) {
        switch (below(depth == 0 ? 5 : 9)) {
            case 0:
                return std::string(std::array<std::string_view, 3>{"null", "true", "false"}[below(3)]);
            case 1:
            case 2:
                return number();
            case 3:
            case 4:
                return string();
            case 5:
            case 6:
                return list('[', ']', [&] { return value(depth - 1); });
            default:
                return list('{', '}', [&] { return key() + blanks() + ":" + blanks() + value(depth - 1); });
        }
    }

    template <class Part>
    std::string list(char begin, char end, Part part) {
        std::string result(1, begin);
        const std::size_t size = chance(5) ? below(30) : below(5);
        for (std::size_t i = 0; i < size; ++i) {
            if (i > 0) result += ",";
            result += blanks() + part() + blanks();
        }
        return result + end;
    }

    void break_something(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        switch (below(4)) {
            case 0:
                text.resize(at);
                break;
            case 1:
                text.insert(at, 1, static_cast<char>(random_()));
                break;
            case 2:
                text.insert(at, 1, "{}[],:\"\\-+.eE0 \n\x01ntfu"[below(22)]);
                break;
            default:
                if (at < text.size()) text.erase(at, 1);
        }
    }

    std::mt19937 random_;
};

}  // namespace drydock::test
