#include "install/lock.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <sys/file.h>

namespace drydock::install {
namespace {

using base::Result;
using base::Sys;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds first_pause{1};
constexpr std::chrono::milliseconds longest_pause{50};

Result<void> take_one(const base::Directory& directory, const OpenRoot& root, Clock::time_point deadline,
                      std::chrono::milliseconds wait) {
    std::chrono::milliseconds pause = first_pause;
    while (flock(directory.fd(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK)
            return base::fail(base::io_error(base::Errno{errno}, "cannot lock " + root.path));
        if (Clock::now() + pause > deadline) {
            return base::fail(
                base::ErrorKind::busy,
                fmt::format("{} is locked by another process, and was for {:g} s; try again, or wait "
                            "longer with --wait",
                            root.path, static_cast<double>(wait.count()) / 1000.0));
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, longest_pause);
    }
    return {};
}

}  // namespace

Result<Locks> Locks::take(const std::vector<const OpenRoot*>& roots, std::chrono::milliseconds wait) {
    std::vector<const OpenRoot*> order;
    for (const OpenRoot* root : roots) {
        if (!root->missing && root->trouble.empty()) order.push_back(root);
    }
    std::sort(order.begin(), order.end(),
              [](const OpenRoot* a, const OpenRoot* b) { return a->identity < b->identity; });
    const auto same = [](const OpenRoot* a, const OpenRoot* b) { return a->identity == b->identity; };
    order.erase(std::unique(order.begin(), order.end(), same), order.end());

    Locks locks;
    const Clock::time_point deadline = Clock::now() + wait;
    for (const OpenRoot* root : order) {
        // A handle of its own: a lock belongs to the open file, and goes when that is closed.
        Sys<base::Directory> directory = root->directory.open_directory({});
        if (!directory) return base::fail(base::io_error(directory.error(), "cannot lock " + root->path));
        if (const Result<void> taken = take_one(*directory, *root, deadline, wait); !taken) {
            return base::fail(taken.error());
        }
        const Sys<base::Directory> again = base::Directory::open(root->path);
        const Sys<base::FileInfo> info = again ? again->info() : tl::unexpected<base::Errno>(again.error());
        if (!info || info->identity != root->identity) {
            return base::fail(
                base::ErrorKind::io,
                fmt::format("{} was replaced while we waited for its lock; run again", root->path));
        }
        locks.held_.push_back(*std::move(directory));
    }
    return locks;
}

}  // namespace drydock::install
