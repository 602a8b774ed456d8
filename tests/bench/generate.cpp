// Writes a text of 10 MiB and patches with 1, 1,000 and 10,000 hunks for it, spread over all of it:
// generate DIRECTORY

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t wanted_bytes = 10U << 20U;
constexpr std::size_t context = 3;

std::vector<std::string> random_lines() {
    std::mt19937 random(1);
    std::vector<std::string> lines;
    std::size_t bytes = 0;
    while (bytes < wanted_bytes) {
        // A third of a program's lines are the same few.
        std::string line;
        if (random() % 3 == 0) {
            line = std::string(4 * (random() % 4), ' ') + "}";
        } else {
            line = "    const value" + std::to_string(random() % 5000) + " = compute(" +
                   std::to_string(random()) + ");";
        }
        bytes += line.size() + 1;
        lines.push_back(std::move(line));
    }
    return lines;
}

/// Every hunk replaces one line and adds another.
std::string patch_with(const std::vector<std::string>& lines, std::size_t hunks) {
    std::string patch = "--- a/text\n+++ b/text\n";
    for (std::size_t i = 0; i < hunks; ++i) {
        const std::size_t at = (lines.size() - 20) * (2 * i + 1) / (2 * hunks) + 5;
        const std::size_t first = at - context;
        patch += "@@ -" + std::to_string(first + 1) + ",7 +" + std::to_string(first + 1 + i) + ",8 @@\n";
        for (std::size_t line = first; line < at; ++line) patch += " " + lines[line] + "\n";
        patch +=
            "-" + lines[at] + "\n+// changed " + std::to_string(i) + "\n+" + lines[at] + " // and more\n";
        for (std::size_t line = at + 1; line <= at + context; ++line) patch += " " + lines[line] + "\n";
    }
    return patch;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: generate DIRECTORY\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string directory = argv[1];
    const std::vector<std::string> lines = random_lines();
    std::ofstream text(directory + "/text", std::ios::binary);
    for (const std::string& line : lines) text << line << '\n';
    std::ofstream moved(directory + "/moved", std::ios::binary);
    moved << "a line more\n";
    for (const std::string& line : lines) moved << line << '\n';
    for (const std::size_t hunks : {1, 1000, 10000}) {
        std::ofstream(directory + "/" + std::to_string(hunks) + ".patch", std::ios::binary)
            << patch_with(lines, hunks);
    }
    return text && moved ? EXIT_SUCCESS : EXIT_FAILURE;
}
