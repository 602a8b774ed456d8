#include "session/append.hpp"

#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "session/event.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::ErrorKind;
using base::JsonMember;
using base::JsonView;

/// Whether JSON keeps all of it.
bool is_lossless(JsonView value) {
    if (value.is_undefined()) return false;
    std::vector<JsonView> pending = {value};
    while (!pending.empty()) {
        const JsonView each = pending.back();
        pending.pop_back();
        const double number = each.number();
        if (each.is_number() && (!std::isfinite(number) || (number == 0 && std::signbit(number))))
            return false;
        for (const JsonView element : each.elements()) pending.push_back(element);
        for (const JsonMember member : each.members()) pending.push_back(member.value);
    }
    return true;
}

std::string refusal_of(std::string_view type, JsonView data, JsonView options) {
    if (!is_lossless(data)) return fmt::format("the data of the {} holds what JSON does not keep", type);
    if (type == "request/header-delta") return "the retired event type request/header-delta";
    if (type == "request/header" && is_text(data["reason"], "fallback"))
        return "a request/header with the retired reason fallback";
    for (const std::string_view key : {"sourceEventSeqs", "surfaceOp"}) {
        if (!options[key].is_undefined() && !is_lossless(options[key]))
            return fmt::format("the {} of the {} holds what JSON does not keep", key, type);
    }
    return {};
}

}  // namespace

base::Result<std::string> Appender::append(std::string_view type, JsonView data, JsonView options,
                                           std::int64_t time) {
    const bool marked = rules_ == AppendRules::patched && options["ignorable"].is_true();
    std::string refusal = refusal_of(type, data, options);
    if (refusal.empty() && marked && !options["surfaceOp"].is_undefined())
        refusal = fmt::format("the {} is marked ignorable and has a surfaceOp", type);
    Row row;
    row.seq = next_seq_;
    row.type = type;
    row.value = options;
    if (refusal.empty()) refusal = surface_.take({&row, type, true, data, Form::current});
    if (!refusal.empty()) return base::fail(ErrorKind::usage, std::move(refusal));

    std::string event = "{\"type\":";
    base::write_json_string(event, type);
    fmt::format_to(std::back_inserter(event), ",\"seq\":{},\"time\":{},\"data\":", next_seq_++, time);
    data.write(event);
    if (marked) event += ",\"ignorable\":true";
    for (const std::string_view key : {"sourceEventSeqs", "surfaceOp"}) {
        if (options[key].is_undefined()) continue;
        fmt::format_to(std::back_inserter(event), ",\"{}\":", key);
        options[key].write(event);
    }
    return event + '}';
}

}  // namespace drydock::session
