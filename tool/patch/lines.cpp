#include "patch/lines.hpp"

#include <algorithm>
#include <cstring>

namespace drydock::patch {
namespace {

/// Eight bytes at a time; at most 2,040 bytes, or the sums would overflow.
std::uint32_t count_line_feeds(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fU;
    std::uint64_t sums = 0;  // one for each of the eight places
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, 8);
        bytes ^= ones * '\n';
        const std::uint64_t others =
            ((bytes & low_bits) + low_bits) | bytes;  // the high bit of what is no line feed
        sums += (~others >> 7U) & ones;
    }
    std::uint32_t count = 0;
    for (unsigned place = 0; place < 8; ++place)
        count += static_cast<std::uint32_t>(sums >> (8 * place)) & 0xffU;
    for (; at < text.size(); ++at) count += text[at] == '\n' ? 1U : 0U;
    return count;
}

}  // namespace

FileLine line_at(std::string_view text, std::size_t offset) {
    const std::size_t end = text.find('\n', offset);
    if (end == std::string_view::npos) return {text.substr(offset), Ending::none, text.size()};
    const std::string_view line = text.substr(offset, end - offset);
    if (line.ends_with('\r')) return {without_cr(line), Ending::crlf, end + 1};
    return {line, Ending::lf, end + 1};
}

void LineTable::read_block() {
    const std::string_view block = text_.substr(read_, block_size);
    feeds_before_.push_back(feeds_before_.back() + count_line_feeds(block));
    read_ += block.size();
}

std::size_t LineTable::count() {
    while (!read_all()) read_block();
    const bool rest = !text_.empty() && text_.back() != '\n';
    return feeds_before_.back() + (rest ? 1U : 0U);
}

std::optional<std::size_t> LineTable::offset(std::size_t line) {
    if (line == last_line_) return last_offset_;
    while (feeds_before_.back() < line && !read_all()) read_block();
    if (feeds_before_.back() < line) return line == count() ? std::optional(text_.size()) : std::nullopt;
    last_line_ = line;
    last_offset_ = offset_of_read(line);
    return last_offset_;
}

/// A line starts after the line feed of its number, which lies in the last block with fewer before it.
std::size_t LineTable::offset_of_read(std::size_t line) const {
    if (line == 0) return 0;
    std::size_t block = feeds_before_.size() - 2;  // the one just read, as a rule
    if (feeds_before_[block] >= line) {
        const auto after = std::lower_bound(feeds_before_.begin(), feeds_before_.end(), line);
        block = static_cast<std::size_t>(after - feeds_before_.begin()) - 1;
    }
    std::size_t offset = block * block_size;
    for (std::size_t feeds = feeds_before_[block]; feeds < line; ++feeds)
        offset = text_.find('\n', offset) + 1;
    return offset;
}

std::vector<std::size_t> LineTable::offsets(std::size_t first, std::size_t end) {
    std::vector<std::size_t> result;
    if (first >= end) return result;
    result.reserve(end - first);
    std::size_t start = offset(first).value_or(text_.size());
    while (start < text_.size() && result.size() < end - first) {
        result.push_back(start);
        const std::size_t feed = text_.find('\n', start);
        start = feed == std::string_view::npos ? text_.size() : feed + 1;
    }
    return result;
}

}  // namespace drydock::patch
