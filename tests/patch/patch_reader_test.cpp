// patch/patch_reader.cpp: a patch that comes in pieces reads as it does whole.
#include "patch/patch_reader.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "patch/parse.hpp"
#include "patch/print.hpp"
#include "tests/support/support.hpp"

namespace drydock::patch {
namespace {

namespace fs = std::filesystem;

/// A piece for each line that may begin one; what a piece had is overwritten once the next one is asked for.
class InPieces {
  public:
    explicit InPieces(std::string text) : rest_(std::move(text)) {}

    std::string_view operator()() {
        std::fill(piece_.begin(), piece_.end(), '\xff');
        std::size_t end = rest_.find('\n');
        while (end != std::string::npos && !may_begin(rest_.substr(end + 1))) end = rest_.find('\n', end + 1);
        const std::size_t size = end == std::string::npos ? rest_.size() : end + 1;
        piece_ = rest_.substr(0, size);
        rest_.erase(0, size);
        return piece_;
    }

  private:
    static bool may_begin(std::string_view line) {
        const bool of_hunk =
            !line.empty() && std::string_view(" +-@\\").find(line[0]) != std::string_view::npos;
        return of_hunk && !line.starts_with("+++ ") && !line.starts_with("--- ");
    }

    std::string piece_;
    std::string rest_;
};

/// Puts together again what it is told, whose bytes it copies.
class Recorder : public HunkVisitor {
  public:
    void file() override { files.emplace_back(); }
    void hunk(const Hunk& header) override { files.back().push_back(header); }
    void line(const Line& line) override {
        Line copy = line;
        const std::string& bytes = kept_.emplace_back(std::string(line.text) + '\r');
        copy.text = std::string_view(bytes).substr(0, line.text.size());
        files.back().back().lines.push_back(copy);
    }
    void no_newline() override {
        Line& last = files.back().back().lines.back();
        if (last.ending == Ending::crlf) last.text = {last.text.data(), last.text.size() + 1};
        last.ending = Ending::none;
    }

    std::vector<std::vector<Hunk>> files;

  private:
    std::deque<std::string> kept_;
};

/// What is read, printed again, or why it is not.
std::string whole(const std::string& text, const ParseOptions& options) {
    const base::Result<Patch> patch = parse(text, options);
    return patch ? print(*patch) : base::describe(patch.error());
}

std::string in_pieces(const std::string& text, const ParseOptions& options) {
    Recorder recorder;
    base::Result<Patch> patch = parse(InPieces(text), recorder, options);
    if (!patch) return base::describe(patch.error());
    EXPECT_EQ(recorder.files.size(), patch->files.size());
    for (std::size_t i = 0; i < patch->files.size(); ++i) {
        FilePatch& file = patch->files[i];
        EXPECT_EQ(file.hunks.size(), recorder.files[i].size());
        for (const Hunk& hunk : file.hunks) EXPECT_TRUE(hunk.lines.empty());
        file.hunks = recorder.files[i];
    }
    return print(*patch);
}

TEST(PatchReader, ReadsPiecesAsTheWhole) {
    std::size_t read = 0;
    for (const auto& entry : fs::directory_iterator(std::string(DRYDOCK_SOURCE_DIR) + "/tests/patch/data")) {
        const std::string text = test::read(entry.path() / "patch");
        for (const unsigned strip : {0U, 1U}) {
            const ParseOptions options{.strip = strip};
            EXPECT_EQ(in_pieces(text, options), whole(text, options)) << entry.path();
        }
        ++read;
    }
    EXPECT_GT(read, 100U);
}

TEST(PatchReader, AsksForPiecesUntilThereIsNone) {
    std::vector<std::string_view> pieces{"a\nb\n", "c\n", "", "never"};
    std::size_t asked = 0;
    const Pieces next = [&] { return pieces.at(asked++); };
    const std::string name = "some.patch";
    PatchReader reader(next, name);
    std::string lines;
    for (; !reader.at_end(); reader.advance())
        lines += std::to_string(reader.number()) + reader.line().data()[0];
    EXPECT_EQ(lines, "1a2b3c");
    EXPECT_EQ(reader.line(), "");
    EXPECT_EQ(asked, 3U);
}

}  // namespace
}  // namespace drydock::patch
