#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

std::string shown_destinations(const base::Result<std::vector<Destination>>& answers) {
    if (!answers) return message_of(answers);
    std::string text;
    for (const Destination& answer : *answers) {
        static const char* const kinds[] = {"same", "renamed", "deleted"};
        text += fmt::format("{} {} {}\n", kinds[static_cast<std::size_t>(answer.kind)], answer.path,
                            answer.similarity);
    }
    return text;
}

TEST(Follow, FindsWhereFilesWent) {
    const Scene scene;
    scene.sh(
        "git init -q repo; cd repo; mkdir -p src/old; for f in moved edited gone kept rewritten; do "
        "for i in {1..40}; do echo $f line $i; done >src/old/$f.ts; done; git add .; git commit -qm 1; git "
        "tag v1; "
        "mkdir src/new; git mv src/old/moved.ts src/new/moved.ts; git mv src/old/edited.ts src/new/other.ts; "
        "sed -i '3s/.*/  changed/' src/new/other.ts; git rm -q src/old/gone.ts; echo 1 >>src/old/kept.ts; "
        "echo all new >src/old/rewritten.ts; seq 100 >src/new/unrelated.ts; git add .; git commit -qm 2; git "
        "tag v2");
    const Repository repository = opened(scene / "repo");
    const std::string from = *repository.commit_of_tag("v1");
    const std::string to = *repository.commit_of_tag("v2");
    EXPECT_EQ(
        shown_destinations(repository.follow(from, to,
                                             {"src/old/kept.ts", "src/old/gone.ts", "src/old/edited.ts",
                                              "src/old/moved.ts", "src/old/rewritten.ts", "never/there.ts"})),
        "same src/old/kept.ts 0\ndeleted  0\nrenamed src/new/other.ts 97\nrenamed src/new/moved.ts 100\n"
        "same src/old/rewritten.ts 0\ndeleted  0\n");
    EXPECT_EQ(scene.sh("cd repo; git diff -M50% --name-status v1 v2 | grep ^R | sort"),
              "R097\tsrc/old/edited.ts\tsrc/new/other.ts\nR100\tsrc/old/moved.ts\tsrc/new/moved.ts");
    EXPECT_EQ(shown_destinations(repository.follow(from, to, {})), "");
}

TEST(Follow, GivesEachNewFileToOneOldOne) {
    const Scene scene;
    scene.sh(
        "git init -q repo; cd repo; seq 50 >a; seq 50 >b; git add .; git commit -qm 1; git tag v1; git rm -q "
        "a b; "
        "seq 50 >c; git add .; git commit -qm 2; git tag v2");
    const Repository repository = opened(scene / "repo");
    EXPECT_EQ(shown_destinations(repository.follow(*repository.commit_of_tag("v1"),
                                                   *repository.commit_of_tag("v2"), {"a", "b"})),
              "renamed c 100\ndeleted  0\n");
}

TEST(Follow, LooksAtMoreThanAThousandDeletedFiles) {
    const Scene scene;
    scene.sh(
        "git init -q repo; cd repo; "
        "seq 1 1100 | awk '{for (i = 0; i < 60; i++) print $1 * 7 + i >(\"f\" $1); close(\"f\" $1)}'; "
        "seq 100000 100050 >zzz; git add .; git commit -qm 1; git tag v1; git rm -q 'f*' zzz; "
        "seq 100000 100049 >new; git add .; git commit -qm 2; git tag v2");
    const Repository repository = opened(scene / "repo");
    std::vector<std::string> paths;
    for (int i = 1; i <= 1100; ++i) paths.push_back(fmt::format("f{}", i));
    paths.emplace_back("zzz");
    const base::Result<std::vector<Destination>> answers =
        repository.follow(*repository.commit_of_tag("v1"), *repository.commit_of_tag("v2"), paths);
    ASSERT_TRUE(answers) << message_of(answers);
    EXPECT_EQ(answers->back().path, "new");
    EXPECT_EQ(answers->front().kind, Destination::Kind::deleted);
}

TEST(Follow, SaysWhichCommitIsMissing) {
    const Scene scene;
    scene.repository("repo");
    const Repository repository = opened(scene / "repo");
    const std::string absent(40, '2');
    const std::string message = "commit " + absent + " is missing in " + scene / "repo" +
                                "; run 'git fetch --tags' in it, and 'git fsck' if that does not help";
    EXPECT_EQ(shown_destinations(repository.follow(absent, absent, {})), message);
    EXPECT_EQ(shown_destinations(repository.follow(*repository.commit_of_tag("v1"), absent, {})), message);
}

}  // namespace
}  // namespace drydock::source
