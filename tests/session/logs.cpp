#include "tests/session/logs.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "session/frames.hpp"
#include "session/session.hpp"

namespace drydock::test {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> whole_events = {{
    {"$U",
     R"({"type":"user/message",#,"data":{"id":"u","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append"})"},
    {"$A",
     R"({"type":"assistant/message",#,"data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool-call","id":"c1","name":"t","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"})"},
    {"$R",
     R"({"type":"tool/result",#,"data":{"turn":1,"step":1,"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[]}],"source":{"kind":"tool","callId":"c1"}}},"surfaceOp":"append"})"},
    {"$B", R"({"type":"turn/start",#,"data":{"turn":1}})"},
    {"$E", R"({"type":"turn/end",#,"data":{"turn":1,"reason":{"kind":"completed"}}})"},
}};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

/// The header with one key's value replaced, or added before the end.
std::string header_with(std::string_view key, std::string_view value) {
    return std::string(R"({"type":"session","version":0,"id":"a","createdAt":1,"delegationDepth":0,")") +
           std::string(key) + "\":" + std::string(value) + "}";
}

std::string frame(std::string_view text) {
    return session::make_frame(text).value();
}

std::vector<std::string> headers() {
    std::vector<std::string> list = {
        "",
        "{}",
        "null",
        "5",
        "[]",
        "\"x\"",
        "{",
        "\xEF\xBB\xBF" + usual_header(),
        usual_header() + "\r",
        " " + usual_header() + " ",
        R"({"version":1})",
        R"({"version":-1,"id":5})",
        R"({"version":0.5})",
        R"({"version":1e999})",
        R"({"type":"session","version":0,"id":"a","createdAt":1})",
        R"({"type":"session","version":0,"id":"a","delegationDepth":0})",
        R"({"type":"session","version":0,"createdAt":1,"delegationDepth":0})",
        R"({"version":0,"id":"a","createdAt":1,"delegationDepth":0})",
        R"({"type":"session","id":"a","createdAt":1,"delegationDepth":0})",
        R"({"delegationDepth":0,"createdAt":1,"id":"a","version":0,"type":"session"})",
        R"({"type":"x","type":"session","version":1,"version":0,"id":"a","createdAt":1,"delegationDepth":0})",
    };
    const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> values = {
        {"type", {"\"x\"", "null"}},
        {"version", {"\"0\"", "null", "-0", "0.0", "2", "true"}},
        {"id",
         {"5", "null", "\"\"", "\".\"", "\"..\"", "\"a/b\"", "\"~\"", "\"\\ud800\"", "\"\u00e9\U0001F600\""}},
        {"createdAt",
         {"-1", "-0", "1.5", "\"1\"", "9007199254740991", "9007199254740992", "1e3", "0", "null"}},
        {"delegationDepth", {"-1", "-0", "0.5", "\"0\"", "3", "null", "1e400"}},
        {"origin", {"\"subagent\"", "\"user\"", "null", "5"}},
        {"agentPreset", {"\"p\"", "\"\"", "null", "5"}},
        {"cwd",
         {"\"/srv/x\"", "\"/\"", "\"\"", "\"srv\"", "null", "5", "[]", "{}", "\"/a b~:\\\\c\"",
          "\"/\\ud800\"", "\"C:\\\\x\"", "\"/-/-a\""}},
        {"parentSession", {"\"p\"", "\"\"", "null", "5"}},
        {"seedLength", {"0", "-0", "3", "-1", "1.5", "null", "\"1\""}},
        {"sandboxMode", {"1", "null"}},
        {"approvalPolicy", {"\"x\"", "null"}},
        {"other", {"1", "{\"deep\":[[[]]]}"}},
        {"__proto__", {"{}", "null"}},
    };
    for (const auto& [key, each] : values) {
        for (const std::string_view value : each) list.push_back(header_with(key, value));
    }
    return list;
}

/// Logs whose header is the usual one.
std::vector<std::string> bodies() {
    std::vector<std::string> list = {
        // lines and the end of the text
        "",
        "\n",
        "$B\n",
        "$B",
        "$B\n$E\n",
        "$B\n$E\n$B",
        "$B\n{\"type\":",
        "$B\n\n",
        "$B\n\n$E\n",
        "$B\r\n$E\r\n",
        "$B\nx\n",
        "$B\nx\n$B\n",
        "$B\nx\n$E\n",
        "$B\nx\ny\n5\n",
        "$B\nx\nnull\n",
        "$B\nnull\n",
        "$B\n5\n",
        "$B\n\"x\"\n",
        "$B\n[]\n",
        "$B\n{}\n",
        "$B\ntrue\n",
        "$B\n5\n$E\n",
        "$B\n[{\"type\":\"turn/end\"}]\n",
        "$B\n{\"type\":\"turn/end\"}\n",
        "$B\nx\n{\"type\":\"turn/end\"}\n",
        "$B\nx\n{\"type\":\"turn\\/end\"}\n",
        "$B\n\xEF\xBB\xBF$E\n",
        "$B\n{\"type\":\"todo/write\",#,\"data\":\"\xFF\xC3\"}\n",
        "$B\n\xFF\n",
        "$B\n{\"type\":\"todo/write\",#,\"data\":\"\\ud800\"}\n",
        "$B\n  $E\t\n",
        "$B\n{\"type\":\"todo/write\",#,\"data\":\"\x01\"}\n",
        // seqs
        R"({"type":"turn/start","seq":1,"time":1,"data":{"turn":1}})"
        "\n",
        R"({"type":"turn/start","seq":0.0,"time":1,"data":{"turn":1}})"
        "\n",
        R"({"type":"turn/start","seq":-0,"time":1,"data":{"turn":1}})"
        "\n",
        R"({"type":"turn/start","seq":"0","time":1,"data":{"turn":1}})"
        "\n",
        R"({"type":"turn/start","time":1,"data":{"turn":1}})"
        "\n",
        R"({"type":"turn/start","seq":9,"seq":0,"time":1,"data":{"turn":1}})"
        "\n",
        "$B\n"
        R"({"type":"todo/write","seq":1e0,"time":1e3,"data":1})"
        "\n",
        "$B\n"
        R"({"type":"todo/write","seq":0,"time":1,"data":1})"
        "\n$E\n",
        "$B\n"
        R"({"type":"todo/write","seq":3,"time":1,"data":1})"
        "\n",
        "$B\n"
        R"({"type":"todo/write","seq":3,"time":1,"data":1})"
        "\n$U\n$U\n",
        "$B\n"
        R"({"type":"todo/write","seq":3,"time":1,"data":1})"
        "\n$E\n",
        "$B\n"
        R"({"type":"turn/end","seq":3,"time":1,"data":1})"
        "\n",
        "$B\n"
        R"({"type":"new/event","seq":3,"time":1,"data":1})"
        "\n",
        // deep and odd values
        "$B\n{\"type\":\"todo/write\",#,\"data\":" + std::string(1000, '[') + std::string(1000, ']') + "}\n",
        "$B\n{\"type\":\"todo/write\",#,\"data\":" + std::string(1000, '[') + "}\n",
        "$B\n"
        R"({"type":"todo/write",#,"data":{"__proto__":1,"1":2,"a":1e400,"a":-0}})"
        "\n",
        // unions of message events
        "$B\n$U\n$A\n$R\n$E\n",
        "$U\n$U\n",
        "$B\n$A\n",
        "$B\n$A\n$R\n",
        "$A\n",
        "$R\n",
        "$B\n$A\n"
        R"({"type":"tool/call",#,"data":{"callId":"c1"}})"
        "\n",
        "$B\n"
        R"({"type":"step/start",#,"data":{"turn":1,"step":1}})"
        "\n$A\n",
        "$B\n"
        R"({"type":"step/start",#,"data":{"turn":1,"step":1}})"
        "\n$A\n"
        R"({"type":"step/end",#,"data":{}})"
        "\n",
        "$B\n"
        R"({"type":"step/start",#,"data":{"step":null}})"
        "\n",
        "$B\n"
        R"({"type":"step/start",#,"data":{}})"
        "\n",
        "$B\n"
        R"({"type":"step/start",#,"data":5})"
        "\n",
        "$B\n"
        R"({"type":"step/start",#,"data":null})"
        "\n",
        "$B\n"
        R"({"type":"step/end",#,"data":null})"
        "\n",
        R"({"type":"tool/call",#,"data":null})"
        "\n",
        R"({"type":"tool/call",#,"data":5})"
        "\n",
        "$B\n$B\n$A\n$B\n",
        "$E\n$E\n",
        R"({"type":"turn/start",#,"data":{"turn":null}})"
        "\n",
        R"({"type":"turn/start",#,"data":{}})"
        "\n",
        R"({"type":"turn/start",#,"data":"x"})"
        "\n",
        R"({"type":"turn/start",#,"data":null})"
        "\n",
        R"({"type":"turn/start",#,"data":[]})"
        "\n",
        // guard
        R"({"type":"new/event",#,"data":1})"
        "\n",
        R"({"type":"new/event",#,"data":null,"ignorable":true})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":false})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":1})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":"true"})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":null})"
        "\n",
        R"({"type":"new/event",#,"ignorable":true})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":true,"surfaceOp":"append"})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":true,"surfaceOp":null})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":true,"sourceEventSeqs":[]})"
        "\n",
        R"({"type":"new/event",#,"data":1,"ignorable":true,"more":1})"
        "\n",
        R"({"type":"",#,"data":1})"
        "\n",
        R"({"type":"",#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":5,#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":5,#,"data":1})"
        "\n",
        R"({#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":null,#,"data":1})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"ignorable":false})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"ignorable":null})"
        "\n",
        R"({"type":"user/message",#,"data":{},"surfaceOp":"append","ignorable":true})"
        "\n",
        R"({"type":"subagent/stream",#,"data":{}})"
        "\n",
        R"({"type":"subagent/stream",#,"data":{},"ignorable":true})"
        "\n",
        R"({"type":"subagent/catalog",#,"data":{}})"
        "\n",
        R"({"type":"subagent/descriptor",#,"data":null})"
        "\n",
        "$B\nx\n"
        R"({"type":"new/event","seq":1,"time":1,"data":1})"
        "\n",
        // envelope
        R"({"type":"todo/write",#,"data":null})"
        "\n",
        R"({"type":"todo/write",#})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"more":1})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"__proto__":1})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"surfaceOp":"append"})"
        "\n",
        R"({"type":"todo/write",#,"data":1,"sourceEventSeqs":[]})"
        "\n",
        R"({"data":1,"type":"todo/write",#})"
        "\n",
        // retired
        R"({"type":"request/header-delta",#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":"mode/set",#,"data":1,"ignorable":true})"
        "\n",
        R"({"type":"request/header",#,"data":{"reason":"fallback"},"ignorable":true})"
        "\n",
        R"({"type":"request/header",#,"data":null})"
        "\n",
        R"({"type":"request/header",#})"
        "\n",
        "$B\n$E\n"
        R"({"type":"mode/set",#,"data":1})"
        "\n",
        // rows
        "$B\n"
        R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5,-2],"texts":["a","b",""]}})"
        "\n$E\n",
        "$B\n"
        R"({"type":"reasoning-chunks",@1,"data":{"turn":1.5,"step":-1,"index":1e400,"dt":[],"texts":["a"]}})"
        "\n$E\n",
        "$B\n"
        R"({"type":"tool-call-chunks",@2,"data":{"turn":1,"step":1,"index":0,"dt":[0],"id":"c","args":["{","}"]}})"
        "\n$E\n",
        "$B\n"
        R"({"type":"tool-call-chunks",@2,"data":{"turn":1,"step":1,"index":0,"dt":[0],"id":"","name":"","args":["{","}"]}})"
        "\n$E\n",
        "$B\n"
        R"({"data":{"texts":["a"],"dt":[],"index":0,"step":1,"turn":1},"type":"text-chunks",@1})"
        "\n",
        "$B\n"
        R"({"type":"text-chunks","seq0":1,"time0":9007199254740990,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}})"
        "\n$B\n",
        "$B\n"
        R"({"type":"text-chunks","seq0":1,"time0":9007199254740991,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}})"
        "\n$B\n",
        "$B\n"
        R"({"type":"text-chunks","seq0":2,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}})"
        "\n",
        "$B\n"
        R"({"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}})"
        "\n",
        R"({"type":"text-chunks","seq0":-0,"time0":-0,"data":{"turn":1,"step":1,"index":0,"dt":[-0],"texts":["a","b"]}})"
        "\n$B\n",
        R"({"type":"text-chunks","seq0":9007199254740991,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a","b"]}})"
        "\n",
    };
    // What makes a row none: alone, and before a turn's end.
    for (
        const std::string_view row : {
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5],"texts":["a","b",""]}})",
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5,1.5],"texts":["a","b",""]}})",
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[5,"1"],"texts":["a","b",""]}})",
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":{},"texts":["a","b",""]}})",
            R"({"type":"text-chunks",@3,"data":{"turn":1,"step":1,"index":0,"dt":[1,2],"texts":["a","b",5]}})",
            R"({"type":"text-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":[]}})",
            R"({"type":"text-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":"a"}})",
            R"({"type":"text-chunks",@1,"data":{"turn":"1","step":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"text-chunks",@1,"data":{"turn":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"text-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"],"id":"c"}})",
            R"({"type":"text-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]},"ignorable":true})",
            R"({"type":"text-chunks","seq":1,"time":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"text-chunks",@1,"data":[]})",
            R"({"type":"text-chunks",@1,"data":null})",
            R"({"type":"text-chunks"})",
            R"({"type":"text-chunks","seq0":1.5,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"text-chunks","seq0":1,"time0":1.5,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"text-chunks","seq0":-1,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}})",
            R"({"type":"tool-call-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"id":5,"args":["a"]}})",
            R"({"type":"tool-call-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"args":["a"]}})",
            R"({"type":"tool-call-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"id":"c","name":5,"args":["a"]}})",
            R"({"type":"tool-call-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"id":"c","name":null,"args":["a"]}})",
            R"({"type":"tool-call-chunks",@1,"data":{"turn":1,"step":1,"index":0,"dt":[],"id":"c","texts":["a"]}})",
        }) {
        list.push_back("$B\n" + std::string(row) + "\n");
        list.push_back("$B\n" + std::string(row) + "\n$E\n");
    }
    for (const std::string_view time :
         {"-5", "1.5", "1e3", "-0", "null", "\"1\"", "9007199254740992", "1e400"})
        list.push_back(R"({"type":"todo/write","seq":0,"time":)" + std::string(time) + ",\"data\":1}\n");
    return list;
}

/// One changed key or value in each of the events that are looked at closely.
std::vector<std::string> message_bodies() {
    std::vector<std::string> list;
    const auto vary = [&list](std::string_view event, std::string_view what,
                              std::initializer_list<std::string_view> values) {
        for (const std::string_view value : values) {
            std::string changed(event);
            replace_all(changed, what, value);
            list.push_back(changed + "\n");
        }
    };
    const std::string_view user = whole_events[0].second;
    vary(user, R"("id":"u",)", {"", R"("id":"",)", R"("id":5,)", R"("id":null,)", R"("id":"u","more":1,)"});
    vary(user, R"("role":"user",)", {"", R"("role":"assistant",)", R"("role":null,)"});
    vary(user, R"("content":[],)",
         {"", R"("content":"x",)", R"("content":[null,5,[]],)", R"("content":{},)"});
    vary(user, R"({"kind":"user"})",
         {"null", "[]", "\"x\"", "{}", R"({"kind":""})", R"({"kind":5})", R"({"kind":"plugin","x":1})"});
    vary(user, R"("surfaceOp":"append")",
         {R"("ignorable":true)", R"("surfaceOp":null)", R"("surfaceOp":"replace")", R"("surfaceOp":[])",
          R"("surfaceOp":{})", R"("surfaceOp":"append","sourceEventSeqs":null)",
          R"("surfaceOp":"append","sourceEventSeqs":[])", R"("surfaceOp":"append","sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0})"});
    vary(user, R"({"id":"u","role":"user","content":[],"source":{"kind":"user"}})",
         {"null", "5", "[]", "{}", R"({"content":[],"source":{"kind":"user"}})",
          R"({"content":[],"source":{"kind":""}})", R"({"content":[],"source":{"kind":"user"},"id":null})",
          R"({"content":5,"source":{"kind":"user"}})",
          R"({"content":[],"source":{"kind":"user"},"message":1})", R"({"message":{"id":"x"}})"});
    const std::string_view assistant = whole_events[1].second;
    vary(assistant, R"("kind":"model")", {R"("kind":"user")", R"("kind":"model","replayState":{})"});
    vary(assistant, R"("provider":"p")", {R"("provider":"")", R"("x":1)", R"("provider":5)"});
    vary(assistant, R"("model":"m")", {R"("model":"")", R"("x":1)"});
    vary(assistant, R"("role":"assistant")", {R"("role":"user")"});
    vary(assistant, R"({"type":"text","text":"x"})", {"null", "5", "[]", "{}"});
    vary(assistant, R"("surfaceOp":"append")",
         {R"("surfaceOp":"append","sourceEventSeqs":[])", R"("surfaceOp":5)"});
    vary(assistant, R"("turn":1,"step":1,"message":)", {R"("x":)", R"("content":[],"message":)"});
    for (const std::string_view data :
         {R"({"content":[],"provenance":{"provider":"p","model":"m"}})",
          R"({"content":[],"provenance":{"provider":"p"}})", R"({"content":[],"provenance":[]})",
          R"({"content":[],"provenance":null})",
          R"({"content":null,"provenance":{"provider":"p","model":"m"}})",
          R"({"content":[null],"provenance":{"provider":"p","model":"m"}})",
          R"({"content":[],"provenance":{"provider":"p","model":"m","kind":"x"}})",
          R"({"content":[],"provenance":{"provider":"p","model":"m"},"message":null})",
          R"({"provenance":{"provider":"p","model":"m"}})"})
        list.push_back(R"({"type":"assistant/message",#,"data":)" + std::string(data) +
                       ",\"surfaceOp\":\"append\"}\n");
    const std::string_view result = whole_events[2].second;
    vary(result, R"("kind":"tool")", {R"("kind":"user")"});
    vary(result, R"("callId":"c1")", {R"("callId":"")", R"("callId":5)", R"("x":1)", R"("callId":"c2")"});
    vary(result, R"("toolCallId":"c1")", {R"("x":1)", R"("toolCallId":null)"});
    vary(result, R"("type":"tool-result")", {R"("type":"text")"});
    vary(result, R"("content":[]})",
         {R"("content":"x"})", R"("content":[]},{})", R"("isError":true,"content":[5]})"});
    vary(result, R"([{"type":"tool-result","toolCallId":"c1","content":[]}])",
         {"[]", "{}", "[null]", "[[]]"});
    for (const std::string_view data :
         {R"({"callId":"c1","content":[],"isError":false})", R"({"callId":"","content":[],"isError":false})",
          R"({"callId":5,"content":[],"isError":false})", R"({"callId":"c1","content":"x","isError":null})",
          R"({"callId":"c1","content":[]})", R"({"callId":"c1","content":[],"isError":1,"message":{}})"})
        list.push_back(R"({"type":"tool/result",#,"data":)" + std::string(data) +
                       ",\"surfaceOp\":\"append\"}\n");
    // an open call whose id cannot be given to its closing result
    for (const std::string_view id :
         {R"("id":5)", R"("id":"")", R"("id":null)", R"("x":1)", R"("id":{})", R"("id":{"toString":1})"}) {
        std::string changed(assistant);
        replace_all(changed, R"("id":"c1")", id);
        for (const std::string_view end : {"", "$E\n", "$R\n"})
            list.push_back("$B\n" + changed + "\n" + std::string(end));
    }
    // steering
    for (const std::string_view data :
         {R"({"turn":1,"content":[],"source":{"kind":"user"}})",
          R"({"turn":1.5,"content":[],"source":{"kind":"user"}})",
          R"({"content":[],"source":{"kind":"user"}})",
          R"({"turn":1,"content":[],"source":{"kind":"user"},"x":1})", R"({"turn":1,"content":[]})",
          R"({"turn":-1,"message":{"id":"u","role":"user","content":[],"source":{"kind":"user"}}})",
          R"({"turn":1,"message":{"content":[],"source":{"kind":"user"}}})", R"({"turn":1,"message":{}})",
          R"({"turn":1,"message":5})",
          R"({"turn":1,"message":{"id":"u","role":"user","content":[],"source":{"kind":"user"}},"x":1})",
          "null", "[]"})
        list.push_back(R"({"type":"steering/message",#,"data":)" + std::string(data) +
                       ",\"surfaceOp\":\"append\"}\n");
    // turns
    for (const std::string_view data :
         {R"({"turn":1,"trigger":{"kind":"x"}})", R"({"turn":1,"trigger":{"kind":""}})",
          R"({"turn":1,"trigger":null})", R"({"turn":1,"trigger":[]})",
          R"({"turn":0,"trigger":{"kind":"x"}})", R"({"turn":1.5,"trigger":{"kind":"x"}})",
          R"({"turn":1,"trigger":{"kind":"x","y":1}})", R"({"turn":1,"trigger":{"kind":"x"},"y":1})",
          R"({"turn":0})", R"({"turn":"x","y":1})"})
        list.push_back(R"({"type":"turn/start",#,"data":)" + std::string(data) + "}\n");
    for (const std::string_view data :
         {"null", "5", "[]", "{}", R"({"turn":1})", R"({"turn":0,"reason":{"kind":"completed"}})",
          R"({"turn":1,"reason":{"kind":"completed"},"x":1})", R"({"reason":{"kind":"completed"}})"})
        list.push_back(R"({"type":"turn/end",#,"data":)" + std::string(data) + "}\n");
    for (
        const std::string_view reason :
        {"null",
         "[]",
         "\"x\"",
         "{}",
         R"({"kind":5})",
         R"({"kind":""})",
         R"({"kind":"new","x":1})",
         R"({"kind":"completed","x":1})",
         R"({"kind":"blocked"})",
         R"({"kind":"max-tokens"})",
         R"({"kind":"interrupted"})",
         R"({"kind":"interrupted","x":1})",
         R"({"kind":"aborted"})",
         R"({"kind":"aborted","x":1})",
         R"({"kind":"aborted","reason":null,"x":1})",
         R"({"kind":"disposed"})",
         R"({"kind":"disposed","x":1})",
         R"({"kind":"error"})",
         R"({"kind":"error","error":5})",
         R"({"kind":"error","step":1,"message":"m"})",
         R"({"kind":"error","step":1,"message":"m","code":"c"})",
         R"({"kind":"error","step":1,"message":"m","code":5})",
         R"({"kind":"error","step":-1,"message":"m"})",
         R"({"kind":"error","step":1.5,"message":"m"})",
         R"({"kind":"error","message":"m"})",
         R"({"kind":"error","step":1,"message":5})",
         R"({"kind":"error","step":1,"message":"m","x":1})",
         R"({"kind":"error","step":0,"message":"m","code":null})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c"}})",
         R"({"kind":"error","step":1,"failure":{"message":"m"}})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":5}})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c","status":1,"requestId":"r","providerRetryAfterMs":2}})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c","status":"1"}})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c","requestId":null}})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c","x":1}})",
         R"({"kind":"error","step":1,"failure":[],"message":"m"})",
         R"({"kind":"error","step":1,"failure":{"message":"m","code":"c"},"message":"m"})"})
        list.push_back(
            "$B\n"
            R"({"type":"turn/end",#,"data":{"turn":1,"reason":)" +
            std::string(reason) + "}}\n");
    // request headers
    for (
        const std::string_view header :
        {"null", "[]", "{}", R"({"config":null})", R"({"config":[]})", R"({"config":{"provider":"p"}})",
         R"({"config":{"provider":"","model":"m"}})", R"({"config":{"provider":"p","model":"m"}})",
         R"({"config":{"provider":"p","model":"m","reasoningEffort":"high"}})",
         R"({"config":{"provider":"p","model":"m","reasoningEffort":""}})",
         R"({"config":{"provider":"p","model":"m","reasoningEffort":null}})",
         R"({"config":{"provider":"p","model":"m"},"adapterDefaults":null})",
         R"({"config":{"provider":"p","model":"m"},"adapterDefaults":[]})",
         R"({"config":{"provider":"p","model":"m"},"adapterDefaults":{}})",
         R"({"config":{"provider":"p","model":"m"},"adapterDefaults":{"maxTokens":true}})",
         R"({"config":{"provider":"p","model":"m","maxTokens":null},"adapterDefaults":{"maxTokens":true}})",
         R"({"config":{"provider":"p","model":"m","maxTokens":5},"adapterDefaults":{"maxTokens":false}})",
         R"({"config":{"provider":"p","model":"m","reasoningEffort":"x"},"adapterDefaults":{"reasoningEffort":true}})",
         R"({"config":{"provider":"p","model":"m"},"adapterDefaults":{"x":true}})"})
        list.push_back(R"({"type":"request/header",#,"data":{"header":)" + std::string(header) +
                       R"(,"reason":"initial"}})"
                       "\n");
    list.push_back(R"({"type":"request/header",#,"data":5})"
                   "\n");
    list.push_back(R"({"type":"request/header",#,"data":[]})"
                   "\n");
    // replacements, behind three messages and a result (seqs 0 to 4)
    const auto replacement = [&list](std::string_view event, std::string_view op) {
        std::string changed(event);
        replace_all(changed, R"("surfaceOp":"append")", op);
        list.push_back("$U\n$U\n$A\n$R\n$U\n" + changed + "\n" + changed + "\n");
        list.push_back("$U\n$U\n$A\n$R\n$U\n" + changed + "\n");
    };
    for (const std::string_view op :
         {R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0})",
          R"("surfaceOp":{"op":"replace","start":0,"end":1},"sourceEventSeqs":[1,0])",
          R"("surfaceOp":{"op":"replace","start":0,"end":2},"sourceEventSeqs":[0,1])",
          R"("surfaceOp":{"op":"replace","start":1,"end":0},"sourceEventSeqs":[0,1])",
          R"("surfaceOp":{"op":"replace","start":0,"end":9},"sourceEventSeqs":[0,1])",
          R"("surfaceOp":{"op":"replace","start":0,"end":4},"sourceEventSeqs":[0,1,2,3,4])",
          R"("surfaceOp":{"op":"replace","start":-0,"end":0},"sourceEventSeqs":[-0])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0,0])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0,5])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0,1.5])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0,-1])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0},"sourceEventSeqs":[0,"1"])",
          R"("surfaceOp":{"op":"replace","start":0,"end":0,"x":1},"sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"append","start":0,"end":0},"sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"replace","start":0.5,"end":0},"sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"replace","start":"0","end":0},"sourceEventSeqs":[0])",
          R"("surfaceOp":{"op":"replace","start":0},"sourceEventSeqs":[0])",
          R"("sourceEventSeqs":[0])",
          R"("surfaceOp":"append","sourceEventSeqs":[3,1])",
          R"("surfaceOp":"append","sourceEventSeqs":{})"})
        replacement(whole_events[0].second, op);
    const std::string_view third = R"("surfaceOp":{"op":"replace","start":3,"end":3},"sourceEventSeqs":[3])";
    const auto rewrite = [&](std::string_view what, std::string_view by) {
        std::string changed(result);
        if (!what.empty()) replace_all(changed, what, by);
        replacement(changed, third);
    };
    rewrite("", "");
    rewrite(R"("content":[]})", R"("content":[{"x":1}]})");
    rewrite(R"("id":"r")", R"("id":"q")");
    rewrite(R"("turn":1)", R"("turn":2)");
    rewrite(R"("turn":1,"step":1)", R"("step":1,"turn":1)");
    rewrite(R"("turn":1)", R"("turn":1.0)");
    rewrite(R"("turn":1)", R"("turn":1,"meta":{"b":1,"a":[1,2]})");
    rewrite(R"("type":"tool-result")", R"("type":"tool-result","isError":false)");
    rewrite("\"c1\"", "\"c2\"");
    replacement(result, R"("surfaceOp":{"op":"replace","start":2,"end":2},"sourceEventSeqs":[2])");
    replacement(result, R"("surfaceOp":{"op":"replace","start":3,"end":4},"sourceEventSeqs":[3,4])");
    replacement(
        R"({"type":"tool/result",#,"data":{"turn":1,"step":1,"callId":"c1","content":[],"isError":false},"surfaceOp":"append"})",
        third);
    const std::string bare =
        R"({"type":"tool/result",#,"data":{"turn":1,"step":1,"callId":"c1","content":[],"isError":false},"surfaceOp":"append"})";
    for (const std::string_view isError : {"false", "true"}) {
        std::string again = bare;
        replace_all(again, "\"isError\":false", "\"isError\":" + std::string(isError));
        replace_all(again, R"("content":[])", R"("content":["new"])");
        replace_all(again, R"("surfaceOp":"append")",
                    R"("surfaceOp":{"op":"replace","start":1,"end":1},"sourceEventSeqs":[1])");
        list.push_back("$U\n" + bare + "\n" + again + "\n");
        std::string current(result);
        replace_all(current, R"("content":[]})",
                    R"("isError":)" + std::string(isError) + R"(,"content":[1]})");
        replace_all(current, R"("id":"r")", R"("id":"legacy-message:a:1")");
        replace_all(current, R"("surfaceOp":"append")",
                    R"("surfaceOp":{"op":"replace","start":1,"end":1},"sourceEventSeqs":[1])");
        list.push_back("$U\n" + bare + "\n" + current + "\n");
    }
    return list;
}

/// What lies in the frames, and how.
std::vector<LogFile> frame_logs() {
    std::vector<LogFile> logs;
    const auto add = [&logs](std::string name, std::string bytes) {
        logs.push_back({"frames: " + std::move(name), ".jsonl.zstd", std::move(bytes)});
    };
    const std::string header = frame(usual_header() + "\n");
    const std::string first = written_out("$B\n$E\n");
    const std::string both = written_out("$B\n$E\n$B\n$U\n$E\n");
    const std::string second = both.substr(first.size());
    const std::string whole = header + frame(first) + frame(second);
    add("none", "");
    add("header alone", header);
    add("two batches", whole);
    add("an empty batch", header + frame("") + frame(first));
    add("an empty first frame", frame("") + header + frame(first));
    add("header without newline", frame(usual_header()) + frame(first));
    add("header and events in one", frame(usual_header() + "\n" + first));
    add("header in two frames",
        frame(usual_header().substr(0, 10)) + frame(usual_header().substr(10) + "\n"));
    add("a line across frames", header + frame(both.substr(0, 30)) + frame(both.substr(30)));
    add("a line that is not ended", header + frame(first + "{\"type\""));
    add("a line that is not ended, and a cut frame",
        header + frame(first + "{\"type\"") + frame(second).substr(0, 9));
    add("an issue in a complete frame", header + frame(first + "x\n"));
    add("an issue in a complete frame, and a cut frame",
        header + frame(first + "x\n") + frame(second).substr(0, 9));
    add("an issue before a turn's end", header + frame(first + "x\n" + second));
    add("plain text", usual_header() + "\n" + first);
    add("a frame of another kind",
        header + std::string("\x50\x2A\x4D\x18\x01\x00\x00\x00x", 9) + frame(first));
    add("bytes behind", whole + "xxxx");
    add("few bytes behind", whole + "xx");
    add("a magic number behind", whole + "\x28\xB5\x2F\xFD");
    for (std::size_t cut = 1; cut < whole.size(); cut += cut < header.size() + 8 ? 1 : 3)
        add("cut by " + std::to_string(cut), whole.substr(0, whole.size() - cut));
    // A last frame of several blocks, of which some are there.
    std::string long_text = both;
    for (int i = 0; i < 60; ++i) {
        long_text += R"({"type":"todo/write","seq":)" + std::to_string(5 + i) + R"(,"time":1,"data":")";
        for (int k = 0; k < 6000; ++k)
            long_text += static_cast<char>('0' + (i * 7919 + k * k * 31 + k / 7) % 60);
        long_text += "\"}\n";
    }
    replace_all(long_text, "\\", "/");
    const std::string long_frame = frame(long_text);
    for (int tenth = 1; tenth < 10; ++tenth) {
        const std::string cut =
            long_frame.substr(0, long_frame.size() * static_cast<std::size_t>(tenth) / 10);
        add("long, cut at tenth " + std::to_string(tenth), header + cut);
        add("long, cut at tenth " + std::to_string(tenth) + " and damaged",
            header + cut.substr(0, 30) + "x" + cut.substr(31));
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        add("bit 4 of byte " + std::to_string(at), damaged);
    }
    return logs;
}

}  // namespace

std::string usual_header() {
    return R"({"type":"session","version":0,"id":"a","createdAt":1,"cwd":"/srv/x","delegationDepth":0})";
}

std::string written_out(std::string_view body) {
    std::string text(body);
    for (const auto& [name, event] : whole_events) replace_all(text, name, event);
    std::string result;
    std::size_t seq = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '#') {
            result += "\"seq\":" + std::to_string(seq) + ",\"time\":" + std::to_string(1000 + seq);
            ++seq;
        } else if (text[i] == '@') {
            result += "\"seq0\":" + std::to_string(seq) + ",\"time0\":" + std::to_string(1000 + seq);
            seq += static_cast<std::size_t>(text[++i] - '0');
        } else {
            result += text[i];
        }
    }
    return result;
}

std::vector<LogFile> both_encodings(const std::string& name, const std::string& header,
                                    const std::string& body) {
    const std::string text = written_out(body);
    return {{name, ".jsonl", header + "\n" + text},
            {name, ".jsonl.zstd", session::make_log(header + "\n", text).value()}};
}

std::vector<LogFile> table_of_logs() {
    std::vector<LogFile> logs;
    const auto add = [&logs](std::vector<LogFile> more) {
        for (LogFile& log : more) logs.push_back(std::move(log));
    };
    for (const std::string& header : headers()) add(both_encodings(header, header, "$B\n$E\n"));
    for (const std::string& body : bodies()) add(both_encodings(body, usual_header(), body));
    for (const std::string& body : message_bodies()) add(both_encodings(body, usual_header(), body));
    add(frame_logs());
    return logs;
}

}  // namespace drydock::test
