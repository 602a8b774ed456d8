#include "patch/patch_reader.hpp"

#include <utility>

namespace drydock::patch {

std::string_view PatchReader::second_line() const {
    const std::string_view after = rest_.substr(end_ < rest_.size() ? end_ + 1 : end_);
    return after.substr(0, after.find('\n'));
}

tl::unexpected<base::Error> PatchReader::fail_at(std::size_t line, std::string message) const {
    base::Error error;
    error.kind = base::ErrorKind::usage;
    error.message = std::move(message);
    error.file = name_;
    error.line = line;
    return base::fail(std::move(error));
}

bool at_file_names(const PatchReader& reader) {
    return reader.line().starts_with("--- ") && reader.second_line().starts_with("+++ ");
}

}  // namespace drydock::patch
