// Any bytes as a patch, on any bytes as a file: no crash, no wrong memory, and what is true of every patch
// that is read holds. An entry for libFuzzer; with DRYDOCK_FUZZ_MAIN a program of its own, which mutates the
// patches of tests/patch/data: patch_fuzz FOLDER [ROUNDS [SEED]]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "patch/patch.hpp"

namespace {

using namespace drydock;

std::string_view current;  ///< what is tried

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "patch_fuzz: %s; the input follows\n", what);
    std::fwrite(current.data(), 1, current.size(), stderr);
    std::abort();
}

/// The input up to its first 0xff byte is the patch, the rest the file that every path leads to.
void try_one(std::string_view input) {
    current = input;
    const std::size_t split = std::min(input.find('\xff'), input.size());
    const std::string_view text = input.substr(0, split);
    const std::string file(input.substr(std::min(split + 1, input.size())));
    patch::ParseOptions options;
    options.strip = static_cast<unsigned>(input.size() % 3);
    const base::Result<patch::Patch> parsed = patch::parse(text, options);
    if (!parsed) {
        require(!parsed.error().message.empty() && parsed.error().kind == base::ErrorKind::usage,
                "a refusal without words");
        return;
    }
    require(!parsed->files.empty(), "a patch without files");
    patch::ParseOptions again;
    const std::string printed = patch::print(*parsed);
    const base::Result<patch::Patch> reread = patch::parse(printed, again);
    require(reread.has_value() && patch::print(*reread) == printed, "what is printed is read otherwise");
    for (const patch::FilePatch& part : parsed->files) {
        for (const unsigned fuzz : {0U, 2U}) {
            const base::Result<patch::Applied> applied = patch::apply(part, file, {fuzz});
            if (!applied) {
                require(applied.error().kind == base::ErrorKind::conflict, "a refusal of another kind");
                continue;
            }
            require(applied->placements.size() == part.hunks.size(), "a hunk without a place");
            const bool exact =
                std::all_of(applied->placements.begin(), applied->placements.end(),
                            [](const patch::Placement& hunk) { return hunk.fuzz == 0 && hunk.offset == 0; });
            if (!exact) continue;
            const base::Result<patch::Applied> back = patch::apply(patch::reverse(part), applied->text);
            const bool endings_matter = input.find('\r') != std::string_view::npos;
            require(!back || back->text == file || endings_matter, "backwards gives other bytes");
        }
    }
    std::map<std::string, std::string> tree;
    const patch::Reader reader =
        [&](const std::string& path) -> base::Result<std::optional<patch::SourceFile>> {
        if (path.size() % 2 == 0) return std::nullopt;
        return patch::SourceFile{file, false};
    };
    const auto changes = patch::apply_all(*parsed, reader);
    require(changes.has_value() || !changes.error().empty(), "a refusal without a reason");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_one({reinterpret_cast<const char*>(data), size});
    return 0;
}

#ifdef DRYDOCK_FUZZ_MAIN

namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Every case's patch, with its files behind it.
std::vector<std::string> seeds(const std::filesystem::path& folder) {
    std::vector<std::string> result;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string patch = read(entry.path() / "patch");
        result.push_back(patch);
        const std::filesystem::path in = entry.path() / "in";
        if (!std::filesystem::exists(in)) continue;
        for (const auto& file : std::filesystem::recursive_directory_iterator(in)) {
            if (file.is_regular_file()) result.push_back(patch + '\xff' + read(file.path()));
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

class Mutator {
  public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::string mutated(const std::vector<std::string>& seeds) {
        std::string text = seeds[below(seeds.size())];
        const std::size_t times = 1 + below(4);
        for (std::size_t i = 0; i < times; ++i) once(text, seeds[below(seeds.size())]);
        return text;
    }

  private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

    void once(std::string& text, const std::string& other) {
        static constexpr std::string_view telling = "@-+ \\\n\r\t\",0123456789a/.\xff";
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40) + 1);
        switch (below(7)) {
            case 0:
                text.insert(at, 1, telling[below(telling.size())]);
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(below(text.size() + 1), 40));
                break;
            case 3:
                text.insert(at, other.substr(below(other.size() + 1), 200));
                break;
            case 4:
                text.resize(at);
                break;
            case 5:
                if (at < text.size()) text[at] = static_cast<char>(random_());
                break;
            default:
                if (at < text.size()) text[at] = telling[below(telling.size())];
        }
    }

    std::mt19937 random_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: patch_fuzz FOLDER [ROUNDS [SEED]]\n", stderr);
        return EXIT_FAILURE;
    }
    const std::vector<std::string> corpus = seeds(argv[1]);
    require(!corpus.empty(), "no patches to start from");
    const unsigned long rounds = argc > 2 ? std::stoul(argv[2]) : 100'000;
    Mutator mutator(argc > 3 ? static_cast<std::uint32_t>(std::stoul(argv[3])) : 1);
    for (const std::string& seed : corpus) try_one(seed);
    for (unsigned long i = 0; i < rounds; ++i) try_one(mutator.mutated(corpus));
    std::printf("%zu seeds, %lu mutations\n", corpus.size(), rounds);
    return EXIT_SUCCESS;
}

#endif
