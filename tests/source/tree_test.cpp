#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

const char* const letters = "fxlds";  // by EntryKind

std::string shown(const base::Result<std::optional<Content>>& content) {
    if (!content) return message_of(content);
    if (!*content) return "(nothing)";
    return std::string(1, letters[static_cast<std::size_t>((*content)->kind)]) + ":" + (*content)->bytes;
}

std::string shown(const base::Result<std::vector<Entry>>& entries) {
    if (!entries) return message_of(entries);
    std::string text;
    for (const Entry& entry : *entries)
        text += std::string(1, letters[static_cast<std::size_t>(entry.kind)]) + ":" + entry.path + " ";
    return text;
}

/// A commit with one of everything, and names that sort differently as paths and as git sorts trees.
std::string make_rich(const Scene& scene) {
    scene.repository("other");
    return scene.sh(
        "git init -q repo; cd repo; printf 'a\\r\\n\\0b' >bytes; echo '#!x' >run; chmod +x run; ln -s ../out "
        "link; "
        "mkdir -p a/deep; echo 1 >a/deep/x; echo 2 >a-b; echo 3 >a.c; : >a/empty; "
        "git add .; git update-index --add --cacheinfo 160000,$(git -C ../other rev-parse HEAD),sub; "
        "git commit -qm x; git rev-parse HEAD");
}

TEST(Tree, GivesBytesAndTellsWhatLiesThere) {
    const Scene scene;
    const std::string commit = make_rich(scene);
    const Repository repository = opened(scene / "repo");
    EXPECT_EQ(shown(repository.content(commit, "bytes")), std::string("f:a\r\n\0b", 7));
    EXPECT_EQ(shown(repository.content(commit, "run")), "x:#!x\n");
    EXPECT_EQ(shown(repository.content(commit, "link")), "l:../out");
    EXPECT_EQ(shown(repository.content(commit, "a/deep")), "d:");
    EXPECT_EQ(shown(repository.content(commit, "")), "d:");
    EXPECT_EQ(shown(repository.content(commit, "sub")), "s:");
    EXPECT_EQ(shown(repository.content(commit, "a/empty")), "f:");
    for (const char* path : {"none", "a/none", "none/none", "run/x", "sub/x", "link/x"})
        EXPECT_EQ(shown(repository.content(commit, path)), "(nothing)") << path;
    for (const std::string path : {"../x", "a//deep", "/a", "a/", "."})
        EXPECT_EQ(shown(repository.content(commit, path)),
                  "'" + path +
                      "' is no path in a tree; expected one without '..', '.' and empty parts, from "
                      "the top of the tree");
}

TEST(Tree, ListsWhatLiesBeneathAFolder) {
    const Scene scene;
    const std::string commit = make_rich(scene);
    const Repository repository = opened(scene / "repo");
    EXPECT_EQ(shown(repository.list(commit, "")),
              "f:a-b f:a.c f:a/deep/x f:a/empty f:bytes l:link x:run s:sub ");
    EXPECT_EQ(shown(repository.list(commit, "a")), "f:a/deep/x f:a/empty ");
    EXPECT_EQ(shown(repository.list(commit, "none")), "");
    EXPECT_EQ(shown(repository.list(commit, "run")), "");
    EXPECT_EQ(repository.list(commit, "a/deep")->front().id, scene.sh("git -C repo rev-parse HEAD:a/deep/x"));
}

TEST(Tree, SaysWhichTreeOrBlobIsMissing) {
    const Scene scene;
    const std::string commit = make_rich(scene);
    const std::string tree = scene.sh("git -C repo rev-parse HEAD:a/deep");
    const std::string blob = scene.sh("git -C repo rev-parse HEAD:run");
    for (const std::string& id : {tree, blob})
        scene.sh("rm -f repo/.git/objects/" + id.substr(0, 2) + "/" + id.substr(2));
    const Repository repository = opened(scene / "repo");
    const std::string rest = " is missing in " + scene / "repo" +
                             "; run 'git fetch --tags' in it, and 'git fsck' if that does not help";
    EXPECT_EQ(shown(repository.list(commit, "")), "the tree " + tree + " ('a/deep')" + rest);
    EXPECT_EQ(shown(repository.list(commit, "a/deep")), "the tree " + tree + " ('a/deep')" + rest);
    EXPECT_EQ(shown(repository.content(commit, "a/deep/x")), "the tree " + tree + " ('a/deep')" + rest);
    EXPECT_EQ(shown(repository.content(commit, "run")), "the blob " + blob + " ('run')" + rest);
}

TEST(Tree, SaysThatABlobIsDamagedOrNone) {
    const Scene scene;
    const std::string commit = make_rich(scene);
    const std::string blob = scene.sh("git -C repo rev-parse HEAD:run");
    const std::string object = "repo/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2);
    scene.sh("cd repo; id=$(printf other | git hash-object -w --stdin); chmod +w ../" + object +
             "; cp .git/objects/${id:0:2}/${id:2} ../" + object);
    EXPECT_EQ(shown(opened(scene / "repo").content(commit, "run")),
              "the blob " + blob + " ('run') cannot be read in " + scene / "repo" +
                  ": object hash mismatch - expected " + blob + " but got " +
                  scene.sh("printf other | git -C repo hash-object --stdin") +
                  "; run 'git fsck' in it, or clone it again");
    const std::string odd = scene.sh(
        "cd repo; tree=$(printf '100644 blob %s\\tx\\n' $(git rev-parse HEAD:a) | "
        "sed 's/blob/blob/' | git mktree --missing 2>/dev/null || true); "
        "[ -n \"$tree\" ] || tree=$(printf \"100644 x\\0$(git rev-parse HEAD:a | sed 's/../\\\\x&/g')\" | "
        "git hash-object -t tree -w --stdin --literally); git commit-tree -m x $tree");
    const std::string folder = scene.sh("git -C repo rev-parse HEAD:a");
    EXPECT_EQ(shown(opened(scene / "repo").content(odd, "x")),
              "the blob " + folder + " ('x') of " + scene / "repo" +
                  " is a tree; expected a blob: run 'git fsck' in it");
}

}  // namespace
}  // namespace drydock::source
