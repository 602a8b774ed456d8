#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/result.hpp"
#include "patch/apply.hpp"
#include "patch/model.hpp"

namespace drydock::patch {

using Errors = std::vector<base::Error>;

/// An Error of kind conflict about a file of the tree.
base::Error conflict(const std::string& file, std::string message);

/// What apply does, but with every reason why not.
tl::expected<Applied, Errors> apply_hunks(const FilePatch& file, std::string_view text,
                                          const ApplyOptions& options);

}  // namespace drydock::patch
