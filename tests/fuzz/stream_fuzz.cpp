// Any bytes as a child's message: no crash, no wrong memory, and what is true of every value and of every
// item holds. An entry for libFuzzer; with DRYDOCK_FUZZ_MAIN a program of its own, which mutates generated
// messages: stream_fuzz [ROUNDS [SEED]]

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/utf.hpp"
#include "stream/cases.hpp"
#include "stream/stream.hpp"

namespace {

using namespace drydock;

std::string_view current;  ///< what is tried

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "stream_fuzz: %s; the input follows\n", what);
    std::fwrite(current.data(), 1, current.size(), stderr);
    std::abort();
}

void check_value(base::JsonView value) {
    base::JsonDocument again;
    const std::string plain = value.text();
    const auto reread = again.parse(plain);
    require(reread && reread->text() == plain, "what is written is read otherwise");
    require(base::is_utf8(plain), "what is written is no UTF-8");
    // The indented text of a deep value grows with the square of its depth.
    const std::string indented = value.text({2, 1'000'000});
    if (indented.size() >= 1'000'000) return;
    const auto from_indented = again.parse(indented);
    require(from_indented && from_indented->text() == plain, "the indented text is another value's");
}

void check_item(const stream::Item& item) {
    const stream::BoundedItem bounded = stream::bound_item(item);
    const stream::Item& kept = bounded.item;
    require(!kept.text || kept.text->size() <= stream::largest_text, "a text over its bound");
    require(!kept.meta || kept.meta->size() <= stream::largest_meta, "meta over its bound");
    for (const auto& label : {kept.name, kept.call_id}) {
        require(!label || base::utf16_length(*label) <= stream::largest_label, "a label over its bound");
    }
    require(bounded.truncated || (kept.text == item.text && kept.meta == item.meta),
            "a cut that is not told");
    std::string text;
    stream::write_item(text, kept);
    base::JsonDocument document;
    const auto written = document.parse(text);
    require(written && written->text() == text, "an item that is not as JSON.stringify writes it");
}

class CountingLog final : public stream::Log {
  public:
    [[nodiscard]] std::optional<double> ignorable_level() const override { return 1; }
    base::Result<void> append_ignorable(std::string_view, std::string_view data) override {
        base::JsonDocument document;
        const auto written = document.parse(data);
        require(written && (*written)["index"].number() == count_++, "an event that is out of order");
        return {};
    }

  private:
    double count_{0};
};

void try_one(std::string_view input) {
    current = input;
    base::JsonDocument document;
    const std::string repaired = base::repair_utf8(input);
    require(base::is_utf8(repaired) && (repaired == input) == base::is_utf8(input),
            "repaired text that is none");
    (void)document.parse(input);  // other bytes do no harm
    const auto message = document.parse(repaired);
    if (!message) {
        require(message.error().offset <= repaired.size() && !message.error().message.empty(),
                "a mistake without a place");
        return;
    }
    check_value(*message);
    for (const stream::Item& item : stream::map_claude_message(*message, stream::Extent::bounded))
        check_item(item);
    if (const auto item = stream::map_acp_update(*message, stream::Extent::bounded)) check_item(*item);
    CountingLog log;
    stream::Sink sink(log, "child", "fuzz",
                      [](const base::Error&) { require(false, "a sink that stopped"); });
    for (const stream::Source source : {stream::Source::claude_code, stream::Source::acp}) {
        stream::Recording recording(source, sink);
        recording.record(*message);
        recording.record(*message);
        recording.close();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_one({reinterpret_cast<const char*>(data), size});
    return 0;
}

#ifdef DRYDOCK_FUZZ_MAIN

namespace {

void mutate(std::string& text, std::mt19937& random) {
    static constexpr std::string_view telling = "{}[],:\"\\u0dD8eE+-.\n\xED\xA0\xF0\x80\xff";
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 5) {
        case 0:
            text.insert(at, 1, telling[random() % telling.size()]);
            break;
        case 1:
            text.erase(at, random() % 8);
            break;
        case 2:
            text.insert(at, text.substr(random() % (text.size() + 1), 30));
            break;
        case 3:
            if (at < text.size()) text[at] = static_cast<char>(random());
            break;
        default:
            if (at < text.size()) text[at] = telling[random() % telling.size()];
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned long rounds = argc > 1 ? std::stoul(argv[1]) : 100'000;
    const std::uint32_t seed = argc > 2 ? static_cast<std::uint32_t>(std::stoul(argv[2])) : 1;
    std::mt19937 random(seed);
    for (unsigned long i = 0; i < rounds; ++i) {
        const stream::Function function = i % 2 == 0 ? stream::Function::claude : stream::Function::acp;
        std::string text = stream::make_case(function, seed, i);
        for (unsigned long left = random() % 4; left > 0; --left) mutate(text, random);
        try_one(text);
    }
    std::printf("%lu messages, most of them mutated\n", rounds);
    return EXIT_SUCCESS;
}

#endif
