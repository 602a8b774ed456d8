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

std::string git(const std::string& repository, std::vector<std::string> words, std::string input = {}) {
    words.insert(words.begin(), {"git", "-c", "core.quotePath=false", "-c", "diff.renameLimit=1000"});
    base::ProcessOptions options;
    options.directory = repository;
    options.input = std::move(input);
    options.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
    const base::ProcessOutcome outcome = test::run(words, options);
    EXPECT_EQ(outcome.exit_code, 0) << words.at(5) << ": " << outcome.errors;
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

struct Commit {
    std::string name;
    std::string text;
    std::vector<RawLine> raw;
};

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
            commits.back().raw.push_back(raw);
        } else if (!commits.empty()) {
            commits.back().text.append(output, at, end - at);
        }
        at = end;
    }
    return commits;
}

class Replay {
  public:
    explicit Replay(std::string repository) : repository_(std::move(repository)) {}

    void run(std::size_t most);
    [[nodiscard]] const Tree& tree() const { return tree_; }

    std::size_t commits{0};
    std::size_t files{0};
    std::size_t hunks{0};

  private:
    void one(const Commit& commit);
    void apply(Tree& tree, const patch::Patch& patch, const std::string& commit);

    std::string repository_;
    Tree tree_;
};

void Replay::run(std::size_t most) {
    std::istringstream lines(
        git(repository_, {"rev-list", "--first-parent", "--reverse", "--parents", "HEAD"}));
    std::vector<std::string> wanted;
    for (std::string line; wanted.size() < most && std::getline(lines, line);)
        wanted.push_back(line.substr(0, 81));
    static constexpr std::size_t batch = 50;
    for (std::size_t first = 0; first < wanted.size(); first += batch) {
        std::string input;
        for (std::size_t i = first; i < std::min(first + batch, wanted.size()); ++i)
            input += wanted[i] + "\n";
        const std::string output = git(repository_,
                                       {"diff-tree", "--stdin", "--root", "-r", "--raw", "-p", "-M", "--text",
                                        "--no-abbrev", "--full-index", "--no-color"},
                                       input);
        for (const Commit& commit : split_commits(output)) {
            one(commit);
            if (testing::Test::HasFailure()) return;
        }
    }
    commits = wanted.size();
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
    Tree made;
    for (const patch::Change& change : *changes) {
        if (!change.bytes) continue;
        const auto before = tree.find(change.attributes_from);
        const bool was_executable = before != tree.end() && before->second.executable;
        made[change.path] = {*change.bytes, change.executable.value_or(was_executable)};
        for (const patch::Placement& placement : change.placements) {
            EXPECT_EQ(placement.offset, 0) << commit << ": " << change.path;
            ++hunks;
        }
    }
    for (const patch::Change& change : *changes) {
        if (change.bytes) {
            tree[change.path] = made[change.path];
        } else {
            tree.erase(change.path);
        }
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
    for (const patch::FilePatch& file : patch->files) {
        for (const std::string& path : {file.old_path, file.new_path}) {
            if (tree_.contains(path)) before[path] = tree_[path];
        }
    }
    Tree after = before;
    apply(after, *patch, commit.name);
    for (std::size_t i = 0; i < patch->files.size(); ++i) {
        const patch::FilePatch& file = patch->files[i];
        const RawLine& raw = commit.raw[i];
        ++files;
        if (raw.new_blob == no_blob) {
            EXPECT_FALSE(after.contains(file.old_path)) << commit.name << ": " << file.old_path;
        } else if (raw.new_mode != "160000") {
            EXPECT_EQ(blob_name(after[file.new_path].bytes), raw.new_blob)
                << commit.name << ": " << file.new_path;
            EXPECT_EQ(after[file.new_path].executable, raw.new_mode == "100755")
                << commit.name << ": " << file.new_path;
        }
    }
    Tree back = after;
    apply(back, patch::reverse(*patch), commit.name + " backwards");
    EXPECT_TRUE(back == before) << commit.name << " backwards";
    for (const auto& [path, file] : before) tree_.erase(path);
    for (auto& [path, file] : after) tree_[path] = std::move(file);
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
    replay.run(generated_commits);
    EXPECT_EQ(replay.commits, generated_commits);
    EXPECT_GT(replay.files, generated_commits);
    std::size_t in_git = 0;
    std::istringstream names(git(directory.path(), {"ls-tree", "-r", "--name-only", "HEAD"}));
    for (std::string name; std::getline(names, name);) ++in_git;
    EXPECT_EQ(replay.tree().size(), in_git);
    fmt::print("{} commits, {} files, {} hunks\n", replay.commits, replay.files, replay.hunks);
}

/// tests/history.sh names a repository; without one there is nothing to replay.
TEST(History, a_given_one) {
    const char* repository = std::getenv("DRYDOCK_TEST_REPOSITORY");
    if (repository == nullptr) GTEST_SKIP() << "DRYDOCK_TEST_REPOSITORY is not set; tests/history.sh sets it";
    Replay replay(repository);
    replay.run(static_cast<std::size_t>(-1));
    fmt::print("{} commits, {} files, {} hunks\n", replay.commits, replay.files, replay.hunks);
    EXPECT_GE(replay.commits, 1U);
}

}  // namespace
}  // namespace drydock::compat
