// docker/providers.sh, with a monorepo whose package manager and compiler are scripts. With the real ones,
// tests/harness.sh.
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include "tests/support/toy.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

/// A folder with docker/, manifests/ and patches/ as the repository has them.
class Providers : public testing::Test {
  protected:
    Providers() : toy(set()) {
        shell(toy.path(),
              "mv sets manifests; sed -i -E "
              "'s/^      - \\{(path: [^,]*), (stock: [^,]*), (patched: [^,]*), (.*)\\}$/"
              "      - \\1\\n        \\2\\n        \\3\\n        \\4/' manifests/1.0.0.yaml");
        use_root("profile");
        const base::ProcessOutcome made =
            toy.drydock({"regenerate", "--dsh-version", "1.0.0", "--manifest", "manifests"});
        EXPECT_EQ(made.exit_code, 0) << made.output << made.errors;
        fs::create_directory(toy / "docker");
        fs::copy_file(std::string(DRYDOCK_SOURCE_DIR) + "/docker/providers.sh", toy / "docker/providers.sh");
        write(toy / "manifests/0.9.0.yaml", "");
    }

    /// Of both packages.
    void use_root(const std::string& name) const {
        shell(toy.path(), "sed -i -E 's/^    root: .*/    root: " + name +
                              "/; s/\\{name: [a-z]*, path/{name: " + name + ", path/' manifests/1.0.0.yaml");
    }

    using Variables = std::vector<std::pair<std::string, std::string>>;

    /// What it printed: standard output, then standard error, then `exit N`.
    [[nodiscard]] std::string told(std::vector<std::string> words, const Variables& variables = {}) const {
        words.insert(words.begin(), "docker/providers.sh");
        base::ProcessOptions options;
        options.directory = toy.path();
        options.environment = {{"DRYDOCK", test::drydock()}, {"TMPDIR", toy / "scratch"}, {"LC_ALL", "C"}};
        options.environment.insert(options.environment.end(), variables.begin(), variables.end());
        const base::ProcessOutcome outcome = run(words, options);
        static const std::regex temporary(R"(tmp\.\w+/drydock-\w+)");
        return std::regex_replace(toy.named(outcome.output + outcome.errors), temporary, "TEMPORARY") +
               "exit " + std::to_string(outcome.exit_code) + "\n";
    }

    [[nodiscard]] std::string built(const Variables& variables = {}) const {
        return told({toy_repository(), "1.0.0"}, variables);
    }

    /// Everything that a run may leave.
    [[nodiscard]] std::string left() const {
        return shell(toy.path(), "find build scratch -mindepth 1 2>/dev/null | sort || true");
    }

    [[nodiscard]] static ToySet set() {
        ToySet set;
        set.patches = "dsh-1.0.0";
        set.build = "  - name: tools\n    command: [sh, \"" DRYDOCK_SOURCE_DIR
                    "/tests/support/stand_ins.sh\"]\n"
                    "  - name: bundle\n    command: [sh, build.sh, packages/core, packages/provider]\n";
        return set;
    }

    Toy toy;
};

const std::string begun = "building 1.0.0 from its tag, stock and patched; a minute or two\n";
const std::string all_there =
    "build/providers\nbuild/providers/1.0.0\n"
    "build/providers/1.0.0/toy-core-1.0.0.tgz\nbuild/providers/1.0.0/toy-provider-1.0.0.tgz";
const std::string how_to_use =
    "usage: docker/providers.sh REPO VERSION [DIR]\n"
    "REPO: a clone of the monorepo, with its tags. VERSION: one that manifests/ has a set for.\n"
    "DIR: the folder of the packages, made anew as a whole when all are there (default: "
    "build/providers/VERSION).\n"
    "DRYDOCK: the full tool (default: the one in build/release).\n";

std::string files_in(const std::string& package) {
    return shell(fs::path(package).parent_path(), "tar -tzf " + package + " | grep -v /$ | sort; tar -xzOf " +
                                                      package + " package/lib/types/index.d.ts; tar -xzOf " +
                                                      package + " package/lib/index.js | sha256sum");
}

TEST_F(Providers, AreThoseOfTheTag) {
    const std::string packages = toy / "build/providers/1.0.0/";
    const std::string printed = begun +
                                "TOY/build/providers/1.0.0/toy-core-1.0.0.tgz\n"
                                "TOY/build/providers/1.0.0/toy-provider-1.0.0.tgz\nexit 0\n";
    EXPECT_EQ(built(), printed);
    EXPECT_EQ(left(), all_there);
    const std::string names = "package/lib/index.js\npackage/lib/types/index.d.ts\npackage/package.json\n";
    const auto stock = [](const std::string& package) {
        return shell(toy_repository(), "cat packages/" + package + "/src/*.ts | sha256sum");
    };
    EXPECT_EQ(files_in(packages + "toy-core-1.0.0.tgz"), names + stock("core"));
    EXPECT_EQ(files_in(packages + "toy-provider-1.0.0.tgz"),
              names + "export const provider10 = 10;\n" + stock("provider"));

    // What an earlier run left is replaced, and what lies beside it is not.
    write(packages + "toy-core-1.0.0.tgz", "old");
    write(packages + "toy-gone-1.0.0.tgz", "old");
    write(toy / "build/providers/0.9.0/toy-core-0.9.0.tgz", "other");
    EXPECT_EQ(built(), printed);
    EXPECT_EQ(left(),
              "build/providers\nbuild/providers/0.9.0\nbuild/providers/0.9.0/toy-core-0.9.0.tgz\n"
              "build/providers/1.0.0\nbuild/providers/1.0.0/toy-core-1.0.0.tgz\n"
              "build/providers/1.0.0/toy-provider-1.0.0.tgz");
    EXPECT_EQ(files_in(packages + "toy-core-1.0.0.tgz"), names + stock("core"));
}

TEST_F(Providers, GoWhereTheyAreToldTo) {
    EXPECT_EQ(told({toy_repository(), "1.0.0", "scratch/out/"}),
              begun + "TOY/scratch/out/toy-core-1.0.0.tgz\nTOY/scratch/out/toy-provider-1.0.0.tgz\nexit 0\n");
    EXPECT_EQ(left(), "scratch/out\nscratch/out/toy-core-1.0.0.tgz\nscratch/out/toy-provider-1.0.0.tgz");
}

TEST_F(Providers, OfTheProfileOnly) {
    shell(toy.path(),
          "sed -i '0,/root: profile/s//root: image/; s/^  - {name: profile, path.*/&\\n  - {name: image, "
          "path: \\/x}/' manifests/1.0.0.yaml");
    EXPECT_EQ(built(), begun + "TOY/build/providers/1.0.0/toy-provider-1.0.0.tgz\nexit 0\n");
    fs::remove_all(toy / "build");
    use_root("image");
    EXPECT_EQ(built(),
              "providers.sh: TOY/manifests/1.0.0.yaml has no package below the root 'profile'\nexit 2\n");
    EXPECT_EQ(left(), "");
}

TEST_F(Providers, AreRefusedBeforeAnythingIsBuilt) {
    EXPECT_EQ(told({"--help"}), how_to_use + "exit 0\n");
    for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"a"}, {"a", "b", "c", "d"}})
        EXPECT_EQ(told(words), how_to_use + "exit 2\n");
    for (const std::string version : {"1.0.1", "../manifests/1.0.0", ""})
        EXPECT_EQ(told({toy_repository(), version}), "providers.sh: manifests/ has no set for version '" +
                                                         version + "'; there are 0.9.0, 1.0.0\nexit 2\n");
    EXPECT_EQ(built({{"DRYDOCK", ""}}),
              "providers.sh: TOY/build/release/tool/drydock is not there: build the full tool, or name it in "
              "DRYDOCK\nexit 2\n");
    EXPECT_EQ(left(), "");

    write(toy / "scratch/out/toy-core-1.0.0.tgz", "an earlier run's");
    write(toy / "scratch/out/toy-core-0.9.0.tgz", "another version's");
    EXPECT_EQ(
        told({toy_repository(), "1.0.0", "scratch/out"}),
        "providers.sh: TOY/scratch/out/toy-core-0.9.0.tgz is no package of 1.0.0: give another folder, or "
        "take it away\nexit 2\n");
    EXPECT_EQ(told({toy_repository(), "1.0.0", "manifests/1.0.0.yaml"}),
              "providers.sh: TOY/manifests/1.0.0.yaml is no folder\nexit 2\n");
    EXPECT_EQ(left(), "scratch/out\nscratch/out/toy-core-0.9.0.tgz\nscratch/out/toy-core-1.0.0.tgz");
}

TEST_F(Providers, NeedAMonorepoWithTheTag) {
    const std::string expected = "; expected a work tree, its .git folder or a bare repository\nexit 6\n";
    EXPECT_EQ(
        told({"nowhere", "1.0.0"}),
        begun + "drydock: cannot open the git repository nowhere: no such file or directory" + expected);
    EXPECT_EQ(told({"docker", "1.0.0"}), begun + "drydock: docker is no git repository" + expected);
    shell(toy.path(),
          "git clone -q " + toy_repository() + " scratch/clone; git -C scratch/clone tag -d v1.0.0");
    EXPECT_EQ(told({"scratch/clone", "1.0.0"}),
              begun + "drydock: scratch/clone has no tag 'v1.0.0', nor one like it among its " +
                  shell(toy / "scratch/clone", "git tag | wc -l") + "\nexit 2\n");
    fs::remove_all(toy / "scratch/clone");
    EXPECT_EQ(left(), "build/providers");
}

TEST_F(Providers, SayWhyABuildFailed) {
    toy.edit("manifests/1.0.0.yaml", "[sh, build.sh,", "[no-such-program,");
    EXPECT_EQ(built(),
              begun +
                  "drydock: TOY/manifests/1.0.0.yaml:42: step 'bundle' of the stock build cannot run "
                  "no-such-program in TOY/scratch/TEMPORARY/checkout: no such file or directory: install it, "
                  "or put "
                  "it in PATH; all that it printed is in TOY/build/providers/1.0.0.log\nexit 8\n");
    EXPECT_EQ(left(), "build/providers\nbuild/providers/1.0.0.log");
    toy.edit("manifests/1.0.0.yaml", "[no-such-program,", "[sh, build.sh,");
    EXPECT_EQ(built({{"FAULT", "TS1005"}}), begun + "error TS1005\nexit 2\n");
    EXPECT_EQ(built({{"FULL", "1"}}), begun + "no space left\nexit 3\n");
    toy.edit("patches/dsh-1.0.0/provider.lib.patch", "1000", "1001");
    EXPECT_EQ(
        built(),
        begun +
            "drydock: TOY/patches/dsh-1.0.0/provider.lib.patch: differs first at line 8: '+export const "
            "provider10 = 1001;', expected '+export const provider10 = 1000;'\nexit 1\n");
    EXPECT_EQ(left(), "build/providers\nbuild/providers/1.0.0.log");
}

TEST_F(Providers, AreAllThereOrNoneWhereARunIsCutShort) {
    EXPECT_EQ(built({{"CUT", "TERM"}}), begun + "Terminated\nexit 1\n");
    EXPECT_EQ(left(), "build/providers");
    EXPECT_EQ(built({{"CUT", "build"}}), begun + "exit 1\n");
    EXPECT_EQ(left(), "build/providers");
    // What is killed cleans nothing away, and yet nothing bears the name.
    EXPECT_EQ(built({{"CUT", "KILL"}}), begun + "exit 137\n");
    EXPECT_FALSE(exists(toy / "build/providers/1.0.0"));
    shell(toy.path(), "rm -r scratch/* build/providers/.providers.*");
    EXPECT_EQ(left(), "build/providers");

    EXPECT_NE(built().find("exit 0\n"), std::string::npos);
    EXPECT_EQ(left(), all_there);
    const auto before = shell(toy.path(), "stat -c '%n %i %y' build/providers/1.0.0/*");
    EXPECT_EQ(built({{"CUT", "KILL"}}), begun + "exit 137\n");
    EXPECT_EQ(shell(toy.path(), "stat -c '%n %i %y' build/providers/1.0.0/*"), before);
    EXPECT_NE(built().find("exit 0\n"), std::string::npos);
}

}  // namespace
}  // namespace drydock::test
