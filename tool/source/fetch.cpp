#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <sys/file.h>

#include "base/directory.hpp"
#include "base/transaction.hpp"
#include "source/location.hpp"
#include "source/source.hpp"
#include "source/state.hpp"
#include "source/transfer.hpp"

namespace drydock::source {
namespace {

namespace fs = std::filesystem;

using base::ErrorKind;
using base::fail;
using base::Result;

constexpr auto pause_after_a_break = std::chrono::milliseconds(200);

/// The temporary folder of one attempt, locked while it lives, so that others know it from a dead one's.
class TemporaryFolder {
  public:
    /// Beside `folder`; what fetches that died have left there is removed.
    static Result<TemporaryFolder> make(const std::string& folder) {
        const fs::path target = fs::path(folder).lexically_normal();
        const std::string beginning =
            (target.parent_path() /
             fmt::format("{}fetch.{}.", base::temporary_prefix, target.filename().string()))
                .string();
        remove_left(target.parent_path(), beginning);
        TemporaryFolder made;
        made.path_ = beginning + "XXXXXX";
        if (::mkdtemp(made.path_.data()) == nullptr)
            return fail(io_error(base::errno_now().value(), "cannot make a folder beside " + folder));
        base::Sys<base::Directory> opened = base::Directory::open(made.path_);
        if (!opened) return fail(io_error(opened.error(), "cannot open " + made.path_));
        made.held_ = *std::move(opened);
        ::flock(made.held_.fd(), LOCK_EX | LOCK_NB);
        return made;
    }

    TemporaryFolder(TemporaryFolder&& other) noexcept
        : path_(std::exchange(other.path_, {})), held_(std::move(other.held_)) {}
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }

    /// Gives it the name; what had that is removed.
    Result<void> become(const std::string& folder) {
        std::error_code failed;
        const fs::path old = path_ + ".old";
        fs::rename(folder, old, failed);
        fs::rename(path_, folder, failed);
        std::error_code ignored;
        if (failed) fs::rename(old, folder, ignored);
        fs::remove_all(old, ignored);
        if (failed)
            return fail(io_error(base::Errno{failed.value()}, fmt::format("cannot put {} in place", folder)));
        path_.clear();
        return {};
    }

  private:
    TemporaryFolder() = default;

    static void remove_left(const fs::path& parent, const std::string& beginning) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(parent.empty() ? fs::path(".") : parent, ignored)) {
            if (!entry.path().string().starts_with(beginning)) continue;
            const base::Sys<base::Directory> left = base::Directory::open(entry.path());
            if (left && ::flock(left->fd(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
        }
    }

    std::string path_;
    base::Directory held_;
};

/// Makes attempts until one succeeds or nothing is to be hoped for; the last one's error says how many there
/// were.
template <class Attempt>
auto attempt_until_limit(const TransferLimits& limits, Attempt attempt) {
    for (int number = 1;; ++number) {
        bool broke = false;
        auto result = attempt(broke);
        if (result || !broke) return result;
        if (number >= limits.attempts) {
            result.error().message +=
                fmt::format(", {} of {} attempts; try again later", number, limits.attempts);
            return result;
        }
        std::this_thread::sleep_for(number * pause_after_a_break);
    }
}

Result<Repository> fetch_once(const Transfer& transfer, const std::string& folder,
                              const TransferLimits& limits, base::Progress& progress, bool& broke) {
    Result<TemporaryFolder> temporary = TemporaryFolder::make(folder);
    if (!temporary) return fail(temporary.error());
    const Result<Outcome> outcome =
        run_transfer({transfer.url, transfer.tags, temporary->path()}, limits, progress, broke);
    if (!outcome) return fail(outcome.error());
    if (!outcome->missing.empty()) {
        std::vector<std::string> names;
        for (const Tag& tag : outcome->tags) names.push_back(tag.name);
        return fail(unknown_tag(outcome->missing.front(), transfer.url, std::move(names)));
    }
    if (Result<void> put = temporary->become(folder); !put) return fail(put.error());
    return Repository::open(folder);
}

}  // namespace

Result<std::vector<Tag>> remote_tags(const std::string& url, const TransferLimits& limits,
                                     base::Progress& progress) {
    if (Result<void> good = check_remote(url); !good) return fail(good.error());
    return attempt_until_limit(limits, [&](bool& broke) -> Result<std::vector<Tag>> {
        Result<Outcome> outcome = run_transfer({url, {}, {}}, limits, progress, broke);
        if (!outcome) return fail(outcome.error());
        return std::move(outcome->tags);
    });
}

Result<Repository> fetch(const std::string& url, const std::vector<std::string>& tags,
                         const std::string& folder, const TransferLimits& limits, base::Progress& progress) {
    if (Result<void> good = check_remote(url); !good) return fail(good.error());
    return attempt_until_limit(limits, [&](bool& broke) {
        return fetch_once({url, tags, {}}, folder, limits, progress, broke);
    });
}

Result<Repository> obtain(const std::string& location, const std::vector<std::string>& tags,
                          const std::string& folder, const TransferLimits& limits, base::Progress& progress) {
    if (is_remote(location)) return fetch(location, tags, folder, limits, progress);
    return Repository::open(location);
}

}  // namespace drydock::source
