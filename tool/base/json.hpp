#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

/// JSON as JavaScript has it. A document is read once and then looked at through views; what JSON.parse makes
/// of a text, a view shows, and what JSON.stringify makes of that, a view writes, byte for byte:
/// - strings are UTF-16, kept as WTF-8 (base/utf.hpp); lone surrogates are kept, and written as \udXXX;
/// - of two equal keys the first one's place and the last one's value; keys that are array indices (0 to
///   4294967294, as a number is written) come first, in ascending order; `__proto__` is a key as any other;
/// - numbers are doubles: 1e400 is Infinity, which is written as null, and -0 is written as 0;
/// - depth costs no stack: a million levels are read, copied, written and thrown away.
namespace drydock::base {

class JsonDocument;
class JsonElements;
class JsonMembers;

enum class JsonKind : std::uint8_t { undefined, null, boolean, number, string, array, object };

/// How a value is written.
struct JsonLayout {
    unsigned indent{0};  ///< spaces for each level, at most 10; 0: all on one line, without spaces
    /// Writing stops at a place of its own choosing once this many bytes are written: for those who cut the
    /// text anyway, since a deep value has an indented text that grows with the square of its depth.
    std::size_t enough{std::numeric_limits<std::size_t>::max()};
};

/// A value in a document, or `undefined`: what is read from something that has no such thing. A pointer and a
/// number, copied freely; it is good until its document is parsed again, moved or destroyed.
class JsonView {
  public:
    JsonView() = default;  ///< undefined

    [[nodiscard]] JsonKind kind() const;
    [[nodiscard]] bool is_undefined() const { return kind() == JsonKind::undefined; }
    [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }
    [[nodiscard]] bool is_number() const { return kind() == JsonKind::number; }
    [[nodiscard]] bool is_string() const { return kind() == JsonKind::string; }
    [[nodiscard]] bool is_array() const { return kind() == JsonKind::array; }
    [[nodiscard]] bool is_object() const { return kind() == JsonKind::object; }
    [[nodiscard]] bool is_true() const;   ///< exactly `true`
    [[nodiscard]] bool is_false() const;  ///< exactly `false`

    /// The number; 0 for any other kind. -0 and infinities are told apart here.
    [[nodiscard]] double number() const;

    /// The string as WTF-8, in the document's memory; empty for any other kind.
    [[nodiscard]] std::string_view string() const;

    /// How many elements or different keys; 0 for any other kind.
    [[nodiscard]] std::size_t size() const;

    /// The value of an object's own key, by a search in the order of keys; undefined where there is none.
    [[nodiscard]] JsonView operator[](std::string_view key) const;

    /// An array's elements in order, to be walked with a range-for; none for any other kind.
    [[nodiscard]] JsonElements elements() const;

    /// An object's keys and values in JavaScript's order; none for any other kind.
    [[nodiscard]] JsonMembers members() const;

    /// JSON.stringify(value), or with `layout.indent` JSON.stringify(value, null, indent), appended to
    /// `target`; nothing for undefined.
    void write(std::string& target, const JsonLayout& layout = {}) const;

    /// The same as a text of its own.
    [[nodiscard]] std::string text(const JsonLayout& layout = {}) const;

  private:
    friend class JsonDocument;
    friend class JsonElements;
    friend class JsonMembers;
    JsonView(const JsonDocument* document, std::size_t at) : document_(document), at_(at) {}

    const JsonDocument* document_{nullptr};  ///< null: undefined
    std::size_t at_{0};                      ///< the place of its first word
};

struct JsonMember {
    std::string_view key;
    JsonView value;
};

/// Why a text is no JSON, and where.
struct JsonError {
    std::size_t offset{0};  ///< in bytes from 0; the text's size where it ends too early
    std::string message;    ///< `expected a value, found '}'`
};

/// The memory of a value, or of several that were added to it; parsing again uses it again. Copies are
/// complete.
class JsonDocument {
  public:
    /// JSON.parse. `text` is UTF-8 or WTF-8 without mistakes (repair_utf8 first where it may have some); any
    /// other bytes do no harm, but are taken as they are. After an error the root is undefined.
    tl::expected<JsonView, JsonError> parse(std::string_view text);

    /// The same, but the values from before stay, and views of them stay good.
    tl::expected<JsonView, JsonError> add(std::string_view text);

    /// Forgets all values; the memory is kept.
    void clear();

    /// What was parsed last; undefined before.
    [[nodiscard]] JsonView root() const;

  private:
    friend class JsonView;
    friend class JsonElements;
    friend class JsonMembers;
    class Parser;
    class Writer;
    struct Key {
        std::uint64_t digest;  ///< equal for equal keys
        std::size_t at;        ///< of its first word
    };
    struct Open {
        std::size_t at;         ///< of the container's first word
        std::size_t count;      ///< elements or keys so far
        std::size_t first_key;  ///< in keys_
        bool has_index_key;
    };

    [[nodiscard]] std::string_view string_at(std::size_t at) const;
    [[nodiscard]] std::size_t after(std::size_t at) const;

    // A word is a tag in its upper eight bits, and what the tag needs in the others; json_words.hpp has the
    // list.
    std::vector<std::uint64_t> words_;
    std::optional<std::size_t> root_;  ///< the place of the first word of what was parsed last
    std::vector<char> strings_;        ///< each as its length in four bytes, then its bytes; room behind them
    std::size_t strings_size_{0};
    std::vector<std::size_t>
        orders_;             ///< for objects whose keys are not in the text's order: how many, which
    std::vector<Key> keys_;  ///< of the objects that are open while parsing
    std::vector<Open> open_;
};

/// A range of views; see JsonView::elements.
class JsonElements {
  public:
    class Iterator {
      public:
        JsonView operator*() const { return {document_, at_}; }
        Iterator& operator++();
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        friend class JsonElements;
        Iterator(const JsonDocument* document, std::size_t at) : document_(document), at_(at) {}
        const JsonDocument* document_;
        std::size_t at_;
    };
    [[nodiscard]] Iterator begin() const { return {document_, begin_}; }
    [[nodiscard]] Iterator end() const { return {document_, end_}; }

  private:
    friend class JsonView;
    JsonElements(const JsonDocument* document, std::size_t begin, std::size_t end)
        : document_(document), begin_(begin), end_(end) {}
    const JsonDocument* document_;
    std::size_t begin_;
    std::size_t end_;
};

/// A range of keys and values; see JsonView::members.
class JsonMembers {
  public:
    class Iterator {
      public:
        JsonMember operator*() const;
        Iterator& operator++();
        bool operator!=(const Iterator& other) const { return at_ != other.at_ || order_ != other.order_; }

      private:
        friend class JsonMembers;
        friend class JsonView;
        Iterator(const JsonDocument* document, std::size_t at, const std::size_t* order)
            : document_(document), at_(at), order_(order) {}
        const JsonDocument* document_;
        std::size_t at_;            ///< of the key, where the keys are in the text's order
        const std::size_t* order_;  ///< else the place in the list of keys
    };
    [[nodiscard]] Iterator begin() const { return begin_; }
    [[nodiscard]] Iterator end() const { return end_; }

  private:
    friend class JsonView;
    JsonMembers(Iterator begin, Iterator end) : begin_(begin), end_(end) {}
    Iterator begin_;
    Iterator end_;
};

/// JSON.stringify of a string (WTF-8), appended to `target`.
void write_json_string(std::string& target, std::string_view text);

/// JSON.stringify of a number, appended to `target`: null for infinities and NaN.
void write_json_number(std::string& target, double value);

/// String(number): as write_json_number, but Infinity, -Infinity and NaN by name.
std::string number_text(double value);

}  // namespace drydock::base
