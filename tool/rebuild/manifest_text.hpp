#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::rebuild {

/// A manifest's text, changed in places, with its comments and its layout kept. What came of it is for the
/// caller to parse and hold against what was wanted.
class ManifestText {
  public:
    explicit ManifestText(std::string text) : text_(std::move(text)) {}

    /// Sets the value of the first `key: OLD` on or after a line (counted from 1); quotes around the value
    /// stay. False when there is none.
    bool set(std::size_t line, std::string_view key, std::string_view old_value, std::string_view new_value);

    /// Replaces a version wherever it stands as a whole: no digit, letter or dot runs on into it, but for a
    /// `v` before it.
    void rename_version(std::string_view old_version, std::string_view new_version);

    /// Takes out every block of that key in block style: its line and the deeper lines that follow. At any
    /// depth, or only at the top.
    void remove_blocks(std::string_view key, bool top_only);

    /// Replaces a folder's path wherever it stands in the block of a key at the top: as a whole, or before a
    /// `/`, or behind `./` and `../`.
    void rename_folder(std::string_view key, std::string_view old_path, std::string_view new_path);

    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace drydock::rebuild
