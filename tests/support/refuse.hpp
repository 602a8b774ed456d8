#pragma once

#include <functional>
#include <vector>

namespace drydock::test {

/// Runs `body` in a forked child, whose failed assertions fail this test too, and whose skip skips it. What
/// the body does to its process (filters, users, mounts) ends with it.
void in_child(const std::function<void()>& body);

/// From here on this process's system calls of these numbers fail with `error`, as under a container's
/// filter. Only in a child: it cannot be taken back.
void refuse_system_calls(const std::vector<long>& numbers, int error);

}  // namespace drydock::test
