#pragma once

#include "patch/model.hpp"
#include "patch/parse.hpp"
#include "patch/parse_header.hpp"

namespace drydock::patch {

/// Sets what a file's header means, now that its hunks are known: operation and paths. Refuses headers that
/// contradict themselves or their hunks, and names that leave the tree.
Done judge(const Header& header, const ParseOptions& options, FilePatch& file);

}  // namespace drydock::patch
