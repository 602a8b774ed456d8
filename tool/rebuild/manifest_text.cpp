#include "rebuild/manifest_text.hpp"

#include <algorithm>
#include <cctype>

namespace drydock::rebuild {
namespace {

bool is_part_of_version(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

std::size_t begin_of_line(const std::string& text, std::size_t line) {
    std::size_t at = 0;
    for (; line > 1 && at != std::string::npos; --line) {
        at = text.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    return at;
}

/// Where a `key:` ends whose value is `value`, from `from` on; npos when there is none.
std::size_t find_value(const std::string& text, std::size_t from, std::string_view key,
                       std::string_view value) {
    for (std::size_t at = text.find(key, from); at != std::string::npos; at = text.find(key, at + 1)) {
        const bool begins = at == 0 || std::string_view(" \n{,").find(text[at - 1]) != std::string_view::npos;
        std::size_t here = at + key.size();
        if (!begins || here >= text.size() || text[here] != ':') continue;
        here = text.find_first_not_of(" \"'", here + 1);
        if (here == std::string::npos || text.compare(here, value.size(), value) != 0) continue;
        const std::size_t end = here + value.size();
        if (end == text.size() || std::string_view(" \n\r\"',}").find(text[end]) != std::string_view::npos)
            return here;
    }
    return std::string::npos;
}

std::size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \r") == std::string_view::npos;
}

bool is_part_of_name(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("._-").find(letter) != std::string_view::npos;
}

std::string with_folder_renamed(std::string line, std::string_view old_path, std::string_view new_path) {
    for (std::size_t at = line.find(old_path); at != std::string::npos;) {
        const std::size_t end = at + old_path.size();
        const bool begins =
            at == 0 || (line[at - 1] == '/' ? at > 1 && line[at - 2] == '.' : !is_part_of_name(line[at - 1]));
        if (begins && (end == line.size() || !is_part_of_name(line[end]))) {
            line.replace(at, old_path.size(), new_path);
            at = line.find(old_path, at + new_path.size());
        } else {
            at = line.find(old_path, at + 1);
        }
    }
    return line;
}

}  // namespace

bool ManifestText::set(std::size_t line, std::string_view key, std::string_view old_value,
                       std::string_view new_value) {
    const std::size_t begin = begin_of_line(text_, line);
    if (begin == std::string::npos) return false;
    const std::size_t at = find_value(text_, begin, key, old_value);
    if (at == std::string::npos) return false;
    text_.replace(at, old_value.size(), new_value);
    return true;
}

void ManifestText::rename_version(std::string_view old_version, std::string_view new_version) {
    for (std::size_t at = text_.find(old_version); at != std::string::npos;) {
        const std::size_t end = at + old_version.size();
        const char before = at == 0 ? '\n' : text_[at - 1];
        const bool begins = before == 'v' || (!is_part_of_version(before) && before != '.');
        const bool ends =
            end == text_.size() || (!is_part_of_version(text_[end]) &&
                                    !(text_[end] == '.' && end + 1 < text_.size() &&
                                      std::isdigit(static_cast<unsigned char>(text_[end + 1])) != 0));
        if (begins && ends) {
            text_.replace(at, old_version.size(), new_version);
            at = text_.find(old_version, at + new_version.size());
        } else {
            at = text_.find(old_version, at + 1);
        }
    }
}

void ManifestText::rename_folder(std::string_view key, std::string_view old_path, std::string_view new_path) {
    std::string renamed;
    bool inside = false;
    for (std::string_view rest = text_; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end);
        if (std::string_view(" -#\r\n").find(line.front()) == std::string_view::npos) {
            inside = line.starts_with(key) && line.substr(key.size()).starts_with(':');
        }
        renamed += inside ? with_folder_renamed(std::string(line), old_path, new_path) : std::string(line);
    }
    text_ = std::move(renamed);
}

void ManifestText::remove_blocks(std::string_view key, bool top_only) {
    std::string kept;
    std::size_t removed_from = std::string::npos;  // the indentation of the block that is being taken out
    std::string_view rest = text_;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end);
        const std::string_view plain = line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
        const std::size_t depth = indentation(plain);
        if (removed_from != std::string::npos) {
            const bool item = depth == removed_from && plain.substr(depth).starts_with("- ");
            if (is_blank(plain) || depth > removed_from || item) continue;
            removed_from = std::string::npos;
        }
        const std::string_view words = plain.substr(depth);
        if (words.starts_with(key) && words.substr(key.size()).starts_with(':') &&
            (!top_only || depth == 0)) {
            removed_from = depth;
            continue;
        }
        kept += line;
    }
    text_ = std::move(kept);
}

}  // namespace drydock::rebuild
