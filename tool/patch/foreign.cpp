#include "patch/foreign.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

#include "patch/lines.hpp"

namespace drydock::patch {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool take_digits(std::string_view& text) {
    const auto* const end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto length = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(length);
    return length > 0;
}

/// `N` or `N,M`.
bool take_lines(std::string_view& text) {
    if (!take_digits(text)) return false;
    if (!text.starts_with(',')) return true;
    text.remove_prefix(1);
    return take_digits(text);
}

/// `1,2c3,4`, before the lines with `<` and `>`.
bool is_normal_command(std::string_view line) {
    if (!take_lines(line) || line.empty() || (line[0] != 'a' && line[0] != 'c' && line[0] != 'd'))
        return false;
    line.remove_prefix(1);
    return take_lines(line) && line.empty();
}

/// `5a`, `1,2c`, `3d`: the letter, or 0.
char addressed_ed_command(std::string_view line) {
    if (!take_lines(line) || line.size() != 1) return '\0';
    return std::string_view("acdi").find(line[0]) == std::string_view::npos ? '\0' : line[0];
}

bool starts_with_any_case(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() &&
           std::equal(prefix.begin(), prefix.end(), text.begin(), [](char expected, char found) {
               return expected == static_cast<char>(std::tolower(static_cast<unsigned char>(found)));
           });
}

bool is_encoded_mail(std::string_view line) {
    constexpr std::string_view field = "content-transfer-encoding:";
    if (!starts_with_any_case(line, field)) return false;
    line.remove_prefix(field.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return starts_with_any_case(line, "base64") || starts_with_any_case(line, "quoted-printable");
}

bool says_binary(std::string_view line) {
    const bool names_two = line.starts_with("Binary files ") || line.starts_with("Files ");
    return (names_two && line.ends_with(" differ")) ||
           line == "Cannot display: file marked as a binary type.";
}

std::optional<int> two_digits(std::string_view text) {
    int value = 0;
    if (text.size() < 2 || !is_digit(text[0]) || !is_digit(text[1])) return std::nullopt;
    std::from_chars(text.data(), text.data() + 2, value);
    return value;
}

}  // namespace

std::optional<std::string> ForeignFormats::look_at(const PatchReader& reader) {
    // Nearly all lines of a large text are told from these by their first character alone.
    static constexpr std::string_view first_characters = "@d*0123456789BFCcG.!rs";
    const std::string_view line = without_cr(reader.line());
    if (line.empty()) return std::nullopt;
    const bool begins = !std::exchange(begun_, true);
    if (ed_insert_ && line.find('\0') != std::string_view::npos) ed_insert_ = false;  // no script, but noise
    if (first_characters.find(line[0]) == std::string_view::npos) return std::nullopt;
    if (begins) ed_begins_ = is_ed_command(line);
    return look_at(line, without_cr(reader.second_line()));
}

std::optional<std::string> ForeignFormats::look_at(std::string_view line, std::string_view next) {
    if (line.starts_with("@@@ ") || line.starts_with("diff --cc ") || line.starts_with("diff --combined ")) {
        return "a combined diff of a merge; expected a diff against one parent";
    }
    if (line == "***************" && next.starts_with("*** ")) {
        return "a context diff; expected a unified one (diff -u)";
    }
    if (is_normal_command(line) && (next.starts_with("< ") || next.starts_with("> "))) {
        return "a normal diff; expected a unified one (diff -u)";
    }
    if (says_binary(line)) return binary_without_contents;
    if (line == "GIT binary patch") return binary_patch;
    if (is_encoded_mail(line)) {
        return "a mail whose text is encoded (base64 or quoted-printable); save it decoded";
    }
    if (line == "." && ed_insert_) return ed_script;
    const char command = addressed_ed_command(line);
    ed_insert_ = ed_insert_ || (command != '\0' && command != 'd');
    return std::nullopt;
}

std::string ForeignFormats::nothing_found() const {
    if (ed_begins_) return ed_script;
    return "no patch found in it; expected a unified diff (diff -u, git diff)";
}

bool is_ed_command(std::string_view line) {
    if (addressed_ed_command(line) != '\0' || line.starts_with('!') || line.starts_with("r !")) return true;
    take_lines(line);
    return line.starts_with("s/");
}

bool starts_commit(std::string_view line) {
    for (const std::string_view word : {"From ", "commit "}) {
        if (!line.starts_with(word)) continue;
        const std::string_view rest = line.substr(word.size());
        const auto* const end =
            std::find_if_not(rest.begin(), rest.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
        const auto length = end - rest.begin();
        if (length == 40 || length == 64) return true;
    }
    return false;
}

bool is_epoch(std::string_view timestamp) {
    if (!timestamp.starts_with('\t')) return false;
    timestamp.remove_prefix(1);
    constexpr std::string_view day_of = "1970-01-01 ";
    constexpr std::string_view day_before = "1969-12-31 ";
    const bool same_day = timestamp.starts_with(day_of);
    if (!same_day && !timestamp.starts_with(day_before)) return false;
    const std::string_view time = timestamp.substr(day_of.size());  // HH:MM:SS[.FRACTION] ±HHMM
    const std::size_t zone = time.find(' ');
    if (time.size() < 8 || zone == std::string_view::npos || zone + 5 >= time.size()) return false;
    const std::string_view fraction = time.substr(8, zone - 8);
    if (!std::all_of(fraction.begin(), fraction.end(), [](char c) { return c == '.' || c == '0'; }))
        return false;
    const auto hours = two_digits(time);
    const auto minutes = two_digits(time.substr(3));
    const auto zone_hours = two_digits(time.substr(zone + 2));
    const auto zone_minutes = two_digits(time.substr(zone + 4));
    if (!hours || !minutes || !zone_hours || !zone_minutes || time.substr(6, 2) != "00") return false;
    const int local = *hours * 60 + *minutes - (same_day ? 0 : 24 * 60);
    const int east = *zone_hours * 60 + *zone_minutes;
    return local == (time[zone + 1] == '-' ? -east : east);
}

}  // namespace drydock::patch
