#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"

namespace drydock::base {

/// A new directory in a folder, removed with all that is in it when it goes.
class Scratch {
  public:
    /// An io Error when the folder is not there or cannot be written. `keep`: it stays.
    static Result<Scratch> make(const std::string& folder, bool keep = false);

    Scratch(Scratch&& other) noexcept
        : path_(std::exchange(other.path_, std::string())), keep_(other.keep_) {}
    Scratch& operator=(Scratch&&) = delete;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch();

    /// Absolute.
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Removes it before its time.
    void remove();

    /// A new directory in it.
    [[nodiscard]] Result<std::string> directory(const std::string& name) const;

  private:
    Scratch(std::string path, bool keep) : path_(std::move(path)), keep_(keep) {}
    std::string path_;
    bool keep_;
};

}  // namespace drydock::base
