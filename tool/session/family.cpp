#include "session/family.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "session/values.hpp"
#include "stream/stream.hpp"

namespace drydock::session {
namespace {

using base::JsonView;

constexpr std::size_t most_faults = 20;

}  // namespace

std::optional<std::int64_t> time_of(const Row& row) {
    const JsonView time = row.value[row.packed ? "time0" : "time"];
    if (!is_safe_integer(time)) return std::nullopt;
    return static_cast<std::int64_t>(time.number());
}

void Span::take(std::optional<std::int64_t> time) {
    if (!time) return;
    if (!first) first = time;
    last = time;
}

/// Clocks go back, and times of old logs are in no order.
std::uint64_t Span::milliseconds() const {
    return first ? static_cast<std::uint64_t>(std::max<std::int64_t>(*last - *first, 0)) : 0;
}

void Family::on_header(const Header& header) {
    seed_ = header.seed_length.value_or(0);
}

void Family::on_row(const Row& row) {
    if (row.type == "subagent/descriptor") descriptor_ = read_descriptor(row.value["data"]);
    if (row.seq < seed_) return;
    delegations_.take(row);
    take_turn(row);
    const JsonView data = row.value["data"];
    if (row.type == stream::event_type) {
        take_step(row);
    } else if (row.type == "subagent/catalog") {
        take_catalog(row);
    } else if (row.type == "session/title" && data["title"].is_string()) {
        title_ = data["title"].string();
    } else if (row.type == "tool/result" && result_is_error(data)) {
        ++errors_;
    } else if (row.type.starts_with("tool-workflow/")) {
        take_workflow(row.type == "tool-workflow/run-start" || row.type == "tool-workflow/agent-start"
                          ? data
                          : JsonView());
    }
}

void Family::take_turn(const Row& row) {
    if (row.type == "turn/start") {
        ++turns_;
        open_turn_ = Span();
    }
    if (open_turn_) open_turn_->take(time_of(row));
    if (row.type != "turn/end") return;
    if (is_text(row.value["data"]["reason"]["kind"], "error")) ++errors_;
    if (open_turn_) settled_ += open_turn_->milliseconds();
    open_turn_.reset();
}

std::uint64_t Family::milliseconds() const {
    return settled_ + (open_turn_ ? open_turn_->milliseconds() : 0);
}

ChildFacts& Family::child(std::string_view id) {
    auto place = places_.find(id);
    if (place == places_.end()) {
        place = places_.emplace(id, children_.size()).first;
        children_.emplace_back().child_id = id;
    }
    return children_[place->second];
}

void Family::take_step(const Row& row) {
    const JsonView data = row.value["data"];
    if (!data["childId"].is_string()) return;
    ChildFacts& facts = child(data["childId"].string());
    if (facts.steps == 0 && facts.link.how == Link::How::none && !facts.in_workflow)
        facts.link = delegations_.claim();
    ++facts.steps;
    if (!data["truncated"].is_undefined()) ++facts.truncated;
    if (data["item"]["isError"].is_true()) ++facts.errors;
    if (data["provider"].is_string()) facts.provider = data["provider"].string();
    facts.span.take(time_of(row));
}

void Family::take_catalog(const Row& row) {
    const Catalog catalog = read_catalog(row.value["data"]);
    const auto fault = [this, &row](std::string_view what) {
        if (catalog_faults_.size() < most_faults)
            catalog_faults_.push_back(fmt::format("line {}: {}", row.line, what));
    };
    if (!catalog.refusal.empty()) return fault(catalog.refusal);
    if (catalog.malformed > 0)
        fault(
            fmt::format("{} in the catalog cannot be read",
                        catalog.malformed == 1 ? "an entry" : fmt::format("{} entries", catalog.malformed)));
    for (const CatalogEntry& entry : catalog.entries) {
        ChildFacts& facts = child(entry.child_id);
        if (!facts.in_catalog) catalog_order_.push_back(places_.find(entry.child_id)->second);
        facts.in_catalog = true;
        facts.mode = entry.mode;
        if (!entry.provider.empty()) facts.provider = entry.provider;
        if (entry.label) facts.label = entry.label;
        if (entry.call_id) facts.link = {Link::How::told, {*entry.call_id}, 0};
    }
}

void Family::take_workflow(JsonView data) {
    if (!data["runId"].is_string()) return;
    if (data["name"].is_string()) workflows_[std::string(data["runId"].string())] = data["name"].string();
    if (!is_filled_string(data["childId"])) return;
    ChildFacts& facts = child(data["childId"].string());
    facts.in_workflow = true;
    if (facts.link.how != Link::How::told) facts.link = {Link::How::told, {}, 0};
    if (data["label"].is_string()) facts.label = data["label"].string();
    const auto run = workflows_.find(data["runId"].string());
    if (run != workflows_.end()) facts.workflow = run->second;
}

std::vector<const ChildFacts*> Family::children() const {
    std::vector<const ChildFacts*> ordered;
    ordered.reserve(children_.size());
    for (const std::size_t place : catalog_order_) ordered.push_back(&children_[place]);
    for (const ChildFacts& each : children_) {
        if (!each.in_catalog) ordered.push_back(&each);
    }
    return ordered;
}

}  // namespace drydock::session
