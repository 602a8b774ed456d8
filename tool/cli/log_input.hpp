#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "cli/selection.hpp"
#include "session/session.hpp"
#include "session/store.hpp"

/// What the log commands have in common.
namespace drydock::cli {

/// Opens a log for reading; `-` is standard input, which is copied into a file without a name first, since
/// frames are read twice, unless it is a file. Errors: io.
base::Result<base::FileDescriptor> open_log(const std::string& path);

/// By its name, or by its first bytes.
session::Encoding encoding_of_log(const std::string& path, const base::FileDescriptor& file);

/// Where the name tells of the other encoding than the bytes: which name would do; else empty.
std::string hint_of_name(const std::string& path, const base::FileDescriptor& file);

/// The two directories of a log that lies as in a store; else empty.
std::string place_in_store(const std::string& path);

/// Adds every `*.jsonl` and `*.jsonl.zstd` below a directory, sorted; links are not followed. Gives the
/// folders that cannot be read.
std::vector<session::Unreadable> add_logs_below(const std::string& path, std::vector<std::string>& files);

/// That there is none of them.
base::Error no_logs(const std::string& path);

/// What a stock and a patched harness of the selected version know. Errors: usage, for a manifest that cannot
/// be had, or has no list of event types.
base::Result<session::JudgeOptions> known_types(const Selection& selection,
                                                const manifest::Environment& environment);

/// The same, but where no version is chosen, on the command line or in the environment, the types are not
/// judged.
base::Result<session::JudgeOptions> known_types_if_chosen(const Selection& selection,
                                                          const manifest::Environment& environment);

/// The error, about this file if it is about none yet.
base::Error about(base::Error error, const std::string& path);

/// What fails every listing of a store, as a problem of kind check.
base::Error store_problem(const session::StoreFault& fault);

/// An io error `cannot WHAT PATH: REASON`.
tl::unexpected<base::Error> cannot(std::string_view what, const std::string& path, int reason);

/// Calls `work` for each number below `count`, on all cores at once.
void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace drydock::cli
