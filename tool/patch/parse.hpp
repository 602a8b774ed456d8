#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "patch/model.hpp"
#include "patch/patch_reader.hpp"

namespace drydock::patch {

struct ParseOptions {
    unsigned strip{1};          ///< leading components taken from names, as -p
    std::string name{"patch"};  ///< what errors call it
    bool use_names{
        true};  ///< false: names are kept as they stand, unchecked, since the caller has a file of its own
};

/// Reads git's and plain unified diffs, with whatever prose, mail headers and signatures lie around them.
///
/// A file whose headers end with CRLF was converted as a whole: one CR is taken from each of its lines. Where
/// only hunk lines have a CR, it belongs to the patched file (Ending::crlf). An empty line in a hunk is an
/// empty context line whose blank was stripped.
///
/// Errors are of kind usage, with the patch's name and line, for: no patch in the text; ed scripts, context,
/// normal, combined and binary diffs; encoded mails; hunks that are truncated, overlap, go backwards, change
/// nothing or whose counts don't add up; numbers that overflow; headers that contradict each other; modes
/// that git does not write; a name that is empty, absolute, has a `..`, a `.git` or a NUL, or fewer
/// components than are stripped; two different names of a plain diff, unless one only has a suffix more (`x`
/// and `x.orig`: the file is `x`).
base::Result<Patch> parse(std::string_view text, const ParseOptions& options = {});

/// Is told what stands in a patch's hunks while they are read.
class HunkVisitor {
  public:
    virtual void file() = 0;                    ///< the hunks of the next file begin
    virtual void hunk(const Hunk& header) = 0;  ///< without its lines
    virtual void line(const Line& line) = 0;    ///< as if it ended with a line feed
    virtual void no_newline() = 0;              ///< nothing ends the last line, then

  protected:
    HunkVisitor() = default;
    HunkVisitor(const HunkVisitor&) = default;
    HunkVisitor& operator=(const HunkVisitor&) = default;
    ~HunkVisitor() = default;
};

/// The same of a text that need never be in memory as a whole: `visitor` gets the lines of the hunks, the
/// patch has none of them.
base::Result<Patch> parse(const Pieces& pieces, HunkVisitor& visitor, const ParseOptions& options = {});

}  // namespace drydock::patch
