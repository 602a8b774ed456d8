#pragma once

#include <chrono>
#include <vector>

#include "base/directory.hpp"
#include "base/result.hpp"
#include "install/locate.hpp"

namespace drydock::install {

/// The locks on some roots' directories, held until it goes. They bind processes of one host only.
class Locks {
  public:
    /// Takes the lock of every root that is there, each directory once, in order of device and inode, so that
    /// two runs can't wait for each other. Errors: busy after `wait`; io when a path no longer names what was
    /// locked.
    static base::Result<Locks> take(const std::vector<const OpenRoot*>& roots,
                                    std::chrono::milliseconds wait);

  private:
    std::vector<base::Directory> held_;
};

}  // namespace drydock::install
