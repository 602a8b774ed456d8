#include "patch/patch_reader.hpp"

namespace drydock::patch {

std::string_view PatchReader::second_line() const {
    const std::string_view after(next(), static_cast<std::size_t>(text_end_ - next()));
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
