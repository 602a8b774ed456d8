#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/directory.hpp"
#include "base/result.hpp"

namespace drydock::session {

/// What another process did to a file since `before` was asked of it; empty: nothing that can be seen. What
/// was read meanwhile may be of neither state.
base::Sys<std::string> written_since(const base::FileInfo& before, const base::FileDescriptor& file);

/// An open file through a window of its bytes. Its size is taken once, when reading begins: what another
/// process appends meanwhile is not seen, and where it cuts the file the bytes end.
class Reader {
  public:
    static constexpr std::size_t window = (1U << 20U) + (1U << 16U);

    Reader(const base::FileDescriptor& file, std::uint64_t size) : file_(file), size_(size) {}

    /// Up to a window of bytes from `offset`: at least `wanted` (at most `window`) unless the file ends
    /// before. Good until the next call.
    base::Sys<std::string_view> at(std::uint64_t offset, std::size_t wanted);

    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    const base::FileDescriptor& file_;
    std::uint64_t size_;
    std::string bytes_;
    std::uint64_t begin_{0};  ///< of bytes_ in the file
};

}  // namespace drydock::session
