#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace drydock::base {

/// What went wrong, as far as the caller's next step depends on it. cli/exit_code.hpp maps each to an exit
/// code.
enum class ErrorKind : std::uint8_t {
    check,          ///< a check said no
    usage,          ///< a command line, manifest or patch that cannot be used
    wrong_version,  ///< another version of a package is installed
    drifted,        ///< a known version with unknown bytes
    conflict,       ///< a patch does not apply, or a requirement is not met
    io,             ///< the operating system said no, or a file is missing
    busy,           ///< a lock was not had in time
    build,          ///< a build step failed
};

/// One problem, told so that its reader knows what was found, what was expected and what to do.
struct Error {
    ErrorKind kind{ErrorKind::io};
    std::string message;               ///< lower case, no full stop, without the fields below
    std::string package;               ///< the npm package it is about, or empty
    std::string file;                  ///< the file it is about, or empty
    std::size_t line{0};               ///< counted from 1; 0 when no line is meant
    std::vector<std::string> details;  ///< at most a few lines, shown indented below the message
};

template <class T>
using Result = tl::expected<T, Error>;

/// An Error as a failed Result: `return fail(ErrorKind::io, "...")`.
inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
    Error error;
    error.kind = kind;
    error.message = std::move(message);
    return tl::unexpected<Error>(std::move(error));
}

inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

/// An Error about a line of a file; line 0 where no line is meant.
Error error_at(ErrorKind kind, std::string file, std::size_t line, std::string message);

/// One line: `package: file:line: message`, absent parts left out.
std::string describe(const Error& error);

/// A failed system call, by its errno. What was being done is known one level up.
struct Errno {
    int value{0};
};

template <class T>
using Sys = tl::expected<T, Errno>;

/// The last system call's errno as a failed Sys.
tl::unexpected<Errno> errno_now();

/// What an errno means in lower case words, without the number: `permission denied`.
std::string errno_text(int value);

/// An io Error `WHAT: REASON` for a failed system call.
Error io_error(Errno reason, std::string what);

}  // namespace drydock::base
