// Any two texts: the patch between them proves right, reads again, and makes the one of the other; and where
// it was tampered with and still proves right, it does so too.

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "diff/diff.hpp"
#include "diff/prove.hpp"
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

bool in_place(const std::vector<patch::Placement>& placements) {
    return std::all_of(placements.begin(), placements.end(),
                       [](const patch::Placement& place) { return place.offset == 0; });
}

void require_both_ways(const std::string& text, std::string_view old_text, std::string_view new_text) {
    const base::Result<patch::Patch> patch = patch::parse(text);
    require(patch.has_value() && patch->files.size() == 1, "a patch that cannot be read");
    const base::Result<patch::Applied> forwards = patch::apply(patch->files[0], old_text);
    require(forwards.has_value() && forwards->text == new_text, "forwards it gives other bytes");
    require(in_place(forwards->placements), "forwards a hunk goes elsewhere");
    const base::Result<patch::Applied> backwards = patch::apply(patch::reverse(patch->files[0]), new_text);
    require(backwards.has_value() && backwards->text == old_text, "backwards it gives other bytes");
    require(in_place(backwards->placements), "backwards a hunk goes elsewhere");
}

/// Takes a line out, puts one twice, changes a byte or a number, or cuts the text.
std::string tampered(std::string text, std::mt19937& random) {
    const std::size_t at = random() % text.size();
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::size_t digit = text.find_first_of("0123456789", at);
    static constexpr std::string_view bytes = "\n\r\\ +-@0129ab";
    switch (random() % 5) {
        case 0:
            return text.erase(begin, end - begin);
        case 1:
            return text.insert(begin, text.substr(begin, end - begin));
        case 2:
            if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
            return text;
        case 3:
            return text.substr(0, at + 1);
        default:
            text[at] = bytes[random() % bytes.size()];
            return text;
    }
}

}  // namespace

/// The input up to its first 0xff byte is the old text, the rest the new one.
void try_one(std::string_view input) {
    const std::size_t split = std::min(input.find('\xff'), input.size());
    const std::string_view old_text = input.substr(0, split);
    const std::string_view new_text = input.substr(std::min(split + 1, input.size()));
    const diff::DiffOptions options{1 + input.size() % 4};
    const diff::FilePair pair{"f", diff::FileSide{old_text, {}}, diff::FileSide{new_text, {}}};
    const base::Result<std::string> text = diff::make_patch_text({pair}, options);
    require(text.has_value(), "a patch that does not prove right");
    require(text->empty() == (old_text == new_text), "a patch of nothing, or none of something");
    if (text->empty()) return;
    require_both_ways(*text, old_text, new_text);
    std::mt19937 random(static_cast<std::uint32_t>(input.size()) + static_cast<unsigned char>(input.back()));
    for (int i = 0; i < 8; ++i) {
        const std::string other = tampered(*text, random);
        const auto whole = [rest = std::string_view(other)]() mutable { return std::exchange(rest, {}); };
        if (diff::prove(whole, {&pair})) require_both_ways(other, old_text, new_text);
    }
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
