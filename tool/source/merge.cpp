#include <algorithm>

#include <fmt/format.h>
#include <git2.h>

#include "source/library.hpp"
#include "source/source.hpp"

namespace drydock::source {
namespace {

using base::ErrorKind;
using base::fail;
using base::Result;

constexpr std::size_t usual_marker = 7;

/// One more than the longest line of a text begins with of a marker's letters, so that none looks like one.
std::size_t marker_for(std::string_view text) {
    std::size_t size = usual_marker;
    for (std::size_t begin = 0; begin < text.size();) {
        const char letter = text[begin];
        if (letter == '<' || letter == '|' || letter == '=' || letter == '>') {
            const std::size_t end = std::min(text.find_first_not_of(letter, begin), text.size());
            if (end - begin >= size) size = end - begin + 1;
        }
        const std::size_t newline = text.find('\n', begin);
        begin = newline == std::string_view::npos ? text.size() : newline + 1;
    }
    return size;
}

std::size_t count_lines_that_begin(std::string_view text, const std::string& beginning) {
    std::size_t count = 0;
    for (std::size_t at = text.find(beginning); at != std::string_view::npos;
         at = text.find(beginning, at + 1)) {
        if (at == 0 || text[at - 1] == '\n') ++count;
    }
    return count;
}

git_merge_file_input input_of(const Side& side) {
    git_merge_file_input input = GIT_MERGE_FILE_INPUT_INIT;
    input.ptr = side.bytes.data();
    input.size = side.bytes.size();
    return input;
}

struct MergeResult {
    git_merge_file_result value{};
    MergeResult() = default;
    ~MergeResult() { git_merge_file_result_free(&value); }
    MergeResult(const MergeResult&) = delete;
    MergeResult& operator=(const MergeResult&) = delete;
};

}  // namespace

Result<Merged> merge(const Side& base, const Side& ours, const Side& theirs) {
    if (base.bytes == theirs.bytes || ours.bytes == theirs.bytes) return Merged{ours.bytes, 0};
    if (base.bytes == ours.bytes) return Merged{theirs.bytes, 0};
    for (const Side* side : {&base, &ours, &theirs}) {
        if (side->bytes.find('\0') != std::string::npos) {
            return fail(ErrorKind::conflict,
                        fmt::format("both sides changed a binary file ({} holds a NUL byte), which is not "
                                    "merged by lines; choose one of them by hand",
                                    side->label));
        }
    }
    prepare_library();
    const std::size_t size =
        std::max({marker_for(base.bytes), marker_for(ours.bytes), marker_for(theirs.bytes)});
    git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
    options.ancestor_label = base.label.c_str();
    options.our_label = ours.label.c_str();
    options.their_label = theirs.label.c_str();
    options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
    options.marker_size = static_cast<unsigned short>(std::min<std::size_t>(size, 0xffff));
    const git_merge_file_input inputs[] = {input_of(base), input_of(ours), input_of(theirs)};
    MergeResult made;
    if (git_merge_file(&made.value, &inputs[0], &inputs[1], &inputs[2], &options) != 0) {
        return fail(ErrorKind::io, fmt::format("cannot merge {} and {}: {}; merge them by hand", ours.label,
                                               theirs.label, library_words()));
    }
    Merged merged{std::string(made.value.ptr, made.value.len), 0};
    if (made.value.automergeable == 0)
        merged.conflicts = count_lines_that_begin(merged.text, std::string(options.marker_size, '<') + ' ');
    return merged;
}

}  // namespace drydock::source
