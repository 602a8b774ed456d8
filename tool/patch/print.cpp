#include "patch/print.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "patch/lines.hpp"
#include "patch/names.hpp"

namespace drydock::patch {
namespace {

void print_range(std::size_t start, std::size_t count, std::string& out) {
    if (count == 1) {
        fmt::format_to(std::back_inserter(out), "{}", start);
    } else {
        fmt::format_to(std::back_inserter(out), "{},{}", start, count);
    }
}

void print_hunk(const Hunk& hunk, std::string& out) {
    print_hunk_header(hunk, out);
    for (const Line& line : hunk.lines) {
        out += line.kind == LineKind::context ? ' ' : line.kind == LineKind::removed ? '-' : '+';
        out += line.text;
        out += line.ending == Ending::none ? after_last_line : bytes_of(line.ending);
    }
}

/// How the names of a file's header are written. GNU patch takes off a blank that ends one, and where there
/// is no line with only one name, takes the first blank for its end: then they are quoted.
class Names {
  public:
    Names(const FilePatch& file, bool has_hunks)
        : quoted_(is_lost(file.old_path, has_hunks) || is_lost(file.new_path, has_hunks)) {}

    [[nodiscard]] std::string name(const std::string& text) const {
        return quoted_ ? quote(text) : quote_if_needed(text);
    }
    /// On a line of its own: a tab ends a name with blanks in it, as git writes it.
    [[nodiscard]] std::string alone(const std::string& text) const {
        const bool ended = quoted_ || text.find(' ') == std::string::npos;
        return name(text) + (ended ? "" : "\t");
    }

  private:
    static bool is_lost(const std::string& path, bool has_hunks) {
        return path.ends_with(' ') || (!has_hunks && path.find(' ') != std::string::npos);
    }

    bool quoted_;
};

void print_git_header(const FilePatch& file, const Names& names, std::string& out) {
    const std::string& old_path = file.operation == Operation::create ? file.new_path : file.old_path;
    const std::string& new_path = file.operation == Operation::remove ? file.old_path : file.new_path;
    out += fmt::format("diff --git {} {}\n", names.name("a/" + old_path), names.name("b/" + new_path));
    static constexpr unsigned plain_mode = 0100644;
    switch (file.operation) {
        case Operation::create:
            out += fmt::format("new file mode {:o}\n", file.new_mode.value_or(plain_mode));
            return;
        case Operation::remove:
            out += fmt::format("deleted file mode {:o}\n", file.old_mode.value_or(plain_mode));
            return;
        default:
            break;
    }
    if (file.old_mode && file.new_mode)
        out += fmt::format("old mode {:o}\nnew mode {:o}\n", *file.old_mode, *file.new_mode);
    if (file.operation != Operation::rename && file.operation != Operation::copy) return;
    const std::string_view word = operation_name(file.operation);
    out += fmt::format("{} from {}\n{} to {}\n", word, names.name(file.old_path), word,
                       names.name(file.new_path));
}

/// About as many bytes as a file's hunks take.
std::size_t size_of(const FilePatch& file) {
    static constexpr std::size_t header = 64;
    std::size_t size = 4 * (header + path_of(file).size());
    for (const Hunk& hunk : file.hunks) {
        size += header + hunk.section.size();
        for (const Line& line : hunk.lines) size += 1 + line.text.size() + bytes_of(line.ending).size();
    }
    return size;
}

}  // namespace

bool needs_git(const FilePatch& file, bool has_hunks) {
    return file.operation != Operation::modify || file.old_mode || file.new_mode || !has_hunks;
}

void print_header(const FilePatch& file, bool has_hunks, bool git, std::string& out) {
    const Names names(file, has_hunks);
    if (git) print_git_header(file, names, out);
    if (!has_hunks) return;
    const bool create = file.operation == Operation::create;
    const bool remove = file.operation == Operation::remove;
    out += fmt::format("--- {}\n", create ? "/dev/null" : names.alone("a/" + file.old_path));
    out += fmt::format("+++ {}\n", remove ? "/dev/null" : names.alone("b/" + file.new_path));
}

void print_hunk_header(const Hunk& hunk, std::string& out) {
    out += "@@ -";
    print_range(hunk.old_start, hunk.old_count, out);
    out += " +";
    print_range(hunk.new_start, hunk.new_count, out);
    out += " @@";
    if (!hunk.section.empty()) out += " " + hunk.section;
    out += '\n';
}

std::string print(const Patch& patch) {
    const bool git = std::any_of(patch.files.begin(), patch.files.end(),
                                 [](const FilePatch& file) { return needs_git(file, !file.hunks.empty()); });
    std::size_t size = 0;
    for (const FilePatch& file : patch.files) size += size_of(file);
    std::string out;
    out.reserve(size);
    std::size_t commit = 0;
    for (const FilePatch& file : patch.files) {
        if (file.commit != commit) out += fmt::format("From {:040} Mon Sep 17 00:00:00 2001\n", 0);
        commit = file.commit;
        print_header(file, !file.hunks.empty(), git, out);
        for (const Hunk& hunk : file.hunks) print_hunk(hunk, out);
    }
    return out;
}

}  // namespace drydock::patch
