#include "tests/support/injection.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drydock::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* memory = "/dev/shm";
constexpr std::array<const char*, 2> root_names{"image", "profile"};

base::ProcessOutcome run_in(const Workshop& shop, std::vector<std::string> command,
                            const std::vector<std::string>& arguments) {
    command.push_back(injected_binary());
    command.insert(command.end(), arguments.begin(), arguments.end());
    base::ProcessOptions options;
    options.environment = {{"DRYDOCK_MANIFESTS", shop / "manifests"}, {"DSH_VERSION", shop.version}};
    return run(command, options);
}

std::string as_told(const Workshop& shop, const base::ProcessOutcome& outcome) {
    std::string text = outcome.output + outcome.errors;
    for (std::size_t at = text.find(shop.path()); at != std::string::npos; at = text.find(shop.path())) {
        text.replace(at, shop.path().size(), "@");
    }
    return text + fmt::format("exit {}\n", outcome.exit_code);
}

}  // namespace

std::string injected_binary() {
    const char* image = std::getenv("DRYDOCK_IMAGE_BINARY");
    return image != nullptr && access(image, X_OK) == 0 ? std::string(image) : drydock();
}

TemporariesInMemory::TemporariesInMemory() : before_(fs::temp_directory_path()) {
    if (access(memory, W_OK) == 0) setenv("TMPDIR", memory, 1);
}

TemporariesInMemory::~TemporariesInMemory() {
    setenv("TMPDIR", before_.c_str(), 1);
}

std::string told_plainly(const Workshop& shop, const std::vector<std::string>& arguments) {
    return as_told(shop, run_in(shop, {}, arguments));
}

std::vector<Call> trace(const Workshop& shop, const std::vector<std::string>& arguments) {
    const std::string file = shop / "trace";
    const base::ProcessOutcome outcome = run_in(shop, {"strace", "-y", "-s", "0", "-o", file}, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::map<std::string, unsigned> counts;
    std::vector<Call> calls;
    const std::string text = read(file);
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = text.find('\n', start);
        const std::string line = text.substr(start, end - start);
        start = end + 1;
        const std::string name = line.substr(0, line.find('('));
        if (name == line) continue;  // how it ended
        const unsigned ordinal = ++counts[name];
        if (calls.empty() && name != "flock") continue;
        calls.push_back({name, ordinal, line});
    }
    EXPECT_GT(calls.size(), 30U) << text;
    return calls;
}

base::ProcessOutcome inject(const Workshop& shop, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& faults) {
    std::string traced;
    std::vector<std::string> injections;
    for (const std::string& fault : faults) {
        traced += (traced.empty() ? "" : ",") + fault.substr(0, fault.find(':'));
        injections.push_back("--inject=" + fault);
    }
    std::vector<std::string> command{"strace", "-o", "/dev/null", "-e", "trace=" + traced};
    command.insert(command.end(), injections.begin(), injections.end());
    return run_in(shop, std::move(command), arguments);
}

std::string told_with(const Workshop& shop, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& faults) {
    return as_told(shop, inject(shop, arguments, faults));
}

std::string at(const Call& call, const std::string& fault) {
    return fmt::format("{}:{}:when={}", call.name, fault, call.ordinal);
}

bool may_change_files(const Call& call) {
    constexpr std::array<std::string_view, 14> changing{
        "write",  "fsync",    "rename",    "renameat",     "renameat2", "fchown", "fchmod",
        "linkat", "unlinkat", "fsetxattr", "fremovexattr", "mkdirat",   "mkdir",  "fchmodat"};
    if (call.name == "openat") return call.text.find("O_CREAT") != std::string::npos;
    return std::find(changing.begin(), changing.end(), call.name) != changing.end();
}

Kept::Kept(const Workshop& shop) : shop_(shop) {
    for (const std::string root : root_names) {
        run({"cp", "-a", "--", shop / root, directory_ / root});
    }
}

void Kept::put_back() const {
    for (const std::string root : root_names) fs::remove_all(shop_ / root);
    run({"cp", "-a", "--", directory_ / "image", directory_ / "profile", shop_.path()});
}

std::map<std::string, std::string> tree(const Workshop& shop) {
    std::map<std::string, std::string> found;
    for (const std::string root : root_names) {
        for (auto& [path, what] : snapshot(shop / root, false)) found[root + "/" + path] = what;
    }
    return found;
}

std::vector<std::string> litter_in(const Workshop& shop) {
    std::vector<std::string> found = litter(shop / "image");
    const std::vector<std::string> more = litter(shop / "profile");
    found.insert(found.end(), more.begin(), more.end());
    return found;
}

void install_core_and_provider(Workshop& shop) {
    const auto [core, provider] = core_and_provider();
    shop.packages = {core, provider};
    shop.install(core);
    shop.install(provider);
    fs::create_symlink("../../../image/node_modules/@demo/core", shop / "profile/node_modules/@demo/core");
}

std::map<std::string, std::string> file_states(const Workshop& shop) {
    std::map<std::string, std::string> states;
    for (const SetPackage& package : shop.packages) {
        for (const SetFile& file : package.files) {
            const std::string path = shop.place(package) + "/" + file.path;
            std::optional<std::string> bytes;
            if (exists(path)) bytes = read(path);
            std::string& state = states[package.name + ": " + file.path];
            state = bytes == file.stock ? "stock" : bytes == file.patched ? "patched" : "unknown";
            for (const SetOther& other : package.others) {
                const auto known = other.files.find(file.path);
                if (state == "unknown" && known != other.files.end() && bytes == known->second)
                    state = "other";
            }
        }
    }
    return states;
}

}  // namespace drydock::test
