#include "session/reader.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

namespace drydock::session {

base::Sys<std::string> written_since(const base::FileInfo& before, const base::FileDescriptor& file) {
    const base::Sys<base::FileInfo> after = base::info_of(file);
    if (!after) return tl::unexpected(after.error());
    if (after->size == before.size && after->written == before.written) return std::string();
    return fmt::format("another process wrote to it while it was read: {} bytes at first, {} at the end",
                       before.size, after->size);
}

base::Sys<std::string_view> Reader::at(std::uint64_t offset, std::size_t wanted) {
    if (offset >= size_) return std::string_view();
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, size_ - offset));
    const bool there = offset >= begin_ && offset + wanted <= begin_ + bytes_.size();
    if (!there) {
        bytes_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(window, size_ - offset)));
        begin_ = offset;
        std::size_t filled = 0;
        while (filled < bytes_.size()) {
            const ssize_t got = pread(file_.get(), bytes_.data() + filled, bytes_.size() - filled,
                                      static_cast<off_t>(offset + filled));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) {
                const auto failed = base::errno_now();
                bytes_.clear();
                return failed;
            }
            if (got == 0) {  // someone cut it
                size_ = offset + filled;
                break;
            }
            filled += static_cast<std::size_t>(got);
        }
        bytes_.resize(filled);
    }
    return std::string_view(bytes_).substr(static_cast<std::size_t>(offset - begin_));
}

}  // namespace drydock::session
