#include "cli/render_problems.hpp"

#include <string_view>

#include "cli/text.hpp"

namespace drydock::cli {
namespace {

void append(std::string& text, std::string_view before, base::Error error, bool details) {
    error.package = unscoped(error.package);
    text += before;
    text += printable(base::describe(error)) + '\n';
    if (!details) return;
    for (const std::string& detail : error.details) text += "  " + printable(detail) + '\n';
}

}  // namespace

std::string problems_text(const std::vector<base::Error>& problems) {
    std::string text;
    for (const base::Error& problem : problems) append(text, "drydock: ", problem, true);
    return text;
}

std::string notes_text(const std::vector<base::Error>& notes, bool details) {
    std::string text;
    for (const base::Error& note : notes) append(text, "drydock: note: ", note, details);
    return text;
}

}  // namespace drydock::cli
