#include "tests/fuzz/stream_checks.hpp"

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/append.hpp"
#include "stream/cases.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/log_checks.hpp"
#include "tests/session/logs.hpp"

namespace drydock::fuzz {
namespace {

/// A parent's log, which is appended to as the patched harness does.
class ParentLog final : public stream::Log {
  public:
    [[nodiscard]] std::optional<double> ignorable_level() const override { return 1; }

    base::Result<void> append_ignorable(std::string_view type, std::string_view data) override {
        base::JsonDocument document;
        base::JsonDocument options;
        const auto written = document.parse(data);
        require(written && (*written)["index"].number() == static_cast<double>(events_++),
                "an event that is out of order");
        const auto event =
            appender_.append(type, *written, options.parse(R"({"ignorable":true})").value(), 1'000);
        require(event.has_value(), "an event that cannot be appended");
        text_ += *event + "\n";
        return {};
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    session::Appender appender_{session::AppendRules::patched, "a"};
    std::string text_ = test::usual_header() + "\n";
    std::uint64_t events_{0};
};

/// All that may be joined is, however long it gets.
std::vector<stream::Item> all_joined(const std::vector<stream::Item>& items) {
    std::vector<stream::Item> result;
    for (const stream::Item& item : items) {
        const bool bare = item.text && !item.name && !item.call_id && !item.is_error && !item.meta;
        const bool joins = bare && !result.empty() && result.back().kind == item.kind &&
                           (item.kind == stream::Kind::assistant || item.kind == stream::Kind::thought);
        if (joins) {
            base::append_wtf8(*result.back().text, *item.text);
        } else {
            result.push_back(item);
        }
    }
    return result;
}

void check_joining(const std::vector<stream::Item>& items) {
    std::vector<stream::Item> emitted;
    stream::Coalescer coalescer([&emitted](stream::Item item) { emitted.push_back(std::move(item)); });
    for (const stream::Item& item : items) coalescer.push(item);
    coalescer.flush();
    require(all_joined(emitted) == all_joined(items), "what is joined is not what was said");
}

}  // namespace

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

void check_extents(const stream::Item& whole, const stream::Item& bounded) {
    const stream::BoundedItem from_whole = stream::bound_item(whole);
    const stream::BoundedItem from_bounded = stream::bound_item(bounded);
    require(from_whole.item == from_bounded.item && from_whole.truncated == from_bounded.truncated,
            "what the bounds need is not all there");
}

void check_recording(stream::Source source, std::string_view lines, const std::vector<stream::Item>& items) {
    ParentLog log;
    stream::Sink sink(log, "child", "fuzz",
                      [](const base::Error&) { require(false, "a sink that stopped"); });
    stream::Recording recording(source, sink);
    each_message(lines, [&](base::JsonView message) { recording.record(message); });
    recording.close();
    session::Review review;
    const session::Judgement judgement = judged(log.text(), session::Encoding::plain, &review);
    require(judgement.stock.verdict == session::Verdict::opens && judgement.events == log.events(),
            "what is recorded does not open");
    if (source == stream::Source::acp) check_joining(items);
    require(
        source == stream::Source::acp ? items.empty() == (log.events() == 0) : items.size() == log.events(),
        "another number of events than of items");
    require(review.findings().empty(), "what is recorded has a finding");
    require(log.events() == 0 ? review.children().empty()
                              : review.children().size() == 1 && review.children()[0].steps == log.events(),
            "what is recorded has other steps");
}

void each_message(std::string_view lines, const std::function<void(base::JsonView)>& take) {
    base::JsonDocument document;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n'));
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        if (const auto message = document.parse(base::repair_utf8(line))) take(*message);
    }
}

std::string make_messages(stream::Source source, std::uint32_t seed, std::uint64_t number) {
    const bool acp = source == stream::Source::acp;
    if (number < edge_messages) {
        const std::string text(stream::largest_text - 16 + static_cast<std::size_t>(number / 2), 'x');
        const std::string input = number % 2 == 0 ? "{\"k\":\"" + text.substr(12) + "\"}" : '"' + text + '"';
        return fmt::format(fmt::runtime(acp ? R"({{"sessionUpdate":"tool_call","rawInput":{}}})"
                                            : R"({{"type":"assistant","message":{{"content":[)"
                                              R"({{"type":"tool_use","input":{}}}]}}}})"),
                           input);
    }
    const stream::Function function = acp ? stream::Function::acp : stream::Function::claude;
    std::string text;
    for (std::uint64_t left = 1 + number % 3; left > 0; --left)
        text += stream::make_case(function, seed, number * 3 + left) + "\n";
    return text;
}

}  // namespace drydock::fuzz
