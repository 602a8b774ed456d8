#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace drydock::compat {

/// Seeded texts with many repeated lines, and edits of them: what makes a patch hard to place.
class RandomText {
  public:
    explicit RandomText(std::uint32_t seed) : random_(seed) {}

    /// A number from 0 up to, not with, `end`.
    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }
    bool chance(unsigned percent) { return below(100) < percent; }

    /// A text of up to `most` lines: LF, CRLF or both, sometimes empty, sometimes without a newline at its
    /// end.
    std::string text(std::size_t most) {
        if (chance(3)) return {};
        alphabet_ = chance(30) ? 3 : chance(50) ? 12 : 1000;
        ending_ = chance(75) ? 0 : chance(50) ? 100 : 50;
        std::vector<std::string> lines;
        const std::size_t count = 1 + below(most);
        for (std::size_t i = 0; i < count; ++i) lines.push_back(line());
        while (chance(20)) {
            const std::size_t size = std::min<std::size_t>(lines.size(), 30);
            const std::vector<std::string> again(lines.begin(),
                                                 lines.begin() + static_cast<std::ptrdiff_t>(size));
            lines.insert(lines.end(), again.begin(), again.end());
        }
        return joined(std::move(lines), chance(20));
    }

    /// The text with some lines changed, added and taken away, in the same style.
    std::string edited(const std::string& text) {
        std::vector<std::string> lines = split(text);
        const bool had_newline = text.empty() || text.back() == '\n';
        const std::size_t edits = 1 + below(3);
        for (std::size_t i = 0; i < edits; ++i) edit(lines);
        return joined(std::move(lines), chance(10) ? had_newline : !had_newline);
    }

    std::string line() {
        const std::string text = chance(10) ? "" : "line " + std::to_string(below(alphabet_));
        return text + (chance(static_cast<unsigned>(ending_)) ? "\r\n" : "\n");
    }

    static std::vector<std::string> split(const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
            lines.push_back(text.substr(at, end - at));
            at = end;
        }
        if (!lines.empty() && lines.back().back() != '\n') lines.back() += '\n';
        return lines;
    }

    static std::string joined(std::vector<std::string> lines, bool without_newline) {
        std::string text;
        for (const std::string& line : lines) text += line;
        if (without_newline && !text.empty()) text.pop_back();
        return text;
    }

  private:
    void edit(std::vector<std::string>& lines) {
        const std::size_t at = below(lines.size() + 1);
        const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
        switch (below(4)) {
            case 0:
                lines.insert(place, line());
                break;
            case 1:
                lines.insert(place, {line(), line()});
                break;
            case 2:
                if (place != lines.end()) lines.erase(place);
                break;
            default:
                if (place != lines.end()) *place = line();
        }
    }

    std::mt19937 random_;
    std::size_t alphabet_{12};
    std::size_t ending_{0};
};

}  // namespace drydock::compat
