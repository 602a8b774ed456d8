#include "patch/parse_header.hpp"

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

class HeaderParser {
  public:
    explicit HeaderParser(PatchReader& reader) : reader_(reader) { header_.line = reader.number(); }

    base::Result<Header> git();
    base::Result<Header> plain();

  private:
    /// Takes a line's value, what comes after its prefix.
    using Handler = Done (HeaderParser::*)(std::string_view);
    struct Transition {
        std::string_view prefix;
        unsigned from;  ///< bits of the states in which it may come
        HeaderState to;
        Handler handler;
    };
    static const std::array<Transition, 15>& transitions();
    Done check_end(HeaderState state) const;

    Done on_old_mode(std::string_view value);
    Done on_new_mode(std::string_view value);
    Done on_created(std::string_view value);
    Done on_removed(std::string_view value);
    Done on_similarity(std::string_view value);
    Done on_dissimilarity(std::string_view value);
    Done on_rename_from(std::string_view value);
    Done on_copy_from(std::string_view value);
    Done on_moved_to(std::string_view value);
    Done on_index(std::string_view value);
    Done on_old_name(std::string_view value);
    Done on_new_name(std::string_view value);
    Done on_binary(std::string_view value);

    Done read_mode(std::string_view value, std::optional<unsigned>& mode) const;
    Done read_moved_name(std::string_view value, std::string& name) const;
    struct Name {
        std::string_view token;
        std::string name;
        bool epoch{false};
    };
    base::Result<Name> read_name(std::string_view value) const;

    PatchReader& reader_;
    Header header_;
};

const std::array<HeaderParser::Transition, 15>& HeaderParser::transitions() {
    using enum HeaderState;
    static constexpr unsigned before_move = bit(begun) | bit(new_mode) | bit(similar);
    static constexpr unsigned before_index = before_move | bit(whole) | bit(moved);
    static constexpr unsigned before_names = before_index | bit(indexed);
    static const std::array<Transition, 15> table{{
        {"old mode ", bit(begun), old_mode, &HeaderParser::on_old_mode},
        {"new mode ", bit(old_mode), new_mode, &HeaderParser::on_new_mode},
        {"new file mode ", bit(begun), whole, &HeaderParser::on_created},
        {"deleted file mode ", bit(begun), whole, &HeaderParser::on_removed},
        {"similarity index ", bit(begun) | bit(new_mode), similar, &HeaderParser::on_similarity},
        {"dissimilarity index ", bit(begun) | bit(new_mode), similar, &HeaderParser::on_dissimilarity},
        {"rename from ", before_move, rename_from, &HeaderParser::on_rename_from},
        {"rename to ", bit(rename_from), moved, &HeaderParser::on_moved_to},
        {"copy from ", before_move, copy_from, &HeaderParser::on_copy_from},
        {"copy to ", bit(copy_from), moved, &HeaderParser::on_moved_to},
        {"index ", before_index, indexed, &HeaderParser::on_index},
        {"--- ", before_names, old_name, &HeaderParser::on_old_name},
        {"+++ ", bit(old_name), new_name, &HeaderParser::on_new_name},
        {"GIT binary patch", before_names, new_name, &HeaderParser::on_binary},
        {"Binary files ", before_names, new_name, &HeaderParser::on_binary},
    }};
    return table;
}

base::Result<Header> HeaderParser::git() {
    header_.git = true;
    header_.converted = reader_.line().ends_with('\r');
    header_.git_names = without_cr(reader_.line().substr(std::string_view("diff --git ").size()));
    reader_.advance();
    HeaderState state = HeaderState::begun;
    while (!reader_.at_end() && state != HeaderState::new_name) {
        const std::string_view text = without_cr(reader_.line());
        const auto matches = [&](const Transition& step) { return text.starts_with(step.prefix); };
        const auto* const step = std::find_if(transitions().begin(), transitions().end(), matches);
        if (step == transitions().end()) break;
        if ((step->from & bit(state)) == 0) {
            return reader_.fail_here(fmt::format("{} out of place in a file's header", shown(text)));
        }
        if (Done done = (this->*step->handler)(text.substr(step->prefix.size())); !done) {
            return base::fail(std::move(done.error()));
        }
        state = step->to;
        reader_.advance();
    }
    if (Done done = check_end(state); !done) return base::fail(std::move(done.error()));
    return std::move(header_);
}

Done HeaderParser::check_end(HeaderState state) const {
    const auto missing = [&](std::string_view what) {
        return reader_.fail_at(
            header_.line, fmt::format("this file's header has no '{}' line; the patch is truncated?", what));
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

base::Result<Header> HeaderParser::plain() {
    for (const Handler handler : {&HeaderParser::on_old_name, &HeaderParser::on_new_name}) {
        const std::string_view text = reader_.line();
        header_.converted = text.ends_with('\r');
        if (Done done = (this->*handler)(without_cr(text).substr(4)); !done) {
            return base::fail(std::move(done.error()));
        }
        reader_.advance();
    }
    return std::move(header_);
}

Done HeaderParser::on_old_mode(std::string_view value) {
    return read_mode(value, header_.old_mode);
}

Done HeaderParser::on_new_mode(std::string_view value) {
    return read_mode(value, header_.new_mode);
}

Done HeaderParser::on_created(std::string_view value) {
    header_.created = true;
    return on_new_mode(value);
}

Done HeaderParser::on_removed(std::string_view value) {
    header_.removed = true;
    return on_old_mode(value);
}

Done HeaderParser::on_similarity(std::string_view value) {
    header_.dissimilar = value != "100%";
    return {};
}

Done HeaderParser::on_dissimilarity(std::string_view /*value*/) {
    header_.dissimilar = true;
    return {};
}

Done HeaderParser::on_rename_from(std::string_view value) {
    header_.renamed = true;
    return read_moved_name(value, header_.moved_from);
}

Done HeaderParser::on_copy_from(std::string_view value) {
    header_.copied = true;
    return read_moved_name(value, header_.moved_from);
}

Done HeaderParser::on_moved_to(std::string_view value) {
    return read_moved_name(value, header_.moved_to);
}

Done HeaderParser::on_index(std::string_view value) {
    const std::size_t space = value.find(' ');
    const std::string_view hashes = value.substr(0, space);
    const std::size_t dots = hashes.find("..");
    const auto is_hash = [](std::string_view text) {
        return !text.empty() &&
               std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    };
    const bool told =
        dots != std::string_view::npos && is_hash(hashes.substr(0, dots)) && is_hash(hashes.substr(dots + 2));
    if (!told) {
        return reader_.fail_here(
            fmt::format("{} is no index line; expected 'index HASH..HASH MODE'", shown(value)));
    }
    header_.old_hash = hashes.substr(0, dots);
    header_.new_hash = hashes.substr(dots + 2);
    if (space == std::string_view::npos) return {};
    std::optional<unsigned> mode;
    if (Done done = read_mode(value.substr(space + 1), mode); !done) return done;
    // An ordinary mode that stays is not the patch's business; a link or a submodule is.
    const bool ordinary = (*mode & 0170000U) == 0100000U;
    if (!ordinary && !header_.old_mode && !header_.new_mode) {
        header_.old_mode = mode;
        header_.new_mode = mode;
    }
    return {};
}

Done HeaderParser::on_old_name(std::string_view value) {
    base::Result<Name> name = read_name(value);
    if (!name) return base::fail(std::move(name.error()));
    header_.old_token = name->token;
    header_.old_name = std::move(name->name);
    header_.old_epoch = name->epoch;
    return {};
}

Done HeaderParser::on_new_name(std::string_view value) {
    base::Result<Name> name = read_name(value);
    if (!name) return base::fail(std::move(name.error()));
    header_.new_token = name->token;
    header_.new_name = std::move(name->name);
    header_.new_epoch = name->epoch;
    return {};
}

Done HeaderParser::on_binary(std::string_view /*value*/) {
    return reader_.fail_here(reader_.line().starts_with("GIT") ? binary_patch : binary_without_contents);
}

/// The modes that git writes: others, such as a set-user-ID bit, have no place in a patch.
Done HeaderParser::read_mode(std::string_view value, std::optional<unsigned>& mode) const {
    static constexpr std::array<unsigned, 5> known{0100644, 0100755, 0100664, 0120000, 0160000};
    unsigned found = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found, 8);
    const bool read = error == std::errc() && end == value.data() + value.size();
    if (!read || std::find(known.begin(), known.end(), found) == known.end()) {
        return reader_.fail_here(
            fmt::format("the mode {} is not one of git's; expected 100644 or 100755", shown(value)));
    }
    mode = found;
    return {};
}

Done HeaderParser::read_moved_name(std::string_view value, std::string& name) const {
    if (!value.starts_with('"')) {
        name = value;
        return {};
    }
    std::optional<Unquoted> unquoted = unquote(value);
    if (!unquoted || unquoted->length != value.size()) {
        return reader_.fail_here(fmt::format("the quoted name {} cannot be read", shown(value)));
    }
    name = std::move(unquoted->name);
    return {};
}

base::Result<HeaderParser::Name> HeaderParser::read_name(std::string_view value) const {
    Name result;
    if (value.starts_with('"')) {
        std::optional<Unquoted> unquoted = unquote(value);
        if (!unquoted)
            return reader_.fail_here(fmt::format("the quoted name {} cannot be read", shown(value)));
        result.token = value.substr(0, unquoted->length);
        result.name = std::move(unquoted->name);
    } else {
        result.token = value.substr(0, value.find('\t'));
        result.name = result.token;
    }
    const std::string_view after = value.substr(result.token.size());
    if (!after.empty() && after[0] != '\t') {
        return reader_.fail_here(
            fmt::format("{} after a quoted name; expected a tab or nothing", shown(after)));
    }
    if (result.name.empty()) return reader_.fail_here("a name is empty");
    result.epoch = is_epoch(after);
    return result;
}

}  // namespace

base::Result<Header> parse_git_header(PatchReader& reader) {
    return HeaderParser(reader).git();
}

base::Result<Header> parse_plain_header(PatchReader& reader) {
    return HeaderParser(reader).plain();
}

}  // namespace drydock::patch
