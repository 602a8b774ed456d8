#include "manifest/yaml.hpp"

#include <algorithm>
#include <istream>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "manifest/characters.hpp"
#include "manifest/manifest.hpp"

namespace drydock::manifest {

namespace {

/// Thrown to get out of yaml-cpp's parser, which knows no other way to stop; caught in read_yaml.
struct Refusal {
    std::size_t line;
    std::string message;
};

std::size_t line_of(const YAML::Mark& mark) {
    return static_cast<std::size_t>(mark.line) + 1;
}

/// The text as a stream, without a copy.
class TextBuffer : public std::streambuf {
  public:
    explicit TextBuffer(std::string_view text) {
        char* begin = const_cast<char*>(text.data());  // the get area is never written to
        setg(begin, begin, begin + text.size());
    }
};

/// Builds the Value of the one document from the parser's events.
class Builder : public YAML::EventHandler {
  public:
    explicit Builder(std::string_view text) : text_(text) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (document_seen_) throw Refusal{line_of(mark), "a second document; expected one"};
        document_seen_ = true;
    }
    void OnDocumentEnd() override {}

    void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
        throw Refusal{line_of(mark),
                      fmt::format("anchor {}; anchors are not allowed", in_quotes("&" + name))};
    }

    void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}  // its anchor came first

    void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
        add(Value{Value::Kind::nothing, line_of(mark), {}, {}, {}});
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  const std::string& text) override {
        check_tag(mark, tag);
        check_scalar(mark, text);
        add(Value{Value::Kind::text, line_of(mark), text, {}, {}});
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                         YAML::EmitterStyle::value /*style*/) override {
        check_tag(mark, tag);
        open(Value::Kind::list, mark);
    }
    void OnSequenceEnd() override { close(); }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                    YAML::EmitterStyle::value /*style*/) override {
        check_tag(mark, tag);
        open(Value::Kind::mapping, mark);
    }
    void OnMapEnd() override {
        refuse_duplicates(open_.back().value.members);
        close();
    }

    Value take() { return std::move(document_); }

  private:
    struct Open {
        Value value;
        bool key_read{false};  ///< of a mapping: the last member waits for its value
    };

    // yaml-cpp tells plain values as `?` and quoted ones as `!`, which can be written out, too.
    void check_tag(const YAML::Mark& mark, const std::string& tag) const {
        const auto position = static_cast<std::size_t>(mark.pos);
        const bool written = position < text_.size() && text_[position] == '!';
        if (written || (!tag.empty() && tag != "?" && tag != "!")) {
            throw Refusal{line_of(mark), "tags are not allowed"};
        }
    }

    // An escape in double quotes can make what the file itself may not hold.
    static void check_scalar(const YAML::Mark& mark, const std::string& text) {
        if (const auto bad = find_bad_character(text)) {
            throw Refusal{line_of(mark), bad->what + " made by an escape"};
        }
    }

    static void refuse_duplicates(const std::vector<Member>& members) {
        std::vector<const Member*> sorted;
        sorted.reserve(members.size());
        for (const Member& member : members) sorted.push_back(&member);
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const Member* a, const Member* b) { return a->key < b->key; });
        const auto same = std::adjacent_find(
            sorted.begin(), sorted.end(), [](const Member* a, const Member* b) { return a->key == b->key; });
        if (same == sorted.end()) return;
        const Member& first = **same;
        const Member& again = **std::next(same);
        throw Refusal{again.line,
                      fmt::format("duplicate key {}, first on line {}", in_quotes(again.key), first.line)};
    }

    void open(Value::Kind kind, const YAML::Mark& mark) {
        if (open_.size() == deepest_nesting) {
            throw Refusal{line_of(mark), fmt::format("nested deeper than {} levels", deepest_nesting)};
        }
        require_text_key(line_of(mark));
        open_.push_back(Open{Value{kind, line_of(mark), {}, {}, {}}, false});
    }

    void close() {
        Value value = std::move(open_.back().value);
        open_.pop_back();
        add(std::move(value));
    }

    void require_text_key(std::size_t line) const {
        if (open_.empty()) return;
        const Open& parent = open_.back();
        if (parent.value.kind == Value::Kind::mapping && !parent.key_read) {
            throw Refusal{line, "a key that is no text, or a bracket that is not closed"};
        }
    }

    void add(Value value) {
        if (open_.empty()) {
            document_ = std::move(value);
            return;
        }
        Open& parent = open_.back();
        if (parent.value.kind == Value::Kind::list) {
            parent.value.items.push_back(std::move(value));
        } else if (parent.key_read) {
            Member& member = parent.value.members.back();
            if (value.kind == Value::Kind::nothing) value.line = member.line;  // yaml-cpp has what comes next
            member.value = std::move(value);
            parent.key_read = false;
        } else {
            if (value.kind != Value::Kind::text) require_text_key(value.line);
            parent.value.members.push_back(Member{std::move(value.text), value.line, {}});
            parent.key_read = true;
        }
    }

    std::string_view text_;
    Value document_;
    std::vector<Open> open_;
    bool document_seen_{false};
};

std::size_t line_at(std::string_view text, std::size_t position) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
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
    try {
        TextBuffer buffer(text);
        std::istream stream(&buffer);
        YAML::Parser parser(stream);
        Builder builder(text);
        while (parser.HandleNextDocument(builder)) {
        }
        return builder.take();
    } catch (const Refusal& refusal) {
        return refused(file, refusal.line, refusal.message);
    } catch (const YAML::Exception& error) {
        const std::size_t line = error.mark.is_null() ? 0 : line_of(error.mark);
        // An alias without its anchor, which the builder never gets to see.
        if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR)
            return refused(file, line, "aliases are not allowed");
        return refused(file, line, "not readable as YAML: " + error.msg);
    }
}

}  // namespace drydock::manifest
