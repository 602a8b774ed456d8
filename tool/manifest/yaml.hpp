#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace drydock::manifest {

struct Member;

/// A value of a YAML document, as written: `1.10` is a text like any other, only an empty value, `~` and
/// `null` are nothing.
struct Value {
    enum class Kind : std::uint8_t { nothing, text, list, mapping };
    Kind kind{Kind::nothing};
    std::size_t line{1};
    std::string text;
    std::vector<Value> items;     ///< of a list
    std::vector<Member> members;  ///< of a mapping, no key twice
};

struct Member {
    std::string key;
    std::size_t line{1};
    Value value;
};

/// How deep lists and mappings may be nested.
inline constexpr std::size_t deepest_nesting = 16;

/// Reads one document of the YAML that manifests are written in: no anchors, aliases, tags, directives
/// or further documents, no duplicate keys, UTF-8 without control characters and line separators, at most
/// largest_manifest bytes, nested at most deepest_nesting deep. Time and memory are linear in the text.
/// Errors: usage, with file and line.
base::Result<Value> read_yaml(std::string_view text, const std::string& file);

/// Text from a manifest as messages show it: in single quotes, cut when long.
std::string in_quotes(std::string_view text);

}  // namespace drydock::manifest
