// Whole histories, replayed forwards and backwards: every blob exact.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nettle/sha1.h>

#include "patch/patch.hpp"
#include "tests/compat/random_text.hpp"
#include "tests/support/support.hpp"

namespace drydock::compat {
namespace {

constexpr std::size_t generated_commits = 2500;
constexpr std::string_view no_blob = "0000000000000000000000000000000000000000";

base::ProcessOutcome run_git(const std::string& repository, std::vector<std::string> words,
                             std::string input = {}) {
    words.insert(words.begin(), {"git", "-c", "core.quotePath=false", "-c", "diff.renameLimit=1000"});
    base::ProcessOptions options;
    options.directory = repository;
    options.input = std::move(input);
    options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
    return test::run(words, options);
}

std::string git(const std::string& repository, const std::vector<std::string>& words,
                std::string input = {}) {
    const base::ProcessOutcome outcome = run_git(repository, words, std::move(input));
    EXPECT_EQ(outcome.exit_code, 0) << words.at(0) << ": " << outcome.errors;
    return outcome.output;
}

std::string blob_name(const std::string& bytes) {
    sha1_ctx context;
    sha1_init(&context);
    const std::string header = fmt::format("blob {}", bytes.size());
    sha1_update(&context, header.size() + 1, reinterpret_cast<const std::uint8_t*>(header.c_str()));
    sha1_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest{};
    sha1_digest(&context, digest.size(), digest.data());
    std::string name;
    for (const std::uint8_t byte : digest) name += fmt::format("{:02x}", byte);
    return name;
}

struct File {
    std::string bytes;
    bool executable{false};
    friend bool operator==(const File&, const File&) = default;
};

using Tree = std::map<std::string, File>;

/// `:OLD_MODE NEW_MODE OLD_BLOB NEW_BLOB STATUS<tab>...`, as git diff-tree --raw has it for each file.
struct RawLine {
    std::string old_mode;
    std::string new_mode;
    std::string old_blob;
    std::string new_blob;
};

constexpr const char* submodule = "160000";

struct Commit {
    std::string name;
    std::string text;
    std::vector<RawLine> raw;
};

/// A file that becomes a link, or the other way, is one line, but two files of the patch.
void add_raw_line(std::vector<RawLine>& raw, const RawLine& line) {
    const bool comes_or_goes = line.old_blob == no_blob || line.new_blob == no_blob;
    if (comes_or_goes || line.old_mode.substr(0, 2) == line.new_mode.substr(0, 2)) {
        raw.push_back(line);
        return;
    }
    raw.push_back({line.old_mode, "000000", line.old_blob, std::string(no_blob)});
    raw.push_back({"000000", line.new_mode, std::string(no_blob), line.new_blob});
}

/// The output of diff-tree --stdin in its commits: a line of one hash starts each.
std::vector<Commit> split_commits(const std::string& output) {
    std::vector<Commit> commits;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = std::min(output.find('\n', at), output.size() - 1) + 1;
        const std::string_view line = std::string_view(output).substr(at, end - at - 1);
        const bool starts =
            line.size() == 40 && line.find_first_not_of("0123456789abcdef") == std::string_view::npos;
        if (starts) {
            commits.push_back({std::string(line), {}, {}});
        } else if (line.starts_with(':') && !commits.empty()) {
            std::istringstream words{std::string(line.substr(1))};
            RawLine raw;
            words >> raw.old_mode >> raw.new_mode >> raw.old_blob >> raw.new_blob;
            add_raw_line(commits.back().raw, raw);
        } else if (!commits.empty()) {
            commits.back().text.append(output, at, end - at);
        }
        at = end;
    }
    return commits;
}

/// Puts the diff of every commit against its first parent on the files as they were there, and takes it back.
class Replay {
  public:
    explicit Replay(std::string repository) : repository_(std::move(repository)) {}

    void run();

    std::size_t commits{0};  ///< without those that git itself cannot read
    std::size_t skipped{0};
    std::size_t files{0};
    std::size_t hunks{0};

  private:
    bool run_some(const std::vector<std::string>& wanted);
    void read_blobs(const std::vector<Commit>& of);
    std::string contents(const std::string& mode, const std::string& blob) const;
    void one(const Commit& commit);
    void apply(Tree& tree, const patch::Patch& patch, const std::string& commit);

    std::string repository_;
    std::map<std::string, std::string> blobs_;
};

void Replay::run() {
    std::istringstream lines(git(repository_, {"rev-list", "--no-merges", "--reverse", "--parents", "HEAD"}));
    std::vector<std::string> wanted;
    for (std::string line; std::getline(lines, line);) wanted.push_back(line);
    static constexpr std::size_t batch = 50;
    for (std::size_t first = 0; first < wanted.size(); first += batch) {
        const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(first);
        const std::size_t count = std::min(batch, wanted.size() - first);
        const std::vector<std::string> some(begin, begin + static_cast<std::ptrdiff_t>(count));
        if (run_some(some)) continue;
        // A snapshot may lack some blobs, and then git has no diff to give.
        for (const std::string& commit : some) skipped += run_some({commit}) ? 0 : 1;
        if (testing::Test::HasFailure()) return;
    }
    commits = wanted.size() - skipped;
}

/// False when git itself cannot read what it needs.
bool Replay::run_some(const std::vector<std::string>& wanted) {
    std::string input;
    for (const std::string& commit : wanted) input += commit + "\n";
    const base::ProcessOutcome diff = run_git(repository_,
                                              {"diff-tree", "--stdin", "--root", "-r", "--raw", "-p", "-M",
                                               "--text", "--no-abbrev", "--full-index", "--no-color"},
                                              input);
    if (diff.exit_code != 0) return false;
    const std::vector<Commit> some = split_commits(diff.output);
    read_blobs(some);
    for (const Commit& commit : some) {
        if (!testing::Test::HasFailure()) one(commit);
    }
    return true;
}

/// The blobs that the commits start from.
void Replay::read_blobs(const std::vector<Commit>& of) {
    blobs_.clear();
    std::string input;
    for (const Commit& commit : of) {
        for (const RawLine& raw : commit.raw) {
            if (raw.old_blob != no_blob && raw.old_mode != submodule) input += raw.old_blob + "\n";
        }
    }
    const std::string output = git(repository_, {"cat-file", "--batch"}, input);
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = output.find('\n', at);
        std::istringstream words(output.substr(at, end - at));
        std::string name;
        std::string type;
        std::size_t size = 0;
        words >> name >> type >> size;
        ASSERT_EQ(type, "blob") << name;
        blobs_[name] = output.substr(end + 1, size);
        at = end + 1 + size + 1;
    }
}

std::string Replay::contents(const std::string& mode, const std::string& blob) const {
    return mode == submodule ? "Subproject commit " + blob + "\n" : blobs_.at(blob);
}

/// Links and submodules are texts here: it is the engine that is tried, and it takes any bytes.
void forget_special_modes(patch::Patch& patch) {
    for (patch::FilePatch& file : patch.files) {
        for (std::optional<unsigned>* mode : {&file.old_mode, &file.new_mode}) {
            if (mode->value_or(0100644) != 0100755)
                *mode = mode->has_value() ? std::optional(0100644U) : std::nullopt;
        }
    }
}

void Replay::apply(Tree& tree, const patch::Patch& patch, const std::string& commit) {
    const patch::Reader reader =
        [&](const std::string& path) -> base::Result<std::optional<patch::SourceFile>> {
        const auto file = tree.find(path);
        if (file == tree.end()) return std::nullopt;
        return patch::SourceFile{file->second.bytes, file->second.executable};
    };
    const auto changes = patch::apply_all(patch, reader);
    if (!changes) {
        ADD_FAILURE() << commit << ": " << base::describe(changes.error().front());
        return;
    }
    const Tree before = tree;
    for (const patch::Change& change : *changes) {
        for (const patch::Placement& placement : change.placements) {
            EXPECT_EQ(placement.offset, 0) << commit << ": " << change.path;
            ++hunks;
        }
        if (!change.bytes) {
            tree.erase(change.path);
            continue;
        }
        const auto from = before.find(change.attributes_from);
        const bool was_executable = from != before.end() && from->second.executable;
        tree[change.path] = {*change.bytes, change.executable.value_or(was_executable)};
    }
}

void Replay::one(const Commit& commit) {
    if (commit.raw.empty()) return;
    base::Result<patch::Patch> patch = patch::parse(commit.text);
    if (!patch) {
        ADD_FAILURE() << commit.name << ": " << base::describe(patch.error());
        return;
    }
    ASSERT_EQ(patch->files.size(), commit.raw.size()) << commit.name;
    forget_special_modes(*patch);
    Tree before;
    std::map<std::string, const RawLine*> expected;
    for (std::size_t i = 0; i < patch->files.size(); ++i) {
        const patch::FilePatch& file = patch->files[i];
        const RawLine& raw = commit.raw[i];
        if (raw.old_blob != no_blob) {
            before[file.old_path] = {contents(raw.old_mode, raw.old_blob), raw.old_mode == "100755"};
        }
        if (raw.new_blob != no_blob) expected[file.new_path] = &raw;
    }
    Tree after = before;
    apply(after, *patch, commit.name);
    EXPECT_EQ(after.size(), expected.size()) << commit.name;
    for (const auto& [path, raw] : expected) {
        ++files;
        const std::string& bytes = after[path].bytes;
        if (raw->new_mode == submodule) {
            EXPECT_EQ(bytes, contents(submodule, raw->new_blob)) << commit.name << ": " << path;
        } else {
            EXPECT_EQ(blob_name(bytes), raw->new_blob) << commit.name << ": " << path;
        }
        EXPECT_EQ(after[path].executable, raw->new_mode == "100755") << commit.name << ": " << path;
    }
    Tree back = after;
    apply(back, patch::reverse(*patch), commit.name + " backwards");
    EXPECT_TRUE(back == before) << commit.name << " backwards";
}

/// A history with edits, new and removed files, empty ones, renames with and without edits, modes, names with
/// blanks and bytes that are no UTF-8.
std::string generated_history(std::size_t commits) {
    RandomText random(7);
    Tree tree;
    std::string stream;
    std::size_t next = 0;
    const auto some_path = [&] {
        return std::next(tree.begin(), static_cast<std::ptrdiff_t>(random.below(tree.size())))->first;
    };
    const auto new_path = [&] {
        static constexpr std::array<const char*, 4> forms{"d{}/f{}", "d{}/e/name with blanks {}",
                                                          "d{}/quote\"{}", "d{}/caf\xe9{}"};
        return fmt::format(fmt::runtime(forms.at(random.below(10) < 7 ? 0 : random.below(4))),
                           random.below(9), next++);
    };
    const auto quoted = [](const std::string& path) {
        std::string text = "\"";
        for (const char c : path) text += c == '"' ? std::string("\\\"") : std::string(1, c);
        return text + "\"";
    };
    for (std::size_t i = 1; i <= commits; ++i) {
        stream += fmt::format("commit refs/heads/main\nmark :{}\ncommitter a <a@b> {} +0000\ndata 2\nc\n", i,
                              1000 + i);
        if (i > 1) stream += fmt::format("from :{}\n", i - 1);
        const auto put = [&](const std::string& path) {
            const File& file = tree[path];
            stream += fmt::format("M {} inline {}\ndata {}\n{}\n", file.executable ? "100755" : "100644",
                                  quoted(path), file.bytes.size(), file.bytes);
        };
        const auto drop = [&](const std::string& path) {
            stream += fmt::format("D {}\n", quoted(path));
            tree.erase(path);
        };
        const std::size_t changes = 1 + random.below(5);
        for (std::size_t k = 0; k < changes; ++k) {
            const std::size_t kind = tree.size() < 20 ? 0 : random.below(12);
            if (kind == 0) {
                const std::string path = new_path();
                tree[path] = {random.chance(10) ? "" : random.text(80), random.chance(10)};
                put(path);
                continue;
            }
            const std::string path = some_path();
            if (kind == 1) {
                drop(path);
            } else if (kind <= 3) {
                File file = tree[path];
                if (kind == 3) file.bytes = random.edited(file.bytes);
                drop(path);
                const std::string moved = new_path();
                tree[moved] = file;
                put(moved);
            } else if (kind == 4) {
                tree[path].executable = !tree[path].executable;
                put(path);
            } else {
                tree[path].bytes = random.edited(tree[path].bytes);
                put(path);
            }
        }
    }
    return stream;
}

TEST(History, a_generated_one) {
    const test::TemporaryDirectory directory;
    git(directory.path(), {"init", "-q", "-b", "main"});
    git(directory.path(), {"fast-import", "--quiet"}, generated_history(generated_commits));
    Replay replay(directory.path());
    replay.run();
    EXPECT_EQ(replay.commits, generated_commits);
    EXPECT_EQ(replay.skipped, 0U);
    EXPECT_GT(replay.files, generated_commits);
    EXPECT_GT(replay.hunks, 2 * generated_commits);
}

/// tests/history.sh names a repository; without one there is nothing to replay.
TEST(History, a_given_one) {
    const char* repository = std::getenv("DRYDOCK_TEST_REPOSITORY");
    if (repository == nullptr) GTEST_SKIP() << "DRYDOCK_TEST_REPOSITORY is not set; tests/history.sh sets it";
    Replay replay(repository);
    replay.run();
    fmt::print("{} commits, {} files, {} hunks, {} commits that git cannot read\n", replay.commits,
               replay.files, replay.hunks, replay.skipped);
    EXPECT_GE(replay.commits, 2000U);
}

}  // namespace
}  // namespace drydock::compat
