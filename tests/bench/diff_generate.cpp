// Writes the inputs of diff_bench.sh, a pair of files NAME.old and NAME.new for each:
// diff_generate DIRECTORY [LINES]; LINES (200,000) are those of the standard inputs

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using Lines = std::vector<std::string>;

class Generator {
  public:
    Generator(std::string directory, std::size_t lines) : directory_(std::move(directory)), count_(lines) {}

    void standard() {
        const Lines program = program_lines(count_);
        pair("changed-1", program, changed(program, 1));
        pair("changed-10", program, changed(program, 10));
        pair("changed-100", program, changed(program, 100));
        pair("shuffled-blocks", program, shuffled_blocks(program, 100));
        const Lines longs = long_lines(count_ / 10);
        Lines all_edited = longs;
        for (std::string& line : all_edited) line[below(line.size())] = '#';
        pair("long-lines", longs, all_edited);
        const Lines block = program_lines(50);
        Lines repeated;
        for (std::size_t i = 0; i < count_ / 100; ++i)
            repeated.insert(repeated.end(), block.begin(), block.end());
        pair("repeated-block", repeated, changed(repeated, 10));
    }

    void hard() {
        const std::size_t lines = count_ / 10;
        pair("two-symbols", values(lines, 2), values(lines, 2));
        Lines twice = numbered(lines / 2);
        const Lines once = twice;
        twice.insert(twice.end(), once.begin(), once.end());
        Lines shuffled = twice;
        std::shuffle(shuffled.begin(), shuffled.end(), random_);
        pair("twice-shuffled", twice, shuffled);
        const Lines program = program_lines(lines);
        Lines swapped(program.begin() + static_cast<std::ptrdiff_t>(lines / 2), program.end());
        swapped.insert(swapped.end(), program.begin(),
                       program.begin() + static_cast<std::ptrdiff_t>(lines / 2));
        pair("halves-swapped", program, swapped);
        pair("reversed", program, Lines(program.rbegin(), program.rend()));
        Lines reused = program;
        for (std::size_t i = 0; i < lines / 10; ++i) reused[below(lines)] = program[below(lines)];
        pair("reused-lines", program, reused);
        pair("thousand-values", values(lines, 1000), values(lines, 1000));
    }

    void growth() {
        for (const std::size_t times : {1, 5}) {
            const Lines program = program_lines(times * count_);
            pair("lines-" + std::to_string(times), program, changed(program, 10));
        }
    }

    [[nodiscard]] bool good() const { return good_; }

  private:
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

    Lines long_lines(std::size_t count) {
        Lines lines;
        for (std::size_t i = 0; i < count; ++i) {
            std::string line;
            while (line.size() < 600) line += "word" + std::to_string(random_()) + " ";
            lines.push_back(line);
        }
        return lines;
    }

    Lines numbered(std::size_t count) {
        Lines lines;
        for (std::size_t i = 0; i < count; ++i) lines.push_back("line number " + std::to_string(i));
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
        std::vector<Lines> blocks;
        for (std::size_t at = 0; at < lines.size(); at += size) {
            const std::size_t end = std::min(at + size, lines.size());
            blocks.emplace_back(lines.begin() + static_cast<std::ptrdiff_t>(at),
                                lines.begin() + static_cast<std::ptrdiff_t>(end));
        }
        std::shuffle(blocks.begin(), blocks.end(), random_);
        Lines result;
        for (const Lines& block : blocks) result.insert(result.end(), block.begin(), block.end());
        return result;
    }

    void pair(const std::string& name, const Lines& old_lines, const Lines& new_lines) {
        write(name + ".old", old_lines);
        write(name + ".new", new_lines);
    }

    void write(const std::string& name, const Lines& lines) {
        std::ofstream file(directory_ + "/" + name, std::ios::binary);
        for (const std::string& line : lines) file << line << '\n';
        good_ = good_ && file.good();
    }

    std::string directory_;
    std::size_t count_;
    std::mt19937 random_{1};
    bool good_{true};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fputs("usage: diff_generate DIRECTORY [LINES]\n", stderr);
        return EXIT_FAILURE;
    }
    const std::size_t lines = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 200'000;
    Generator generator(argv[1], lines);
    generator.standard();
    generator.hard();
    generator.growth();
    return generator.good() ? EXIT_SUCCESS : EXIT_FAILURE;
}
