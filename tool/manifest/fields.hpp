#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/result.hpp"
#include "manifest/manifest.hpp"
#include "manifest/yaml.hpp"

namespace drydock::manifest {

/// The first thing that is wrong with a manifest. Reading goes on with empty values after it, so that no
/// reader needs a way out of its own.
class Problem {
  public:
    explicit Problem(std::string file) : file_(std::move(file)) {}

    void refuse(std::size_t line, std::string message);
    [[nodiscard]] const std::optional<base::Error>& first() const { return first_; }

  private:
    std::string file_;
    std::optional<base::Error> first_;
};

/// A number that is written with digits alone, from `least` to 999,999.
unsigned read_number(const Value& value, std::string_view key, unsigned least, Problem& problem);

/// A text of one line that is not empty.
std::string read_text(const Value& value, std::string_view key, Problem& problem);

/// One mapping of the manifest, read key by key. What is wrong goes to the problem, and the empty value comes
/// back.
class Fields {
  public:
    /// Refuses what is no mapping and keys other than `keys`. `what` is how messages call it: `a package`.
    /// The value must outlive it.
    Fields(const Value& value, std::string_view what, std::initializer_list<std::string_view> keys,
           Problem& problem);

    [[nodiscard]] std::size_t line() const { return value_.line; }

    /// The value of a key that may be missing; nothing then.
    [[nodiscard]] const Value* find(std::string_view key) const;

    /// The value of a key that must be there; an empty one when it isn't.
    [[nodiscard]] const Value& need(std::string_view key) const;

    [[nodiscard]] std::string text(std::string_view key) const;
    [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise) const;

    /// A text for people: line breaks become spaces.
    [[nodiscard]] std::string prose(std::string_view key) const;
    [[nodiscard]] std::string prose_if_there(std::string_view key) const;

    [[nodiscard]] unsigned number(std::string_view key) const;
    [[nodiscard]] unsigned number_or(std::string_view key, unsigned otherwise) const;

    /// A SHA-256.
    [[nodiscard]] base::Digest digest(std::string_view key) const;

    /// A SHA-256, or `absent`.
    [[nodiscard]] FileHash hash(std::string_view key) const;

    /// The list's values; none when the key is missing.
    [[nodiscard]] const std::vector<Value>& items(std::string_view key) const;

    /// The list's values, at least one.
    [[nodiscard]] const std::vector<Value>& some_items(std::string_view key) const;

    /// The list's texts, none twice.
    [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> some_texts(std::string_view key) const;

    /// The mapping's members; none when the key is missing.
    [[nodiscard]] const std::vector<Member>& members(std::string_view key) const;

  private:
    [[nodiscard]] std::vector<std::string> distinct(const std::vector<Value>& list,
                                                    std::string_view key) const;

    const Value& value_;
    std::string_view what_;
    Problem& problem_;
};

/// ` (did you mean 'X'?)`, or else `; expected one of A, B`.
std::string expected_one_of(std::string_view found, const std::vector<std::string>& candidates);

}  // namespace drydock::manifest
