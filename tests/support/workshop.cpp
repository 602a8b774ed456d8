#include "tests/support/workshop.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/hash.hpp"

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

std::string hash_text(const std::optional<std::string>& bytes) {
    return bytes ? base::to_hex(base::sha256(*bytes)) : "absent";
}

void put(const std::string& path, const std::string& bytes, bool executable) {
    write(path, bytes);
    fs::permissions(path, static_cast<fs::perms>(executable ? 0755 : 0644));
}

std::string list(const std::vector<std::string>& items) {
    std::string text = "[";
    for (const std::string& item : items) text += (text.size() > 1 ? ", \"" : "\"") + item + "\"";
    return text + "]";
}

std::string file_name(std::string package) {
    const std::size_t slash = package.find('/');
    return slash == std::string::npos ? package : package.substr(slash + 1);
}

std::string patch_entry(const std::string& indent, const std::string& path, const std::string& bytes) {
    return fmt::format("{0}patch:\n{0}  file: {1}\n{0}  sha256: {2}\n", indent, path,
                       base::to_hex(base::sha256(bytes)));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace

std::string make_patch(const std::vector<SetFile>& files) {
    const TemporaryDirectory directory;
    fs::create_directories(directory / "a");
    fs::create_directories(directory / "b");
    for (const SetFile& file : files) {
        if (file.stock) put(directory / "a/" + file.path, *file.stock, file.stock_executable);
        if (file.patched) put(directory / "b/" + file.path, *file.patched, file.patched_executable);
    }
    base::ProcessOptions options;
    options.directory = directory.path();
    const base::ProcessOutcome diff = run(
        {"git", "-c", "core.fileMode=true", "diff", "--no-index", "--no-prefix", "-M", "a", "b"}, options);
    EXPECT_EQ(diff.exit_code, 1) << diff.errors;
    // Both sides lie in a folder of their name, so that `a/` and `b/` stand there already; only `rename`
    // lines and the like carry them where git's own have none.
    std::string patch = diff.output;
    for (const char* header : {"rename from a/", "rename to b/", "copy from a/", "copy to b/"}) {
        const std::string text = header;
        patch = replaced(patch, "\n" + text, "\n" + text.substr(0, text.size() - 2));
    }
    return patch;
}

Workshop::Workshop(std::string set_version) : version(std::move(set_version)) {
    roots.push_back({"image", directory_ / "image", {}});
    roots.push_back({"profile", directory_ / "profile", {}});
    fs::create_directories(directory_ / "image/node_modules");
    fs::create_directories(directory_ / "profile/node_modules");
}

void Workshop::write_set() {
    const std::string folder = fmt::format("patches/{}-{}", version, revision);
    std::string text =
        fmt::format("schema: 1\nset:\n  name: demo\n  version: {}\n  revision: {}\n  status: {}\n", version,
                    revision, adopted ? "adopted" : "active");
    text += "roots:\n";
    for (const SetRoot& root : roots) {
        text += fmt::format("  - name: {}\n    path: \"{}\"\n", root.name, root.path);
        if (!root.may_be_missing.empty()) text += "    may-be-missing: " + list(root.may_be_missing) + "\n";
    }
    text += "packages:\n";
    for (const SetPackage& package : packages) {
        text += fmt::format("  - name: \"{}\"\n    root: {}\n    stages: {}\n    why: the demo of {}\n",
                            package.name, package.root, list(package.stages), file_name(package.name));
        if (!package.at.empty()) text += "    at: " + list(package.at) + "\n";
        if (package.provides > 0) text += fmt::format("    provides: {}\n", package.provides);
        if (!package.requirements.empty()) {
            text += "    requires:\n";
            for (const auto& [name, level] : package.requirements)
                text += fmt::format("      \"{}\": {}\n", name, level);
        }
        const std::string patch = make_patch(package.files);
        const std::string path = fmt::format("{}/{}.lib.patch", folder, file_name(package.name));
        write(directory_ / path, patch);
        text += patch_entry("    ", "../" + path, patch);
        text += "    files:\n";
        for (const SetFile& file : package.files) {
            text += fmt::format(
                "      - path: \"{}\"\n        stock: {}\n        origin: published\n        patched: {}\n",
                file.path, hash_text(file.stock), hash_text(file.patched));
            if (file.stock_executable != file.patched_executable) {
                text += fmt::format("        stock-mode: \"{}\"\n        patched-mode: \"{}\"\n",
                                    file.stock_executable ? "100755" : "100644",
                                    file.patched_executable ? "100755" : "100644");
            }
            if (!file.variants.empty()) text += "        variants:\n";
            for (const auto& [stock, patched] : file.variants) {
                text += fmt::format(
                    "          - stock: {}\n            patched: {}\n            origin: published\n"
                    "            note: published again\n",
                    hash_text(stock), hash_text(patched));
            }
        }
        for (const bool predecessor : {false, true}) {
            bool headed = false;
            for (const SetOther& other : package.others) {
                if ((other.revision == 0) != predecessor) continue;
                if (!headed) text += predecessor ? "    predecessors:\n" : "    revisions:\n";
                headed = true;
                std::vector<SetFile> files;
                for (const SetFile& file : package.files) {
                    const auto found = other.files.find(file.path);
                    if (found != other.files.end()) files.push_back({file.path, file.stock, found->second});
                }
                for (const auto& [changed, stock] : other.stock)
                    files.push_back({changed, stock, other.files.at(changed)});
                const std::string other_patch = make_patch(files);
                const std::string other_path =
                    fmt::format("{}/{}-{}.lib.patch", folder, file_name(package.name),
                                predecessor ? "predecessor" : std::to_string(other.revision));
                write(directory_ / other_path, other_patch);
                text += predecessor ? fmt::format("      - label: {}\n", other.label)
                                    : fmt::format("      - revision: {}\n", other.revision);
                if (other.provides > 0) text += fmt::format("        provides: {}\n", other.provides);
                text += patch_entry("        ", "../" + other_path, other_patch);
                text += "        files:\n";
                for (const SetFile& file : files) {
                    text += fmt::format("          - path: \"{}\"\n            patched: {}\n", file.path,
                                        hash_text(file.patched));
                    if (other.stock.count(file.path) > 0)
                        text += fmt::format("            stock: {}\n", hash_text(file.stock));
                }
            }
        }
    }
    text += harness;
    write(directory_ / "manifests/" + version + ".yaml", text);
}

std::string Workshop::place(const SetPackage& package) const {
    return directory_ / package.root + "/node_modules/" + package.name;
}

std::string Workshop::install(const SetPackage& package, const std::string& directory) {
    const std::string target = directory.empty() ? place(package) : directory_ / directory;
    write(target + "/package.json",
          fmt::format("{{\n  \"name\": \"{}\",\n  \"version\": \"{}\",\n  \"type\": \"module\"\n}}\n",
                      package.name, version));
    for (const SetFile& file : package.files) {
        if (file.stock) put(target + "/" + file.path, *file.stock, file.stock_executable);
    }
    return target;
}

base::ProcessOutcome Workshop::drydock(const std::vector<std::string>& arguments,
                                       std::vector<std::pair<std::string, std::string>> environment) const {
    std::vector<std::string> command = runner;
    command.push_back(tool);
    command.insert(command.end(), arguments.begin(), arguments.end());
    base::ProcessOptions options;
    options.unset = {"DSH_STAGE", "DRYDOCK_STRICT", "NO_COLOR"};
    options.environment = {{"DRYDOCK_MANIFESTS", directory_ / "manifests"}, {"DSH_VERSION", version}};
    for (auto& variable : environment) {
        const auto same = [&variable](const auto& known) { return known.first == variable.first; };
        options.environment.erase(
            std::remove_if(options.environment.begin(), options.environment.end(), same),
            options.environment.end());
        options.environment.push_back(std::move(variable));
    }
    return run(command, options);
}

std::string Workshop::told(const std::vector<std::string>& arguments,
                           std::vector<std::pair<std::string, std::string>> environment) const {
    const base::ProcessOutcome outcome = drydock(arguments, std::move(environment));
    return replaced(outcome.output + outcome.errors, directory_.path(), "@") +
           fmt::format("exit {}\n", outcome.exit_code);
}

void put_patched(const SetPackage& package, const std::string& directory) {
    for (const SetFile& file : package.files) {
        fs::remove(directory + "/" + file.path);
        if (file.patched) put(directory + "/" + file.path, *file.patched, file.patched_executable);
    }
}

void give_up_rights(Workshop& shop) {
    fs::permissions(shop.path(), static_cast<fs::perms>(0755));
    shop.tool = shop / "drydock";  // where everybody may run it
    fs::copy_file(test::drydock(), shop.tool);
    shop.runner = {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"};
}

std::map<std::string, std::string> snapshot(const std::string& directory, bool with_times) {
    std::map<std::string, std::string> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
        struct stat info {};
        if (lstat(entry.path().c_str(), &info) != 0) continue;
        std::string text = fmt::format("{:o} {}:{}", info.st_mode, info.st_uid, info.st_gid);
        if (S_ISREG(info.st_mode)) text += " " + base::to_hex(base::sha256(read(entry.path())));
        if (with_times) {
            text += fmt::format(" inode {} mtime {}.{:09} ctime {}.{:09}", info.st_ino, info.st_mtim.tv_sec,
                                info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
        }
        found[fs::relative(entry.path(), directory)] = text;
    }
    return found;
}

std::vector<std::string> litter(const std::string& directory) {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
        const std::string name = entry.path().filename();
        if (name.rfind(".drydock-tmp", 0) == 0) names.push_back(fs::relative(entry.path(), directory));
    }
    return names;
}

std::string numbered_lines(const std::string& prefix, int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += fmt::format("{} {}\n", prefix, i);
    return text;
}

std::pair<SetPackage, SetPackage> core_and_provider() {
    SetPackage core;
    core.name = "@demo/core";
    core.provides = 1;
    core.files.push_back(
        {"lib/index.js", numbered_lines("// core", 20),
         replaced(numbered_lines("// core", 20), "// core 10\n", "// core ten\n// and a half\n")});
    SetPackage provider;
    provider.name = "@demo/provider";
    provider.root = "profile";
    provider.requirements = {{"@demo/core", 1}};
    provider.files.push_back(
        {"lib/index.js", numbered_lines("// provider", 20),
         replaced(numbered_lines("// provider", 20), "// provider 5\n", "// provider five\n")});
    return {core, provider};
}

}  // namespace drydock::test
