#include "stream/cases.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "stream/stream.hpp"

namespace drydock::stream {
namespace {

using base::JsonView;

/// Appends a text `count` times, by doubling it.
void append_times(std::string& target, std::string text, std::size_t count) {
    for (; count > 0; count /= 2) {
        if (count % 2 == 1) base::append_wtf8(target, text);
        base::append_wtf8(text, std::string(text));
    }
}

/// A string, or a list of [string, count].
std::string expanded(JsonView value) {
    std::string text(value.string());
    for (const JsonView part : value.elements()) {
        std::array<JsonView, 2> pair;
        std::size_t at = 0;
        for (const JsonView each : part.elements()) {
            if (at < pair.size()) pair[at++] = each;
        }
        append_times(text, std::string(pair[0].string()), static_cast<std::size_t>(pair[1].number()));
    }
    return text;
}

std::optional<std::string> expanded_if_there(JsonView value) {
    if (value.is_undefined()) return std::nullopt;
    return expanded(value);
}

Item item_of(JsonView value) {
    Item item;
    item.kind = kind_of(value["kind"].string()).value_or(Kind::other);
    item.text = expanded_if_there(value["text"]);
    item.name = expanded_if_there(value["name"]);
    item.call_id = expanded_if_there(value["callId"]);
    if (const JsonView is_error = value["isError"]; !is_error.is_undefined())
        item.is_error = is_error.is_true();
    if (const JsonView meta = value["meta"]; !meta.is_undefined()) item.meta = meta.text();
    return item;
}

void answer_item(std::string& answer, const Item& item) {
    write_item(answer, item);
    answer += '\n';
}

std::string bounds_answer(JsonView input) {
    const BoundedItem bounded = bound_item(item_of(input));
    std::string answer = R"({"item":)";
    write_item(answer, bounded.item);
    answer += bounded.truncated ? ",\"truncated\":true}\n" : ",\"truncated\":false}\n";
    return answer;
}

std::string thrown_text(JsonView thrown) {
    const JsonView with = thrown["with"];
    return with.is_number() ? base::number_text(with.number()) : std::string(with.string());
}

/// The session of a sink's case, which writes down what happens to it.
class CaseLog final : public Log {
  public:
    CaseLog(JsonView input, std::string& answer) : input_(input), answer_(answer) {}

    [[nodiscard]] std::optional<double> ignorable_level() const override {
        const JsonView level = input_["level"];
        if (!input_["append"].is_true() || !level.is_number()) return std::nullopt;
        return level.number();
    }

    base::Result<void> append_ignorable(std::string_view type, std::string_view data) override {
        answer_ += fmt::format("[\"append\",\"{}\",{},{{\"ignorable\":true}}]\n", type, data);
        const JsonView fails = input_["fails"];
        if (fails["at"].is_number() && fails["at"].number() == count_++) {
            return base::fail(base::ErrorKind::io, thrown_text(fails));
        }
        return {};
    }

  private:
    JsonView input_;
    std::string& answer_;
    double count_{0};
};

std::string sink_answer(JsonView input) {
    std::string answer;
    CaseLog log(input, answer);
    Sink sink(log, std::string(input["childId"].string()), std::string(input["provider"].string()),
              [&answer](const base::Error& error) {
                  answer += R"(["error",)";
                  base::write_json_string(answer, error.message);
                  answer += "]\n";
              });
    for (const JsonView step : input["steps"].elements()) {
        if (const JsonView stop = step["stop"]; !stop.is_undefined()) {
            base::Error reason;
            reason.message = thrown_text(stop);
            sink.stop(reason);
        } else {
            sink.push(item_of(step["push"]));
        }
    }
    return answer;
}

std::string coalescer_answer(JsonView input) {
    std::string answer;
    std::size_t number = 0;
    Coalescer coalescer([&](const Item& item) {
        answer += fmt::format("[{},", number);
        write_item(answer, item);
        answer += "]\n";
    });
    for (const JsonView step : input.elements()) {
        if (step.is_string()) {
            coalescer.flush();
        } else {
            coalescer.push(item_of(step));
        }
        ++number;
    }
    return answer;
}

std::string claude_answer(JsonView input) {
    std::string answer;
    for (const Item& item : map_claude_message(input)) answer_item(answer, item);
    return answer;
}

std::string acp_answer(JsonView input) {
    std::string answer;
    if (const std::optional<Item> item = map_acp_update(input)) answer_item(answer, *item);
    return answer;
}

}  // namespace

std::string_view function_name(Function function) {
    static constexpr std::array<std::string_view, all_functions.size()> names = {
        "boundSubagentStreamItem", "createSubagentStreamSink", "createSubagentStreamCoalescer",
        "mapClaudeMessage", "mapAcpUpdate"};
    return names[static_cast<std::size_t>(function)];
}

std::string answer_case(Function function, JsonView input) {
    switch (function) {
        case Function::bounds:
            return bounds_answer(input);
        case Function::sink:
            return sink_answer(input);
        case Function::coalescer:
            return coalescer_answer(input);
        case Function::claude:
            return claude_answer(input);
        case Function::acp:
            return acp_answer(input);
    }
    return {};
}

}  // namespace drydock::stream
