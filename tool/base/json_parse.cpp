#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/json_words.hpp"
#include "base/utf.hpp"

namespace drydock::base {
namespace {

/// Equal for equal keys, and seldom for others.
std::uint64_t digest_of(std::string_view key) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
    std::uint64_t digest = key.size() * factor;
    while (!key.empty()) {
        std::uint64_t word = 0;
        const std::size_t size = std::min(key.size(), sizeof word);
        std::memcpy(&word, key.data(), size);
        digest = (digest ^ word) * factor;
        digest ^= digest >> 29U;
        key.remove_prefix(size);
    }
    return digest;
}

/// The number of a key that is an array index: 0 to 4294967294 as it is written.
std::optional<std::uint32_t> index_of(std::string_view key) {
    if (key.empty() || key.size() > 10 || (key[0] == '0' && key.size() > 1)) return std::nullopt;
    std::uint32_t value = 0;
    const char* end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data(), end, value);
    if (error != std::errc() || stop != end || value == 0xFFFFFFFFU) return std::nullopt;
    return value;
}

bool is_digit(char each) {
    return each >= '0' && each <= '9';
}

int hex_digit(char each) {
    if (is_digit(each)) return each - '0';
    const char lower = static_cast<char>(each | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A UTF-16 unit as WTF-8, written at `out`; its end.
char* write_unit(char* out, unsigned unit) {
    if (unit < 0x80) {
        *out++ = static_cast<char>(unit);
    } else if (unit < 0x800) {
        *out++ = static_cast<char>(0xC0U | (unit >> 6U));
        *out++ = static_cast<char>(0x80U | (unit & 0x3FU));
    } else {
        *out++ = static_cast<char>(0xE0U | (unit >> 12U));
        *out++ = static_cast<char>(0x80U | ((unit >> 6U) & 0x3FU));
        *out++ = static_cast<char>(0x80U | (unit & 0x3FU));
    }
    return out;
}

/// The letter behind a backslash in a short escape, as the byte it stands for.
std::optional<char> short_escape(char letter) {
    switch (letter) {
        case '"':
        case '\\':
        case '/':
            return letter;
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        default:
            return std::nullopt;
    }
}

}  // namespace

class JsonDocument::Parser {
  public:
    Parser(JsonDocument& document, std::string_view text)
        : document_(document), begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

    bool run() {
        skip_blanks();
        if (!value()) return false;
        while (!document_.open_.empty()) {
            if (!step()) return false;
        }
        skip_blanks();
        return at_ == end_ || refuse("the end");
    }

    [[nodiscard]] JsonError error() const {
        std::string found = "the end";
        if (at_ < end_) {
            const auto byte = static_cast<unsigned char>(*at_);
            found =
                byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", *at_) : fmt::format("byte 0x{:02x}", byte);
        }
        return {static_cast<std::size_t>(at_ - begin_),
                fmt::format("expected {}, found {}", expected_, found)};
    }

  private:
    bool refuse(std::string_view expected) {
        expected_ = expected;
        return false;
    }

    void skip_blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }

    bool take(char wanted) {
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    /// The next element or key with its value, or the end, of the innermost container.
    bool step() {
        Open& open = document_.open_.back();
        const bool array = json::tag_of(document_.words_[open.at]) == json::Tag::array;
        skip_blanks();
        if (take(array ? ']' : '}')) {
            close();
            return true;
        }
        if (open.count > 0) {
            if (!take(',')) return refuse(array ? "',' or ']'" : "',' or '}'");
            skip_blanks();
        }
        ++open.count;
        return (array || key(open)) && value();
    }

    bool key(Open& open) {
        if (at_ == end_ || *at_ != '"') return refuse(open.count > 1 ? "a key" : "a key or '}'");
        const std::size_t place = document_.words_.size();
        if (!string()) return false;
        const std::string_view text = document_.string_at(place);
        if (!text.empty() && is_digit(text[0]) && index_of(text)) open.has_index_key = true;
        document_.keys_.push_back({digest_of(text), place});
        skip_blanks();
        if (!take(':')) return refuse("':'");
        skip_blanks();
        return true;
    }

    bool value() {
        if (at_ == end_) return refuse("a value");
        switch (*at_) {
            case '{':
                return enter(json::Tag::object);
            case '[':
                return enter(json::Tag::array);
            case '"':
                return string();
            case 't':
                return word("true", json::Tag::yes);
            case 'f':
                return word("false", json::Tag::no);
            case 'n':
                return word("null", json::Tag::null);
            default:
                return number();
        }
    }

    bool enter(json::Tag tag) {
        ++at_;
        document_.open_.push_back({document_.words_.size(), 0, document_.keys_.size(), false});
        document_.words_.push_back(json::word_of(tag));
        document_.words_.push_back(0);
        return true;
    }

    void close() {
        const Open open = document_.open_.back();
        document_.open_.pop_back();
        const json::Tag tag = json::tag_of(document_.words_[open.at]);
        document_.words_[open.at] = json::word_of(tag, document_.words_.size());
        document_.words_[open.at + 1] = open.count;
        if (tag != json::Tag::object) return;
        if (open.count > 1 && (open.has_index_key || has_equal_keys(open))) order(open);
        document_.keys_.resize(open.first_key);
    }

    [[nodiscard]] bool equal(const Key& a, const Key& b) const {
        return a.digest == b.digest && document_.string_at(a.at) == document_.string_at(b.at);
    }

    bool has_equal_keys(const Open& open) {
        static constexpr std::size_t few = 12;
        const auto first = document_.keys_.begin() + static_cast<std::ptrdiff_t>(open.first_key);
        const auto last = document_.keys_.end();
        if (open.count > few) {
            const std::vector<Key> keys = sorted_keys(open);
            return std::adjacent_find(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
                       return equal(a, b);
                   }) != keys.end();
        }
        for (auto a = first; a != last; ++a) {
            for (auto b = a + 1; b != last; ++b) {
                if (equal(*a, *b)) return true;
            }
        }
        return false;
    }

    /// The object's keys with equal ones together, in the text's order among themselves.
    [[nodiscard]] std::vector<Key> sorted_keys(const Open& open) const {
        std::vector<Key> keys(document_.keys_.begin() + static_cast<std::ptrdiff_t>(open.first_key),
                              document_.keys_.end());
        std::sort(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
            if (a.digest != b.digest) return a.digest < b.digest;
            const int compared = document_.string_at(a.at).compare(document_.string_at(b.at));
            return compared != 0 ? compared < 0 : a.at < b.at;
        });
        return keys;
    }

    /// Lists the object's keys as JavaScript orders them: indices by their number, then the others by the
    /// place of the first of several equal ones; of these the last is listed, since its value counts.
    void order(const Open& open) {
        struct Place {
            bool named;
            std::size_t rank;
            std::size_t at;
        };
        const std::vector<Key> keys = sorted_keys(open);
        std::vector<Place> places;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (i > 0 && equal(keys[i - 1], keys[i])) {
                places.back().at = keys[i].at;
                continue;
            }
            const std::optional<std::uint32_t> index = index_of(document_.string_at(keys[i].at));
            places.push_back({!index, index ? std::size_t{*index} : keys[i].at, keys[i].at});
        }
        std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            return a.named != b.named ? b.named : a.rank < b.rank;
        });
        std::vector<std::size_t>& orders = document_.orders_;
        document_.words_[open.at] =
            json::word_of(json::Tag::ordered, json::payload_of(document_.words_[open.at]));
        document_.words_[open.at + 1] = orders.size();
        orders.push_back(places.size());
        for (const Place& place : places) orders.push_back(place.at);
    }

    bool word(std::string_view text, json::Tag tag) {
        for (const char each : text) {
            if (!take(each)) return refuse(text);
        }
        document_.words_.push_back(json::word_of(tag));
        return true;
    }

    /// There is room for all strings of the text, and a word more.
    bool string() {
        ++at_;
        char* const place = document_.strings_.data() + document_.strings_size_;
        document_.words_.push_back(json::word_of(json::Tag::string, document_.strings_size_));
        text_ = place + sizeof(std::uint32_t);
        out_ = text_;
        while (true) {
            copy_run();
            if (at_ == end_) return refuse("'\"'");
            if (*at_ == '"') break;
            if (*at_ != '\\') return refuse("a character of a string");
            if (!escape()) return false;
        }
        ++at_;
        const auto size = static_cast<std::uint32_t>(out_ - text_);
        std::memcpy(place, &size, sizeof size);
        document_.strings_size_ += sizeof size + size;
        return true;
    }

    /// Copies up to the next special byte, a word at a time.
    void copy_run() {
        std::uint64_t word = 0;
        while (end_ - at_ >= static_cast<std::ptrdiff_t>(sizeof word)) {
            std::memcpy(&word, at_, sizeof word);
            std::memcpy(out_, &word, sizeof word);
            const std::uint64_t found = json::special_bytes(word);
            const int size = found == 0 ? static_cast<int>(sizeof word) : std::countr_zero(found) / 8;
            at_ += size;
            out_ += size;
            if (found != 0) return;
        }
        while (at_ < end_ && !json::is_special(*at_)) *out_++ = *at_++;
    }

    bool escape() {
        ++at_;
        if (at_ < end_ && *at_ == 'u') {
            ++at_;
            return unicode_escape();
        }
        const std::optional<char> byte = at_ < end_ ? short_escape(*at_) : std::nullopt;
        if (!byte) return refuse("an escape");
        *out_++ = *byte;
        ++at_;
        return true;
    }

    bool unicode_escape() {
        unsigned unit = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            const int digit = at_ < end_ ? hex_digit(*at_) : -1;
            if (digit < 0) return refuse("a hexadecimal digit");
            unit = unit * 16 + static_cast<unsigned>(digit);
        }
        char* const begin = out_;
        out_ = write_unit(out_, unit);
        if (unit >= 0xDC00 && unit < 0xE000) join_halves(begin);
        // A low half that stands in the text as it is comes from a WTF-8 text only.
        if (unit >= 0xD800 && unit < 0xDC00 && end_ - at_ >= half_size && *at_ == '\xED') {
            out_ = std::copy_n(at_, half_size, out_);
            at_ += half_size;
            join_halves(out_ - half_size);
        }
        return true;
    }

    /// Makes a character of the two halves before and behind `middle`, if they are that.
    void join_halves(char* middle) {
        if (middle - text_ < half_size) return;
        std::string joined(middle - half_size, half_size);
        append_wtf8(joined, {middle, half_size});
        out_ = std::copy(joined.begin(), joined.end(), middle - half_size);
    }

    bool number() {
        const char* first = at_;
        const bool negative = *at_ == '-';
        if (negative) ++at_;
        if (at_ == end_ || !is_digit(*at_)) return refuse(negative ? "a digit" : "a value");
        std::uint64_t whole = 0;
        const char* digits = at_;
        if (*at_ == '0') {
            ++at_;
        } else {
            for (; at_ < end_ && is_digit(*at_); ++at_)
                whole = whole * 10 + static_cast<unsigned>(*at_ - '0');
        }
        // Up to here a double holds every integer.
        const bool exact = at_ - digits <= 15;
        const bool fraction = at_ < end_ && *at_ == '.';
        if (fraction && !digits_behind()) return false;
        const bool exponent = at_ < end_ && (*at_ | 0x20) == 'e';
        if (exponent && !exponent_behind()) return false;
        const double magnitude = static_cast<double>(whole);
        const bool plain = exact && !fraction && !exponent;
        number_word(plain ? (negative ? -magnitude : magnitude) : slow_number(first));
        return true;
    }

    bool digits_behind() {
        ++at_;
        if (at_ == end_ || !is_digit(*at_)) return refuse("a digit");
        while (at_ < end_ && is_digit(*at_)) ++at_;
        return true;
    }

    bool exponent_behind() {
        if (at_ + 1 < end_ && (at_[1] == '+' || at_[1] == '-')) ++at_;
        return digits_behind();
    }

    [[nodiscard]] double slow_number(const char* first) const {
        double value = 0;
        if (std::from_chars(first, at_, value).ec == std::errc()) return value;
        return std::strtod(std::string(first, at_).c_str(), nullptr);  // out of range: Infinity, or next to 0
    }

    void number_word(double value) {
        document_.words_.push_back(json::word_of(json::Tag::number));
        document_.words_.push_back(std::bit_cast<std::uint64_t>(value));
    }

    static constexpr std::ptrdiff_t half_size = 3;

    JsonDocument& document_;
    char* text_{nullptr};  ///< of the string that is being read
    char* out_{nullptr};
    const char* begin_;
    const char* at_;
    const char* end_;
    std::string expected_;
};

tl::expected<JsonView, JsonError> JsonDocument::parse(std::string_view text) {
    clear();
    return add(text);
}

void JsonDocument::clear() {
    words_.clear();
    strings_size_ = 0;
    orders_.clear();
    root_.reset();
}

tl::expected<JsonView, JsonError> JsonDocument::add(std::string_view text) {
    const std::size_t words = words_.size();
    const std::size_t strings = strings_size_;
    const std::size_t orders = orders_.size();
    // A string takes its length in four bytes more, and two quotes and a separator less.
    const std::size_t room = strings + 2 * text.size() + 2 * sizeof(std::uint64_t);
    if (strings_.size() < room) strings_.resize(room);
    keys_.clear();
    open_.clear();
    Parser parser(*this, text);
    root_.reset();
    if (parser.run()) {
        root_ = words;
        return root();
    }
    words_.resize(words);
    strings_size_ = strings;
    orders_.resize(orders);
    return tl::unexpected(parser.error());
}

}  // namespace drydock::base
