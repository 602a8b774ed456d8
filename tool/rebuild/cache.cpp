#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.hpp"
#include "base/hash.hpp"
#include "base/transaction.hpp"
#include "rebuild/builds.hpp"

// One file for each key: a list of texts, each behind its length, and a hash of all of it.
namespace drydock::rebuild {
namespace {

using base::Result;
using base::Sys;

constexpr std::string_view format_name = "drydock builds 2";
constexpr std::size_t most_entries = 1'000'000;
constexpr std::uint64_t largest_entry = std::uint64_t{1} << 30U;

class Writer {
  public:
    void text(std::string_view value) { bytes_ += fmt::format("{}\n{}\n", value.size(), value); }
    void number(std::size_t value) { bytes_ += fmt::format("{}\n", value); }
    [[nodiscard]] std::string sealed() const {
        return fmt::format("{}\n{}", base::to_hex(base::sha256(bytes_)), bytes_);
    }

  private:
    std::string bytes_;
};

class Reader {
  public:
    explicit Reader(std::string_view rest) : rest_(rest) {}
    /// Every value is empty from the first one on that is not there.
    std::size_t number() {
        std::size_t value = 0;
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos) return fail();
        if (std::from_chars(rest_.data(), rest_.data() + end, value).ptr != rest_.data() + end) return fail();
        rest_.remove_prefix(end + 1);
        return value;
    }
    std::string text() {
        const std::size_t size = number();
        if (rest_.size() <= size) {
            fail();
            return {};
        }
        std::string value(rest_.substr(0, size));
        rest_.remove_prefix(size + 1);
        return value;
    }
    [[nodiscard]] bool whole() const { return !failed_ && rest_.empty(); }

  private:
    std::size_t fail() {
        failed_ = true;
        rest_ = {};
        return 0;
    }
    std::string_view rest_;
    bool failed_{false};
};

void put(Writer& writer, const std::vector<BuiltFile>& files) {
    writer.number(files.size());
    for (const BuiltFile& file : files) {
        writer.number((file.bytes ? 1U : 0U) + (file.executable ? 2U : 0U));
        writer.text(file.bytes.value_or(""));
    }
}

void put(Writer& writer, const std::vector<std::string>& texts) {
    writer.number(texts.size());
    for (const std::string& text : texts) writer.text(text);
}

std::vector<std::string> get_texts(Reader& reader) {
    std::vector<std::string> texts(std::min(reader.number(), most_entries));
    for (std::string& text : texts) text = reader.text();
    return texts;
}

std::vector<BuiltFile> get(Reader& reader) {
    std::vector<BuiltFile> files(std::min(reader.number(), most_entries));
    for (BuiltFile& file : files) {
        const std::size_t flags = reader.number();
        std::string bytes = reader.text();
        if ((flags & 1U) != 0) file.bytes = std::move(bytes);
        file.executable = (flags & 2U) != 0;
    }
    return files;
}

/// A program, or a file by its path, as the steps find it: another one, or another version, is another file.
std::string identity_of_program(const std::string& name) {
    const char* const path = std::getenv("PATH");
    const bool by_path = name.find('/') != std::string::npos;
    std::string_view rest = path == nullptr ? std::string_view("/usr/bin:/bin") : std::string_view(path);
    while (true) {
        const std::size_t colon = rest.find(':');
        const std::string candidate = by_path ? name : fmt::format("{}/{}", rest.substr(0, colon), name);
        struct stat info {};
        if (access(candidate.c_str(), by_path ? R_OK : X_OK) == 0 && stat(candidate.c_str(), &info) == 0 &&
            S_ISREG(info.st_mode)) {
            const Sys<std::string> real = base::real_path(candidate);
            return fmt::format("{} {} {}.{}", real.value_or(candidate), info.st_size, info.st_mtim.tv_sec,
                               info.st_mtim.tv_nsec);
        }
        if (colon == std::string_view::npos || by_path) return "not found";
        rest.remove_prefix(colon + 1);
    }
}

/// Whether there is a file for each of the manifest's.
bool fits(const Builds& builds, const manifest::Manifest& manifest) {
    return std::equal(
        builds.packages.begin(), builds.packages.end(), manifest.packages.begin(), manifest.packages.end(),
        [](const BuiltPackage& built, const manifest::Package& package) {
            return built.stock.size() == package.files.size() && built.patched.size() == package.files.size();
        });
}

std::string file_of(const std::string& cache, const std::string& key) {
    return fmt::format("{}/{}.builds", cache, key);
}

}  // namespace

std::string cache_key(const Plan& plan) {
    Writer writer;
    writer.text(format_name);
    writer.text(plan.manifest.source->commit);
    writer.text(*plan.source_patch.text);
    for (const manifest::Package& package : plan.manifest.packages) {
        writer.text(package.source_directory);
        for (const manifest::File& file : package.files) writer.text(file.path);
    }
    // Scripts say in their first line what runs them, and what these tools run is node as a rule.
    std::vector<std::string> programs{"node"};
    for (const manifest::BuildStep& step : plan.manifest.build) {
        writer.number(step.once ? 1 : 0);
        writer.text(step.directory);
        for (const std::string& word : step.command) writer.text(word);
        for (const auto& [name, value] : step.environment) writer.text(fmt::format("{}={}", name, value));
        programs.push_back(step.command.front());
        std::copy_if(step.command.begin() + 1, step.command.end(), std::back_inserter(programs),
                     [](const std::string& word) { return word.starts_with('/'); });
    }
    for (const std::string& program : programs) writer.text(identity_of_program(program));
    return writer.sealed().substr(0, 64);
}

std::optional<Builds> load_builds(const Plan& plan, const std::string& key) {
    const std::string& cache = plan.settings.cache;
    if (cache.empty()) return std::nullopt;
    const Result<std::string> text = base::read_file(file_of(cache, key), largest_entry);
    if (!text || text->size() < 65) return std::nullopt;
    const std::string_view sealed = std::string_view(*text).substr(65);
    if (text->substr(0, 64) != base::to_hex(base::sha256(sealed))) return std::nullopt;
    Reader reader(sealed);
    Builds builds;
    builds.proven = get_texts(reader);
    builds.packages.resize(std::min(reader.number(), most_entries));
    for (BuiltPackage& package : builds.packages) {
        package.stock = get(reader);
        package.patched = get(reader);
        package.also_changed = get_texts(reader);
    }
    if (!reader.whole() || !fits(builds, plan.manifest)) return std::nullopt;
    return builds;
}

Result<void> store_builds(const std::string& cache, const std::string& key, const Builds& builds) {
    if (cache.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(cache, error);
    if (error)
        return base::fail(base::io_error(base::Errno{error.value()}, "cannot make the cache " + cache));
    Writer writer;
    put(writer, builds.proven);
    writer.number(builds.packages.size());
    for (const BuiltPackage& package : builds.packages) {
        put(writer, package.stock);
        put(writer, package.patched);
        put(writer, package.also_changed);
    }
    const Sys<base::Directory> directory = base::Directory::open(cache);
    if (!directory) return base::fail(base::io_error(directory.error(), "cannot open the cache " + cache));
    const std::string name = key + ".builds";
    base::Target target{&*directory, name, file_of(cache, key), std::nullopt};
    const Sys<std::optional<base::FileInfo>> there = directory->info(name);
    if (there && *there) target.expected = (*there)->identity;
    base::Attributes attributes;
    attributes.uid = geteuid();
    attributes.gid = getegid();
    base::Transaction transaction;
    transaction.write(std::move(target), writer.sealed(), std::move(attributes));
    if (Result<void> staged = transaction.stage(); !staged) return staged;
    if (const auto left = transaction.commit(); !left) return base::fail(left.error());
    return {};
}

}  // namespace drydock::rebuild
