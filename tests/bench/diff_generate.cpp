// Writes the inputs of diff_bench.sh, files NAME.old and NAME.new for each, below standard/, hard/ and
// growth/: diff_generate DIRECTORY

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "diff_inputs.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: diff_generate DIRECTORY\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string directory = argv[1];
    std::string kind;
    bool good = true;
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream file(directory + "/" + kind + "/" + name, std::ios::binary);
        file << text;
        good = good && file.flush().good();
    };
    drydock::bench::DiffInputs inputs(
        [&](const std::string& name, const std::string& old_text, const std::string& new_text) {
            write(name + ".old", old_text);
            write(name + ".new", new_text);
        });
    for (const char* each : {"standard", "hard", "growth"})
        std::filesystem::create_directories(directory + "/" + each);
    constexpr std::size_t lines = 200'000;
    kind = "standard";
    inputs.standard(lines);
    kind = "hard";
    inputs.hard(lines / 10);
    kind = "growth";
    inputs.growth(lines);
    inputs.growth(5 * lines);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
