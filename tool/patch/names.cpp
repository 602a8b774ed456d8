#include "patch/names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace drydock::patch {
namespace {

struct Escape {
    char letter;
    char byte;
};
constexpr std::array<Escape, 9> escapes{{{'a', '\a'},
                                         {'b', '\b'},
                                         {'t', '\t'},
                                         {'n', '\n'},
                                         {'v', '\v'},
                                         {'f', '\f'},
                                         {'r', '\r'},
                                         {'"', '"'},
                                         {'\\', '\\'}}};

bool is_octal(char c) {
    return c >= '0' && c <= '7';
}

/// The byte that the escape at the start of `text` (after the backslash) stands for, and its length.
std::optional<std::pair<char, std::size_t>> read_escape(std::string_view text) {
    if (text.empty()) return std::nullopt;
    for (const Escape& escape : escapes) {
        if (escape.letter == text[0]) return std::pair{escape.byte, std::size_t{1}};
    }
    if (text.size() < 3 || text[0] > '3' || !std::all_of(text.begin(), text.begin() + 3, is_octal)) {
        return std::nullopt;
    }
    const int value = (text[0] - '0') * 64 + (text[1] - '0') * 8 + (text[2] - '0');
    return std::pair{static_cast<char>(value), std::size_t{3}};
}

/// The escape sequence for a byte that has one.
std::optional<std::string> escaped(char c) {
    for (const Escape& escape : escapes) {
        if (escape.byte == c) return std::string{'\\', escape.letter};
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return fmt::format("\\{:03o}", byte);
    return std::nullopt;
}

/// The length of the UTF-8 character at the start of `text`, or 0 when there is none.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    const unsigned second = byte(1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return 0;
    }
    return length;
}

/// In any case: some file systems know no difference.
bool is_git_directory(std::string_view component) {
    constexpr std::string_view git = ".git";
    return std::equal(component.begin(), component.end(), git.begin(), git.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

std::vector<std::string_view> components(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const std::size_t slash = name.find('/');
        const std::string_view part = name.substr(0, slash);
        if (!part.empty()) parts.push_back(part);
        name = slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
    }
    return parts;
}

}  // namespace

std::optional<Unquoted> unquote(std::string_view text) {
    if (text.empty() || text[0] != '"') return std::nullopt;
    Unquoted result;
    std::size_t at = 1;
    while (at < text.size() && text[at] != '"') {
        if (text[at] != '\\') {
            result.name += text[at++];
            continue;
        }
        const auto escape = read_escape(text.substr(at + 1));
        if (!escape) return std::nullopt;
        result.name += escape->first;
        at += 1 + escape->second;
    }
    if (at >= text.size()) return std::nullopt;
    result.length = at + 1;
    return result;
}

std::string quote(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        const std::optional<std::string> escape = escaped(c);
        quoted += escape ? *escape : std::string(1, c);
    }
    return quoted + "\"";
}

std::string quote_if_needed(std::string_view name) {
    const bool needed = std::any_of(name.begin(), name.end(), [](char c) { return escaped(c).has_value(); });
    return needed ? quote(name) : std::string(name);
}

tl::expected<std::string, std::string> path_from_name(std::string_view name, unsigned strip) {
    if (name.empty()) return tl::unexpected<std::string>("a name is empty");
    if (name.find('\0') != std::string_view::npos) {
        return tl::unexpected(fmt::format("the name {} has a NUL in it", shown(name)));
    }
    if (name[0] == '/') {
        return tl::unexpected(
            fmt::format("the name {} is absolute; expected one below the directory", shown(name)));
    }
    std::vector<std::string_view> parts = components(name);
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
        return tl::unexpected(fmt::format("the name {} leaves the directory with '..'", shown(name)));
    }
    if (parts.size() <= strip) {
        return tl::unexpected(fmt::format("the name {} has nothing left when {} leading {} taken off; see -p",
                                          shown(name), strip,
                                          strip == 1 ? "component is" : "components are"));
    }
    if (std::any_of(parts.begin() + static_cast<std::ptrdiff_t>(strip), parts.end(), is_git_directory)) {
        return tl::unexpected(
            fmt::format("the name {} lies in a .git directory; what is there is git's own and is not patched",
                        shown(name)));
    }
    std::string path;
    for (std::size_t i = strip; i < parts.size(); ++i) {
        if (parts[i] == ".") continue;
        if (!path.empty()) path += '/';
        path += parts[i];
    }
    if (path.empty() || name.back() == '/') {
        return tl::unexpected(fmt::format("the name {} names a directory; expected a file", shown(name)));
    }
    return path;
}

std::string shown(std::string_view text) {
    static constexpr std::size_t longest = 60;
    std::string result = "'";
    std::size_t at = 0;
    while (at < text.size() && at < longest) {
        const std::size_t length = character_length(text.substr(at));
        if (length == 0) {
            result += fmt::format("\\{:03o}", static_cast<unsigned char>(text[at++]));
            continue;
        }
        const bool plain = text[at] == '"' || text[at] == '\\';
        const std::optional<std::string> escape = plain ? std::nullopt : escaped(text[at]);
        result += escape ? *escape : std::string(text.substr(at, length));
        at += length;
    }
    return result + (at < text.size() ? "…'" : "'");
}

}  // namespace drydock::patch
