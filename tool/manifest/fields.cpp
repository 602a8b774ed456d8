#include "manifest/fields.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/suggest.hpp"

namespace drydock::manifest {

namespace {

const Value nothing;

std::string_view kind_name(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::nothing:
            return "nothing";
        case Value::Kind::text:
            return "a text";
        case Value::Kind::list:
            return "a list";
        case Value::Kind::mapping:
            return "a mapping";
    }
    return "";
}

bool is_kind(const Value& value, Value::Kind wanted, std::string_view key, Problem& problem) {
    if (value.kind == wanted) return true;
    problem.refuse(value.line,
                   fmt::format("'{}' is {}; expected {}", key, kind_name(value.kind), kind_name(wanted)));
    return false;
}

std::optional<base::Digest> read_digest(const Value& value, std::string_view key, std::string_view expected,
                                        Problem& problem) {
    if (!is_kind(value, Value::Kind::text, key, problem)) return std::nullopt;
    auto digest = base::digest_from_hex(value.text);
    if (!digest) {
        problem.refuse(value.line,
                       fmt::format("'{}' is {}; expected {}", key, in_quotes(value.text), expected));
    }
    return digest;
}

/// Line breaks and the blanks around them become one space, none at the ends.
std::string one_line(std::string_view text) {
    std::string line;
    for (const char character : text) {
        const bool blank = character == ' ' || character == '\n' || character == '\r' || character == '\t';
        if (!blank) {
            line += character;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

}  // namespace

void Problem::refuse(std::size_t line, std::string message) {
    if (first_) return;
    first_.emplace();
    first_->kind = base::ErrorKind::usage;
    first_->message = std::move(message);
    first_->file = file_;
    first_->line = line;
}

std::string expected_one_of(std::string_view found, const std::vector<std::string>& candidates) {
    std::string meant = base::did_you_mean(found, candidates);
    return meant.empty() ? fmt::format("; expected one of {}", fmt::join(candidates, ", ")) : meant;
}

unsigned read_number(const Value& value, std::string_view key, unsigned least, Problem& problem) {
    static constexpr unsigned most = 999'999;
    if (!is_kind(value, Value::Kind::text, key, problem)) return least;
    const std::string& text = value.text;
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool plain =
        error == std::errc() && end == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
    if (plain && number >= least && number <= most) return number;
    problem.refuse(value.line, fmt::format("'{}' is {}; expected a number from {} to {}", key,
                                           in_quotes(text), least, most));
    return least;
}

namespace {

bool is_tab_or_line_end(char each) {
    return each == '\t' || each == '\r' || each == '\n';
}

}  // namespace

std::string read_text(const Value& value, std::string_view key, Problem& problem) {
    if (!is_kind(value, Value::Kind::text, key, problem)) return {};
    if (value.text.empty()) {
        problem.refuse(value.line, fmt::format("'{}' is empty; expected a text", key));
    } else if (std::any_of(value.text.begin(), value.text.end(), is_tab_or_line_end)) {
        problem.refuse(value.line,
                       fmt::format("'{}' holds a tab or a line break; expected a text of one line", key));
    }
    return value.text;
}

Fields::Fields(const Value& value, std::string_view what, std::initializer_list<std::string_view> keys,
               Problem& problem)
    : value_(value), what_(what), problem_(problem) {
    if (value.kind != Value::Kind::mapping) {
        problem.refuse(value.line, fmt::format("{} is {}; expected a mapping with the keys {}", what,
                                               kind_name(value.kind), fmt::join(keys, ", ")));
    }
    for (const Member& member : value.members) {
        if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) continue;
        const std::vector<std::string> known(keys.begin(), keys.end());
        problem.refuse(member.line, fmt::format("unknown key {}{}", in_quotes(member.key),
                                                expected_one_of(member.key, known)));
        return;
    }
}

const Value* Fields::find(std::string_view key) const {
    const auto& members = value_.members;
    const auto found =
        std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.key == key; });
    return found == members.end() ? nullptr : &found->value;
}

const Value& Fields::need(std::string_view key) const {
    const Value* value = find(key);
    if (value != nullptr) return *value;
    problem_.refuse(value_.line, fmt::format("{} lacks the key '{}'", what_, key));
    return nothing;
}

std::string Fields::text(std::string_view key) const {
    return read_text(need(key), key, problem_);
}

std::string Fields::text_or(std::string_view key, std::string_view otherwise) const {
    const Value* value = find(key);
    return value == nullptr ? std::string(otherwise) : read_text(*value, key, problem_);
}

std::string Fields::prose(std::string_view key) const {
    const Value& value = need(key);
    return is_kind(value, Value::Kind::text, key, problem_) ? one_line(value.text) : std::string();
}

std::string Fields::prose_if_there(std::string_view key) const {
    return find(key) == nullptr ? std::string() : prose(key);
}

unsigned Fields::number(std::string_view key) const {
    return read_number(need(key), key, 1, problem_);
}

unsigned Fields::number_or(std::string_view key, unsigned otherwise) const {
    const Value* value = find(key);
    return value == nullptr ? otherwise : read_number(*value, key, 1, problem_);
}

base::Digest Fields::digest(std::string_view key) const {
    return read_digest(need(key), key, "a sha256 of 64 lower-case hexadecimal digits", problem_)
        .value_or(base::Digest{});
}

FileHash Fields::hash(std::string_view key) const {
    const Value& value = need(key);
    if (value.kind == Value::Kind::text && value.text == "absent") return std::nullopt;
    return read_digest(value, key, "a sha256 of 64 lower-case hexadecimal digits, or absent", problem_);
}

const std::vector<Value>& Fields::items(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr || !is_kind(*value, Value::Kind::list, key, problem_)) return nothing.items;
    return value->items;
}

const std::vector<Value>& Fields::some_items(std::string_view key) const {
    const Value& value = need(key);
    const std::vector<Value>& list = items(key);
    if (list.empty())
        problem_.refuse(value.line, fmt::format("'{}' is empty; expected at least one entry", key));
    return list;
}

std::vector<std::string> Fields::texts(std::string_view key) const {
    return distinct(items(key), key);
}

std::vector<std::string> Fields::some_texts(std::string_view key) const {
    return distinct(some_items(key), key);
}

std::vector<std::string> Fields::distinct(const std::vector<Value>& list, std::string_view key) const {
    std::vector<std::string> texts;
    texts.reserve(list.size());
    std::unordered_set<std::string_view> seen;
    for (const Value& item : list) {
        texts.push_back(read_text(item, key, problem_));
        if (!seen.insert(item.text).second) {
            problem_.refuse(item.line, fmt::format("{} stands twice in '{}'", in_quotes(item.text), key));
        }
    }
    return texts;
}

const std::vector<Member>& Fields::members(std::string_view key) const {
    const Value* value = find(key);
    if (value == nullptr || !is_kind(*value, Value::Kind::mapping, key, problem_)) return nothing.members;
    return value->members;
}

}  // namespace drydock::manifest
