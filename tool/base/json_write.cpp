#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/json.hpp"
#include "base/json_words.hpp"

namespace drydock::base {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

char* write_unicode_escape(char* out, unsigned unit) {
    *out++ = '\\';
    *out++ = 'u';
    for (const unsigned shift : {12U, 8U, 4U, 0U}) *out++ = hex_digits[(unit >> shift) & 0xFU];
    return out;
}

/// The letter of a byte's short escape; 0 where it has none.
char escape_letter(char byte) {
    switch (byte) {
        case '"':
        case '\\':
            return byte;
        case '\b':
            return 'b';
        case '\f':
            return 'f';
        case '\n':
            return 'n';
        case '\r':
            return 'r';
        case '\t':
            return 't';
        default:
            return 0;
    }
}

char* write_escape(char* out, char byte) {
    const char letter = escape_letter(byte);
    if (letter == 0) return write_unicode_escape(out, static_cast<unsigned char>(byte));
    *out++ = '\\';
    *out++ = letter;
    return out;
}

/// Escapes a string piece by piece, through a buffer that has room for the longest escape behind each piece.
class StringWriter {
  public:
    StringWriter(std::string& target, std::string_view text)
        : target_(target), at_(text.data()), end_(at_ + text.size()) {}

    void run() {
        *out_++ = '"';
        while (at_ < end_) {
            if (out_ > buffer_.data() + piece) flush();
            copy_run();
        }
        *out_++ = '"';
        flush();
    }

  private:
    static constexpr std::size_t piece = 1000;

    void flush() {
        target_.append(buffer_.data(), static_cast<std::size_t>(out_ - buffer_.data()));
        out_ = buffer_.data();
    }

    /// A word up to its first byte that may need an escape, and that byte.
    void copy_run() {
        std::uint64_t word = 0;
        if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof word)) return one();
        std::memcpy(&word, at_, sizeof word);
        std::memcpy(out_, &word, sizeof word);
        const std::uint64_t found =
            json::special_bytes(word) | json::zero_bytes(word ^ (json::every_byte * 0xEDU));
        const int size = found == 0 ? static_cast<int>(sizeof word) : std::countr_zero(found) / 8;
        at_ += size;
        out_ += size;
        if (found != 0) one();
    }

    void one() {
        if (json::is_special(*at_)) {
            out_ = write_escape(out_, *at_++);
        } else if (*at_ == '\xED' && end_ - at_ >= 3 && static_cast<unsigned char>(at_[1]) >= 0xA0) {
            const unsigned unit = 0xD000U | ((static_cast<unsigned char>(at_[1]) & 0x3FU) << 6U) |
                                  (static_cast<unsigned char>(at_[2]) & 0x3FU);
            out_ = write_unicode_escape(out_, unit);
            at_ += 3;
        } else {
            *out_++ = *at_++;
        }
    }

    std::string& target_;
    const char* at_;
    const char* end_;
    std::array<char, piece + 32> buffer_;
    char* out_{buffer_.data()};
};

/// The finite number's digits without leading zeros, and how many of them stand before the point.
void write_digits(std::string& target, std::string_view digits, int before_point) {
    const auto size = static_cast<int>(digits.size());
    if (before_point >= size && before_point <= 21) {
        target += digits;
        target.append(static_cast<std::size_t>(before_point - size), '0');
    } else if (before_point > 0 && before_point <= 21) {
        target += digits.substr(0, static_cast<std::size_t>(before_point));
        target += '.';
        target += digits.substr(static_cast<std::size_t>(before_point));
    } else if (before_point > -6 && before_point <= 0) {
        target += "0.";
        target.append(static_cast<std::size_t>(-before_point), '0');
        target += digits;
    } else {
        target += digits[0];
        if (size > 1) target += '.';
        target += digits.substr(1);
        target += before_point > 0 ? "e+" : "e-";
        target += std::to_string(std::abs(before_point - 1));
    }
}

/// Number::toString of ECMAScript.
void write_finite(std::string& target, double value) {
    std::array<char, 32> buffer{};
    char* const begin = buffer.data();
    static constexpr double exact_integers = 9007199254740992.0;
    if (std::abs(value) < exact_integers && std::trunc(value) == value) {
        const char* last = std::to_chars(begin, begin + buffer.size(), static_cast<std::int64_t>(value)).ptr;
        target.append(begin, static_cast<std::size_t>(last - begin));
        return;
    }
    if (value < 0) target += '-';
    const char* end =
        std::to_chars(begin, begin + buffer.size(), std::abs(value), std::chars_format::scientific).ptr;
    const std::string_view text(begin, static_cast<std::size_t>(end - begin));
    const std::size_t letter = text.find('e');
    std::string digits(text.substr(0, letter));
    if (digits.size() > 1) digits.erase(1, 1);
    const char* exponent_text = begin + letter + (text[letter + 1] == '+' ? 2 : 1);
    int exponent = 0;
    std::from_chars(exponent_text, end, exponent);
    write_digits(target, digits, exponent + 1);
}

}  // namespace

void write_json_string(std::string& target, std::string_view text) {
    StringWriter(target, text).run();
}

void write_json_number(std::string& target, double value) {
    if (std::isfinite(value)) {
        write_finite(target, value);
    } else {
        target += "null";
    }
}

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    std::string text;
    write_finite(text, value);
    return text;
}

class JsonDocument::Writer {
  public:
    Writer(std::string& target, const JsonLayout& layout)
        : target_(target),
          indent_(std::min(layout.indent, 10U)),
          limit_(layout.enough > target.max_size() - target.size() ? target.max_size()
                                                                   : target.size() + layout.enough) {}

    void run(JsonView value) {
        begin(value);
        while (!frames_.empty() && target_.size() < limit_) step();
    }

  private:
    /// A container that is being written: what of it is still to come.
    struct Frame {
        bool object;
        bool first;
        JsonElements::Iterator element;
        JsonElements::Iterator last_element;
        JsonMembers::Iterator member;
        JsonMembers::Iterator last_member;
    };

    void begin(JsonView value) {
        switch (value.kind()) {
            case JsonKind::undefined:
                break;
            case JsonKind::null:
                target_ += "null";
                break;
            case JsonKind::boolean:
                target_ += value.is_true() ? "true" : "false";
                break;
            case JsonKind::number:
                write_json_number(target_, value.number());
                break;
            case JsonKind::string:
                write_json_string(target_, value.string());
                break;
            case JsonKind::array:
            case JsonKind::object:
                enter(value);
        }
    }

    void enter(JsonView value) {
        const bool object = value.is_object();
        if (value.size() == 0) {
            target_ += object ? "{}" : "[]";
            return;
        }
        target_ += object ? '{' : '[';
        const JsonElements elements = value.elements();
        const JsonMembers members = value.members();
        frames_.push_back({object, true, elements.begin(), elements.end(), members.begin(), members.end()});
    }

    void step() {
        Frame& frame = frames_.back();
        const bool more =
            frame.object ? frame.member != frame.last_member : frame.element != frame.last_element;
        if (!more) {
            const char bracket = frame.object ? '}' : ']';
            frames_.pop_back();
            new_line();
            target_ += bracket;
            return;
        }
        if (!frame.first) target_ += ',';
        frame.first = false;
        new_line();
        if (frame.object) {
            const JsonMember member = *frame.member;
            ++frame.member;
            write_json_string(target_, member.key);
            target_ += indent_ > 0 ? ": " : ":";
            begin(member.value);
        } else {
            const JsonView element = *frame.element;
            ++frame.element;
            begin(element);
        }
    }

    void new_line() {
        if (indent_ == 0) return;
        target_ += '\n';
        target_.append(frames_.size() * indent_, ' ');
    }

    std::string& target_;
    std::size_t indent_;
    std::size_t limit_;
    std::vector<Frame> frames_;
};

void JsonView::write(std::string& target, const JsonLayout& layout) const {
    JsonDocument::Writer(target, layout).run(*this);
}

std::string JsonView::text(const JsonLayout& layout) const {
    std::string result;
    write(result, layout);
    return result;
}

}  // namespace drydock::base
