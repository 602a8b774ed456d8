#pragma once

#include <string_view>

#include "session/review.hpp"
#include "session/session.hpp"

/// What is true of every log, whatever bytes it is.
namespace drydock::fuzz {

/// A file in memory.
base::FileDescriptor file_of(std::string_view bytes);

/// A harness that knows the types of the logs of tests/session, and patched `subagent/stream`.
session::JudgeOptions options_of(session::Encoding encoding);

/// The verdict, once it is one.
session::Judgement judged(std::string_view bytes, session::Encoding encoding,
                          session::Review* review = nullptr);

/// A mended copy opens.
void check_mending(std::string_view bytes, session::Encoding encoding);

/// Followed while it grows to `cut` and then to its end, it tells what it tells when it is read at once.
void check_following(std::string_view bytes, session::Encoding encoding, std::size_t cut);

}  // namespace drydock::fuzz
