#include "patch/judge.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "patch/names.hpp"

namespace drydock::patch {
namespace {

constexpr std::string_view no_file = "/dev/null";

/// Whether a hash of an index line, maybe shortened, names the empty file, for SHA-1 and SHA-256
/// repositories.
bool is_empty_blob(std::string_view hash) {
    return hash.size() >= 4 &&
           (std::string_view("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").starts_with(hash) ||
            std::string_view("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813")
                .starts_with(hash));
}

class FileJudge {
  public:
    FileJudge(const Header& header, const ParseOptions& options) : header_(header), options_(options) {}

    Done run(FilePatch& file) const;

  private:
    [[nodiscard]] tl::unexpected<base::Error> fail(std::string message) const;
    Done set_operation(FilePatch& file) const;
    Done set_paths(FilePatch& file) const;
    Done set_moved_paths(FilePatch& file) const;
    Done set_modified_path(FilePatch& file) const;
    base::Result<std::string> path(std::string_view name) const;
    base::Result<std::string> path_from_git_line() const;
    Done check_names_agree() const;
    Done check_contents(const FilePatch& file) const;

    const Header& header_;
    const ParseOptions& options_;
};

Done FileJudge::run(FilePatch& file) const {
    file.old_empty = is_empty_blob(header_.old_hash);
    file.new_empty = is_empty_blob(header_.new_hash);
    if (Done done = set_operation(file); !done) return done;
    if (Done done = set_paths(file); !done) return done;
    return check_contents(file);
}

tl::unexpected<base::Error> FileJudge::fail(std::string message) const {
    base::Error error;
    error.kind = base::ErrorKind::usage;
    error.message = std::move(message);
    error.file = options_.name;
    error.line = header_.line;
    return base::fail(std::move(error));
}

Done FileJudge::set_operation(FilePatch& file) const {
    const bool old_gone = header_.old_name == no_file;
    const bool new_gone = header_.new_name == no_file;
    if (old_gone && new_gone) return fail("both names are /dev/null");
    const auto contradiction = [&] { return fail("this file's header contradicts itself"); };
    if (header_.renamed || header_.copied) {
        if (old_gone || new_gone) return contradiction();
        file.operation = header_.renamed ? Operation::rename : Operation::copy;
        return {};
    }
    if (header_.created || header_.removed) {
        const bool told = header_.has_names();
        if (told && (old_gone != header_.created || new_gone != header_.removed)) return contradiction();
    }
    const Hunk* only = file.hunks.size() == 1 ? &file.hunks[0] : nullptr;
    const bool comes = only != nullptr && only->old_count == 0 && only->old_start == 0;
    const bool goes = only != nullptr && only->new_count == 0 && only->new_start == 0;
    if (header_.created || old_gone || (!header_.git && header_.old_epoch && comes)) {
        file.operation = Operation::create;
    } else if (header_.removed || new_gone || (!header_.git && header_.new_epoch && goes)) {
        file.operation = Operation::remove;
    }
    return {};
}

Done FileJudge::set_paths(FilePatch& file) const {
    if (!options_.use_names) {
        file.old_path = header_.old_name;
        file.new_path = header_.new_name;
        return {};
    }
    if (file.operation == Operation::rename || file.operation == Operation::copy)
        return set_moved_paths(file);
    if (header_.git && header_.has_names()) {
        if (Done done = check_names_agree(); !done) return done;
    }
    if (file.operation == Operation::modify) return set_modified_path(file);
    const bool create = file.operation == Operation::create;
    const std::string& name = create ? header_.new_name : header_.old_name;
    base::Result<std::string> found = name.empty() ? path_from_git_line() : path(name);
    if (!found) return base::fail(found.error());
    (create ? file.new_path : file.old_path) = *std::move(found);
    return {};
}

/// Rename and copy lines carry no `a/` and `b/`.
Done FileJudge::set_moved_paths(FilePatch& file) const {
    const unsigned strip = options_.strip > 0 ? options_.strip - 1 : 0;
    const std::array<std::pair<const std::string*, std::string*>, 2> names{
        {{&header_.moved_from, &file.old_path}, {&header_.moved_to, &file.new_path}}};
    for (const auto& [name, target] : names) {
        tl::expected<std::string, std::string> found = path_from_name(*name, strip);
        if (!found) return fail(found.error());
        *target = *std::move(found);
    }
    if (file.old_path == file.new_path) return fail("a file is renamed or copied to its own name");
    if (!header_.has_names()) return {};
    const base::Result<std::string> old_path = path(header_.old_name);
    if (!old_path) return base::fail(old_path.error());
    const base::Result<std::string> new_path = path(header_.new_name);
    if (!new_path) return base::fail(new_path.error());
    if (*old_path != file.old_path || *new_path != file.new_path) {
        return fail("the names of a rename or copy are not those of its '---' and '+++' lines; see -p");
    }
    return {};
}

Done FileJudge::set_modified_path(FilePatch& file) const {
    if (!header_.has_names()) {
        base::Result<std::string> found = path_from_git_line();
        if (!found) return base::fail(found.error());
        file.old_path = *found;
        file.new_path = *std::move(found);
        return {};
    }
    base::Result<std::string> old_path = path(header_.old_name);
    if (!old_path) return base::fail(old_path.error());
    base::Result<std::string> new_path = path(header_.new_name);
    if (!new_path) return base::fail(new_path.error());
    // x.orig and x~ are what people call the old x; the file meant is x.
    const bool old_is_longer = old_path->starts_with(*new_path);
    if (!old_is_longer && !new_path->starts_with(*old_path)) {
        const bool prefixed = options_.strip == 0 && header_.old_name.starts_with("a/") &&
                              header_.new_name == "b/" + header_.old_name.substr(2);
        return fail(fmt::format(
            "two names for one file, {} and {}; {}", shown(*old_path), shown(*new_path),
            prefixed ? "they have git's prefixes: take them off with -p1" : "a rename needs git's header"));
    }
    file.new_path = old_is_longer ? *new_path : *old_path;
    file.old_path = file.new_path;
    return {};
}

base::Result<std::string> FileJudge::path(std::string_view name) const {
    tl::expected<std::string, std::string> found = path_from_name(name, options_.strip);
    if (!found) return fail(found.error());
    return *std::move(found);
}

/// The `diff --git` line alone gives a name only where both its names are the same after strip.
base::Result<std::string> FileJudge::path_from_git_line() const {
    static constexpr std::size_t longest_line = 2 * 4096 + 16;
    const std::string_view text = header_.git_names;
    const auto same = [&](std::string_view old_name,
                          std::string_view new_name) -> std::optional<base::Result<std::string>> {
        base::Result<std::string> new_path = path(new_name);
        if (!new_path) return new_path;
        const base::Result<std::string> old_path = path(old_name);
        if (!old_path) return base::fail(old_path.error());
        if (*old_path != *new_path) return std::nullopt;
        return new_path;
    };
    if (text.starts_with('"')) {
        const std::optional<Unquoted> first = unquote(text);
        if (first && text.size() > first->length + 1 && text[first->length] == ' ') {
            const std::string_view second = text.substr(first->length + 1);
            const std::optional<Unquoted> quoted = unquote(second);
            if (auto found = same(first->name, quoted ? quoted->name : second)) return *std::move(found);
        }
    } else if (text.size() <= longest_line) {
        // Names may hold blanks: the right one of the gaps is the one with the same name on both sides. With
        // the usual prefixes that is the middle.
        const std::size_t middle = text.size() / 2;
        if (text.size() % 2 == 1 && text[middle] == ' ') {
            if (auto found = same(text.substr(0, middle), text.substr(middle + 1))) return *std::move(found);
        }
        for (std::size_t gap = text.find(' '); gap != std::string_view::npos; gap = text.find(' ', gap + 1)) {
            const auto found = same(text.substr(0, gap), text.substr(gap + 1));
            if (found && *found) return *found;
        }
    }
    return fail(fmt::format("no one name can be read from 'diff --git {}'; see -p", text.substr(0, 200)));
}

/// git writes the same names on its `diff --git` line; where they differ, one of them was tampered with.
Done FileJudge::check_names_agree() const {
    const bool old_agrees =
        header_.old_name == no_file || header_.git_names.starts_with(header_.old_token + ' ');
    const std::size_t after =
        header_.git_names.size() - std::min(header_.git_names.size(), header_.new_token.size());
    const bool new_agrees =
        header_.new_name == no_file ||
        (after > 0 && header_.git_names[after - 1] == ' ' && header_.git_names.ends_with(header_.new_token));
    if (old_agrees && new_agrees) return {};
    return fail("the names of the 'diff --git' line are not those of the '---' and '+++' lines");
}

Done FileJudge::check_contents(const FilePatch& file) const {
    const auto fits = [&](auto count) {
        return file.hunks.empty() || (file.hunks.size() == 1 && file.hunks[0].*count == 0);
    };
    if (file.operation == Operation::create && !fits(&Hunk::old_count)) {
        return fail("a new file whose hunks need old lines; expected one hunk with '@@ -0,0'");
    }
    if (file.operation == Operation::remove && !fits(&Hunk::new_count)) {
        return fail("a removed file whose hunks leave lines; expected one hunk with '+0,0 @@'");
    }
    if (!file.hunks.empty()) return {};
    const auto truncated = [&] {
        return fail(
            "this file's header says that its contents change, but no hunk follows; the patch is "
            "truncated?");
    };
    if (header_.dissimilar) return truncated();
    std::string_view contents;
    if (file.operation == Operation::create) contents = header_.new_hash;
    if (file.operation == Operation::remove) contents = header_.old_hash;
    if (!contents.empty() && !is_empty_blob(contents)) return truncated();
    if (file.operation == Operation::modify && header_.old_hash != header_.new_hash) return truncated();
    if (file.operation == Operation::modify && file.old_mode == file.new_mode) {
        return fail(
            "a file header that changes nothing: no hunk, no mode, no rename; the patch is truncated?");
    }
    return {};
}

}  // namespace

Done judge(const Header& header, const ParseOptions& options, FilePatch& file) {
    return FileJudge(header, options).run(file);
}

}  // namespace drydock::patch
