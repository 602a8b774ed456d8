#include "patch/explain.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "patch/names.hpp"

namespace drydock::patch {
namespace {

std::size_t own_line(const Hunk& hunk) {
    return hunk.old_count == 0 ? hunk.old_start : hunk.old_start - 1;
}

std::string_view name_of(Ending ending) {
    switch (ending) {
        case Ending::lf:
            return "LF";
        case Ending::crlf:
            return "CRLF";
        case Ending::none:
            break;
    }
    return "no newline";
}

std::string lines(std::size_t count) {
    return fmt::format("{} line{}", count, count == 1 ? "" : "s");
}

/// Why a hunk whose lines all stand at `place` (from 0) must not go there.
std::string forbidden_place(const Hunk& hunk, std::size_t place, const Locator& locator) {
    const std::size_t line = place + 1;
    if (place < locator.floor()) {
        return fmt::format("fits only at line {}, before the end of the hunk before it (line {})", line,
                           locator.floor());
    }
    const bool no_context =
        hunk.lines.front().kind != LineKind::context && hunk.lines.back().kind != LineKind::context;
    if (no_context && place == own_line(hunk)) {
        const bool ends_file =
            hunk.lines.back().ending == Ending::none || hunk.lines.front().ending == Ending::none;
        return ends_file ? fmt::format(
                               "leaves the file without a newline at its end, and its lines stand at "
                               "line {}, where the file goes on",
                               line)
                         : fmt::format(
                               "has no context, and the hunk before it had moved, so that line {}, "
                               "where its lines stand, is no sure place",
                               line);
    }
    if (no_context) {
        return fmt::format(
            "has no context, so that it is taken at its own line {} only, but its lines stand at line {}",
            own_line(hunk) + 1, line);
    }
    const bool at_end =
        hunk.lines.back().kind != LineKind::context || hunk.lines.back().ending == Ending::none;
    const bool at_begin = hunk.old_start <= 1 || hunk.lines.front().kind != LineKind::context;
    const std::string_view where = at_end ? "end" : at_begin ? "beginning" : "beginning or end";
    return fmt::format("fits only at line {}, but its context is that of the {} of a file", line, where);
}

/// The first line at `place` that is not as the hunk wants it, in two lines of text.
std::vector<std::string> compare_at(const Side& side, std::size_t place, LineTable& table) {
    std::vector<std::string> details;
    std::size_t line = place;
    std::optional<std::size_t> offset = table.offset(place);
    side.each([&](const Line& wanted) {
        ++line;
        if (!offset || *offset == table.text().size()) {
            details = {fmt::format("line {} should be {}", line, shown(wanted.text)),
                       "the file has " + lines(table.count())};
            return false;
        }
        const FileLine found = line_at(table.text(), *offset);
        offset = found.next;
        if (found.text == wanted.text && found.ending == wanted.ending) return true;
        if (found.text == wanted.text) {
            details = {fmt::format("line {} should end with {}, not with {}: {}", line,
                                   name_of(wanted.ending), name_of(found.ending), shown(found.text))};
        } else {
            details = {fmt::format("line {} should be {}", line, shown(wanted.text)),
                       fmt::format("line {} is        {}", line, shown(found.text))};
        }
        return false;
    });
    return details;
}

void explain_nowhere(const Hunk& hunk, Locator& locator, base::Error& error) {
    const Side side = Side::old_of(hunk);
    const std::size_t own = own_line(hunk);
    if (side.count() == 0) {
        error.message +=
            fmt::format("adds lines after line {} without any context, and that is no sure place: ", own);
        error.message += own > locator.table().count() ? "the file has " + lines(locator.table().count())
                                                       : "the hunk before it had moved or reaches further";
        return;
    }
    if (const std::optional<std::size_t> place = locator.anywhere(side, own)) {
        error.line = *place + 1;
        error.message += forbidden_place(hunk, *place, locator);
        return;
    }
    const Locator::Likeness nearest = locator.most_alike(side, own);
    if (nearest.agreeing == 0) {
        error.message +=
            fmt::format("does not fit: none of its {} old lines is near line {}", side.count(), own + 1);
        error.details = compare_at(side, own, locator.table());
        return;
    }
    error.line = nearest.line + 1;
    error.message += fmt::format("does not fit; at line {}, the nearest place, {} of {} lines agree",
                                 nearest.line + 1, nearest.agreeing, side.count());
    error.details = compare_at(side, nearest.line, locator.table());
}

}  // namespace

base::Error explain(const FilePatch& file, std::size_t index, const Refusal& refusal, Locator& locator) {
    const Hunk& hunk = file.hunks[index];
    base::Error error;
    error.kind = base::ErrorKind::conflict;
    error.file = path_of(file);
    error.message =
        fmt::format("hunk {} of {} ({}:{}) ", index + 1, file.hunks.size(), file.patch_name, hunk.line);
    const std::size_t first = refusal.first + 1;
    const std::size_t second = refusal.second + 1;
    switch (refusal.why) {
        case Refusal::Why::nowhere:
            explain_nowhere(hunk, locator, error);
            break;
        case Refusal::Why::two_places:
            error.message +=
                fmt::format("is ambiguous: it fits at line {} and, equally near, at line {}", first, second);
            break;
        case Refusal::Why::drift:
            error.message += fmt::format(
                "is ambiguous: it fits at line {} by its header, and at line {} if it moved like the "
                "hunk before it",
                first, second);
            break;
        case Refusal::Why::two_endings:
            error.message += fmt::format(
                "is ambiguous: it fits at line {}, and but for line endings at line {}", first, second);
            break;
        case Refusal::Why::file_not_empty:
            error.message +=
                fmt::format("is for an empty file, and this one has {}", lines(locator.table().count()));
            break;
    }
    const Side result = Side::new_of(hunk);
    const std::optional<std::size_t> applied = locator.anywhere(result, own_line(hunk));
    if (refusal.why == Refusal::Why::nowhere && applied) {
        error.details.push_back(
            fmt::format("it seems applied already: what it makes stands at line {}", *applied + 1));
    }
    return error;
}

}  // namespace drydock::patch
