#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace drydock::stream {

/// JSON texts from one sequence of numbers, the same for the same seed with every compiler: whoever calls it
/// twice in one expression sees to the order.
class Generator {
  public:
    using Words = std::initializer_list<std::string_view>;

    /// `kind`: of the cases; each kind has a sequence of its own.
    Generator(std::uint64_t seed, std::uint64_t kind, std::uint64_t number);

    /// A number from 0 to before `end`.
    std::size_t below(std::size_t end) { return next() % end; }
    bool chance(unsigned percent) { return below(100) < percent; }
    std::string_view pick(Words words) { return words.begin()[below(words.size())]; }
    /// One of the words in quotes.
    std::string word(Words words);

    /// What stands in a string, escapes and lone surrogates among it.
    std::string_view piece();
    std::string string();
    std::string number();
    std::string word_or_bool();

    /// Any value; lists and objects so deep, and now and then one that is deeper by far.
    std::string value(unsigned depth);
    /// An object.
    std::string keyed(unsigned depth);
    std::string nested(std::size_t depth);

    /// At most `most` elements.
    template <class Element>
    std::string list(std::size_t most, Element element) {
        std::string text = "[";
        for (std::size_t left = below(most + 1); left > 0; --left) {
            if (text.size() > 1) text += ',';
            text += element();
        }
        return text + ']';
    }

  private:
    std::uint64_t next();

    std::uint64_t state_;
};

}  // namespace drydock::stream
