// Any bytes as JSON: what is written of a value is read as the same value.

#include "base/json.hpp"
#include "base/utf.hpp"
#include "tests/base/random_json.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace drydock::fuzz {

void try_one(std::string_view input) {
    base::JsonDocument document;
    const std::string repaired = base::repair_utf8(input);
    require(base::is_utf8(repaired) && (repaired == input) == base::is_utf8(input),
            "repaired text that is none");
    (void)document.parse(input);  // other bytes do no harm
    const auto value = document.parse(repaired);
    if (!value) {
        require(value.error().offset <= repaired.size() && !value.error().message.empty(),
                "a mistake without a place");
        return;
    }
    base::JsonDocument again;
    const std::string plain = value->text();
    const auto reread = again.parse(plain);
    require(reread && reread->text() == plain, "what is written is read otherwise");
    require(base::is_utf8(plain), "what is written is no UTF-8");
    // The indented text of a deep value grows with the square of its depth.
    const std::string indented = value->text({2, 1'000'000});
    if (indented.size() >= 1'000'000) return;
    const auto from_indented = again.parse(indented);
    require(from_indented && from_indented->text() == plain, "the indented text is another value's");
}

std::uint64_t fixed_inputs() {
    return 0;
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    test::RandomJson random(seed * 1'000'003 + static_cast<std::uint32_t>(number));
    switch (random.below(8)) {
        case 0:
            return random.deep(random.below(300));
        case 1:
            return random.bytes();
        default:
            return random.text();
    }
}

std::vector<std::string_view> words() {
    return {"{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\\ud83d",
            "\\ude00",
            "e",
            "E",
            "+",
            "-",
            ".",
            "\n",
            "\xED\xA0\x80",
            "\xF0\x9F\x98\x80",
            "\x80",
            "\xff",
            "true",
            "null",
            "-0",
            "1e400",
            "4294967294",
            "0",
            "\"__proto__\":",
            "\\u0061",
            "9007199254740993"};
}

}  // namespace drydock::fuzz
