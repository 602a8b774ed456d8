// Any lines behind a header: a packed row is what its events are one by one. Where a row is one is read_row's
// word, which tests/session holds against the loader; what its events are is written here a second time.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "session/lines.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/log_checks.hpp"
#include "tests/session/logs.hpp"

namespace drydock::fuzz {
namespace {

using base::JsonView;
using session::Encoding;

std::string number(JsonView value) {
    if (std::isfinite(value.number())) return value.text();
    return value.number() > 0 ? "1e999" : "-1e999";
}

/// The events of a row, each on a line.
std::string unpacked(JsonView row) {
    const JsonView data = row["data"];
    const bool call = row["type"].string() == "tool-call-chunks";
    const std::string_view delta = call                                    ? "tool-call-delta"
                                   : row["type"].string() == "text-chunks" ? "text-delta"
                                                                           : "reasoning-delta";
    std::vector<JsonView> gaps;
    for (const JsonView gap : data["dt"].elements()) gaps.push_back(gap);
    std::string lines;
    double time = row["time0"].number();
    std::size_t member = 0;
    for (const JsonView text : data[call ? "args" : "texts"].elements()) {
        if (member > 0) time += gaps[member - 1].number();
        lines += R"({"type":"assistant/chunk","seq":)";
        base::write_json_number(lines, row["seq0"].number() + static_cast<double>(member));
        lines += R"(,"time":)";
        base::write_json_number(lines, time);
        lines += fmt::format(R"(,"data":{{"turn":{},"step":{},"chunk":{{"type":"{}","index":{},)",
                             number(data["turn"]), number(data["step"]), delta, number(data["index"]));
        if (call) lines += R"("id":)" + data["id"].text() + ',';
        if (!data["name"].is_undefined()) lines += R"("name":)" + data["name"].text() + ',';
        lines += (call ? R"("argumentsDelta":)" : R"("text":)") + text.text() + "}}}\n";
        ++member;
    }
    return lines;
}

std::string all_unpacked(std::string_view lines) {
    std::string result;
    session::LineParser parser;
    session::LineSplitter splitter;
    splitter.write(lines, [&](std::string_view line, bool /*too_long*/) {
        const session::ParsedLine parsed = parser.parse(line);
        if (parsed.readable && parsed.row.packed) {
            const std::string events = unpacked(parsed.value);
            require(parsed.row.events ==
                        static_cast<std::uint64_t>(std::count(events.begin(), events.end(), '\n')),
                    "a row of another number of events");
            result += events;
        } else {
            result += line;
            result += '\n';
        }
        return true;
    });
    return result + std::string(lines.substr(lines.rfind('\n') + 1));
}

std::string found(const session::Review& review) {
    std::string text;
    for (const session::Finding& finding : review.findings())
        text += fmt::format("{} {}\n", finding.seq, finding.code);
    return text;
}

}  // namespace

void try_one(std::string_view input) {
    const std::string header = test::usual_header() + "\n";
    session::Review packed_review;
    session::Review unpacked_review;
    const session::Judgement packed = judged(header + std::string(input), Encoding::plain, &packed_review);
    const session::Judgement unpacked =
        judged(header + all_unpacked(input), Encoding::plain, &unpacked_review);
    require(
        packed.stock.verdict == unpacked.stock.verdict && packed.patched.verdict == unpacked.patched.verdict,
        "packing changes the verdict");
    require(packed.events == unpacked.events && packed.lost == unpacked.lost &&
                packed.closers == unpacked.closers,
            "packing changes a number of events");
    require(found(packed_review) == found(unpacked_review), "packing changes the findings");
}

namespace {

const std::vector<std::string>& table() {
    static const std::vector<std::string> bodies = [] {
        std::vector<std::string> result;
        for (
            const std::string_view body : {
                R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5,-2],"texts":["a","","\ud83d"]}})"
                "\n",
                "$B\n"
                R"({"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"block-start","index":0,"blockType":"text"}}})"
                "\n"
                R"({"type":"text-chunks",@2,"data":{"turn":1,"step":1,"index":0,"dt":[0],"texts":["\ud83d","\ude00"]}})"
                "\n"
                R"({"type":"reasoning-chunks",@1,"data":{"turn":1,"step":1,"index":1,"dt":[],"texts":["t"]}})"
                "\n"
                R"({"type":"tool-call-chunks",@2,"data":{"turn":1,"step":1,"index":2,"dt":[1],"id":"c1","name":"t","args":["{","}"]}})"
                "\n"
                R"({"type":"tool-call-chunks",@2,"data":{"turn":1,"step":1,"index":3,"dt":[1],"id":"c2","args":["{","}"]}})"
                "\n"
                R"({"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"finish","reason":{"kind":"stop"}}}})"
                "\n$A\n$R\n$E\n",
                R"({"type":"text-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["x"]}})"
                "\n"
                R"({"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"block-end","index":0,"block":{"type":"text","text":"x"}}}})"
                "\n"
                R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["late","too","late"]}})"
                "\n"
                R"({"type":"assistant/message",#,"data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"text","text":"x"}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append","sourceEventSeqs":[0,1,2,3,4]})"
                "\n",
            }) {
            result.push_back(test::written_out(body));
        }
        // Those of the table that have rows, without their header line.
        for (const test::LogFile& log : test::table_of_logs()) {
            const std::size_t end = log.bytes.find('\n');
            if (log.suffix == ".jsonl" && log.bytes.find("-chunks") != std::string::npos)
                result.push_back(log.bytes.substr(end + 1));
        }
        return result;
    }();
    return bodies;
}

}  // namespace

std::uint64_t fixed_inputs() {
    return table().size();
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    if (number < fixed_inputs()) return table()[number];
    if (number % 2 == 0) return table()[(seed + number / 2) % table().size()];
    const std::string log = test::mutated_logs(1, (std::uint64_t{seed} << 32U) + number)[0].bytes;
    return log.substr(std::min(log.size(), log.find('\n') + 1));
}

std::vector<std::string_view> words() {
    return {"\n",
            "{",
            "}",
            "[",
            "]",
            ",",
            "\"",
            "text-chunks",
            "reasoning-chunks",
            "tool-call-chunks",
            "\"seq0\":",
            "\"time0\":",
            "\"dt\":[",
            "\"texts\":[",
            "\"args\":[",
            "\"index\":",
            "\"turn\":",
            "\"step\":",
            "\"id\":",
            "\"name\":",
            "-0",
            "1e400",
            "9007199254740991",
            "\\ud83d",
            "\\ude00",
            "null",
            "assistant/chunk",
            "text-delta",
            "block-end",
            "finish",
            "turn/end"};
}

}  // namespace drydock::fuzz
