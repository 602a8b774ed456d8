#include "diff/small.hpp"

#include <dtl/dtl.hpp>

namespace drydock::diff {
namespace {

Step step_of(dtl::edit_t type) {
    if (type == dtl::SES_DELETE) return Step::removed;
    return type == dtl::SES_ADD ? Step::added : Step::common;
}

}  // namespace

std::vector<Step> shortest_way(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
    using Numbers = std::vector<std::uint32_t>;
    dtl::Diff<std::uint32_t, Numbers> diff(Numbers(from.begin(), from.end()), Numbers(to.begin(), to.end()));
    diff.compose();
    // Only the marks of its answer are read: the line numbers beside them can be wrong.
    std::vector<Step> steps;
    for (const auto& [number, info] : diff.getSes().getSequence()) steps.push_back(step_of(info.type));
    return steps;
}

}  // namespace drydock::diff
