#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/source/scene.hpp"

namespace drydock::source {
namespace {

using testing::EndsWith;

/// Mode, id and path of all that lies beneath a folder, as `git ls-tree -r` shows a tree.
std::string tree_on_disk(const Scene& scene, const std::string& folder) {
    return scene.sh(
        "cd " + folder +
        "; find . -mindepth 1 \\( -type f -o -type l -o -type d -empty \\) -printf '%P\\n' | LC_ALL=C "
        "sort | while IFS= read -r f; do "
        "if [ -L \"$f\" ]; then echo \"120000 $(readlink -n \"$f\" | git hash-object --stdin) $f\"; "
        "elif [ -d \"$f\" ]; then echo \"160000 0 $f\"; "
        "elif [ -x \"$f\" ]; then echo \"100755 $(git hash-object --stdin <\"$f\") $f\"; "
        "else echo \"100644 $(git hash-object --stdin <\"$f\") $f\"; fi; done | sort -k3");
}

std::string tree_in_git(const Scene& scene, const std::string& repository) {
    return scene.sh("git -C " + repository +
                    " -c core.quotePath=false ls-tree -r v1 | sed -E 's/^160000 .*\\t/160000 0 /; "
                    "s/ blob / /; s/\\t/ /' | sort -k3");
}

base::Result<void> check_out(const Scene& scene, const std::string& repository, const std::string& commit) {
    scene.sh("mkdir out");
    base::Silent silent;
    return opened(scene / repository).check_out(commit, scene / "out", silent);
}

base::Result<void> check_out_tag(const Scene& scene, const std::string& repository) {
    return check_out(scene, repository, scene.sh("git -C " + repository + " rev-parse v1^{commit}"));
}

TEST(CheckOut, WritesTheBlobsBytes) {
    const Scene scene;
    scene.repository("other");
    scene.sh(
        "git init -q repo; cd repo; printf 'a\\r\\n\\0b' >bytes; echo '#!x' >run; chmod +x run; "
        "ln -s ../../out link; ln -s run near; mkdir -p a/b/c d; echo 1 >a/b/c/x; echo 2 >a-b; : >a/empty; "
        "head -c 300000 /dev/urandom >d/big; printf '\\351t\\351' >$'d/latin-\\351'; git add .; "
        "git update-index --add --cacheinfo 160000,$(git -C ../other rev-parse HEAD),d/sub; "
        "git commit -qm x; git tag v1; git gc -q");
    scene.sh("mkdir out");
    Recorder recorder;
    const Repository repository = opened(scene / "repo");
    const base::Result<void> done =
        repository.check_out(*repository.commit_of_tag("v1"), scene / "out", recorder);
    EXPECT_EQ(message_of(done), "(none)");
    EXPECT_EQ(tree_on_disk(scene, "out"), tree_in_git(scene, "repo"));
    EXPECT_THAT(tree_in_git(scene, "repo"), EndsWith(" run"));
    EXPECT_EQ(recorder.last, "writing files 10/10");
}

// reports.md's kind of fault: somebody's git settings have a say in what is built.
TEST(CheckOut, HeedsNoConfigurationAttributesFiltersOrHooks) {
    const Scene scene;
    scene.sh(
        "git init -q repo; cd repo; printf 'one\\ntwo $Id$ \\303\\251\\n' >a.txt; printf 'r\\r\\n' "
        ">crlf.txt; "
        "echo x >b.bin; git add .; git commit -qm x; "
        "printf '* text eol=crlf\\na.txt ident\\n*.txt working-tree-encoding=UTF-16\\nb.bin filter=evil\\n' "
        ">.gitattributes; git add --force .gitattributes; git commit -qm attributes; git tag v1");
    scene.sh(
        "touch=\"touch $PWD/ran\"; "
        "for s in --global '--file repo/.git/config'; do "
        "git config $s core.autocrlf true; git config $s core.eol crlf; git config $s core.symlinks false; "
        "git config $s diff.external \"$touch\"; git config $s diff.mnemonicPrefix true; "
        "git config $s core.hooksPath $PWD/hooks; git config $s filter.evil.smudge \"$touch; cat\"; "
        "git config $s filter.evil.clean \"$touch; cat\"; git config $s filter.evil.required true; "
        "git config $s core.fsmonitor \"$touch\"; git config $s core.attributesFile $PWD/attributes; done; "
        "echo '* eol=crlf' >attributes; cp attributes repo/.git/info/attributes; "
        "mkdir -p hooks .config/git; cp attributes .config/git/attributes; "
        "for h in post-checkout reference-transaction; do printf \"#!/bin/sh\\n$touch\\n\" >hooks/$h; "
        "chmod +x hooks/$h; cp hooks/$h repo/.git/hooks/$h; done");
    const std::string commit = scene.sh("git -C repo rev-parse v1");
    scene.sh("rm -f ran");
    const base::Result<void> done = check_out(scene, "repo", commit);
    EXPECT_EQ(message_of(done), "(none)");
    EXPECT_FALSE(test::exists(scene / "ran"));
    scene.sh("mv repo/.git/config config; rm .gitconfig");
    EXPECT_EQ(tree_on_disk(scene, "out"), tree_in_git(scene, "repo"));
    EXPECT_EQ(test::read(scene / "out/a.txt"), "one\ntwo $Id$ \303\251\n");
}

TEST(CheckOut, HeedsNoReplacementsOrGrafts) {
    const Scene scene;
    scene.repository("repo");
    const std::string commit = scene.sh("git -C repo rev-parse HEAD");
    scene.sh("cd repo; git replace $(git rev-parse HEAD:a.txt) $(echo other | git hash-object -w --stdin)");
    EXPECT_EQ(message_of(check_out(scene, "repo", commit)), "(none)");
    EXPECT_EQ(test::read(scene / "out/a.txt"), "one\n");
}

TEST(CheckOut, WantsAnEmptyDirectory) {
    const Scene scene;
    scene.repository("repo");
    const Repository repository = opened(scene / "repo");
    const std::string commit = *repository.commit_of_tag("v1");
    base::Silent silent;
    EXPECT_EQ(message_of(repository.check_out(commit, scene / "repo", silent)),
              "cannot check out into " + scene / "repo" + ": it holds '.git'; expected an empty directory");
    EXPECT_EQ(message_of(repository.check_out(commit, scene / "none", silent)),
              "cannot check out into " + scene / "none" + ": no such file or directory");
}

TEST(CheckOut, LeavesNothingWhereABlobIsMissing) {
    const Scene scene;
    scene.repository("repo");
    scene.sh(
        "git -C repo config uploadpack.allowfilter true; "
        "git clone -q --bare --filter=blob:none file://$PWD/repo partial");
    const std::string blob = scene.sh("git -C repo rev-parse HEAD:a.txt");
    EXPECT_EQ(message_of(check_out_tag(scene, "partial")),
              "the blob " + blob + " ('a.txt') is missing in " + scene / "partial" +
                  ", a partial clone; expected all objects: make a clone without --filter");
    EXPECT_EQ(scene.sh("ls -A out"), "");
}

TEST(CheckOut, IsEmptyAgainAfterAnError) {
    const Scene scene;
    scene.repository("repo");
    const std::string blob = scene.sh("git -C repo rev-parse HEAD:src/b.txt");
    const std::string object = "repo/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2);
    scene.sh("chmod +w " + object + "; printf damaged >" + object);
    EXPECT_EQ(message_of(check_out_tag(scene, "repo")),
              "the blob " + blob + " ('src/b.txt') cannot be read in " + scene / "repo" +
                  ": failed to inflate loose object; run 'git fsck' in it, or clone it again");
    EXPECT_EQ(scene.sh("ls -A out"), "");
}

TEST(CheckOut, OfAShallowCloneIsWholeWhereTheTreeIs) {
    const Scene scene;
    scene.repository("repo");
    scene.sh("git clone -q --depth 1 --branch v1 file://$PWD/repo shallow");
    EXPECT_EQ(message_of(check_out_tag(scene, "shallow")), "(none)");
    EXPECT_EQ(tree_on_disk(scene, "out"), tree_in_git(scene, "repo"));
}

/// Commits whose trees git itself would not make, one for each line of python: a list of (mode, name, what),
/// where what is a blob's bytes, or such a list, or the id of a tree.
std::vector<std::string> make_hostile(const Scene& scene, const std::vector<std::string>& trees) {
    test::write(scene / "make.py", R"(
import hashlib, os, sys, zlib

def put(kind, data):
    data = kind + b" %d\0" % len(data) + data
    name = hashlib.sha1(data).hexdigest()
    folder = "repo/.git/objects/" + name[:2]
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/" + name[2:], "wb") as file:
        file.write(zlib.compress(data))
    return name

def item(what):
    return what if isinstance(what, str) else tree(what) if isinstance(what, list) else put(b"blob", what)

def tree(entries):
    return put(b"tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(item(what)) for mode, name, what in entries))

def bomb(levels):
    below = [(b"100644", b"f", b"")]
    for level in range(levels):
        below = [(b"40000", b"%d" % i, tree(below)) for i in range(10)]
    return below

def deep(levels):
    below = [(b"100644", b"f", b"")]
    for level in range(levels):
        below = [(b"40000", b"d" * 250, tree(below))]
    return below

for line in sys.stdin:
    person = b"a <a@example.invalid> 1700000000 +0000"
    text = b"tree " + tree(eval(line)).encode() + b"\nauthor " + person + b"\ncommitter " + person + b"\n\nx\n"
    print(put(b"commit", text))
)");
    std::string lines;
    for (const std::string& tree : trees) lines += tree + "\n";
    test::write(scene / "trees", lines);
    std::istringstream ids(scene.sh("git init -q repo; python3 make.py <trees"));
    return {std::istream_iterator<std::string>(ids), {}};
}

struct Hostile {
    std::string tree;
    std::string path;
    std::string why;
};

TEST(CheckOut, RefusesPathsThatLeaveTheTree) {
    const std::string file = "(b'100644', ";
    const std::string folder = "(b'40000', ";
    const std::string link = "(b'120000', b'a', b'/tmp')";
    const std::string in_a = folder + "b'a', [" + file + "b'x', b'')])";
    const std::vector<Hostile> cases{
        {"[" + folder + "b'..', [" + file + "b'x', b'')])]", "..", "holds the name '..'"},
        {"[" + file + "b'../x', b'')]", "../x", "holds a '/' in a name"},
        {"[" + file + "b'/x', b'')]", "/x", "holds a '/' in a name"},
        {"[" + file + "b'.', b'')]", ".", "holds the name '.'"},
        {"[" + folder + "b'a', [" + folder + "b'.GiT', [" + file + "b'config', b'')])])]", "a/.GiT",
         "holds the name '.GiT', which is git's own"},
        {"[" + link + ", " + in_a + "]", "a", "stands there twice"},
        {"[" + link + ", " + file + "b'a-', b''), " + in_a + "]", "a", "stands there twice"},
        {"[" + in_a + ", " + link + "]", "a", "stands there twice"},
        {"[" + folder + "b'a', [" + file + "b'x', b''), " + file + "b'x', b'')])]", "a/x",
         "stands there twice"},
        {"bomb(6)", "7/6/3/1/6/0", "is entry 500,001 of its tree"},
        {"deep(17)", std::string(200, 'd') + "...", "is longer than 4,095 bytes"},
    };
    const Scene scene;
    std::vector<std::string> trees;
    for (const Hostile& hostile : cases) trees.push_back(hostile.tree);
    const std::vector<std::string> commits = make_hostile(scene, trees);
    ASSERT_EQ(commits.size(), cases.size());
    scene.sh("mkdir out");
    const Repository repository = opened(scene / "repo");
    base::Silent silent;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(message_of(repository.check_out(commits[i], scene / "out", silent)),
                  "commit " + commits[i] + " of " + scene / "repo" + " cannot be checked out: '" +
                      cases[i].path + "' " + cases[i].why +
                      "; expected a tree that git itself would check out ('git fsck' tells more)");
        EXPECT_EQ(scene.sh("ls; ls -A out"), "make.py\nout\nrepo\ntrees") << cases[i].tree;
    }
}

TEST(CheckOut, SaysThatATreeIsDamaged) {
    const Scene scene;
    const std::string commit = make_hostile(scene, {"[(b'100644', b'', b'')]"}).front();
    EXPECT_EQ(message_of(check_out(scene, "repo", commit)),
              "the tree of commit " + commit + " cannot be read in " + scene / "repo" +
                  ": failed to parse tree: can't parse filename; run 'git fsck' in it, or clone it again");
}

TEST(CheckOut, RefusesALinkThatNoFileSystemHas) {
    const Scene scene;
    const std::string commit = make_hostile(scene, {"[(b'120000', b'a', b'x\\0y')]"}).front();
    EXPECT_EQ(message_of(check_out(scene, "repo", commit)),
              "cannot write 'a' into " + scene / "out" + ": invalid argument");
    EXPECT_EQ(scene.sh("ls -A out"), "");
}

TEST(CheckOut, WritesALinkThatLeadsOutAndDoesNotFollowIt) {
    const Scene scene;
    scene.sh(
        "mkdir outside; git init -q repo; cd repo; ln -s $PWD/../outside a; ln -s ../outside b; echo x >c; "
        "git add .; git commit -qm x; git tag v1");
    EXPECT_EQ(message_of(check_out_tag(scene, "repo")), "(none)");
    EXPECT_EQ(tree_on_disk(scene, "out"), tree_in_git(scene, "repo"));
    EXPECT_EQ(scene.sh("ls -A outside"), "");
}

}  // namespace
}  // namespace drydock::source
