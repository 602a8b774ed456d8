#include "session/append.hpp"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/utf.hpp"
#include "tests/base/random_json.hpp"
#include "tests/support/node.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {
namespace {

constexpr std::size_t appends_per_session = 12;

/// A module that appends each record `{"type", "data", "options"}`, a new session each dozen.
constexpr std::string_view append_script = R"(
const { Session } = await import('LIBRARY')
Date.now = () => 1000
let session
records.forEach((record, i) => {
  if (i % 12 === 0) session = Session.create('s')
  const { type, data, options } = JSON.parse(record.toString('utf8'))
  try { give(JSON.stringify(session.append(type, data, options))) } catch { give(null) }
})
)";

/// A folder in which the published dsh-session can be imported, patched or as it is.
std::string library_in(const TemporaryDirectory& directory, bool patched) {
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    const std::string scope =
        std::string(packages == nullptr ? "" : packages) + "/loader/node_modules/@deepseek-ai";
    const std::string own = directory / "node_modules/@deepseek-ai";
    run({"mkdir", "-p", own});
    run({"sh", "-c", R"(ln -s "$0"/* "$1"; rm "$1/dsh-session"; cp -R "$0/dsh-session" "$1")", scope, own});
    if (patched) {
        const base::ProcessOutcome outcome =
            run({drydock(), "patch", "-d", own + "/dsh-session",
                 std::string(DRYDOCK_SOURCE_DIR) + "/patches/dsh-0.1.0-rc.8/dsh-session.lib.patch"});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    }
    return own + "/dsh-session/lib/index.js";
}

/// Data and options: arbitrary ones, and such as the surface's rules look at.
class RandomAppend {
  public:
    explicit RandomAppend(std::uint32_t seed) : json_(seed) {}

    /// A record that is JSON: the random parts may hold mistakes.
    std::string next() {
        base::JsonDocument document;
        std::string text;
        do {
            text = base::repair_utf8(attempt());
        } while (!document.parse(text));
        return text;
    }

  private:
    std::string attempt() {
        static constexpr std::array<std::string_view, 9> types = {
            "user/message",    "assistant/message", "tool/result",          "todo/write", "",
            "subagent/stream", "request/header",    "request/header-delta", "tool/result"};
        const std::string_view type = types[json_.below(types.size())];
        return R"({"type":")" + std::string(type) + R"(","data":)" + data(type) + options(type) + "}";
    }

    std::string data(std::string_view type) {
        if (type == "tool/result" && json_.chance(80)) return result();
        if (type == "request/header" && json_.chance(50)) return R"({"reason":"fallback"})";
        switch (json_.below(8)) {
            case 0:
                return json_.deep(300);
            case 1:
                return R"({"__proto__":)" + json_.string() + R"(,"toJSON":1,"constructor":null})";
            case 2:
                return json_.number();
            case 3:
                return R"("\ud800 \udc00\ud83d\ude00")";
            default:
                return json_.text();
        }
    }

    std::string result() {
        static constexpr std::array<std::string_view, 8> ids = {"\"r\"", "\"r\"", "\"r\"", "\"r\"",
                                                                "\"r\"", "\"q\"", "5",     "[]"};
        static constexpr std::array<std::string_view, 6> contents = {
            R"([{"type":"tool-result","content":[1]}])",
            R"([{"content":"x","type":"tool-result"}])",
            R"([])",
            "null",
            R"([{"type":"tool-result","content":[1],"a":{"b":1,"a":2}}])",
            R"([{"a":{"a":2,"b":1},"content":null,"type":"tool-result"}])"};
        return R"({"turn":1,"message":{"id":)" + std::string(ids[json_.below(ids.size())]) +
               R"(,"content":)" + std::string(contents[json_.below(contents.size())]) + "}}";
    }

    std::string seq() {
        static constexpr std::array<std::string_view, 6> odd = {"-0", "1.5", "99", "\"0\"", "-1", "null"};
        return json_.chance(6) ? std::string(odd[json_.below(odd.size())]) : std::to_string(json_.below(8));
    }

    std::string operation() {
        if (json_.chance(4)) return json_.text();
        if (json_.chance(60)) return "\"append\"";
        const std::string at = seq();
        return R"({"op":"replace","start":)" + at + R"(,"end":)" + (json_.chance(85) ? at : seq()) + "}";
    }

    std::string options(std::string_view type) {
        if (json_.chance(3)) return R"(,"options":)" + json_.text();
        std::string text;
        const bool surface = type.find("message") != std::string_view::npos || type == "tool/result";
        if (json_.chance(surface ? 95 : 5)) text += R"("surfaceOp":)" + operation() + ",";
        if (json_.chance(surface ? 60 : 5)) {
            text += R"("sourceEventSeqs":[)";
            for (std::size_t i = 0; i < 12; ++i) {
                if (json_.chance(70))
                    text += (text.back() == '[' ? "" : ",") + std::to_string(i % 8 == i ? i : 7);
                if (i == 6 || json_.chance(4)) break;
            }
            text += "],";
        }
        static constexpr std::array<std::string_view, 5> markers = {"true", "false", "1", "null", "\"true\""};
        if (json_.chance(surface ? 5 : 50)) {
            const std::size_t which = json_.chance(60) ? 0 : json_.below(markers.size());
            text += R"("ignorable":)" + std::string(markers[which]) + ",";
        }
        if (text.empty()) return "";
        text.pop_back();
        return R"(,"options":{)" + text + "}";
    }

    RandomJson json_;
};

void compare_appends(session::AppendRules rules, std::uint32_t seed) {
    constexpr std::size_t count = 4'800;
    RandomAppend random(seed);
    std::vector<std::string> records;
    for (std::size_t i = 0; i < count; ++i) records.push_back(random.next());
    const TemporaryDirectory directory;
    std::string script(append_script);
    script.replace(script.find("LIBRARY"), 7, library_in(directory, rules == session::AppendRules::patched));
    const std::vector<std::optional<std::string>> theirs = in_node(script, records);
    ASSERT_EQ(theirs.size(), count);
    session::Appender appender(rules, "s");
    base::JsonDocument document;
    std::size_t appended = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (i % appends_per_session == 0) appender = session::Appender(rules, "s");
        const auto record = document.parse(records[i]);
        ASSERT_TRUE(record) << records[i];
        const base::Result<std::string> ours =
            appender.append((*record)["type"].string(), (*record)["data"], (*record)["options"], 1000);
        EXPECT_EQ(ours ? *ours : "refused", theirs[i].value_or("refused"))
            << records[i] << "\n"
            << (ours ? "" : ours.error().message);
        appended += ours ? 1 : 0;
    }
    EXPECT_GE(appended, count / 4);
    EXPECT_LE(appended, count * 9 / 10);
}

TEST(Append, AgreesWithThePublishedSession) {
    compare_appends(session::AppendRules::stock, 1);
}

TEST(Append, AgreesWithThePatchedSession) {
    compare_appends(session::AppendRules::patched, 2);
}

}  // namespace
}  // namespace drydock::test
