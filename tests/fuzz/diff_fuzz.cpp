// Any two texts: the patch between them proves right, reads again, and makes the one of the other.

#include <algorithm>
#include <iterator>
#include <random>

#include "diff/diff.hpp"
#include "patch/patch.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace drydock::fuzz {
namespace {

/// Lines of few kinds, of what patches and files make trouble with.
class Maker {
  public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

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
        static const std::vector<std::string_view> odd = words();
        return std::string(odd[below(std::min(kinds, odd.size()))]) + (below(8) == 0 ? "\r\n" : "\n");
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

    std::mt19937_64 random_;
};

}  // namespace

/// The input up to its first 0xff byte is the old text, the rest the new one.
void try_one(std::string_view input) {
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

std::uint64_t fixed_inputs() {
    return 0;
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    return Maker((std::uint64_t{seed} << 32U) + number).input();
}

std::vector<std::string_view> words() {
    return {"",    "\r",         "-",   "+ ", "@@ -1 +1 @@", "\\ No", "--- a/f",
            "\0x", "diff --git", "-- ", "}",  "    }",       "\n",    "\xff"};
}

}  // namespace drydock::fuzz
