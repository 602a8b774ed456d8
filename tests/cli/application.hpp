#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/process.hpp"
#include "tests/support/support.hpp"

namespace drydock::cli {

/// An application with two packages, `@acme/core` in its image and `@acme/plugin` in its profile, which
/// requires the core; and the set for version 1.0.0 that patches both. Paths in outputs begin with APP.
class Application : public testing::Test {
  protected:
    struct Run {
        int exit{0};
        std::string out;
        std::string err;
    };

    static constexpr std::string_view core_stock = "export const level = 0;\nexport const rest = true;\n";
    static constexpr std::string_view core_patched = "export const level = 1;\nexport const rest = true;\n";
    static constexpr std::string_view plugin_stock = "import '@acme/core';\n";
    static constexpr std::string_view plugin_patched = "import '@acme/core';\nstart();\n";

    Application() {
        process.unset = {"DRYDOCK_MANIFESTS", "DRYDOCK_STRICT", "DSH_VERSION", "NO_COLOR"};
        process.environment = {{"APP", app()}, {"DRYDOCK_MANIFESTS", app("sets")}, {"DSH_VERSION", "1.0.0"}};
        install("1.0.0");
        test::write(app("sets/core.patch"),
                    "--- a/lib/index.js\n+++ b/lib/index.js\n@@ -1,2 +1,2 @@\n-export const level = 0;\n"
                    "+export const level = 1;\n export const rest = true;\n");
        test::write(
            app("sets/plugin.patch"),
            "--- a/lib/index.js\n+++ b/lib/index.js\n@@ -1 +1,2 @@\n import '@acme/core';\n+start();\n");
        test::write(app("sets/1.0.0.yaml"), manifest());
    }

    /// A path of the application.
    [[nodiscard]] std::string app(const std::string& name = {}) const {
        return name.empty() ? folder.path() : folder / name;
    }

    /// Puts both packages there as they were published, but for the version.
    void install(const std::string& version) const {
        const std::string json = R"({{"name": "@acme/{}", "version": "{}"}})";
        test::write(app(core + "/package.json"), fmt::format(fmt::runtime(json), "core", version));
        test::write(app(core + "/lib/index.js"), core_stock);
        test::write(app(plugin + "/package.json"), fmt::format(fmt::runtime(json), "plugin", version));
        test::write(app(plugin + "/lib/index.js"), plugin_stock);
    }

    [[nodiscard]] std::string manifest() const {
        return "schema: 1\n"
               "set: {name: example, version: 1.0.0, revision: 1, status: active}\n"
               "roots:\n"
               "  - {name: image, path: \"${APP}/image\"}\n"
               "  - {name: profile, path: \"${APP}/image/profile\", may-be-missing: [image]}\n"
               "packages:\n" +
               package("core", "image", "    provides: 1\n", core_stock, core_patched) +
               package("plugin", "profile", "    requires: {\"@acme/core\": 1}\n", plugin_stock,
                       plugin_patched);
    }

    Run drydock(std::vector<std::string> words) const {
        words.insert(words.begin(), test::drydock());
        return outcome(test::run(words, process));
    }

    /// Runs a command in a shell, where $drydock is the tool.
    Run shell(const std::string& command) const {
        base::ProcessOptions options = process;
        options.environment.emplace_back("drydock", test::drydock());
        return outcome(test::run({"sh", "-c", command}, options));
    }

    /// Sets a variable for the next runs.
    void set(const std::string& name, const std::string& value) {
        std::erase(process.unset, name);
        std::erase_if(process.environment, [&name](const auto& variable) { return variable.first == name; });
        process.environment.emplace_back(name, value);
    }

    void unset(const std::string& name) {
        std::erase_if(process.environment, [&name](const auto& variable) { return variable.first == name; });
        process.unset.push_back(name);
    }

    test::TemporaryDirectory folder;
    const std::string core = "image/node_modules/@acme/core";
    const std::string plugin = "image/profile/node_modules/@acme/plugin";
    base::ProcessOptions process;

  private:
    [[nodiscard]] std::string package(const std::string& name, const std::string& root,
                                      const std::string& relation, std::string_view stock,
                                      std::string_view patched) const {
        const auto hash = [](std::string_view bytes) { return base::to_hex(base::sha256(bytes)); };
        return fmt::format(
            "  - name: \"@acme/{0}\"\n"
            "    root: {1}\n"
            "    stages: [image, boot]\n"
            "    directory: packages/{0}\n"
            "    why: the {0} must have it\n"
            "{2}"
            "    patch: {{file: {0}.patch, sha256: {3}}}\n"
            "    files:\n"
            "      - {{path: lib/index.js, stock: {4}, patched: {5}, origin: published}}\n",
            name, root, relation, hash(test::read(app("sets/" + name + ".patch"))), hash(stock),
            hash(patched));
    }

    [[nodiscard]] std::string named(std::string text) const {
        for (std::size_t at = text.find(app()); at != std::string::npos; at = text.find(app(), at)) {
            text.replace(at, app().size(), "APP");
        }
        return text;
    }

    [[nodiscard]] Run outcome(const base::ProcessOutcome& process_outcome) const {
        return {process_outcome.exit_code, named(process_outcome.output), named(process_outcome.errors)};
    }
};

}  // namespace drydock::cli
