#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace drydock::fuzz {
namespace {

std::string_view current;  ///< what is tried

void try_input(std::string_view input) {
    current = input;
    try_one(input);
}

void write_file(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    if (file) return;
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    std::exit(EXIT_FAILURE);
}

/// Every fixed input, and as many made ones as show what else there is.
void write_corpus(const std::string& folder) {
    constexpr std::uint64_t made = 200;
    constexpr std::uint32_t seed = 1;
    std::filesystem::create_directories(folder);
    for (std::uint64_t number = 0; number < fixed_inputs() + made; ++number)
        write_file(folder + "/" + std::to_string(number), make_input(seed, number));
    std::string dictionary;
    for (const std::string_view word : words()) {
        if (word.empty()) continue;
        dictionary += '"';
        for (const char each : word) {
            char escaped[5];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(each));
            dictionary += escaped;
        }
        dictionary += "\"\n";
    }
    write_file(folder + ".dict", dictionary);
}

bool corpus_is_asked(int argc, char** argv) {
    return argc == 3 && std::string_view(argv[1]) == "--write-corpus";
}

}  // namespace

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s; the input follows\n", what);
    std::fwrite(current.data(), 1, current.size(), stderr);
    std::abort();
}

}  // namespace drydock::fuzz

using namespace drydock;

#ifndef DRYDOCK_FUZZ_MAIN

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    if (!fuzz::corpus_is_asked(*argc, *argv)) return 0;
    fuzz::write_corpus((*argv)[2]);
    std::exit(EXIT_SUCCESS);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::try_input({reinterpret_cast<const char*>(data), size});
    return 0;
}

#else

namespace {

class Mutator {
  public:
    explicit Mutator(std::uint32_t seed) : seed_(seed), random_(seed) {}

    /// As it is made, or changed in up to three places.
    std::string mutated(std::uint64_t number) {
        std::string text = fuzz::make_input(seed_, number);
        for (std::size_t left = number < fuzz::fixed_inputs() ? 0 : below(4); left > 0; --left)
            change(text, number);
        return text;
    }

  private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

    void change(std::string& text, std::uint64_t number) {
        const std::string_view word = words_[below(words_.size())];
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
        switch (below(8)) {
            case 0:
                text.insert(at, word);
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size() + 1), 40));
                break;
            case 3: {
                const std::string other = fuzz::make_input(seed_, below(number + 1));
                text.insert(at, other.substr(below(other.size() + 1), 200));
                break;
            }
            case 4:
                if (below(4) == 0) text.resize(at);
                break;
            case 5:
                if (at < text.size()) text[at] = static_cast<char>(random_());
                break;
            case 6:
                if (at < text.size())
                    text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
                break;
            default:
                text.replace(at, std::min(word.size(), text.size() - at), word);
        }
    }

    const std::vector<std::string_view> words_ = fuzz::words();
    std::uint32_t seed_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (fuzz::corpus_is_asked(argc, argv)) {
        fuzz::write_corpus(argv[2]);
        return EXIT_SUCCESS;
    }
    const std::uint64_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
    const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
    Mutator mutator(seed);
    for (std::uint64_t number = 0; number < rounds; ++number) fuzz::try_input(mutator.mutated(number));
    std::printf("%llu inputs with seed %u, the first %llu of them fixed\n",
                static_cast<unsigned long long>(rounds), seed,
                static_cast<unsigned long long>(std::min(rounds, fuzz::fixed_inputs())));
    return EXIT_SUCCESS;
}

#endif
