#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::patch {

enum class LineKind : std::uint8_t { context, removed, added };

/// What ends a line: a line feed, a carriage return and a line feed, or the end of the file.
enum class Ending : std::uint8_t { lf, crlf, none };

/// A line of a hunk. The text has no line end; `ending` says which one it had in the patch.
struct Line {
    std::string_view text;  ///< into the text that was parsed, which must outlive the patch
    LineKind kind{LineKind::context};
    Ending ending{Ending::lf};
    friend bool operator==(const Line&, const Line&) = default;
};

/// `@@ -old_start,old_count +new_start,new_count @@ section`, lines counted from 1. A count of 0 stands for
/// the gap after the start line.
struct Hunk {
    std::size_t old_start{0};
    std::size_t old_count{0};
    std::size_t new_start{0};  ///< kept for print; nothing is ever placed by it
    std::size_t new_count{0};
    std::string section;
    std::vector<Line> lines;
    std::size_t line{0};  ///< where its `@@` stands in the patch text
};

enum class Operation : std::uint8_t { modify, create, remove, rename, copy };

/// `modify`, `create`, ...
std::string_view operation_name(Operation operation);

/// What a patch does with one file.
struct FilePatch {
    Operation operation{Operation::modify};
    std::string old_path;              ///< after strip; empty for create
    std::string new_path;              ///< after strip; empty for remove
    std::optional<unsigned> old_mode;  ///< octal git mode, as 0100644
    std::optional<unsigned> new_mode;
    bool old_empty{false};  ///< its index line says that the old or the new file has no byte
    bool new_empty{false};
    std::vector<Hunk> hunks;
    std::size_t commit{0};   ///< which of the text's mails or commits it came with, counted from 0
    std::string patch_name;  ///< what messages call the patch's text
    std::size_t line{0};     ///< where its first header stands in it
};

/// The path that a reader would call the file by: the new one, or the old one of a file that goes.
inline const std::string& path_of(const FilePatch& file) {
    return file.operation == Operation::remove ? file.old_path : file.new_path;
}

struct Patch {
    std::vector<FilePatch> files;
};

}  // namespace drydock::patch
