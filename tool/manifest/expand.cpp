#include <fmt/format.h>

#include "manifest/manifest.hpp"
#include "manifest/names.hpp"
#include "manifest/yaml.hpp"

namespace drydock::manifest {

namespace {

/// What stands between `${` and `}`.
struct Variable {
    std::string_view name;
    std::optional<std::string_view> otherwise;
};

base::Result<Variable> read_variable(std::string_view inside, std::string_view text) {
    Variable variable{inside, std::nullopt};
    if (const std::size_t mark = inside.find(":-"); mark != std::string_view::npos) {
        variable = {inside.substr(0, mark), inside.substr(mark + 2)};
    }
    const bool nested = variable.otherwise && variable.otherwise->find("${") != std::string_view::npos;
    if (is_variable_name(variable.name) && !nested) return variable;
    return base::fail(
        base::ErrorKind::usage,
        fmt::format("{} holds a variable that cannot be read; expected ${{NAME}} or ${{NAME:-default}}",
                    in_quotes(text)));
}

base::Result<std::string> value_of(const Variable& variable, const Environment& environment) {
    const std::optional<std::string> value = environment(variable.name);
    if (value && !value->empty()) return *value;
    if (variable.otherwise) return std::string(*variable.otherwise);
    return base::fail(base::ErrorKind::usage,
                      fmt::format("${{{}}} is {}; set it, or give the directory with --root NAME=DIR",
                                  variable.name, value ? "empty" : "not set"));
}

}  // namespace

base::Result<std::string> expand(std::string_view text, const Environment& environment) {
    std::string filled;
    std::string_view rest = text;
    for (std::size_t start = rest.find("${"); start != std::string_view::npos; start = rest.find("${")) {
        filled += rest.substr(0, start);
        rest.remove_prefix(start + 2);
        const std::size_t end = rest.find('}');
        if (end == std::string_view::npos) {
            return base::fail(base::ErrorKind::usage,
                              fmt::format("{} has a '${{' without its '}}'", in_quotes(text)));
        }
        const base::Result<Variable> variable = read_variable(rest.substr(0, end), text);
        if (!variable) return base::fail(variable.error());
        base::Result<std::string> value = value_of(*variable, environment);
        if (!value) return value;
        filled += *value;
        rest.remove_prefix(end + 1);
    }
    filled += rest;
    return filled;
}

}  // namespace drydock::manifest
