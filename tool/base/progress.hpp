#pragma once

#include <cstdint>
#include <string_view>

namespace drydock::base {

/// Told how far a long work has come. What it does with that (a line on a terminal, nothing) is its own
/// matter.
class Progress {
  public:
    Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    virtual ~Progress() = default;

    /// `done` of `total` steps of `what`, a few words in lower case (`receiving objects`); a total of 0 is
    /// not known yet. Called often, from the thread that does the work; it must not take long.
    virtual void update(std::string_view what, std::uint64_t done, std::uint64_t total) = 0;
};

/// For callers who don't ask.
class Silent final : public Progress {
  public:
    void update(std::string_view what, std::uint64_t done, std::uint64_t total) override {
        static_cast<void>(what);
        static_cast<void>(done);
        static_cast<void>(total);
    }
};

}  // namespace drydock::base
