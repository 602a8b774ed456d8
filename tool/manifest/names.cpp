#include "manifest/names.hpp"

#include <algorithm>
#include <utility>

namespace drydock::manifest {

namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_name_part(std::string_view part) {
    if (part.empty() || part.front() == '.') return false;
    return std::all_of(part.begin(), part.end(), [](char c) {
        return is_lower(c) || is_upper(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
    });
}

}  // namespace

bool is_plain_version(std::string_view version) {
    if (version.empty() || version.front() == '.') return false;
    return std::all_of(version.begin(), version.end(), [](char c) {
        return is_lower(c) || is_upper(c) || is_digit(c) || c == '.' || c == '-' || c == '+' || c == '_';
    });
}

bool is_package_name(std::string_view name) {
    if (!name.starts_with('@')) return is_name_part(name);
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return false;
    return is_name_part(name.substr(1, slash - 1)) && is_name_part(name.substr(slash + 1));
}

std::string_view unscoped(std::string_view name) {
    return name.substr(name.find('/') + 1);  // npos + 1 is 0: no scope
}

bool is_variable_name(std::string_view name) {
    if (name.empty() || is_digit(name.front())) return false;
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; });
}

tl::unexpected<base::Error> refused(std::string file, std::size_t line, std::string message) {
    return base::fail(base::error_at(base::ErrorKind::usage, std::move(file), line, std::move(message)));
}

}  // namespace drydock::manifest
