// Also tests source/library.cpp, through what a repository does not heed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

std::string names_of(const std::vector<Tag>& tags) {
    std::string names;
    for (const Tag& tag : tags) names += tag.name + " ";
    return names;
}

TEST(Repository, OpensAWorkTreeItsFolderABareOneAndAFileUrl) {
    const Scene scene;
    scene.repository("my repo");
    const std::string commit = scene.sh("git -C 'my repo' rev-parse HEAD");
    scene.sh(
        "git clone -q --bare 'my repo' bare; git -C 'my repo' worktree add -q ../second v1; "
        "for r in 'my repo' bare; do git -C \"$r\" config core.repositoryformatversion 1; "
        "for e in worktreeConfig preciousObjects; do git -C \"$r\" config extensions.$e true; done; "
        "git -C \"$r\" config extensions.partialClone origin; done");
    for (const std::string& location :
         {scene / "my repo", scene / "my repo/.git", scene / "bare", scene / "second",
          "file://" + scene.path() + "/my%20repo", "file://localhost" + scene.path() + "/bare"}) {
        const Repository repository = opened(location);
        EXPECT_EQ(repository.location(), location);
        EXPECT_EQ(repository.commit_of_tag("v1"), commit) << location;
    }
}

TEST(Repository, SaysWhatIsNoRepository) {
    const Scene scene;
    scene.repository("repo");
    scene.sh(
        "mkdir empty; echo >file; mkdir repo/.git/refs/x; mkdir broken; git -C broken init -q; rm -r "
        "broken/.git/objects");
    const std::string expected = "; expected a work tree, its .git folder or a bare repository";
    EXPECT_EQ(
        message_of(Repository::open(scene / "nothing")),
        "cannot open the git repository " + scene / "nothing" + ": no such file or directory" + expected);
    EXPECT_EQ(message_of(Repository::open(scene / "file")),
              "cannot open the git repository " + scene / "file" + ": not a directory" + expected);
    for (const std::string& location : {scene / "empty", scene / "repo/src", scene / "broken"})
        EXPECT_EQ(message_of(Repository::open(location)), location + " is no git repository" + expected);
}

TEST(Repository, SaysThatIdsAreSha256) {
    const Scene scene;
    scene.sh("git init -q --object-format=sha256 repo");
    EXPECT_EQ(message_of(Repository::open(scene / "repo")),
              "the git repository " + scene / "repo" +
                  " has SHA-256 ids, which cannot be read here; expected one with SHA-1 ids");
}

TEST(Repository, SaysWhichExtensionItDoesNotKnow) {
    const Scene scene;
    scene.repository("repo");
    scene.sh("cd repo; git config core.repositoryformatversion 1; git config extensions.refstorage reftable");
    EXPECT_EQ(message_of(Repository::open(scene / "repo")),
              "cannot open the git repository " + scene / "repo" +
                  ": unsupported extension name extensions.refstorage; look at it with 'git fsck', or clone "
                  "it again");
}

TEST(Repository, OpensWhatAnotherUserOwns) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
    const Scene scene;
    scene.repository("repo");
    const std::string commit = scene.sh("git -C repo rev-parse HEAD");
    scene.sh("chown -R 12345:12345 repo");
    EXPECT_EQ(opened(scene / "repo").commit_of_tag("v1"), commit);
}

TEST(Repository, ListsTagsThatLeadToCommits) {
    const Scene scene;
    scene.repository("repo");
    scene.sh(
        "cd repo; git tag -a -m x annotated; git tag -a -m x nested annotated; git tag deep/light; "
        "git tag blob HEAD:a.txt; git tag tree HEAD^{tree}");
    const std::string commit = scene.sh("git -C repo rev-parse HEAD");
    const Repository repository = opened(scene / "repo");
    const base::Result<std::vector<Tag>> tags = repository.tags();
    ASSERT_TRUE(tags);
    EXPECT_EQ(names_of(*tags), "annotated deep/light nested v1 ");
    for (const Tag& tag : *tags) EXPECT_EQ(tag.commit, commit) << tag.name;
    for (const char* name : {"annotated", "nested", "deep/light", "v1"})
        EXPECT_EQ(repository.commit_of_tag(name), commit) << name;
    EXPECT_EQ(message_of(repository.commit_of_tag("blob")),
              "the tag 'blob' of " + scene / "repo" + " leads to a blob; expected a commit");
    EXPECT_EQ(message_of(repository.commit_of_tag("tree")),
              "the tag 'tree' of " + scene / "repo" + " leads to a tree; expected a commit");
}

TEST(Repository, ReadsPackedTags) {
    const Scene scene;
    scene.repository("repo");
    scene.sh("cd repo; git tag -a -m x v2; git pack-refs --all; git gc -q");
    EXPECT_EQ(opened(scene / "repo").commit_of_tag("v2"), scene.sh("git -C repo rev-parse v2^{commit}"));
}

TEST(Repository, NamesTheNearestTags) {
    const Scene scene;
    scene.repository("repo");
    scene.sh(
        "cd repo; for t in dsh-v0.1.0-rc.7 dsh-v0.1.0-rc.8 dsh-v0.1.1-rc.1 dsh-v0.1.1-rc.2; do git tag $t; "
        "done");
    const Repository repository = opened(scene / "repo");
    EXPECT_EQ(message_of(repository.commit_of_tag("dsh-v0.1.1-rc.3")),
              scene / "repo" +
                  " has no tag 'dsh-v0.1.1-rc.3'; the nearest are 'dsh-v0.1.1-rc.1', "
                  "'dsh-v0.1.1-rc.2', 'dsh-v0.1.0-rc.7'");
    EXPECT_EQ(message_of(repository.commit_of_tag("v2")),
              scene / "repo" + " has no tag 'v2'; the nearest is 'v1'");
    EXPECT_EQ(message_of(repository.commit_of_tag("something else")),
              scene / "repo" + " has no tag 'something else', nor one like it among its 5");
    EXPECT_EQ(message_of(repository.commit_of_tag("v1/../v1")),
              scene / "repo" + " has no tag 'v1/../v1', nor one like it among its 5");
    EXPECT_EQ(message_of(repository.commit_of_tag(std::string("v1\0x", 4))),
              scene / "repo" + " has no tag 'v1?x', nor one like it among its 5");
    EXPECT_EQ(repository.commit_of_tag("v2").error().kind, base::ErrorKind::usage);
}

TEST(Repository, SaysThatThereAreNoTagsOrNoCommits) {
    const Scene scene;
    scene.sh("git init -q unborn; git init -q repo; cd repo; git commit -q --allow-empty -m x");
    EXPECT_EQ(message_of(opened(scene / "unborn").commit_of_tag("v1")),
              scene / "unborn" + " has no tag 'v1': it holds no commit yet");
    EXPECT_EQ(message_of(opened(scene / "repo").commit_of_tag("v1")),
              scene / "repo" + " has no tag 'v1', nor any other tag");
    EXPECT_EQ(names_of(*opened(scene / "unborn").tags()), "");
}

TEST(Repository, KnowsACommitByItsFullId) {
    const Scene scene;
    scene.repository("repo");
    scene.sh("cd repo; git tag -a -m x v2");
    const Repository repository = opened(scene / "repo");
    const std::string commit = scene.sh("git -C repo rev-parse HEAD");
    const std::string tag = scene.sh("git -C repo rev-parse v2");
    EXPECT_EQ(message_of(repository.check_commit(commit)), "(none)");
    EXPECT_EQ(
        message_of(repository.check_commit(commit.substr(0, 12))),
        "'" + commit.substr(0, 12) + "' is not the full id of a commit; expected 40 hexadecimal digits");
    EXPECT_EQ(message_of(repository.check_commit("v1")),
              "'v1' is not the full id of a commit; expected 40 hexadecimal digits");
    EXPECT_EQ(message_of(repository.check_commit(tag)),
              tag + " is a tag in " + scene / "repo" + "; expected the id of a commit");
    const std::string absent(40, '1');
    EXPECT_EQ(message_of(repository.check_commit(absent)),
              "commit " + absent + " is missing in " + scene / "repo" +
                  "; run 'git fetch --tags' in it, and 'git fsck' if that does not help");
}

TEST(Repository, SaysThatACloneIsShallow) {
    const Scene scene;
    scene.repository("repo");
    const std::string first = scene.sh("git -C repo rev-parse HEAD");
    scene.sh(
        "cd repo; git commit -q --allow-empty -m second; git tag v2; cd ..; "
        "git clone -q --depth 1 --branch v2 file://$PWD/repo shallow");
    const Repository repository = opened(scene / "shallow");
    EXPECT_EQ(repository.commit_of_tag("v2"), scene.sh("git -C repo rev-parse HEAD"));
    EXPECT_EQ(message_of(repository.check_commit(first)),
              "commit " + first + " is missing in " + scene / "shallow" +
                  ", a shallow clone; expected all objects: run 'git fetch --unshallow --tags' in it");
}

TEST(Repository, SaysThatACommitIsDamaged) {
    const Scene scene;
    scene.repository("repo");
    const std::string commit = scene.sh("git -C repo rev-parse HEAD");
    const std::string object = "repo/.git/objects/" + commit.substr(0, 2) + "/" + commit.substr(2);
    scene.sh("chmod +w " + object + "; printf damaged >" + object);
    EXPECT_EQ(message_of(opened(scene / "repo").check_commit(commit)),
              "commit " + commit + " cannot be read in " + scene / "repo" +
                  ": failed to inflate loose object; run 'git fsck' in it, or clone it again");
}

}  // namespace
}  // namespace drydock::source
