// Writes the man pages and the completions, from the tables that help is made of: drydock-documents TEMPLATES
// DIR.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cli/completions.hpp"
#include "cli/manual.hpp"

namespace {

using namespace drydock::cli;

void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream;
    stream.exceptions(std::ios::failbit | std::ios::badbit);
    stream.open(file, std::ios::binary);
    stream << text;
    stream.close();
}

std::string read(const std::filesystem::path& file) {
    std::ifstream stream;
    stream.exceptions(std::ios::failbit | std::ios::badbit);
    stream.open(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write_page(const std::filesystem::path& folder, const CommandHelp& command) {
    write(folder / (page_name(command) + ".1"), manual_page(command, DRYDOCK_VERSION_STRING, DRYDOCK_DATE));
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (words.size() != 2) {
        std::cerr << "usage: drydock-documents TEMPLATES DIR\n";
        return 2;
    }
    try {
        const std::filesystem::path templates = words[0];
        const std::filesystem::path folder = words[1];
        write_page(folder / "man", tool_help());
        for (const CommandHelp& command : all_commands()) write_page(folder / "man", command);
        write(folder / "completions/drydock", bash_completion(read(templates / "drydock.bash")));
        write(folder / "completions/_drydock", zsh_completion(read(templates / "drydock.zsh")));
        write(folder / "completions/drydock.fish", fish_completion(read(templates / "drydock.fish")));
    } catch (const std::exception& exception) {
        std::cerr << "drydock-documents: " << exception.what() << '\n';
        return 6;
    }
    return 0;
}
