#include "base/result.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace drydock::base {

Error error_at(ErrorKind kind, std::string file, std::size_t line, std::string message) {
    Error error;
    error.kind = kind;
    error.message = std::move(message);
    error.file = std::move(file);
    error.line = line;
    return error;
}

std::string describe(const Error& error) {
    std::string text;
    if (!error.package.empty()) text += error.package + ": ";
    if (!error.file.empty()) {
        text += error.line > 0 ? fmt::format("{}:{}: ", error.file, error.line) : error.file + ": ";
    }
    return text + error.message;
}

tl::unexpected<Errno> errno_now() {
    return tl::unexpected<Errno>(Errno{errno});
}

std::string errno_text(int value) {
    // strerrordesc_np knows no locale, so that a message is the same everywhere.
    const char* description = strerrordesc_np(value);
    if (description == nullptr) return fmt::format("error {}", value);
    std::string text = description;
    if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'A' + 'a');
    }
    return text;
}

Error io_error(Errno reason, std::string what) {
    Error error;
    error.kind = ErrorKind::io;
    error.message = std::move(what) + ": " + errno_text(reason.value);
    return error;
}

}  // namespace drydock::base
