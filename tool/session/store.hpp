#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "session/session.hpp"

namespace drydock::session {

/// A log of a store.
struct StoredLog {
    std::string path;
    Encoding encoding{Encoding::plain};
    Header header;
};

/// Something about a file of a store.
struct StoreFault {
    std::string code;  ///< `mixed-encodings`, `flat-layout`, `broken-header`, `retired-header`, `identity`,
                       ///< `duplicate-id`
    std::string path;
    std::string message;
};

/// A file or folder that cannot be read.
struct Unreadable {
    std::string path;
    base::Error error;
};

/// A store: a folder of projects, each a folder of sessions' folders, in which the logs lie.
struct Store {
    std::vector<StoredLog> logs;         ///< that have a header, in the order of their paths
    std::vector<StoreFault> refusals;    ///< each of them fails every listing of the store
    std::vector<std::string> skipped;    ///< logs that the listing passes over: their first line is no header
    std::vector<Unreadable> unreadable;  ///< logs and folders
};

/// Whether a folder is one: it has a folder in it that is called as the harness calls a project's, `_no-cwd`
/// or `--...--`.
bool is_store(const std::string& path);

/// Lists a store as the harness does, from the first lines of its logs, but with every reason why it would
/// refuse instead of the first. Links are not followed. Which encoding the harness is set to is not known
/// here: that both are there is the refusal.
Store read_store(const std::string& path);

/// The header of a log as a listing has it; nothing where its first line is none. Errors: io, of the file;
/// check, for what fails a listing: a first zstd frame that is broken or is not one line, a retired key.
base::Result<std::optional<Header>> listed_header(const base::FileDescriptor& file, Encoding encoding);

}  // namespace drydock::session
