#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace drydock::bench {

/// The inputs that diffs are measured on, of any size, for the benchmark and for the tests of quality.
class DiffInputs {
  public:
    using Visit = std::function<void(const std::string& name, const std::string& old_text,
                                     const std::string& new_text)>;

    explicit DiffInputs(Visit visit) : visit_(std::move(visit)) {}

    void standard(std::size_t count) {
        const Lines program = program_lines(count);
        pair("changed-1", program, changed(program, 1));
        pair("changed-10", program, changed(program, 10));
        pair("changed-100", program, changed(program, 100));
        pair("shuffled-blocks", program, shuffled_blocks(program, 100));
        const Lines longs = with_long_lines(program);
        Lines all_edited = longs;
        for (std::string& line : all_edited) {
            if (line.size() >= long_line) line[below(line.size())] = '#';
        }
        pair("long-lines", longs, all_edited);
        const Lines block = program_lines(50);
        Lines repeated;
        for (std::size_t i = 0; i < count / 100; ++i)
            repeated.insert(repeated.end(), block.begin(), block.end());
        pair("repeated-block", repeated, changed(repeated, 10));
    }

    void hard(std::size_t count) {
        pair("two-symbols", values(count, 2), values(count, 2));
        Lines twice;
        for (std::size_t i = 0; i < count; ++i) twice.push_back("line " + std::to_string(i % (count / 2)));
        pair("twice-shuffled", twice, shuffled_blocks(twice, 1));
        const Lines program = program_lines(count);
        const auto middle = program.begin() + static_cast<std::ptrdiff_t>(count / 2);
        Lines swapped(middle, program.end());
        swapped.insert(swapped.end(), program.begin(), middle);
        pair("halves-swapped", program, swapped);
        pair("reversed", program, Lines(program.rbegin(), program.rend()));
        Lines reused = program;
        for (std::size_t i = 0; i < count / 10; ++i) reused[below(count)] = program[below(count)];
        pair("reused-lines", program, reused);
        pair("thousand-values", values(count, 1000), values(count, 1000));
    }

    /// A tenth of the lines changed.
    void growth(std::size_t count) {
        const Lines program = program_lines(count);
        pair("lines-" + std::to_string(count), program, changed(program, 10));
    }

  private:
    using Lines = std::vector<std::string>;
    static constexpr std::size_t long_line = 300;

    std::size_t below(std::size_t end) { return random_() % end; }

    /// A third of a program's lines are the same few.
    Lines program_lines(std::size_t count) {
        Lines lines;
        for (std::size_t i = 0; i < count; ++i) {
            if (below(3) == 0) {
                lines.push_back(std::string(4 * below(4), ' ') + "}");
            } else {
                lines.push_back("    const value" + std::to_string(below(5000)) + " = compute(" +
                                std::to_string(random_()) + ");");
            }
        }
        return lines;
    }

    /// Every tenth line is long.
    Lines with_long_lines(Lines lines) {
        for (std::size_t i = 0; i < lines.size(); i += 10) {
            while (lines[i].size() < long_line) lines[i] += " word" + std::to_string(random_());
        }
        return lines;
    }

    Lines values(std::size_t count, std::size_t different) {
        Lines lines;
        for (std::size_t i = 0; i < count; ++i) lines.push_back("value " + std::to_string(below(different)));
        return lines;
    }

    /// Of a hundred lines `percent` are replaced, taken out, or get a new one before them.
    Lines changed(const Lines& lines, std::size_t percent) {
        Lines result;
        for (const std::string& line : lines) {
            if (below(100) >= percent) {
                result.push_back(line);
                continue;
            }
            const std::size_t kind = percent == 100 ? 2 : below(4);
            if (kind != 0) result.push_back(line + " // changed " + std::to_string(below(1000)));
            if (kind == 1) result.push_back(line);
        }
        return result;
    }

    Lines shuffled_blocks(const Lines& lines, std::size_t size) {
        std::vector<std::size_t> starts;
        for (std::size_t at = 0; at < lines.size(); at += size) starts.push_back(at);
        for (std::size_t i = starts.size(); i > 1; --i) std::swap(starts[i - 1], starts[below(i)]);
        Lines result;
        for (const std::size_t start : starts) {
            const std::size_t end = std::min(start + size, lines.size());
            result.insert(result.end(), lines.begin() + static_cast<std::ptrdiff_t>(start),
                          lines.begin() + static_cast<std::ptrdiff_t>(end));
        }
        return result;
    }

    static std::string joined(const Lines& lines) {
        std::string text;
        for (const std::string& line : lines) text += line + '\n';
        return text;
    }

    void pair(const std::string& name, const Lines& old_lines, const Lines& new_lines) {
        visit_(name, joined(old_lines), joined(new_lines));
    }

    Visit visit_;
    std::mt19937 random_{1};
};

}  // namespace drydock::bench
