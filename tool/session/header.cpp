#include "session/header.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "base/utf.hpp"
#include "session/values.hpp"

namespace drydock::session {
namespace {

using base::JsonDocument;
using base::JsonView;

constexpr std::size_t longest_project = 251;  ///< UTF-16 units, without the dashes around it

bool stays_in_names(std::string_view character) {
    if (character.size() != 1) return false;
    const char each = character[0];
    return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
           each == '.' || each == '_' || each == '-';
}

/// The bytes of the character that a WTF-8 text begins with.
std::string_view first_character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return text.substr(0, size);
}

/// `~XXXX` for each UTF-16 unit of a character.
void escape_character(std::string& target, std::string_view character) {
    std::uint32_t code = static_cast<unsigned char>(character[0]);
    if (character.size() > 1) code &= 0x7FU >> character.size();
    for (const char each : character.substr(1))
        code = code << 6U | (static_cast<unsigned char>(each) & 0x3FU);
    if (code < 0x10000) {
        fmt::format_to(std::back_inserter(target), "~{:04X}", code);
        return;
    }
    code -= 0x10000;
    fmt::format_to(std::back_inserter(target), "~{:04X}~{:04X}", 0xD800 + (code >> 10U),
                   0xDC00 + (code & 0x3FFU));
}

std::string session_name(std::string_view id) {
    if (id == ".") return "~002E";
    if (id == "..") return "~002E~002E";
    std::string name;
    while (!id.empty()) {
        const std::string_view character = first_character(id);
        if (stays_in_names(character)) {
            name += character;
        } else {
            escape_character(name, character);
        }
        id.remove_prefix(character.size());
    }
    return name;
}

std::string project_name(std::string_view cwd) {
    std::string slug;
    bool in_separators = false;
    while (!cwd.empty()) {
        const std::string_view character = first_character(cwd);
        const bool separator = character == "/" || character == "\\" || character == ":";
        if (separator) {
            if (!in_separators) slug += '-';
        } else if (stays_in_names(character)) {
            slug += character;
        } else {
            escape_character(slug, character);
        }
        in_separators = separator;
        cwd.remove_prefix(character.size());
    }
    slug.erase(0, slug.find_first_not_of('-'));
    if (slug.empty()) slug = "root";
    return "--" + slug.substr(0, longest_project) + "--";
}

std::string version_refusal(double version) {
    return fmt::format(
        "log format {}, expected 0: {}", base::number_text(version),
        version > 0 ? "a newer harness wrote it; open it with that one" : "older than any that can be read");
}

/// The loader looks at these before it takes a line for a header.
bool has_shape(JsonView line) {
    const JsonView origin = line["origin"];
    const JsonView preset = line["agentPreset"];
    return is_text(line["type"], "session") && line["version"].is_number() && line["id"].is_string() &&
           is_written_count(line["createdAt"]) && is_written_count(line["delegationDepth"]) &&
           (origin.is_undefined() || is_text(origin, "subagent")) &&
           (preset.is_undefined() || preset.is_string());
}

Header header_of(JsonView line) {
    Header header;
    header.id = line["id"].string();
    header.created_at = static_cast<std::uint64_t>(line["createdAt"].number());
    header.cwd = text_of(line["cwd"]);
    header.parent = text_of(line["parentSession"]);
    if (is_count(line["seedLength"]))
        header.seed_length = static_cast<std::uint64_t>(line["seedLength"].number());
    header.is_subagent = !line["origin"].is_undefined();
    header.delegation_depth = static_cast<std::uint64_t>(line["delegationDepth"].number());
    header.agent_preset = text_of(line["agentPreset"]);
    return header;
}

bool has_retired_key(JsonView line) {
    return !line["sandboxMode"].is_undefined() || !line["approvalPolicy"].is_undefined();
}

/// What the session that is built from it does not take.
std::string later_refusal(JsonView line) {
    const JsonView cwd = line["cwd"];
    if (!cwd.is_undefined() && !cwd.is_string()) return "the header's cwd is no text";
    if (cwd.is_string() && cwd.string().substr(0, 1) != "/") return "the header's cwd is no absolute path";
    const JsonView parent = line["parentSession"];
    if (!parent.is_undefined() && !parent.is_string()) return "the header's parentSession is no text";
    const JsonView seed = line["seedLength"];
    if (!seed.is_undefined() && !is_count(seed)) return "the header's seedLength is no count";
    return {};
}

}  // namespace

std::optional<std::string> place_of(const Header& header) {
    if (header.id.empty() || (header.cwd && header.cwd->empty())) return std::nullopt;
    return (header.cwd ? project_name(*header.cwd) : "_no-cwd") + '/' + session_name(header.id);
}

HeaderReading read_header(std::string_view line) {
    HeaderReading reading;
    JsonDocument document;
    const auto parsed = document.parse(base::repair_utf8(line));
    if (!parsed) {
        reading.refusal = "the header line is no JSON: " + parsed.error().message;
        return reading;
    }
    const JsonView version = (*parsed)["version"];
    if (version.is_number() && version.number() != 0) {
        reading.refusal = version_refusal(version.number());
    } else if (!has_shape(*parsed)) {
        reading.refusal = "the first line is no session header";
    } else if (has_retired_key(*parsed)) {
        reading.refusal = "the header has a retired key: sandboxMode or approvalPolicy";
    } else {
        reading.header = header_of(*parsed);
        reading.later = later_refusal(*parsed);
    }
    return reading;
}

ListedHeader list_header(std::string_view line) {
    JsonDocument document;
    const auto parsed = document.parse(base::repair_utf8(line));
    if (!parsed || !has_shape(*parsed)) return {};
    if (has_retired_key(*parsed)) return {std::nullopt, true};
    return {header_of(*parsed), false};
}

}  // namespace drydock::session
