#include "stream/edge_cases.hpp"

#include <fmt/format.h>

#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

std::string repeated(std::string_view piece, std::size_t count) {
    return fmt::format(R"(["{}",{}])", piece, count);
}

std::string text_item(const std::string& parts) {
    return fmt::format(R"({{"kind":"assistant","text":[{}]}})", parts);
}

/// A text whose cut falls before, into and behind each character.
void add_texts(std::vector<std::string>& cases) {
    for (const std::string_view piece : {"a", "é", "€", "😀", "\\ud83d", "\\ude00", "\xEF\xBB\xBF"}) {
        const std::size_t width = piece[0] == '\\' ? 3 : piece.size();
        for (std::size_t before = 0; before < 5; ++before) {
            for (std::size_t size = largest_text - 8; size <= largest_text + 8; ++size) {
                cases.push_back(text_item(fmt::format("{},{},{}", repeated("x", before),
                                                      repeated(piece, (size - before) / width),
                                                      repeated("x", (size - before) % width))));
            }
        }
    }
}

void add_meta_and_labels(std::vector<std::string>& cases) {
    const std::size_t around = std::string_view(R"({"m":""})").size();
    for (const std::string_view piece : {"a", "é", "😀", "\\ud83d", "\\n"}) {
        for (std::size_t size = largest_meta - 8; size <= largest_meta + 8; ++size) {
            std::string meta = R"({"m":")";
            const std::size_t width = piece == "\\n" ? 2 : piece == "\\ud83d" ? 6 : piece.size();
            for (std::size_t i = 0; i < (size - around) / width; ++i) meta += piece;
            meta += std::string((size - around) % width, 'x') + "\"}";
            cases.push_back(fmt::format(R"({{"kind":"other","meta":{}}})", meta));
        }
        for (std::size_t units = largest_label - 3; units <= largest_label + 3; ++units) {
            const std::string label =
                fmt::format("[{},{}]", repeated("x", units % 2), repeated(piece, units));
            cases.push_back(fmt::format(R"({{"kind":"plan","name":{0},"callId":{0}}})", label));
        }
    }
    for (const std::string_view meta : {R"({"a":-0})", R"({"a":1e400})", R"({"b":1,"2":2,"1":3,"b":4})",
                                        R"({"__proto__":{"a":1}})", R"({"toJSON":1})", "{}"})
        cases.push_back(fmt::format(R"({{"kind":"result","meta":{}}})", meta));
}

void add_fragments(std::vector<std::string>& cases) {
    for (const std::string_view piece : {"a", "é", "😀", "\\ud83d", "\\ude00"}) {
        for (std::size_t units = coalesce_units - 3; units <= coalesce_units + 3; ++units) {
            const std::string fragment = text_item(repeated(piece, units));
            const std::string half = text_item(repeated(piece, units / 2));
            const std::string odd = R"({"kind":"assistant","text":"o","isError":false})";
            const std::string thought = R"({"kind":"thought","text":""})";
            for (const std::string& steps :
                 {fragment, fmt::format("{0},{0}", half), fmt::format("{0},{0},{0}", half),
                  fmt::format("{0},{1},{0}", half, thought), fmt::format("{0},\"flush\",\"flush\",{0}", half),
                  fmt::format("{0},{1},{0}", half, odd), fmt::format("{},\"flush\"", thought),
                  fmt::format("{},{}", text_item(repeated("\\ud83d", 1)), text_item(repeated("\\ude00", 1)))})
                cases.push_back(fmt::format("[{},\"flush\"]", steps));
        }
    }
}

}  // namespace

const std::vector<std::string>& edge_cases(Function function) {
    static const std::vector<std::string> none;
    static const std::vector<std::string> bounds = [] {
        std::vector<std::string> cases;
        add_texts(cases);
        add_meta_and_labels(cases);
        return cases;
    }();
    static const std::vector<std::string> coalescer = [] {
        std::vector<std::string> cases;
        add_fragments(cases);
        return cases;
    }();
    switch (function) {
        case Function::bounds:
            return bounds;
        case Function::coalescer:
            return coalescer;
        default:
            return none;
    }
}

}  // namespace drydock::stream
