#include "session/cases.hpp"

#include <vector>

#include <fmt/format.h>

#include "session/append.hpp"
#include "stream/generator.hpp"
#include "stream/stream.hpp"

namespace drydock::session {
namespace {

using base::JsonView;

constexpr std::string_view odd_key = "$js";

// ---- The fixed cases.

std::string step(std::string_view type, std::string_view data, std::string_view options) {
    std::string text = fmt::format(R"({{"type":"{}")", type);
    if (!data.empty()) text += fmt::format(R"(,"data":{})", data);
    if (!options.empty()) text += fmt::format(R"(,"options":{})", options);
    return text + '}';
}

/// An event on the surface.
std::string surface(std::string_view type, std::string_view operation, std::string_view seqs = "") {
    const std::string_view data =
        type == "tool/result"
            ? R"({"turn":1,"message":{"id":"r","content":[{"type":"tool-result","content":[1]}]}})"
            : R"({"id":"m","content":[]})";
    return step(type, data,
                seqs.empty() ? fmt::format(R"({{"surfaceOp":{}}})", operation)
                             : fmt::format(R"({{"sourceEventSeqs":{},"surfaceOp":{}}})", seqs, operation));
}

std::string together(const std::vector<std::string>& steps) {
    return fmt::format("[{}]", fmt::join(steps, ","));
}

/// Every way to ask for the marker, on types that take it and on such that do not.
void add_markers(std::vector<std::string>& cases) {
    for (const std::string_view type :
         {"subagent/stream", "todo/write", "", "user/message", "assistant/message", "tool/result"}) {
        for (const std::string_view others :
             {"", R"("surfaceOp":"append",)", R"("sourceEventSeqs":[],"surfaceOp":"append",)",
              R"("sourceEventSeqs":[0],)", R"("surfaceOp":null,)", R"("unknown":1,)"}) {
            std::vector<std::string> steps = {surface("user/message", "\"append\"")};
            for (const std::string_view value : {"true", "false", "1", "\"true\"", "null", "0", "\"\"", "{}",
                                                 "[true]", "{\"valueOf\":true}"}) {
                steps.push_back(
                    step(type, R"({"a":1})", fmt::format(R"({{{}"ignorable":{}}})", others, value)));
                steps.push_back(
                    step(type, "null", fmt::format(R"({{"ignorable":{},{}"b":2}})", value, others)));
            }
            cases.push_back(together(steps));
        }
        std::vector<std::string> steps;
        for (const std::string_view options :
             {"", "{}", "null", "true", "5", "\"ignorable\"", "[]", R"(["ignorable"])",
              R"({"Ignorable":true})", R"({"__proto__":{"ignorable":true}})",
              R"({"ignorable":false,"ignorable":true})"})
            steps.push_back(step(type, "1", options));
        cases.push_back(together(steps));
    }
}

void add_data(std::vector<std::string>& cases) {
    std::vector<std::string> values = {"",
                                       "null",
                                       "true",
                                       R"("")",
                                       R"("\ud800")",
                                       R"("\udc00\ud800")",
                                       R"("\ud83d\ude00")",
                                       R"({"\udfff":"\u2028\u0000\"\\/"})",
                                       "0",
                                       "-0",
                                       "1e400",
                                       "-1e400",
                                       "1.7976931348623157e308",
                                       "5e-324",
                                       "1e-400",
                                       "-1e-400",
                                       "9007199254740993",
                                       "123456789012345680000",
                                       "1e21",
                                       "1e-7",
                                       "0.1",
                                       R"({"__proto__":{"ignorable":true}})",
                                       R"({"__proto__":null,"constructor":null,"hasOwnProperty":1})",
                                       R"({"toJSON":1})",
                                       R"({"b":3,"2":1,"a":4,"1":2})",
                                       R"({"a":1,"b":2,"a":3})",
                                       R"({"ignorable":true,"surfaceOp":"append","seq":7})",
                                       "[]",
                                       "{}"};
    for (const std::string_view word : {"undefined", "nan", "bigint", "function", "symbol", "date", "map",
                                        "hole", "extra", "hidden", "cycle"})
        values.push_back(fmt::format(R"({{"{}":"{}"}})", odd_key, word));
    for (const std::size_t depth : {300U, 1'000U}) {
        values.push_back(std::string(depth, '[') + "1" + std::string(depth, ']'));
        std::string objects;
        for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
        values.push_back(objects + "-1" + std::string(depth, '}'));
    }
    for (const std::string& value : values) {
        std::vector<std::string> steps;
        for (const std::string_view options : {"", R"({"ignorable":true})"}) {
            steps.push_back(step("subagent/stream", value, options));
            if (value.empty()) continue;
            steps.push_back(step("todo/write", fmt::format(R"([1,{}])", value), options));
            steps.push_back(step("todo/write", fmt::format(R"({{"a":1,"b":{},"c":[]}})", value), options));
        }
        cases.push_back(together(steps));
    }
}

void add_retired(std::vector<std::string>& cases) {
    for (const std::string_view type :
         {"request/header-delta", "request/header", "request/context", "mode/set"}) {
        std::vector<std::string> steps;
        for (const std::string_view data :
             {R"({"reason":"fallback"})", R"({"reason":"initial"})", R"({"reason":["fallback"]})", "null",
              "\"fallback\"", "{}", R"([{"reason":"fallback"}])", R"({"reason":"x","reason":"fallback"})"}) {
            for (const std::string_view options : {"", R"({"ignorable":true})", R"({"surfaceOp":"append"})"})
                steps.push_back(step(type, data, options));
        }
        cases.push_back(together(steps));
    }
}

void add_surface(std::vector<std::string>& cases) {
    for (const std::string_view type : {"user/message", "assistant/message", "tool/result", "turn/start"}) {
        std::vector<std::string> steps = {surface("user/message", "\"append\""),
                                          surface("tool/result", "\"append\""), step("todo/write", "1", "")};
        for (const std::string_view seqs :
             {"[]", "[0]", "[0,1]", "[1,0]", "[0,0]", "[2]", "[99]", "[-1]", "[-0]", "[1.5]", "[1e400]",
              "[\"0\"]", "[null]", "[[0]]", "null", "{}", "\"0\"", "0", R"({"0":0,"length":1})"})
            steps.push_back(surface(type, "\"append\"", seqs));
        cases.push_back(together(steps));
        // Each on what the ones before it have left.
        for (const std::string_view seqs : {"", "[0]", "[0,1]", "[0,1,2]"}) {
            steps = {surface("user/message", "\"append\""), surface("tool/result", "\"append\""),
                     surface("user/message", "\"append\"")};
            for (const std::string_view operation :
                 {"null", "5", "\"replace\"", "\"\"", "[]", "{}", R"({"op":"append"})",
                  R"({"op":"replace","start":0})", R"({"op":"replace","start":"0","end":"0"})",
                  R"({"op":"replace","start":-0,"end":0})", R"({"op":"replace","start":0.5,"end":1})",
                  R"({"op":"replace","start":1,"end":0})", R"({"op":"replace","start":0,"end":9})",
                  R"({"op":"replace","start":0,"end":0,"x":1})", R"({"end":0,"start":0,"op":"replace"})",
                  R"({"op":"replace","start":1,"end":1})", R"({"op":"replace","start":0,"end":1})",
                  R"({"op":"replace","start":0,"end":2})"})
                steps.push_back(surface(type, operation, seqs));
            cases.push_back(together(steps));
        }
    }
}

const std::vector<std::string>& fixed() {
    static const std::vector<std::string> cases = [] {
        std::vector<std::string> made;
        add_markers(made);
        add_data(made);
        add_retired(made);
        add_surface(made);
        return made;
    }();
    return cases;
}

// ---- The generated ones. Where a call has two random parts, they are made in order before it.

class AppendMaker : private stream::Generator {
  public:
    using Generator::Generator;

    std::string appends() {
        return list(12, [this] {
            const std::string_view type =
                pick({"user/message", "assistant/message", "tool/result", "todo/write", "", "subagent/stream",
                      "request/header", "request/header-delta", "tool/result"});
            const std::string data = data_of(type);
            return step(type, data, options_of(type));
        });
    }

  private:
    std::string data_of(std::string_view type) {
        if (type == "tool/result" && chance(80)) return result();
        if (type == "request/header" && chance(50)) return R"({"reason":"fallback"})";
        switch (below(10)) {
            case 0:
                return nested(below(300));
            case 1:
                return fmt::format(R"({{"__proto__":{},"toJSON":1,"constructor":null}})", string());
            case 2:
                return number();
            case 3:
                if (chance(30)) return chance(50) ? odd() : fmt::format("[1,{}]", odd());
                [[fallthrough]];
            case 4:
                return chance(70) ? keyed(2) : value(2);
            default:
                return fmt::format(R"({{"text":{}}})", string());
        }
    }

    std::string odd() {
        return fmt::format(R"({{"{}":{}}})", odd_key,
                           word({"undefined", "nan", "bigint", "function", "symbol", "date", "map", "hole",
                                 "extra", "hidden", "cycle"}));
    }

    std::string result() {
        const std::string_view id = pick({"\"r\"", "\"r\"", "\"r\"", "\"r\"", "\"r\"", "\"q\"", "5", "[]"});
        return fmt::format(
            R"({{"turn":1,"message":{{"id":{},"content":{}}}}})", id,
            pick({R"([{"type":"tool-result","content":[1]}])", R"([{"content":"x","type":"tool-result"}])",
                  R"([])", "null", R"([{"type":"tool-result","content":[1],"a":{"b":1,"a":2}}])",
                  R"([{"a":{"a":2,"b":1},"content":null,"type":"tool-result"}])"}));
    }

    std::string seq() {
        if (chance(6)) return std::string(pick({"-0", "1.5", "99", "\"0\"", "-1", "null"}));
        return std::to_string(below(8));
    }

    std::string operation() {
        if (chance(4)) return value(2);
        if (chance(60)) return "\"append\"";
        const std::string start = seq();
        return fmt::format(R"({{"op":"replace","start":{},"end":{}}})", start, chance(85) ? start : seq());
    }

    std::string sources() {
        std::string text = "[";
        for (std::size_t i = 0; i < 12; ++i) {
            if (chance(70))
                text += (text.size() == 1 ? "" : ",") + std::to_string(std::min<std::size_t>(i, 7));
            if (i == 6 || chance(4)) break;
        }
        return text + ']';
    }

    std::string options_of(std::string_view type) {
        if (chance(3)) return value(2);
        std::vector<std::string> fields;
        const bool on_surface = type.find("message") != std::string_view::npos || type == "tool/result";
        if (chance(on_surface ? 95 : 5)) fields.push_back(R"("surfaceOp":)" + operation());
        if (chance(on_surface ? 60 : 5)) fields.push_back(R"("sourceEventSeqs":)" + sources());
        if (chance(on_surface ? 5 : 50)) {
            const bool exact = chance(60);
            fields.push_back(R"("ignorable":)" + (exact ? "true" : word_or_bool()));
        }
        return fields.empty() ? std::string() : fmt::format("{{{}}}", fmt::join(fields, ","));
    }
};

/// Whether something stands in it that JSON has not.
bool holds_odd(JsonView value) {
    std::vector<JsonView> pending = {value};
    while (!pending.empty()) {
        const JsonView each = pending.back();
        pending.pop_back();
        if (each[odd_key].is_string()) return true;
        for (const JsonView element : each.elements()) pending.push_back(element);
        for (const base::JsonMember member : each.members()) pending.push_back(member.value);
    }
    return false;
}

}  // namespace

std::uint64_t fixed_append_cases() {
    return fixed().size();
}

std::string make_append_case(std::uint64_t seed, std::uint64_t number) {
    static constexpr std::uint64_t kind = 15;  // the stream's functions have the numbers from 0 on
    if (number < fixed().size()) return fixed()[number];
    return AppendMaker(seed, kind, number - fixed().size()).appends();
}

std::string answer_append_case(JsonView input, AppendRules rules) {
    std::string answer;
    std::size_t count = 0;
    Appender appender(rules, "s");
    for (const JsonView append : input.elements()) {
        base::Result<std::string> event = base::fail(base::ErrorKind::usage, {});
        if (!holds_odd(append["data"]))
            event = appender.append(append["type"].string(), append["data"], append["options"], append_time);
        answer += event ? *event : R"(["refused"])";
        answer += '\n';
        count += event ? 1 : 0;
    }
    return answer + fmt::format("[\"events\",{}]\n", count);
}

}  // namespace drydock::session
