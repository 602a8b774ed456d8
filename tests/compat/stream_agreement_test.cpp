// The native stream room and the JavaScript that our source.patch adds, which were written apart, on the same
// cases.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stream/cases.hpp"
#include "stream/stream.hpp"
#include "tests/support/node.hpp"
#include "tests/support/support.hpp"

namespace drydock::stream {
namespace {

constexpr std::uint64_t seed = 20261130;
constexpr std::uint64_t cases_per_function = 20'000;

struct Case {
    Function function;
    std::string input;
    std::string label;
};

std::string repeated(std::string_view piece, std::size_t count) {
    return fmt::format(R"(["{}",{}])", piece, count);
}

std::string text_item(const std::string& parts) {
    return fmt::format(R"({{"kind":"assistant","text":[{}]}})", parts);
}

/// A text whose cut falls before, into and behind each character.
void add_text_edges(std::vector<Case>& cases) {
    for (const std::string_view piece : {"a", "é", "€", "😀", "\\ud83d", "\\ude00", "\xEF\xBB\xBF"}) {
        const std::size_t width = piece[0] == '\\' ? 3 : piece.size();
        for (std::size_t before = 0; before < 5; ++before) {
            for (std::size_t size = largest_text - 8; size <= largest_text + 8; ++size) {
                cases.push_back(
                    {Function::bounds,
                     text_item(repeated("x", before) + "," + repeated(piece, (size - before) / width) + "," +
                               repeated("x", (size - before) % width)),
                     "text"});
            }
        }
    }
}

void add_meta_and_label_edges(std::vector<Case>& cases) {
    const std::size_t around = std::string_view(R"({"m":""})").size();
    for (const std::string_view piece : {"a", "é", "😀", "\\ud83d", "\\n"}) {
        for (std::size_t size = largest_meta - 8; size <= largest_meta + 8; ++size) {
            std::string meta = R"({"m":")";
            const std::size_t width = piece == "\\n" ? 2 : piece == "\\ud83d" ? 6 : piece.size();
            for (std::size_t i = 0; i < (size - around) / width; ++i) meta += piece;
            meta += std::string((size - around) % width, 'x') + "\"}";
            cases.push_back({Function::bounds, fmt::format(R"({{"kind":"other","meta":{}}})", meta), "meta"});
        }
        for (std::size_t units = largest_label - 3; units <= largest_label + 3; ++units) {
            const std::string label =
                fmt::format("[{},{}]", repeated("x", units % 2), repeated(piece, units));
            cases.push_back({Function::bounds,
                             fmt::format(R"({{"kind":"plan","name":{0},"callId":{0}}})", label), "label"});
        }
    }
    for (const std::string_view meta : {R"({"a":-0})", R"({"a":1e400})", R"({"b":1,"2":2,"1":3,"b":4})",
                                        R"({"__proto__":{"a":1}})", R"({"toJSON":1})", "{}"}) {
        cases.push_back({Function::bounds, fmt::format(R"({{"kind":"result","meta":{}}})", meta), "meta"});
    }
}

void add_coalescer_edges(std::vector<Case>& cases) {
    for (const std::string_view piece : {"a", "é", "😀", "\\ud83d", "\\ude00"}) {
        for (std::size_t units = coalesce_units - 3; units <= coalesce_units + 3; ++units) {
            const std::string fragment = text_item(repeated(piece, units));
            const std::string half = text_item(repeated(piece, units / 2));
            const std::string odd = R"({"kind":"assistant","text":"o","isError":false})";
            const std::string thought = R"({"kind":"thought","text":""})";
            for (const std::string& steps :
                 {fragment, half + "," + half, half + "," + half + "," + half,
                  half + "," + thought + "," + half, half + ",\"flush\",\"flush\"," + half,
                  half + "," + odd + "," + half, thought + ",\"flush\"",
                  text_item(repeated("\\ud83d", 1)) + "," + text_item(repeated("\\ude00", 1))}) {
                cases.push_back({Function::coalescer, fmt::format("[{},\"flush\"]", steps), "coalescer"});
            }
        }
    }
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    add_text_edges(cases);
    add_meta_and_label_edges(cases);
    add_coalescer_edges(cases);
    for (const Function function : all_functions) {
        for (std::uint64_t number = 0; number < cases_per_function; ++number) {
            cases.push_back({function, generate_case(function, seed, number),
                             fmt::format("seed {}, case {}", seed, number)});
        }
    }
    return cases;
}

TEST(StreamAgreement, NativeAndJavaScriptDoTheSame) {
    const test::TemporaryDirectory directory;
    const std::string tests = DRYDOCK_SOURCE_DIR "/tests/compat/";
    const base::ProcessOutcome made = test::run({"sh", tests + "stream_script.sh",
                                                 DRYDOCK_SOURCE_DIR "/patches/dsh-0.1.1-rc.2/source.patch",
                                                 test::toolchain(), directory.path()});
    ASSERT_EQ(made.exit_code, 0) << made.output << made.errors;

    const std::vector<Case> cases = all_cases();
    std::vector<std::string> records;
    for (const Case& each : cases)
        records.push_back(fmt::format("{}\n{}", function_name(each.function), each.input));
    const std::string script = fmt::format(R"(
        import {{ answerCase }} from '{0}answers.mjs'
        const functions = {{}}
        for (const file of ['subagent/src/stream-bounds', 'subagent/src/stream-sink', 'subagent/src/stream-coalescer',
          'subagent-claude-code/src/map-claude-message', 'subagent-acp/src/map-acp-update']) {{
          Object.assign(functions, await import(`{1}/out/packages/subagent/${{file}}.js`))
        }}
        for (const record of records) {{
          const text = record.toString()
          const end = text.indexOf('\n')
          const lines = answerCase(functions, text.slice(0, end), JSON.parse(text.slice(end + 1)))
          give(lines.map(line => line + '\n').join(''))
        }})",
                                           DRYDOCK_SOURCE_DIR "/tool/conform/", directory.path());
    const std::vector<std::optional<std::string>> theirs = test::in_node(script, records);
    ASSERT_EQ(theirs.size(), cases.size());

    std::size_t different = 0;
    base::JsonDocument document;
    for (std::size_t i = 0; i < cases.size() && different < 3; ++i) {
        const auto input = document.parse(cases[i].input);
        ASSERT_TRUE(input) << cases[i].input;
        const std::string ours = answer_case(cases[i].function, *input);
        if (ours == theirs[i]) continue;
        ++different;
        ADD_FAILURE() << function_name(cases[i].function) << ", " << cases[i].label << ": " << cases[i].input
                      << "\nJavaScript:\n"
                      << theirs[i].value_or("") << "native:\n"
                      << ours;
    }
}

}  // namespace
}  // namespace drydock::stream
