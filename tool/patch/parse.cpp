#include "patch/parse.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "patch/foreign.hpp"
#include "patch/lines.hpp"
#include "patch/names.hpp"

namespace drydock::patch {
namespace {

using Done = base::Result<void>;

/// A line of the patch text without its line feed.
struct PatchLine {
    std::string_view text;
    std::size_t number{0};
};

/// How far through git's header of one file we are.
enum class HeaderState : std::uint8_t {
    begun,
    old_mode,
    new_mode,
    whole,  ///< the file comes or goes as a whole
    similar,
    rename_from,
    copy_from,
    moved,
    indexed,
    old_name,
    new_name,
};

constexpr unsigned bit(HeaderState state) {
    return 1U << static_cast<unsigned>(state);
}

/// All that the header of one file said, before it is judged as a whole.
struct Header {
    std::size_t line{0};
    bool git{false};
    std::string_view git_names;  ///< the rest of the `diff --git` line
    bool created{false};
    bool removed{false};
    bool renamed{false};
    bool copied{false};
    bool dissimilar{false};  ///< less than 100 % similar: there must be hunks
    std::string moved_from;
    std::string moved_to;
    std::string_view old_token;  ///< the name as the text has it, with its quotes; empty: no such line
    std::string_view new_token;
    std::string old_name;
    std::string new_name;
    bool old_epoch{false};  ///< the timestamp with which diff -N says that there is no file
    bool new_epoch{false};
    bool converted{false};  ///< the lines end with CRLF because the whole patch was converted
    std::optional<unsigned> old_mode;
    std::optional<unsigned> new_mode;
    std::string_view old_hash;
    std::string_view new_hash;
};

constexpr std::string_view no_file = "/dev/null";

class Parser {
  public:
    Parser(std::string_view text, const ParseOptions& options) : rest_(text), options_(options) {}

    base::Result<Patch> run();

  private:
    using Handler = Done (Parser::*)(Header&, const PatchLine&, std::string_view);
    struct Transition {
        std::string_view prefix;
        unsigned from;  ///< bits of the states in which it may come
        HeaderState to;
        Handler handler;
    };
    static const std::array<Transition, 15>& transitions();

    [[nodiscard]] std::optional<PatchLine> peek() const;
    [[nodiscard]] std::optional<PatchLine> peek_second() const;
    void advance();
    tl::unexpected<base::Error> fail_at(std::size_t line, std::string message) const;

    Done outside(const PatchLine& line);
    [[nodiscard]] bool at_plain_header(const PatchLine& line) const;
    Done git_file(const PatchLine& first);
    Done git_header(Header& header);
    Done git_header_end(const Header& header, HeaderState state) const;
    Done plain_file(const PatchLine& first);
    Done file_body(const Header& header);

    Done on_old_mode(Header& header, const PatchLine& line, std::string_view value);
    Done on_new_mode(Header& header, const PatchLine& line, std::string_view value);
    Done on_created(Header& header, const PatchLine& line, std::string_view value);
    Done on_removed(Header& header, const PatchLine& line, std::string_view value);
    Done on_similarity(Header& header, const PatchLine& line, std::string_view value);
    Done on_dissimilarity(Header& header, const PatchLine& line, std::string_view value);
    Done on_rename_from(Header& header, const PatchLine& line, std::string_view value);
    Done on_copy_from(Header& header, const PatchLine& line, std::string_view value);
    Done on_moved_to(Header& header, const PatchLine& line, std::string_view value);
    Done on_index(Header& header, const PatchLine& line, std::string_view value);
    Done on_old_name(Header& header, const PatchLine& line, std::string_view value);
    Done on_new_name(Header& header, const PatchLine& line, std::string_view value);
    Done on_binary(Header& header, const PatchLine& line, std::string_view value);

    base::Result<unsigned> mode(const PatchLine& line, std::string_view value) const;
    base::Result<std::string> moved_name(const PatchLine& line, std::string_view value) const;
    struct Name {
        std::string_view token;
        std::string name;
        bool epoch{false};
    };
    base::Result<Name> header_name(const PatchLine& line, std::string_view value) const;

    Done set_operation(const Header& header, FilePatch& file) const;
    Done set_paths(const Header& header, FilePatch& file) const;
    Done set_moved_paths(const Header& header, FilePatch& file) const;
    Done set_modified_path(const Header& header, FilePatch& file) const;
    base::Result<std::string> path(std::size_t line, std::string_view name) const;
    base::Result<std::string> path_from_git_line(const Header& header) const;
    Done check_names_agree(const Header& header) const;
    Done check_contents(const Header& header, const FilePatch& file) const;

    Done hunks(FilePatch& file, bool converted);
    [[nodiscard]] std::size_t estimated_hunks(std::size_t bytes_of_first) const;
    base::Result<Hunk> hunk_header(const PatchLine& line) const;
    base::Result<std::size_t> number(const PatchLine& line, std::string_view& text) const;
    Done range(const PatchLine& line, std::string_view& text, std::size_t& start, std::size_t& count) const;
    Done check_order(const FilePatch& file, const Hunk& hunk) const;
    Done hunk_body(Hunk& hunk, bool converted);
    Done hunk_line(Hunk& hunk, const PatchLine& line, bool converted, std::size_t& old_left,
                   std::size_t& new_left);
    Done no_newline(std::size_t line);
    Done after_hunks();
    [[nodiscard]] bool starts_something_else(const PatchLine& line) const;

    std::string_view rest_;
    mutable std::optional<std::size_t> end_;  ///< of its first line, once it was looked for
    std::size_t number_{1};
    const ParseOptions& options_;
    Patch patch_;
    std::size_t commit_{0};
    ForeignFormats foreign_;
    std::vector<Line> lines_;     ///< of the hunk at hand: each hunk gets a vector of just its size
    bool old_side_ended_{false};  ///< the hunk at hand has had a last line without a newline
    bool new_side_ended_{false};
};

std::optional<PatchLine> Parser::peek() const {
    if (rest_.empty()) return std::nullopt;
    if (!end_) end_ = std::min(rest_.find('\n'), rest_.size());
    return PatchLine{rest_.substr(0, *end_), number_};
}

std::optional<PatchLine> Parser::peek_second() const {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos || end + 1 == rest_.size()) return std::nullopt;
    const std::string_view after = rest_.substr(end + 1);
    return PatchLine{after.substr(0, after.find('\n')), number_ + 1};
}

void Parser::advance() {
    if (!end_) end_ = std::min(rest_.find('\n'), rest_.size());
    rest_ = rest_.substr(std::min(*end_ + 1, rest_.size()));
    end_.reset();
    ++number_;
}

tl::unexpected<base::Error> Parser::fail_at(std::size_t line, std::string message) const {
    base::Error error;
    error.kind = base::ErrorKind::usage;
    error.message = std::move(message);
    error.file = options_.name;
    error.line = line;
    return base::fail(std::move(error));
}

base::Result<Patch> Parser::run() {
    if (rest_.empty()) return fail_at(0, "the patch is empty");
    while (const std::optional<PatchLine> line = peek()) {
        if (const Done done = outside(*line); !done) return base::fail(done.error());
    }
    if (patch_.files.empty()) return fail_at(0, foreign_.nothing_found());
    return std::move(patch_);
}

Done Parser::outside(const PatchLine& line) {
    if (line.text.starts_with("diff --git ")) return git_file(line);
    if (at_plain_header(line)) return plain_file(line);
    if (line.text.starts_with("@@ -")) {
        return fail_at(line.number,
                       "a hunk without a file header; expected '--- NAME' and '+++ NAME' before it");
    }
    const std::optional<PatchLine> second = peek_second();
    if (auto found = foreign_.look_at(line.text, second ? second->text : std::string_view())) {
        return fail_at(line.number, *std::move(found));
    }
    if (starts_commit(line.text) && !patch_.files.empty()) commit_ = patch_.files.back().commit + 1;
    advance();
    return {};
}

bool Parser::at_plain_header(const PatchLine& line) const {
    if (!line.text.starts_with("--- ")) return false;
    const std::optional<PatchLine> second = peek_second();
    return second && second->text.starts_with("+++ ");
}

const std::array<Parser::Transition, 15>& Parser::transitions() {
    using enum HeaderState;
    static constexpr unsigned before_move = bit(begun) | bit(new_mode) | bit(similar);
    static constexpr unsigned before_index = before_move | bit(whole) | bit(moved);
    static constexpr unsigned before_names = before_index | bit(indexed);
    static const std::array<Transition, 15> table{{
        {"old mode ", bit(begun), old_mode, &Parser::on_old_mode},
        {"new mode ", bit(old_mode), new_mode, &Parser::on_new_mode},
        {"new file mode ", bit(begun), whole, &Parser::on_created},
        {"deleted file mode ", bit(begun), whole, &Parser::on_removed},
        {"similarity index ", bit(begun) | bit(new_mode), similar, &Parser::on_similarity},
        {"dissimilarity index ", bit(begun) | bit(new_mode), similar, &Parser::on_dissimilarity},
        {"rename from ", before_move, rename_from, &Parser::on_rename_from},
        {"rename to ", bit(rename_from), moved, &Parser::on_moved_to},
        {"copy from ", before_move, copy_from, &Parser::on_copy_from},
        {"copy to ", bit(copy_from), moved, &Parser::on_moved_to},
        {"index ", before_index, indexed, &Parser::on_index},
        {"--- ", before_names, old_name, &Parser::on_old_name},
        {"+++ ", bit(old_name), new_name, &Parser::on_new_name},
        {"GIT binary patch", before_names, new_name, &Parser::on_binary},
        {"Binary files ", before_names, new_name, &Parser::on_binary},
    }};
    return table;
}

Done Parser::git_file(const PatchLine& first) {
    Header header;
    header.line = first.number;
    header.git = true;
    header.converted = first.text.ends_with('\r');
    header.git_names = without_cr(first.text.substr(std::string_view("diff --git ").size()));
    advance();
    if (Done done = git_header(header); !done) return done;
    return file_body(header);
}

Done Parser::git_header(Header& header) {
    HeaderState state = HeaderState::begun;
    while (const std::optional<PatchLine> line = peek()) {
        const std::string_view text = without_cr(line->text);
        const auto matches = [&](const Transition& step) { return text.starts_with(step.prefix); };
        const auto* const step = std::find_if(transitions().begin(), transitions().end(), matches);
        if (step == transitions().end() || state == HeaderState::new_name) break;
        if ((step->from & bit(state)) == 0) {
            return fail_at(line->number, fmt::format("{} out of place in a file's header", shown(text)));
        }
        if (Done done = (this->*step->handler)(header, *line, text.substr(step->prefix.size())); !done)
            return done;
        state = step->to;
        advance();
    }
    return git_header_end(header, state);
}

Done Parser::git_header_end(const Header& header, HeaderState state) const {
    const auto missing = [&](std::string_view what) {
        return fail_at(header.line,
                       fmt::format("this file's header has no '{}' line; the patch is truncated?", what));
    };
    switch (state) {
        case HeaderState::old_mode:
            return missing("new mode");
        case HeaderState::rename_from:
            return missing("rename to");
        case HeaderState::copy_from:
            return missing("copy to");
        case HeaderState::old_name:
            return missing("+++");
        default:
            return {};
    }
}

Done Parser::plain_file(const PatchLine& first) {
    Header header;
    header.line = first.number;
    for (const Handler handler : {&Parser::on_old_name, &Parser::on_new_name}) {
        const PatchLine line = *peek();
        if (Done done = (this->*handler)(header, line, without_cr(line.text).substr(4)); !done) return done;
        header.converted = line.text.ends_with('\r');
        advance();
    }
    return file_body(header);
}

Done Parser::file_body(const Header& header) {
    FilePatch file;
    file.patch_name = options_.name;
    file.line = header.line;
    file.commit = commit_;
    file.old_mode = header.old_mode;
    file.new_mode = header.new_mode;
    if (Done done = hunks(file, header.converted); !done) return done;
    if (!header.new_token.empty() && file.hunks.empty()) {
        const std::optional<PatchLine> next = peek();
        if (next && is_ed_command(without_cr(next->text))) {
            return fail_at(next->number, ed_script);
        }
        return fail_at(header.line,
                       "a file header without a hunk; expected '@@ -LINE,COUNT +LINE,COUNT @@' after it");
    }
    if (Done done = set_operation(header, file); !done) return done;
    if (Done done = set_paths(header, file); !done) return done;
    if (Done done = check_contents(header, file); !done) return done;
    patch_.files.push_back(std::move(file));
    return {};
}

Done Parser::on_old_mode(Header& header, const PatchLine& line, std::string_view value) {
    const base::Result<unsigned> found = mode(line, value);
    if (!found) return base::fail(found.error());
    header.old_mode = *found;
    return {};
}

Done Parser::on_new_mode(Header& header, const PatchLine& line, std::string_view value) {
    const base::Result<unsigned> found = mode(line, value);
    if (!found) return base::fail(found.error());
    header.new_mode = *found;
    return {};
}

Done Parser::on_created(Header& header, const PatchLine& line, std::string_view value) {
    header.created = true;
    return on_new_mode(header, line, value);
}

Done Parser::on_removed(Header& header, const PatchLine& line, std::string_view value) {
    header.removed = true;
    return on_old_mode(header, line, value);
}

Done Parser::on_similarity(Header& header, const PatchLine& /*line*/, std::string_view value) {
    header.dissimilar = value != "100%";
    return {};
}

Done Parser::on_dissimilarity(Header& header, const PatchLine& /*line*/, std::string_view /*value*/) {
    header.dissimilar = true;
    return {};
}

Done Parser::on_rename_from(Header& header, const PatchLine& line, std::string_view value) {
    base::Result<std::string> name = moved_name(line, value);
    if (!name) return base::fail(name.error());
    header.renamed = true;
    header.moved_from = *std::move(name);
    return {};
}

Done Parser::on_copy_from(Header& header, const PatchLine& line, std::string_view value) {
    base::Result<std::string> name = moved_name(line, value);
    if (!name) return base::fail(name.error());
    header.copied = true;
    header.moved_from = *std::move(name);
    return {};
}

Done Parser::on_moved_to(Header& header, const PatchLine& line, std::string_view value) {
    base::Result<std::string> name = moved_name(line, value);
    if (!name) return base::fail(name.error());
    header.moved_to = *std::move(name);
    return {};
}

Done Parser::on_index(Header& header, const PatchLine& line, std::string_view value) {
    const std::size_t space = value.find(' ');
    const std::string_view hashes = value.substr(0, space);
    const std::size_t dots = hashes.find("..");
    const auto is_hash = [](std::string_view text) {
        return !text.empty() &&
               std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
    };
    const auto malformed = [&] {
        return fail_at(line.number,
                       fmt::format("{} is no index line; expected 'index HASH..HASH MODE'", shown(value)));
    };
    if (dots == std::string_view::npos) return malformed();
    header.old_hash = hashes.substr(0, dots);
    header.new_hash = hashes.substr(dots + 2);
    if (!is_hash(header.old_hash) || !is_hash(header.new_hash)) return malformed();
    if (space == std::string_view::npos) return {};
    const base::Result<unsigned> found = mode(line, value.substr(space + 1));
    if (!found) return base::fail(found.error());
    // An ordinary mode that stays is not the patch's business; a link or a submodule is.
    const bool ordinary = (*found & 0170000U) == 0100000U;
    if (!ordinary && !header.old_mode && !header.new_mode) {
        header.old_mode = *found;
        header.new_mode = *found;
    }
    return {};
}

Done Parser::on_old_name(Header& header, const PatchLine& line, std::string_view value) {
    base::Result<Name> name = header_name(line, value);
    if (!name) return base::fail(name.error());
    header.old_token = name->token;
    header.old_name = std::move(name->name);
    header.old_epoch = name->epoch;
    return {};
}

Done Parser::on_new_name(Header& header, const PatchLine& line, std::string_view value) {
    base::Result<Name> name = header_name(line, value);
    if (!name) return base::fail(name.error());
    header.new_token = name->token;
    header.new_name = std::move(name->name);
    header.new_epoch = name->epoch;
    return {};
}

Done Parser::on_binary(Header& /*header*/, const PatchLine& line, std::string_view /*value*/) {
    return fail_at(line.number, line.text.starts_with("GIT") ? binary_patch : binary_without_contents);
}

/// The modes that git writes: others, such as a set-user-ID bit, have no place in a patch.
base::Result<unsigned> Parser::mode(const PatchLine& line, std::string_view value) const {
    static constexpr std::array<unsigned, 5> known{0100644, 0100755, 0100664, 0120000, 0160000};
    unsigned found = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found, 8);
    const bool read = error == std::errc() && end == value.data() + value.size();
    if (!read || std::find(known.begin(), known.end(), found) == known.end()) {
        return fail_at(line.number, fmt::format("the mode {} is not one of git's; expected 100644 or 100755",
                                                shown(value)));
    }
    return found;
}

base::Result<std::string> Parser::moved_name(const PatchLine& line, std::string_view value) const {
    if (!value.starts_with('"')) return std::string(value);
    std::optional<Unquoted> unquoted = unquote(value);
    if (!unquoted || unquoted->length != value.size()) {
        return fail_at(line.number, fmt::format("the quoted name {} cannot be read", shown(value)));
    }
    return std::move(unquoted->name);
}

base::Result<Parser::Name> Parser::header_name(const PatchLine& line, std::string_view value) const {
    Name result;
    if (value.starts_with('"')) {
        std::optional<Unquoted> unquoted = unquote(value);
        if (!unquoted)
            return fail_at(line.number, fmt::format("the quoted name {} cannot be read", shown(value)));
        result.token = value.substr(0, unquoted->length);
        result.name = std::move(unquoted->name);
    } else {
        result.token = value.substr(0, value.find('\t'));
        result.name = result.token;
    }
    const std::string_view after = value.substr(result.token.size());
    if (!after.empty() && after[0] != '\t') {
        return fail_at(line.number,
                       fmt::format("{} after a quoted name; expected a tab or nothing", shown(after)));
    }
    if (result.name.empty()) return fail_at(line.number, "a name is empty");
    result.epoch = is_epoch(after);
    return result;
}

Done Parser::set_operation(const Header& header, FilePatch& file) const {
    const bool old_gone = header.old_name == no_file;
    const bool new_gone = header.new_name == no_file;
    if (old_gone && new_gone) return fail_at(header.line, "both names are /dev/null");
    const auto contradiction = [&] { return fail_at(header.line, "this file's header contradicts itself"); };
    if (header.renamed || header.copied) {
        if (old_gone || new_gone) return contradiction();
        file.operation = header.renamed ? Operation::rename : Operation::copy;
        return {};
    }
    if (header.created || header.removed) {
        const bool told = !header.new_token.empty();
        if (told && (old_gone != header.created || new_gone != header.removed)) return contradiction();
    }
    const Hunk* only = file.hunks.size() == 1 ? &file.hunks[0] : nullptr;
    const bool comes = only != nullptr && only->old_count == 0 && only->old_start == 0;
    const bool goes = only != nullptr && only->new_count == 0 && only->new_start == 0;
    if (header.created || old_gone || (!header.git && header.old_epoch && comes)) {
        file.operation = Operation::create;
    } else if (header.removed || new_gone || (!header.git && header.new_epoch && goes)) {
        file.operation = Operation::remove;
    }
    return {};
}

Done Parser::set_paths(const Header& header, FilePatch& file) const {
    if (!options_.use_names) {
        file.old_path = header.old_name;
        file.new_path = header.new_name;
        return {};
    }
    if (file.operation == Operation::rename || file.operation == Operation::copy)
        return set_moved_paths(header, file);
    if (header.git && !header.new_token.empty()) {
        if (Done done = check_names_agree(header); !done) return done;
    }
    if (file.operation == Operation::modify) return set_modified_path(header, file);
    const bool create = file.operation == Operation::create;
    const std::string& name = create ? header.new_name : header.old_name;
    base::Result<std::string> found = name.empty() ? path_from_git_line(header) : path(header.line, name);
    if (!found) return base::fail(found.error());
    (create ? file.new_path : file.old_path) = *std::move(found);
    return {};
}

/// Rename and copy lines carry no `a/` and `b/`.
Done Parser::set_moved_paths(const Header& header, FilePatch& file) const {
    const unsigned strip = options_.strip > 0 ? options_.strip - 1 : 0;
    const std::array<std::pair<const std::string*, std::string*>, 2> names{
        {{&header.moved_from, &file.old_path}, {&header.moved_to, &file.new_path}}};
    for (const auto& [name, target] : names) {
        tl::expected<std::string, std::string> found = path_from_name(*name, strip);
        if (!found) return fail_at(header.line, found.error());
        *target = *std::move(found);
    }
    if (file.old_path == file.new_path)
        return fail_at(header.line, "a file is renamed or copied to its own name");
    if (header.new_token.empty()) return {};
    const base::Result<std::string> old_path = path(header.line, header.old_name);
    if (!old_path) return base::fail(old_path.error());
    const base::Result<std::string> new_path = path(header.line, header.new_name);
    if (!new_path) return base::fail(new_path.error());
    if (*old_path != file.old_path || *new_path != file.new_path) {
        return fail_at(header.line,
                       "the names of a rename or copy are not those of its '---' and '+++' lines; see -p");
    }
    return {};
}

Done Parser::set_modified_path(const Header& header, FilePatch& file) const {
    if (header.new_token.empty()) {
        base::Result<std::string> found = path_from_git_line(header);
        if (!found) return base::fail(found.error());
        file.old_path = *found;
        file.new_path = *std::move(found);
        return {};
    }
    base::Result<std::string> old_path = path(header.line, header.old_name);
    if (!old_path) return base::fail(old_path.error());
    base::Result<std::string> new_path = path(header.line, header.new_name);
    if (!new_path) return base::fail(new_path.error());
    // x.orig and x~ are what people call the old x; the file meant is x.
    const bool old_is_longer = old_path->starts_with(*new_path);
    if (!old_is_longer && !new_path->starts_with(*old_path)) {
        return fail_at(header.line,
                       fmt::format("two names for one file, {} and {}; a rename needs git's header",
                                   shown(*old_path), shown(*new_path)));
    }
    file.new_path = old_is_longer ? *new_path : *old_path;
    file.old_path = file.new_path;
    return {};
}

base::Result<std::string> Parser::path(std::size_t line, std::string_view name) const {
    tl::expected<std::string, std::string> found = path_from_name(name, options_.strip);
    if (!found) return fail_at(line, found.error());
    return *std::move(found);
}

/// The `diff --git` line alone gives a name only where both its names are the same after strip.
base::Result<std::string> Parser::path_from_git_line(const Header& header) const {
    static constexpr std::size_t longest_line = 2 * 4096 + 16;
    const std::string_view text = header.git_names;
    const auto same = [&](std::string_view old_name,
                          std::string_view new_name) -> std::optional<base::Result<std::string>> {
        base::Result<std::string> new_path = path(header.line, new_name);
        if (!new_path) return new_path;
        const base::Result<std::string> old_path = path(header.line, old_name);
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
    return fail_at(header.line,
                   fmt::format("no one name can be read from 'diff --git {}'; see -p", text.substr(0, 200)));
}

/// git writes the same names on its `diff --git` line; where they differ, one of them was tampered with.
Done Parser::check_names_agree(const Header& header) const {
    const bool old_agrees =
        header.old_name == no_file || (header.git_names.starts_with(header.old_token) &&
                                       header.git_names.substr(header.old_token.size()).starts_with(' '));
    const std::size_t after =
        header.git_names.size() - std::min(header.git_names.size(), header.new_token.size());
    const bool new_agrees = header.new_name == no_file || (after > 0 && header.git_names[after - 1] == ' ' &&
                                                           header.git_names.ends_with(header.new_token));
    if (old_agrees && new_agrees) return {};
    return fail_at(header.line,
                   "the names of the 'diff --git' line are not those of the '---' and '+++' lines");
}

/// Whether a hash of an index line, maybe shortened, names the empty file, for SHA-1 and SHA-256
/// repositories.
bool is_empty_blob(std::string_view hash) {
    return hash.size() >= 4 &&
           (std::string_view("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").starts_with(hash) ||
            std::string_view("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813")
                .starts_with(hash));
}

Done Parser::check_contents(const Header& header, const FilePatch& file) const {
    const auto fits = [&](auto count) {
        return file.hunks.empty() || (file.hunks.size() == 1 && file.hunks[0].*count == 0);
    };
    if (file.operation == Operation::create && !fits(&Hunk::old_count)) {
        return fail_at(header.line,
                       "a new file whose hunks need old lines; expected one hunk with '@@ -0,0'");
    }
    if (file.operation == Operation::remove && !fits(&Hunk::new_count)) {
        return fail_at(header.line,
                       "a removed file whose hunks leave lines; expected one hunk with '+0,0 @@'");
    }
    if (!file.hunks.empty()) return {};
    const auto truncated = [&] {
        return fail_at(header.line,
                       "this file's header says that its contents change, but no hunk follows; the patch is "
                       "truncated?");
    };
    if (header.dissimilar) return truncated();
    const std::string_view contents = file.operation == Operation::create   ? header.new_hash
                                      : file.operation == Operation::remove ? header.old_hash
                                                                            : std::string_view();
    if (!contents.empty() && !is_empty_blob(contents)) return truncated();
    if (file.operation == Operation::modify && header.old_hash != header.new_hash) return truncated();
    if (file.operation == Operation::modify && file.old_mode == file.new_mode) {
        return fail_at(
            header.line,
            "a file header that changes nothing: no hunk, no mode, no rename; the patch is truncated?");
    }
    return {};
}

Done Parser::hunks(FilePatch& file, bool converted) {
    while (const std::optional<PatchLine> line = peek()) {
        if (!line->text.starts_with("@@ ")) break;
        const std::size_t size_before = rest_.size();
        base::Result<Hunk> hunk = hunk_header(*line);
        if (!hunk) return base::fail(hunk.error());
        if (Done done = check_order(file, *hunk); !done) return done;
        advance();
        if (Done done = hunk_body(*hunk, converted); !done) return done;
        if (file.hunks.empty()) file.hunks.reserve(estimated_hunks(size_before - rest_.size()));
        file.hunks.push_back(*std::move(hunk));
    }
    return file.hunks.empty() ? Done() : after_hunks();
}

/// How many hunks may come, if all are of the first one's size: growing a vector of many costs more than
/// parsing them.
std::size_t Parser::estimated_hunks(std::size_t bytes_of_first) const {
    static constexpr std::size_t most = 1U << 16U;
    return std::min(most, 1 + rest_.size() / bytes_of_first);
}

base::Result<std::size_t> Parser::number(const PatchLine& line, std::string_view& text) const {
    static constexpr std::size_t largest = std::size_t{1} << 40U;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length == 0) {
        return fail_at(
            line.number,
            fmt::format("{} is no hunk header; expected '@@ -LINE,COUNT +LINE,COUNT @@'", shown(line.text)));
    }
    if (error != std::errc() || value > largest) {
        return fail_at(line.number, fmt::format("the number {} of a hunk header is too large",
                                                text.substr(0, std::min<std::size_t>(length, 40))));
    }
    text.remove_prefix(length);
    return value;
}

Done Parser::range(const PatchLine& line, std::string_view& text, std::size_t& start,
                   std::size_t& count) const {
    base::Result<std::size_t> value = number(line, text);
    if (!value) return base::fail(value.error());
    start = *value;
    count = 1;
    if (text.starts_with(',')) {
        text.remove_prefix(1);
        value = number(line, text);
        if (!value) return base::fail(value.error());
        count = *value;
    }
    if (start == 0 && count > 0) {
        return fail_at(
            line.number,
            fmt::format("a hunk header with {} lines from line 0; lines are counted from 1", count));
    }
    return {};
}

base::Result<Hunk> Parser::hunk_header(const PatchLine& line) const {
    Hunk hunk;
    hunk.line = line.number;
    std::string_view text = without_cr(line.text);
    const auto expect = [&](std::string_view what) -> Done {
        if (text.starts_with(what)) {
            text.remove_prefix(what.size());
            return {};
        }
        return fail_at(
            line.number,
            fmt::format("{} is no hunk header; expected '@@ -LINE,COUNT +LINE,COUNT @@'", shown(line.text)));
    };
    if (const Done done = expect("@@ -"); !done) return base::fail(done.error());
    if (const Done done = range(line, text, hunk.old_start, hunk.old_count); !done)
        return base::fail(done.error());
    if (const Done done = expect(" +"); !done) return base::fail(done.error());
    if (const Done done = range(line, text, hunk.new_start, hunk.new_count); !done)
        return base::fail(done.error());
    if (const Done done = expect(" @@"); !done) return base::fail(done.error());
    if (text.starts_with(' ')) text.remove_prefix(1);
    hunk.section = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    return hunk;
}

Done Parser::check_order(const FilePatch& file, const Hunk& hunk) const {
    if (file.hunks.empty()) return {};
    const Hunk& before = file.hunks.back();
    const std::size_t first = hunk.old_count == 0 ? hunk.old_start + 1 : hunk.old_start;
    const std::size_t end =
        before.old_count == 0 ? before.old_start + 1 : before.old_start + before.old_count;
    if (first < end) {
        const std::string_view how = hunk.old_start < before.old_start ? "goes backwards" : "overlaps";
        return fail_at(hunk.line,
                       fmt::format("hunk {} {}: it starts at line {}, but hunk {} reaches to line {}",
                                   file.hunks.size() + 1, how, first, file.hunks.size(), end - 1));
    }
    if (old_side_ended_ || new_side_ended_) {
        return fail_at(hunk.line, fmt::format("hunk {} comes after the end of the file that hunk {} reached",
                                              file.hunks.size() + 1, file.hunks.size()));
    }
    return {};
}

Done Parser::hunk_body(Hunk& hunk, bool converted) {
    old_side_ended_ = false;
    new_side_ended_ = false;
    std::size_t old_left = hunk.old_count;
    std::size_t new_left = hunk.new_count;
    lines_.clear();
    while (old_left > 0 || new_left > 0) {
        const std::optional<PatchLine> line = peek();
        if (!line || starts_something_else(*line)) {
            const std::size_t at = line ? line->number : number_ - 1;
            return fail_at(
                at, fmt::format("the hunk of line {} is truncated: {} old and {} new lines are missing",
                                hunk.line, old_left, new_left));
        }
        if (Done done = hunk_line(hunk, *line, converted, old_left, new_left); !done) return done;
        advance();
    }
    if (const std::optional<PatchLine> line = peek(); line && line->text.starts_with("\\ ")) {
        if (Done done = no_newline(line->number); !done) return done;
        advance();
    }
    hunk.lines.assign(lines_.begin(), lines_.end());
    const auto changes = [](const Line& line) { return line.kind != LineKind::context; };
    if (std::none_of(hunk.lines.begin(), hunk.lines.end(), changes)) {
        return fail_at(hunk.line, "a hunk that changes nothing; the patch was cut or edited?");
    }
    return {};
}

/// A line that cannot belong to a hunk and shows that the hunk is over.
bool Parser::starts_something_else(const PatchLine& line) const {
    return line.text.starts_with("@@ -") || line.text.starts_with("diff ");
}

Done Parser::hunk_line(Hunk& hunk, const PatchLine& line, bool converted, std::size_t& old_left,
                       std::size_t& new_left) {
    std::string_view text = converted ? without_cr(line.text) : line.text;
    if (text.starts_with("\\ ")) return no_newline(line.number);
    const bool blank_stripped = without_cr(text).empty();
    const char mark = blank_stripped ? ' ' : text[0];
    if (!blank_stripped) text.remove_prefix(1);
    Line result;
    switch (mark) {
        case ' ':
            result.kind = LineKind::context;
            break;
        case '-':
            result.kind = LineKind::removed;
            break;
        case '+':
            result.kind = LineKind::added;
            break;
        default:
            return fail_at(
                line.number,
                fmt::format(
                    "a line of a hunk starts with ' ', '+', '-' or '\\', not as {}: the hunk of line {} is "
                    "truncated, {} old and {} new lines are missing",
                    shown(line.text), hunk.line, old_left, new_left));
    }
    const bool in_old = result.kind != LineKind::added;
    const bool in_new = result.kind != LineKind::removed;
    if ((in_old && old_left == 0) || (in_new && new_left == 0)) {
        return fail_at(line.number,
                       fmt::format("the hunk of line {} has more {} lines than its header says ({})",
                                   hunk.line, in_old && old_left == 0 ? "old" : "new",
                                   in_old && old_left == 0 ? hunk.old_count : hunk.new_count));
    }
    if ((in_old && old_side_ended_) || (in_new && new_side_ended_)) {
        return fail_at(line.number, "a line after the last one, which has no newline at its end");
    }
    old_left -= in_old ? 1 : 0;
    new_left -= in_new ? 1 : 0;
    result.ending = text.ends_with('\r') ? Ending::crlf : Ending::lf;
    result.text = without_cr(text);
    lines_.push_back(result);
    return {};
}

Done Parser::no_newline(std::size_t line) {
    if (lines_.empty() || lines_.back().ending == Ending::none) {
        return fail_at(line, "'\\ No newline at end of file' without a line before it");
    }
    Line& last = lines_.back();
    // The CR was no part of a line end, then.
    if (last.ending == Ending::crlf) last.text = {last.text.data(), last.text.size() + 1};
    last.ending = Ending::none;
    old_side_ended_ = old_side_ended_ || last.kind != LineKind::added;
    new_side_ended_ = new_side_ended_ || last.kind != LineKind::removed;
    return {};
}

/// Whatever looks like more of a hunk that is complete would be lost without a word.
Done Parser::after_hunks() {
    bool blank_before = false;
    while (const std::optional<PatchLine> line = peek()) {
        const std::string_view text = without_cr(line->text);
        const bool signature = text == "--" || text == "-- ";
        if (signature || at_plain_header(*line)) return {};
        const bool blank = text.empty();
        const bool change = text.starts_with('+') || text.starts_with('-');
        const bool context = text.starts_with(' ') || text.starts_with("\\ ");
        if (change || (context && !blank_before)) {
            return fail_at(line->number, "a hunk has more lines than its header says");
        }
        if (!blank && !context) return {};
        blank_before = true;
        advance();
    }
    return {};
}

}  // namespace

base::Result<Patch> parse(std::string_view text, const ParseOptions& options) {
    return Parser(text, options).run();
}

}  // namespace drydock::patch
