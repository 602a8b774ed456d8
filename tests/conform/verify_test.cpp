// conform/verify.cpp: the patched JavaScript against the native code. dsh-subagent is the published one with
// our lib.patch; of the providers, which the registry does not have at these versions, the mappers out of
// source.patch.
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/conform.hpp"
#include "patch/patch.hpp"
#include "tests/support/node.hpp"
#include "tests/support/support.hpp"

namespace drydock::conform {
namespace {

namespace fs = std::filesystem;
const std::string source_directory = DRYDOCK_SOURCE_DIR;

class Verify : public testing::Test {
  protected:
    /// The three packages with functions, patched, in a folder that all tests share.
    static void SetUpTestSuite() {
        installed = std::make_unique<test::TemporaryDirectory>();
        const std::string modules = *installed / "node_modules/@deepseek-ai";
        fs::create_directories(*installed / "node_modules");
        fs::copy(fs::path(test::toolchain()).parent_path() / "image-0.1.0-rc.8" /
                     "lib/node_modules/@deepseek-ai/dsh/node_modules",
                 *installed / "node_modules",
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks |
                     fs::copy_options::update_existing);
        put_patch(modules + "/dsh-subagent");
        const base::ProcessOutcome made =
            test::run({"sh", source_directory + "/tests/compat/stream_script.sh",
                       source_directory + "/patches/dsh-0.1.1-rc.2/source.patch", test::toolchain(),
                       *installed / "js"});
        ASSERT_EQ(made.exit_code, 0) << made.output << made.errors;
        put_mapper(modules, "subagent-claude-code", "map-claude-message");
        put_mapper(modules, "subagent-acp", "map-acp-update");
    }
    static void TearDownTestSuite() { installed.reset(); }

    static void put_patch(const std::string& directory) {
        const std::string text =
            test::read(source_directory + "/patches/dsh-0.1.0-rc.8/dsh-subagent.lib.patch");
        const base::Result<patch::Patch> patch = patch::parse(text);
        ASSERT_TRUE(patch);
        const base::Result<patch::Applied> applied =
            patch::apply(patch->files.front(), test::read(directory + "/lib/index.js"));
        ASSERT_TRUE(applied) << base::describe(applied.error());
        test::write(directory + "/lib/index.js", applied->text);
    }

    static void put_mapper(const std::string& modules, const std::string& package, const std::string& file) {
        const std::string directory = modules + "/dsh-" + package;
        test::write(directory + "/lib/index.js",
                    test::read(fmt::format("{}/out/packages/subagent/{}/src/{}.js", *installed / "js",
                                           package, file)));
        test::write(directory + "/package.json",
                    R"({"type": "module", "exports": {".": {"default": "./lib/index.js"}}})");
    }

    static std::string directory_of(const std::string& name) {
        return *installed / ("node_modules/@deepseek-ai/" + name);
    }
    static Package package(const std::string& name) { return {"@deepseek-ai/" + name, directory_of(name)}; }
    static std::vector<Package> all() {
        return {package("dsh-session"), package("dsh-subagent"), package("dsh-subagent-claude-code"),
                package("dsh-subagent-acp")};
    }

    Options options(std::uint64_t cases) {
        Options result;
        result.cases = cases;
        result.progress = &silent;
        return result;
    }

    static std::vector<std::string> told(const Verdict& verdict) {
        std::vector<std::string> lines;
        for (const base::Error& problem : verdict.problems) lines.push_back(base::describe(problem));
        return lines;
    }

    static std::unique_ptr<test::TemporaryDirectory> installed;
    base::Silent silent;
};
std::unique_ptr<test::TemporaryDirectory> Verify::installed;

TEST_F(Verify, OurSetDoesWhatTheNativeCodeDoes) {
    const Verdict verdict = verify(all(), options(100'000));
    EXPECT_THAT(told(verdict), testing::IsEmpty());
    std::vector<std::string> functions;
    for (const Compared& compared : verdict.functions) {
        EXPECT_EQ(compared.cases, 100'000U);
        EXPECT_EQ(compared.different, 0U);
        functions.push_back(compared.function);
    }
    EXPECT_THAT(functions,
                testing::ElementsAre("boundSubagentStreamItem", "createSubagentStreamSink",
                                     "createSubagentStreamCoalescer", "mapClaudeMessage", "mapAcpUpdate"));
}

/// A fault planted in a package's JavaScript, and the function that must be blamed.
struct Fault {
    std::string name;
    std::string package;
    std::string found;
    std::string planted;
    std::string function;
};

class VerifyFault : public Verify, public testing::WithParamInterface<Fault> {};

TEST_P(VerifyFault, IsFoundAndItsFunctionNamed) {
    const Fault& fault = GetParam();
    const std::string file = directory_of(fault.package) + "/lib/index.js";
    const std::string good = test::read(file);
    const std::size_t at = good.find(fault.found);
    ASSERT_NE(at, std::string::npos) << fault.found;
    std::string bad = good;
    bad.replace(at, fault.found.size(), fault.planted);
    test::write(file, bad);
    const Verdict verdict = verify({package(fault.package)}, options(3'000));
    test::write(file, good);
    std::set<std::string> blamed;
    for (const Compared& compared : verdict.functions) {
        if (compared.different > 0) blamed.insert(compared.function);
    }
    EXPECT_THAT(blamed, testing::Contains(fault.function));
    EXPECT_THAT(
        told(verdict),
        testing::Contains(testing::MatchesRegex(fmt::format(
            "@deepseek-ai/{}: {} does something else than it should in [0-9]+ of 3000 cases; the first is "
            "case [0-9]+ of seed 1",
            fault.package, fault.function))));
}

INSTANTIATE_TEST_SUITE_P(
    Planted, VerifyFault,
    testing::Values(Fault{"text_bound", "dsh-subagent", "bytes.byteLength <= 16384",
                          "bytes.byteLength <= 16383", "boundSubagentStreamItem"},
                    Fault{"cut_in_a_character", "dsh-subagent",
                          "while ((bytes[end] & 192) === 128) end -= 1;", "", "boundSubagentStreamItem"},
                    Fault{"meta_bound", "dsh-subagent", "byteLength > 2048", "byteLength > 2047",
                          "boundSubagentStreamItem"},
                    Fault{"label_bound", "dsh-subagent", "name: item.name.slice(0, 256)",
                          "name: item.name.slice(0, 255)", "boundSubagentStreamItem"},
                    Fault{"marker", "dsh-subagent", "[stream text truncated]", "[stream text truncateD]",
                          "boundSubagentStreamItem"},
                    Fault{"index", "dsh-subagent", "index += 1;", "index += 0;", "createSubagentStreamSink"},
                    Fault{"not_ignorable", "dsh-subagent", "}, { ignorable: true });\n\t\t\t\tindex",
                          "}, {});\n\t\t\t\tindex", "createSubagentStreamSink"},
                    Fault{"guard", "dsh-subagent", "level < REQUIRED_IGNORABLE_APPEND_LEVEL", "level < 0",
                          "createSubagentStreamSink"},
                    Fault{"kind_not_flushed", "dsh-subagent", "pending.kind !== fragment.kind) flush();",
                          "false) flush();", "createSubagentStreamCoalescer"},
                    Fault{"joined_too_long", "dsh-subagent", "pending.text.length >= 1024",
                          "pending.text.length > 1024", "createSubagentStreamCoalescer"},
                    Fault{"claude_error", "dsh-subagent-claude-code", "=== true", "== true",
                          "mapClaudeMessage"},
                    Fault{"acp_status", "dsh-subagent-acp", "'pending'", "'Pending'", "mapAcpUpdate"}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(Verify, ShowsACaseAndRunsItAgain) {
    const std::string file = directory_of("dsh-subagent-acp") + "/lib/index.js";
    const std::string good = test::read(file);
    std::string bad = good;
    bad.replace(bad.find("'pending'"), 9, "'Pending'");
    test::write(file, bad);
    const Verdict first = verify({package("dsh-subagent-acp")}, options(500));
    ASSERT_EQ(first.functions.size(), 1U);
    ASSERT_FALSE(first.functions.front().shown.empty());
    const Difference& difference = first.functions.front().shown.front();
    EXPECT_THAT(difference.diff, testing::HasSubstr("--- native\n+++ javascript\n@@ -1 +1 @@\n-"));
    EXPECT_THAT(difference.diff, testing::HasSubstr("Pending"));
    Options again = options(500);
    again.only = difference.name;
    const Verdict second = verify({package("dsh-subagent-acp")}, again);
    test::write(file, good);
    ASSERT_EQ(second.functions.size(), 1U);
    EXPECT_EQ(second.functions.front().cases, 1U);
    ASSERT_EQ(second.functions.front().shown.size(), 1U);
    EXPECT_EQ(second.functions.front().shown.front().input, difference.input);
    EXPECT_EQ(second.functions.front().shown.front().diff, difference.diff);
}

TEST_F(Verify, ReachesAFunctionThatIsNotExported) {
    const std::string file = directory_of("dsh-subagent-acp") + "/lib/index.js";
    const std::string good = test::read(file);
    std::string hidden = good;
    const std::string exported = "export function mapAcpUpdate";
    ASSERT_NE(hidden.find(exported), std::string::npos);
    hidden.replace(hidden.find(exported), exported.size(), "function mapAcpUpdate");
    test::write(file, hidden);
    const Verdict verdict = verify({package("dsh-subagent-acp")}, options(200));
    EXPECT_EQ(test::read(file), hidden);
    test::write(file, good);
    EXPECT_THAT(told(verdict), testing::IsEmpty());
    ASSERT_EQ(verdict.functions.size(), 1U);
    EXPECT_EQ(verdict.functions.front().cases, 200U);
}

TEST_F(Verify, SaysWhyNothingCanBeRun) {
    const test::TemporaryDirectory other;
    test::write(other / "package.json", R"({"type": "module", "main": "index.js"})");
    test::write(other / "index.js", "export const a = 1\n");
    EXPECT_THAT(told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(1))),
                testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: has no mapAcpUpdate"));
    test::write(other / "index.js", "import 'not-there'\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent", other.path()}}, options(1))),
        testing::ElementsAre(fmt::format("@deepseek-ai/dsh-subagent: cannot be loaded: Cannot find package "
                                         "'not-there' imported from {}/index.js",
                                         other.path())));
    test::write(other / "index.js", "export function mapAcpUpdate() { process.exit(9) }\n");
    EXPECT_THAT(
        told(verify({{"@deepseek-ai/dsh-subagent-acp", other.path()}}, options(1))),
        testing::ElementsAre("@deepseek-ai/dsh-subagent-acp: mapAcpUpdate ends node with exit code 9: "));
    Options without_node = options(1);
    without_node.node = "no-such-node";
    EXPECT_THAT(told(verify({package("dsh-subagent-acp")}, without_node)),
                testing::ElementsAre(
                    "cannot run no-such-node: no such file or directory; verify needs node, from 20.6 "
                    "on: install it, or name it with --node"));
}

}  // namespace
}  // namespace drydock::conform
