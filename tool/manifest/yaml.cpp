#include "manifest/yaml.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <yaml.h>

#include "manifest/characters.hpp"
#include "manifest/manifest.hpp"

namespace drydock::manifest {

namespace {

struct Refusal {
    std::size_t line;
    std::string message;
};

std::size_t line_of(const yaml_mark_t& mark) {
    return mark.line + 1;
}

std::string_view view_of(const yaml_char_t* text, std::size_t length) {
    return {reinterpret_cast<const char*>(text), length};
}

class Event {
  public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { yaml_event_delete(&event_); }

    yaml_event_t* operator->() { return &event_; }
    yaml_event_t* get() { return &event_; }

  private:
    yaml_event_t event_{};
};

class Parser {
  public:
    explicit Parser(std::string_view text) {
        usable_ = yaml_parser_initialize(&parser_) == 1;
        if (!usable_) return;
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                     text.size());
    }
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;
    ~Parser() { yaml_parser_delete(&parser_); }

    /// The next event; the refusal of a text that is no YAML.
    std::optional<Refusal> next(Event& event, std::string_view text) {
        if (usable_ && yaml_parser_parse(&parser_, event.get()) == 1) return std::nullopt;
        return refusal(text);
    }

  private:
    [[nodiscard]] Refusal refusal(std::string_view text) const;

    yaml_parser_t parser_{};
    bool usable_{false};
};

/// Builds the Value of the one document from the parser's events.
class Builder {
  public:
    /// Takes the next event; the refusal of what a manifest may not hold.
    std::optional<Refusal> take(yaml_event_t& event) {
        switch (event.type) {
            case YAML_DOCUMENT_START_EVENT:
                if (document_seen_)
                    return Refusal{line_of(event.start_mark), "a second document; expected one"};
                document_seen_ = true;
                return std::nullopt;
            case YAML_ALIAS_EVENT:
                return Refusal{line_of(event.start_mark), "aliases are not allowed"};
            case YAML_SCALAR_EVENT:
                return scalar(event);
            case YAML_SEQUENCE_START_EVENT:
                return open(Value::Kind::list, event, event.data.sequence_start.anchor,
                            event.data.sequence_start.tag);
            case YAML_MAPPING_START_EVENT:
                return open(Value::Kind::mapping, event, event.data.mapping_start.anchor,
                            event.data.mapping_start.tag);
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT:
                return close();
            default:
                return std::nullopt;
        }
    }

    Value document() { return std::move(document_); }

  private:
    struct Open {
        Value value;
        bool key_read{false};  ///< of a mapping: the last member waits for its value
    };

    static std::optional<Refusal> properties(const yaml_event_t& event, const yaml_char_t* anchor,
                                             const yaml_char_t* tag) {
        if (anchor != nullptr) {
            const std::string name = reinterpret_cast<const char*>(anchor);
            return Refusal{line_of(event.start_mark),
                           fmt::format("anchor {}; anchors are not allowed", in_quotes("&" + name))};
        }
        if (tag != nullptr) return Refusal{line_of(event.start_mark), "tags are not allowed"};
        return std::nullopt;
    }

    std::optional<Refusal> scalar(const yaml_event_t& event) {
        const auto& data = event.data.scalar;
        const std::size_t line = line_of(event.start_mark);
        if (auto refusal = properties(event, data.anchor, data.tag)) return refusal;
        const std::string_view text = view_of(data.value, data.length);
        if (data.style == YAML_PLAIN_SCALAR_STYLE && is_nothing(text)) {
            return add(Value{Value::Kind::nothing, line, {}, {}, {}});
        }
        // An escape in double quotes can make what the file itself may not hold.
        const bool escapes = data.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
        if (const auto bad = escapes ? find_bad_character(text) : std::nullopt)
            return Refusal{line, bad->what + " made by an escape"};
        return add(Value{Value::Kind::text, line, std::string(text), {}, {}});
    }

    static bool is_nothing(std::string_view text) {
        return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
    }

    static bool are_different(const std::vector<Member>& members) {
        static constexpr std::size_t few = 16;
        if (members.size() > few) return false;
        for (std::size_t i = 1; i < members.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (members[i].key == members[j].key) return false;
            }
        }
        return true;
    }

    static std::optional<Refusal> refuse_duplicates(const std::vector<Member>& members) {
        if (are_different(members)) return std::nullopt;
        std::vector<const Member*> sorted;
        sorted.reserve(members.size());
        for (const Member& member : members) sorted.push_back(&member);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const Member* a, const Member* b) { return a->key < b->key; });
        const auto same = std::adjacent_find(
            sorted.begin(), sorted.end(), [](const Member* a, const Member* b) { return a->key == b->key; });
        if (same == sorted.end()) return std::nullopt;
        const Member& first = **same;
        const Member& again = **std::next(same);
        return Refusal{again.line,
                       fmt::format("duplicate key {}, first on line {}", in_quotes(again.key), first.line)};
    }

    std::optional<Refusal> open(Value::Kind kind, const yaml_event_t& event, const yaml_char_t* anchor,
                                const yaml_char_t* tag) {
        const std::size_t line = line_of(event.start_mark);
        if (auto refusal = properties(event, anchor, tag)) return refusal;
        if (open_.size() == deepest_nesting) {
            return Refusal{line, fmt::format("nested deeper than {} levels", deepest_nesting)};
        }
        if (awaits_key()) return no_text_key(line);
        open_.push_back(Open{Value{kind, line, {}, {}, {}}, false});
        return std::nullopt;
    }

    std::optional<Refusal> close() {
        Value value = std::move(open_.back().value);
        open_.pop_back();
        if (auto refusal = refuse_duplicates(value.members)) return refusal;
        return add(std::move(value));
    }

    [[nodiscard]] bool awaits_key() const {
        return !open_.empty() && open_.back().value.kind == Value::Kind::mapping && !open_.back().key_read;
    }

    static Refusal no_text_key(std::size_t line) {
        return Refusal{line, "a key that is no text, or a bracket that is not closed"};
    }

    std::optional<Refusal> add(Value value) {
        if (open_.empty()) {
            document_ = std::move(value);
            return std::nullopt;
        }
        Open& parent = open_.back();
        if (parent.value.kind == Value::Kind::list) {
            parent.value.items.push_back(std::move(value));
        } else if (parent.key_read) {
            parent.value.members.back().value = std::move(value);
            parent.key_read = false;
        } else {
            if (value.kind != Value::Kind::text) return no_text_key(value.line);
            parent.value.members.push_back(Member{std::move(value.text), value.line, {}});
            parent.key_read = true;
        }
        return std::nullopt;
    }

    Value document_;
    std::vector<Open> open_;
    bool document_seen_{false};
};

std::size_t line_at(std::string_view text, std::size_t position) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// Whether a line, counted from 0, has a tab before its first other character.
bool is_indented_by_tab(std::string_view text, std::size_t line) {
    for (; line > 0 && !text.empty(); --line)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

Refusal Parser::refusal(std::string_view text) const {
    if (!usable_ || parser_.error == YAML_MEMORY_ERROR) return Refusal{0, "not enough memory to read it"};
    if (parser_.error == YAML_SCANNER_ERROR && is_indented_by_tab(text, parser_.problem_mark.line))
        return Refusal{line_of(parser_.problem_mark),
                       "a tab where a line begins; take it out, or use blanks"};
    const std::string problem = fmt::format("not readable as YAML: {}", parser_.problem);
    if (parser_.error == YAML_READER_ERROR) return Refusal{line_at(text, parser_.problem_offset), problem};
    const std::size_t line = line_of(parser_.problem_mark);
    if (parser_.context == nullptr) return Refusal{line, problem};
    const std::size_t begun = line_of(parser_.context_mark);
    if (begun == line) return Refusal{line, fmt::format("{} {}", problem, parser_.context)};
    return Refusal{line, fmt::format("{} {} that begins on line {}", problem, parser_.context, begun)};
}

/// A line that starts with `%`. They cost libyaml time that grows with the square of their number.
std::optional<std::size_t> find_directive(std::string_view text) {
    if (text.starts_with('%')) return 0;
    const std::size_t found = text.find("\n%");
    return found == std::string_view::npos ? std::nullopt : std::optional(found + 1);
}

base::Result<Value> read_document(std::string_view text, const std::string& file) {
    Parser parser(text);
    Builder builder;
    for (;;) {
        Event event;
        auto refusal = parser.next(event, text);
        if (!refusal) refusal = builder.take(*event.get());
        if (refusal) return refused(file, refusal->line, refusal->message);
        if (event->type == YAML_STREAM_END_EVENT) return builder.document();
    }
}

}  // namespace

std::string in_quotes(std::string_view text) {
    static constexpr std::size_t longest = 80;
    if (text.size() <= longest) return fmt::format("'{}'", text);
    std::size_t end = longest;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
    return fmt::format("'{}…'", text.substr(0, end));
}

base::Result<Value> read_yaml(std::string_view text, const std::string& file) {
    if (text.size() > largest_manifest) {
        return refused(file, 0, fmt::format("larger than {} bytes; no manifest is", largest_manifest));
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        return refused(file, 1, "starts with a byte order mark; save it as UTF-8 without one");
    }
    if (const auto bad = find_bad_character(text))
        return refused(file, line_at(text, bad->position), bad->what);
    if (const auto directive = find_directive(text))
        return refused(file, line_at(text, *directive), "directives are not allowed");
    return read_document(text, file);
}

}  // namespace drydock::manifest
