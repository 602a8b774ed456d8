#pragma once

#include <string>
#include <vector>

namespace drydock::test {

/// Has the published packages, with dsh-session patched as our set patches it, write and list stores of
/// sessions. A command is one JSON:
/// - `{"write": ROOT, "compression": "zstd"|"none", "sessions": [{"id", "meta"?, "fork"?, "events"?}, ...]}`:
///   creates each session by SessionStore and appends its events, `[type, data, options?]`, which are flushed
///   to the store; `fork` makes it a user's fork of that session. The answer is `true`.
/// - `{"list": ROOT, "compression": ..., "of": [ID, ...]}`: `{"headers": [id, ...], "direct": {ID: [...]},
///   "below": {ID: [...]}}` from JsonlSessionPersistence.list, SubagentRuntime.listChildren and
///   listDescendants, or `{"refused": MESSAGE}`.
/// - `{"load": ROOT, "compression": ..., "id": ID}`: takes a session up again, which repairs its log. The
/// answer
///   is `true`.
/// Gives the answers in order, one JSON each; a test failure when it cannot be run.
std::vector<std::string> ask_house(const std::vector<std::string>& commands);

}  // namespace drydock::test
