// Any bytes as a patch, on any bytes as a file: what is true of every patch that is read. Starts from the
// patches of tests/patch/data.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "patch/patch.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace drydock::fuzz {
namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Every case's patch, and with each of its files behind it.
const std::vector<std::string>& cases() {
    static const std::vector<std::string> list = [] {
        std::vector<std::string> result;
        for (const auto& entry :
             std::filesystem::directory_iterator(DRYDOCK_SOURCE_DIR "/tests/patch/data")) {
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
    }();
    return list;
}

}  // namespace

/// The input up to its first 0xff byte is the patch, the rest the file that every path leads to.
void try_one(std::string_view input) {
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
    const patch::Reader reader =
        [&](const std::string& path) -> base::Result<std::optional<patch::SourceFile>> {
        if (path.size() % 2 == 0) return std::nullopt;
        return patch::SourceFile{file, false};
    };
    const auto changes = patch::apply_all(*parsed, reader);
    require(changes.has_value() || !changes.error().empty(), "a refusal without a reason");
}

std::uint64_t fixed_inputs() {
    return cases().size();
}

std::string make_input(std::uint32_t seed, std::uint64_t number) {
    return cases()[(number < fixed_inputs() ? number : number * 7919 + seed) % cases().size()];
}

std::vector<std::string_view> words() {
    return {"@",
            "-",
            "+",
            " ",
            "\\",
            "\n",
            "\r",
            "\t",
            "\"",
            ",",
            "0",
            "1",
            "9",
            "a/",
            "/",
            ".",
            "\xff",
            "@@ -1 +1 @@\n",
            "--- ",
            "+++ ",
            "diff --git ",
            "rename from ",
            "rename to ",
            "copy from ",
            "copy to ",
            "old mode ",
            "new mode ",
            "index ",
            "GIT binary patch\n",
            "/dev/null",
            "\\ No newline at end of file\n",
            "new file mode 100644\n",
            "deleted file mode 100644\n",
            "-- \n",
            "From "};
}

}  // namespace drydock::fuzz
