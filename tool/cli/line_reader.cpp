#include "cli/line_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace drydock::cli {
namespace {

constexpr std::size_t block = std::size_t{256} * 1024;

}  // namespace

base::Sys<std::optional<InputLine>> LineReader::next() {
    while (true) {
        const void* found = std::memchr(buffer_.data() + scanned_, '\n', buffer_.size() - scanned_);
        if (found != nullptr) {
            return line(static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()));
        }
        scanned_ = buffer_.size();
        if (at_end_) {
            if (begin_ == buffer_.size() && !too_long_) return std::nullopt;
            return line(buffer_.size());
        }
        if (const base::Sys<void> filled = fill(); !filled) return tl::unexpected(filled.error());
    }
}

/// Makes room and reads a block.
base::Sys<void> LineReader::fill() {
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (buffer_.size() > longest_) {
        too_long_ = true;
        buffer_.clear();
    }
    scanned_ = buffer_.size();
    buffer_.resize(scanned_ + block);
    ssize_t size = 0;
    do {
        size = read(file_.get(), buffer_.data() + scanned_, block);
    } while (size < 0 && errno == EINTR);
    const int reason = errno;
    buffer_.resize(scanned_ + static_cast<std::size_t>(size < 0 ? 0 : size));
    if (size < 0) return tl::unexpected<base::Errno>(base::Errno{reason});
    at_end_ = size == 0;
    return {};
}

InputLine LineReader::line(std::size_t end) {
    InputLine result;
    result.number = ++number_;
    result.too_long = too_long_ || end - begin_ > longest_;
    if (!result.too_long) result.text = std::string_view(buffer_).substr(begin_, end - begin_);
    too_long_ = false;
    begin_ = std::min(end + 1, buffer_.size());
    scanned_ = begin_;
    return result;
}

}  // namespace drydock::cli
