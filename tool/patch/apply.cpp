#include "patch/apply.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "patch/apply_hunks.hpp"
#include "patch/explain.hpp"
#include "patch/locate.hpp"
#include "patch/names.hpp"

namespace drydock::patch {
namespace {

/// Makes the new text of one file, hunk by hunk, and appends it to `result`.
class Builder {
  public:
    Builder(const FilePatch& file, std::string_view text, bool keep_endings, std::string& result)
        : file_(file), text_(text), keep_endings_(keep_endings), result_(result) {}

    void add(std::size_t hunk, const Place& place) {
        const Hunk& from = file_.hunks[hunk];
        const bool keep_endings = keep_endings_ && !place.exact;
        Ending ending = keep_endings ? neighbour_ending(place) : Ending::none;
        std::size_t at = place.begin;
        for (std::size_t i = place.front; i + place.back < from.lines.size(); ++i) {
            const Line& line = from.lines[i];
            if (line.kind == LineKind::added) {
                copy_to(at);
                const bool as_patch = ending == Ending::none || line.ending == Ending::none;
                result_.append(line.text);
                result_.append(bytes_of(as_patch ? line.ending : ending));
                continue;
            }
            if (line.kind == LineKind::removed) copy_to(at);
            const FileLine found = place.exact ? same_line(line, at) : line_at(text_, at);
            if (keep_endings && found.ending != Ending::none) ending = found.ending;
            at = found.next;
            if (line.kind == LineKind::removed) copied_ = at;
        }
    }

    void finish() { copy_to(text_.size()); }

  private:
    /// Takes what lies before `end` over as it is.
    void copy_to(std::size_t end) {
        result_.append(text_.substr(copied_, end - copied_));
        copied_ = end;
    }

    /// The line at `offset`, which is known to be as the patch has it.
    static FileLine same_line(const Line& line, std::size_t offset) {
        return {line.text, line.ending, offset + line.text.size() + bytes_of(line.ending).size()};
    }

    /// The ending of the first line that the hunk lies on, or else of the line before it, or after it; none
    /// when there is no such line.
    [[nodiscard]] Ending neighbour_ending(const Place& place) const {
        for (std::size_t at = place.begin; at < place.end;) {
            const FileLine line = line_at(text_, at);
            if (line.ending != Ending::none) return line.ending;
            at = line.next;
        }
        if (place.begin > 0)
            return text_.substr(0, place.begin).ends_with("\r\n") ? Ending::crlf : Ending::lf;
        return place.end < text_.size() ? line_at(text_, place.end).ending : Ending::none;
    }

    const FilePatch& file_;
    std::string_view text_;
    bool keep_endings_;
    std::string& result_;
    std::size_t copied_{0};
};

std::size_t added_bytes(const FilePatch& file) {
    std::size_t bytes = 0;
    for (const Hunk& hunk : file.hunks) {
        for (const Line& line : hunk.lines) bytes += line.kind == LineKind::added ? line.text.size() + 2 : 0;
    }
    return bytes;
}

std::optional<base::Error> check_size(const FilePatch& file, std::size_t bytes) {
    if (bytes <= largest_file) return std::nullopt;
    base::Error error = conflict(
        path_of(file), fmt::format("more than {} bytes; larger files are not patched", largest_file));
    error.kind = base::ErrorKind::usage;
    return error;
}

/// Where the hunks go; what they make is appended to the result.
tl::expected<std::vector<Placement>, Errors> build(const FilePatch& file, std::string_view text,
                                                   unsigned fuzz, std::string& result) {
    Locator locator(file, text, fuzz);
    Builder builder(file, text, locator.one_ending(), result);
    std::vector<Placement> placements;
    placements.reserve(file.hunks.size());
    Errors errors;
    for (std::size_t i = 0; i < file.hunks.size(); ++i) {
        const tl::expected<Place, Refusal> place = locator.place(i);
        if (!place) {
            errors.push_back(explain(file, i, place.error(), locator));
            continue;
        }
        if (!errors.empty()) continue;
        builder.add(i, *place);
        placements.push_back({i + 1, place->line + 1, place->offset, place->fuzz});
    }
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    builder.finish();
    return placements;
}

/// The first error, and how many more there are.
base::Error first_of(Errors errors) {
    base::Error error = std::move(errors.front());
    const std::size_t more = errors.size() - 1;
    if (more > 0) error.details.push_back(fmt::format("{} more of its hunks do not fit", more));
    return error;
}

}  // namespace

base::Error conflict(const std::string& file, std::string message) {
    base::Error error;
    error.kind = base::ErrorKind::conflict;
    error.file = file;
    error.message = std::move(message);
    return error;
}

tl::expected<Applied, Errors> apply_hunks(const FilePatch& file, std::string_view text,
                                          const ApplyOptions& options) {
    const std::size_t most = text.size() + added_bytes(file);
    if (auto error = check_size(file, most)) return tl::unexpected(Errors{*std::move(error)});
    Applied result;
    result.text.reserve(most);
    tl::expected<std::vector<Placement>, Errors> placements = build(file, text, options.fuzz, result.text);
    if (!placements) return tl::unexpected(std::move(placements.error()));
    result.placements = *std::move(placements);
    if (file.operation == Operation::remove && !result.text.empty()) {
        return tl::unexpected(
            Errors{conflict(file.old_path, "is not what the patch removes: it has more lines")});
    }
    return result;
}

base::Result<Applied> apply(const FilePatch& file, std::string_view old_text, const ApplyOptions& options) {
    tl::expected<Applied, Errors> applied = apply_hunks(file, old_text, options);
    if (applied) return *std::move(applied);
    return base::fail(first_of(std::move(applied.error())));
}

}  // namespace drydock::patch
