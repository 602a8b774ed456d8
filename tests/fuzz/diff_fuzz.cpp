// Any two texts: the patch between them proves right, reads again, and makes the one of the other. An entry
// for libFuzzer; with DRYDOCK_FUZZ_MAIN a program of its own: diff_fuzz [ROUNDS [SEED]]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "diff/diff.hpp"
#include "patch/patch.hpp"

namespace {

using namespace drydock;

std::string_view current;  ///< what is tried

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "diff_fuzz: %s; the input follows\n", what);
    std::fwrite(current.data(), 1, current.size(), stderr);
    std::abort();
}

/// The input up to its first 0xff byte is the old text, the rest the new one.
void try_one(std::string_view input) {
    current = input;
    const std::size_t split = std::min(input.find('\xff'), input.size());
    const std::string_view old_text = input.substr(0, split);
    const std::string_view new_text = input.substr(std::min(split + 1, input.size()));
    const diff::DiffOptions options{1 + input.size() % 4};
    const base::Result<std::string> text =
        diff::make_patch_text({{"f", diff::FileSide{old_text, {}}, diff::FileSide{new_text, {}}}}, options);
    require(text.has_value(), "a patch that does not prove right");
    require(text->empty() == (old_text == new_text), "a patch of nothing, or none of something");
    if (text->empty()) return;
    const base::Result<patch::Patch> patch = patch::parse(*text);
    require(patch.has_value() && patch->files.size() == 1, "a patch that cannot be read");
    const base::Result<patch::Applied> forwards = patch::apply(patch->files[0], old_text);
    require(forwards.has_value() && forwards->text == new_text, "forwards it gives other bytes");
    const base::Result<patch::Applied> backwards = patch::apply(patch::reverse(patch->files[0]), new_text);
    require(backwards.has_value() && backwards->text == old_text, "backwards it gives other bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_one({reinterpret_cast<const char*>(data), size});
    return 0;
}

#ifdef DRYDOCK_FUZZ_MAIN

namespace {

/// Lines of few kinds, of what patches and files make trouble with.
class Maker {
  public:
    explicit Maker(std::uint32_t seed) : random_(seed) {}

    std::string input() {
        std::string old_text = text(below(below(8) == 0 ? 400 : 20));
        std::string new_text = below(4) == 0 ? text(below(20)) : old_text;
        for (std::size_t edits = below(6); edits > 0; --edits) edit(new_text);
        std::replace(old_text.begin(), old_text.end(), '\xff', 'x');
        return old_text + '\xff' + new_text;
    }

  private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

    std::string text(std::size_t lines) {
        std::string result;
        const std::size_t kinds = 1 + below(12);
        for (std::size_t i = 0; i < lines; ++i) result += line(kinds);
        if (below(4) == 0 && !result.empty()) result.pop_back();
        return result;
    }

    std::string line(std::size_t kinds) {
        static constexpr std::string_view odd[] = {
            "", "\r", "-", "+ ", "@@ -1 +1 @@", "\\ No", "--- a/f", "\0x", "diff --git", "-- ", "}", "    }"};
        return std::string(odd[below(std::min(kinds, std::size(odd)))]) + (below(8) == 0 ? "\r\n" : "\n");
    }

    void edit(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        switch (below(4)) {
            case 0:
                text.insert(at, line(12));
                break;
            case 1:
                text.erase(at, below(12));
                break;
            case 2:
                text.insert(at, text.substr(below(text.size() + 1), 60));
                break;
            default:
                if (at < text.size()) text[at] = static_cast<char>(random_());
        }
    }

    std::mt19937 random_;
};

}  // namespace

int main(int argc, char** argv) {
    const unsigned long rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
    Maker maker(argc > 2 ? static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 1U);
    for (unsigned long round = 0; round < rounds; ++round) try_one(maker.input());
    std::printf("%lu pairs\n", rounds);
    return EXIT_SUCCESS;
}

#endif
