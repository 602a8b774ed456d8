#include "session/rows.hpp"

#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonView;

bool is_filled_string_array(JsonView value) {
    if (!value.is_array() || value.size() == 0) return false;
    for (const JsonView each : value.elements()) {
        if (!each.is_string()) return false;
    }
    return true;
}

/// Each gap, and each time that it leads to, is a safe integer.
bool times_stay_safe(JsonView first, JsonView gaps) {
    double time = first.number();
    for (const JsonView gap : gaps.elements()) {
        if (!is_safe_integer(gap)) return false;
        time += gap.number();
        if (!is_safe_integer(time)) return false;
    }
    return true;
}

bool has_call_keys(JsonView data) {
    return has_only_keys(data, {"turn", "step", "index", "id", "dt", "args"}, {"name"}) &&
           data["id"].is_string() && (data["name"].is_undefined() || data["name"].is_string());
}

/// `payload`: the key of the members' texts.
bool is_packed_row(JsonView line, std::string_view payload) {
    if (!has_only_keys(line, {"type", "seq0", "time0", "data"}) || !is_count(line["seq0"]) ||
        !is_safe_integer(line["time0"])) {
        return false;
    }
    const JsonView data = line["data"];
    const bool keys = payload == "args" ? has_call_keys(data)
                                        : has_only_keys(data, {"turn", "step", "index", "dt", "texts"});
    if (!keys || !data["turn"].is_number() || !data["step"].is_number() || !data["index"].is_number())
        return false;
    const JsonView members = data[payload];
    const JsonView gaps = data["dt"];
    return is_filled_string_array(members) && gaps.is_array() && gaps.size() == members.size() - 1 &&
           is_safe_integer(line["seq0"].number() + static_cast<double>(gaps.size())) &&
           times_stay_safe(line["time0"], gaps);
}

}  // namespace

StoredRow read_row(JsonView line) {
    StoredRow row;
    row.type = line["type"];
    const bool call = is_text(row.type, "tool-call-chunks");
    row.packed = call || is_text(row.type, "text-chunks") || is_text(row.type, "reasoning-chunks");
    if (!row.packed) {
        row.seq = line["seq"];
        return row;
    }
    const std::string_view payload = call ? "args" : "texts";
    row.malformed = !is_packed_row(line, payload);
    if (row.malformed) return row;
    row.seq = line["seq0"];
    row.events = line["data"][payload].size();
    return row;
}

}  // namespace drydock::session
