#include "tests/support/support.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drydock::test {

TemporaryDirectory::TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "drydock-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary directory at " << pattern;
    path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
}

void write(const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!stream) ADD_FAILURE() << "cannot write " << path;
}

std::string read(const std::string& path) {
    const std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        ADD_FAILURE() << "cannot read " << path;
        return {};
    }
    return {std::istreambuf_iterator<char>(stream.rdbuf()), {}};
}

bool exists(const std::string& path) {
    return std::filesystem::symlink_status(path).type() != std::filesystem::file_type::not_found;
}

Mode::Mode(std::string path, mode_t mode) : path_(std::move(path)) {
    if (!exists(path_)) std::filesystem::create_directories(path_);
    EXPECT_EQ(chmod(path_.c_str(), mode), 0) << path_;
}

Mode::~Mode() {
    chmod(path_.c_str(), 0700);
}

std::vector<std::string> without_privileges() {
    if (geteuid() != 0) return {};
    return {"setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"};
}

base::ProcessOutcome run(const std::vector<std::string>& command, const base::ProcessOptions& options) {
    base::Result<base::ProcessOutcome> outcome = base::run_process(command, options);
    if (!outcome) {
        ADD_FAILURE() << base::describe(outcome.error());
        return {};
    }
    return *std::move(outcome);
}

std::string drydock() {
    return DRYDOCK_BINARY;
}

void expect_golden(const std::string& file, std::string_view actual) {
    const std::string path = std::string(DRYDOCK_SOURCE_DIR) + "/tests/" + file;
    const char* accept = std::getenv("DRYDOCK_ACCEPT");
    if (accept != nullptr && std::string_view(accept) == "1") {
        write(path, actual);
        return;
    }
    EXPECT_EQ(read(path), actual) << "golden file " << file
                                  << "; DRYDOCK_ACCEPT=1 accepts what is printed now";
}

std::string registry_package(const std::string& name_and_version) {
    const char* folder = std::getenv("DRYDOCK_TEST_PACKAGES");
    if (folder == nullptr) {
        ADD_FAILURE() << "DRYDOCK_TEST_PACKAGES is not set; tests/run.sh sets it";
        return {};
    }
    const std::string path = std::string(folder) + "/" + name_and_version + "/package";
    EXPECT_TRUE(exists(path)) << path;
    return path;
}

}  // namespace drydock::test
