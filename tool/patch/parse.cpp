#include "patch/parse.hpp"

#include <utility>

#include "patch/foreign.hpp"
#include "patch/judge.hpp"
#include "patch/lines.hpp"
#include "patch/parse_header.hpp"
#include "patch/parse_hunks.hpp"
#include "patch/patch_reader.hpp"

namespace drydock::patch {
namespace {

class Parser {
  public:
    Parser(std::string_view text, const ParseOptions& options)
        : reader_(text, options.name), options_(options) {}
    Parser(const Pieces& pieces, HunkVisitor& visitor, const ParseOptions& options)
        : reader_(pieces, options.name), visitor_(&visitor), options_(options) {}

    base::Result<Patch> run();

  private:
    Done between_files();
    Done one_file(base::Result<Header> header);

    PatchReader reader_;
    HunkVisitor* visitor_{nullptr};
    const ParseOptions& options_;
    Patch patch_;
    std::size_t commit_{0};
    ForeignFormats foreign_;
};

base::Result<Patch> Parser::run() {
    if (reader_.at_end()) return reader_.fail_at(0, "the patch is empty");
    while (!reader_.at_end()) {
        if (Done done = between_files(); !done) return base::fail(std::move(done.error()));
    }
    if (patch_.files.empty()) return reader_.fail_at(0, foreign_.nothing_found());
    return std::move(patch_);
}

Done Parser::between_files() {
    const std::string_view line = reader_.line();
    if (line.starts_with("diff --git ")) return one_file(parse_git_header(reader_));
    if (at_file_names(reader_)) return one_file(parse_plain_header(reader_));
    if (line.starts_with("@@ -")) {
        return reader_.fail_here(
            "a hunk without a file header; expected '--- NAME' and '+++ NAME' before it");
    }
    if (auto found = foreign_.look_at(reader_)) return reader_.fail_here(*std::move(found));
    if (starts_commit(line) && !patch_.files.empty()) commit_ = patch_.files.back().commit + 1;
    reader_.advance();
    return {};
}

Done Parser::one_file(base::Result<Header> header) {
    if (!header) return base::fail(std::move(header.error()));
    if (visitor_ != nullptr) visitor_->file();
    base::Result<std::vector<Hunk>> hunks = parse_hunks(reader_, header->converted, visitor_);
    if (!hunks) return base::fail(std::move(hunks.error()));
    if (header->has_names() && hunks->empty()) {
        if (is_ed_command(without_cr(reader_.line()))) return reader_.fail_here(ed_script);
        return reader_.fail_at(
            header->line, "a file header without a hunk; expected '@@ -LINE,COUNT +LINE,COUNT @@' after it");
    }
    FilePatch file;
    file.line = header->line;
    file.commit = commit_;
    file.patch_name = options_.name;
    file.old_mode = header->old_mode;
    file.new_mode = header->new_mode;
    file.hunks = *std::move(hunks);
    if (Done done = judge(*header, options_, file); !done) return done;
    patch_.files.push_back(std::move(file));
    return {};
}

}  // namespace

base::Result<Patch> parse(std::string_view text, const ParseOptions& options) {
    return Parser(text, options).run();
}

base::Result<Patch> parse(const Pieces& pieces, HunkVisitor& visitor, const ParseOptions& options) {
    return Parser(pieces, visitor, options).run();
}

}  // namespace drydock::patch
