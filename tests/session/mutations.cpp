#include <array>
#include <random>
#include <string_view>
#include <utility>

#include "session/frames.hpp"
#include "tests/session/logs.hpp"

namespace drydock::test {
namespace {

/// A session with all that the loader looks at: old forms, rows, a replacement, marked events.
constexpr std::string_view rich_body = R"($B
$U
{"type":"request/header",#,"data":{"header":{"config":{"provider":"p","model":"m","maxTokens":5},"adapterDefaults":{"maxTokens":true}},"reason":"initial"}}
{"type":"step/start",#,"data":{"turn":1,"step":1}}
{"type":"assistant/chunk",#,"data":{"turn":1,"step":1,"chunk":{"type":"block-start","index":0,"blockType":"text"}}}
{"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5,-2],"texts":["a","b","c"]}}
{"type":"tool-call-chunks",@2,"data":{"turn":1,"step":1,"index":1,"dt":[0],"id":"c1","name":"t","args":["{","}"]}}
$A
{"type":"tool/call",#,"data":{"turn":1,"step":1,"callId":"c1","name":"t","arguments":"{}"}}
{"type":"subagent/stream",#,"data":{"childId":"k","provider":"acp","index":0,"item":{"kind":"assistant","text":"hi"}},"ignorable":true}
$R
{"type":"tool/result",#,"data":{"turn":1,"step":1,"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":["short"]}],"source":{"kind":"tool","callId":"c1"}}},"surfaceOp":{"op":"replace","start":13,"end":13},"sourceEventSeqs":[13]}
{"type":"step/end",#,"data":{"turn":1,"step":1}}
{"type":"turn/end",#,"data":{"turn":1,"reason":{"kind":"error","step":1,"message":"m"}}}
{"type":"steering/message",#,"data":{"turn":1,"content":[],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"turn/start",#,"data":{"turn":2,"trigger":{"kind":"x"}}}
{"type":"user/message",#,"data":{"content":[],"source":{"kind":"user"}},"surfaceOp":{"op":"replace","start":1,"end":10},"sourceEventSeqs":[1,10]}
$A
)";

constexpr std::array<std::string_view, 24> values = {"null",
                                                     "true",
                                                     "false",
                                                     "0",
                                                     "-0",
                                                     "1",
                                                     "-1",
                                                     "1.5",
                                                     "1e400",
                                                     "9007199254740993",
                                                     "\"\"",
                                                     "\"x\"",
                                                     "[]",
                                                     "{}",
                                                     "[null]",
                                                     "{\"kind\":\"x\"}",
                                                     "\"append\"",
                                                     "\"turn/end\"",
                                                     "\"new/type\"",
                                                     "\"user/message\"",
                                                     "3",
                                                     "13",
                                                     "\"text-chunks\"",
                                                     "{\"op\":\"replace\",\"start\":1,\"end\":1}"};

constexpr std::array<std::string_view, 16> keys = {
    "type",    "seq",    "time",    "data",   "ignorable", "surfaceOp", "sourceEventSeqs", "message", "id",
    "content", "callId", "trigger", "reason", "kind",      "step",      "__proto__"};

class Mutator {
  public:
    explicit Mutator(std::uint64_t seed) : random_(seed) {}

    LogFile next(std::size_t number) {
        const bool zstd = number % 2 == 1;
        std::vector<std::string> lines = split(usual_header() + "\n" + written_out(rich_body));
        lines.resize(lines.size() - below(6));  // so that it ends within a turn, or without one
        for (std::size_t left = below(4) == 0 ? 0 : 1 + below(2); left > 0; --left) change_lines(lines);
        std::string bytes = zstd ? frames_of(lines) : joined(lines, 0, lines.size());
        if (below(3) == 0) change_bytes(bytes, zstd);
        return {"mutated log " + std::to_string(number), zstd ? ".jsonl.zstd" : ".jsonl", std::move(bytes)};
    }

  private:
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        return lines;
    }

    static std::string joined(const std::vector<std::string>& lines, std::size_t begin, std::size_t end) {
        std::string text;
        for (std::size_t i = begin; i < end; ++i) text += lines[i] + "\n";
        return text;
    }

    /// Mostly as the harness does: the header, then batches.
    std::string frames_of(const std::vector<std::string>& lines) {
        std::string bytes;
        std::size_t at = 0;
        std::size_t size = below(50) == 0 ? below(3) : 1;
        while (at < lines.size()) {
            const std::size_t end = std::min(lines.size(), at + size);
            std::string text = joined(lines, at, end);
            if (below(100) == 0) text += "{\"type\"";
            bytes += session::make_frame(text).value();
            at = end;
            size = 1 + below(9);
        }
        return bytes;
    }

    void change_lines(std::vector<std::string>& lines) {
        const std::size_t at = below(12) == 0 ? 0 : below(lines.size());
        switch (below(12)) {
            case 0:
                lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 1:
                lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[below(lines.size())]);
                break;
            case 2:
                std::swap(lines[at], lines[below(lines.size())]);
                break;
            case 3:
                lines[at] = below(2) == 0 ? std::string(values[below(values.size())]) : "";
                break;
            default:
                change_line(lines[at]);
        }
        if (lines.empty()) lines.emplace_back();
    }

    void change_line(std::string& line) {
        switch (below(6)) {
            case 0:
                return change_value(line);
            case 1:
                return change_value(line);
            case 2:
                return change_key(line);
            case 3:
                return change_number(line);
            case 4:
                return add_key(line);
            default:
                return change_byte(line);
        }
    }

    /// The place behind one of the text's `wanted` bytes; none: 0.
    std::size_t behind_one(const std::string& text, char wanted) {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == wanted) places.push_back(i + 1);
        }
        return places.empty() ? 0 : places[below(places.size())];
    }

    void change_value(std::string& line) {
        const std::size_t at = behind_one(line, ':');
        if (at == 0) return;
        std::size_t depth = 0;
        bool in_string = false;
        std::size_t end = at;
        for (; end < line.size(); ++end) {
            const char each = line[end];
            if (each == '"') in_string = !in_string;
            if (in_string) continue;
            if (each == '{' || each == '[') ++depth;
            if (depth == 0 && (each == ',' || each == '}' || each == ']')) break;
            if (each == '}' || each == ']') --depth;
        }
        line.replace(at, end - at, values[below(values.size())]);
    }

    void change_key(std::string& line) {
        const std::size_t colon = behind_one(line, ':');
        if (colon < 3) return;
        const std::size_t begin = line.rfind('"', colon - 3);
        if (begin == std::string::npos) return;
        line.replace(begin + 1, colon - begin - 3, keys[below(keys.size())]);
    }

    void change_number(std::string& line) {
        std::vector<std::size_t> digits;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] >= '0' && line[i] <= '9') digits.push_back(i);
        }
        if (!digits.empty()) line[digits[below(digits.size())]] = static_cast<char>('0' + below(10));
    }

    void add_key(std::string& line) {
        const std::size_t at = behind_one(line, '{');
        if (at == 0) return;
        line.insert(at, "\"" + std::string(keys[below(keys.size())]) +
                            "\":" + std::string(values[below(values.size())]) + ",");
    }

    void change_byte(std::string& bytes) {
        if (bytes.empty()) return;
        const std::size_t at = below(bytes.size());
        switch (below(4)) {
            case 0:
                bytes[at] = static_cast<char>(random_());
                break;
            case 1:
                bytes.erase(at, 1 + below(4));
                break;
            case 2:
                bytes.insert(at, 1, "{}[],:\"\\ \n\xFF\xC3"[below(13)]);
                break;
            default:
                bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << below(8)));
        }
    }

    void change_bytes(std::string& bytes, bool zstd) {
        if (below(2) == 0) {
            bytes.resize(bytes.size() - below(std::min<std::size_t>(bytes.size(), 300)));
        } else if (zstd && below(3) == 0) {
            bytes += "\x28\xB5\x2F\xFD\x24\x00\x01"[below(7)];
        } else {
            change_byte(bytes);
        }
    }

    std::mt19937_64 random_;
};

}  // namespace

std::vector<LogFile> mutated_logs(std::size_t count, std::uint64_t seed) {
    Mutator mutator(seed);
    std::vector<LogFile> logs;
    for (std::size_t i = 0; i < count; ++i) logs.push_back(mutator.next(i));
    return logs;
}

}  // namespace drydock::test
