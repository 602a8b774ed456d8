// Holds the repository against its own rules: which room may include which, where third parties may be
// named, who may print, how tests lie beside sources, and what may stand in any file at all.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.hpp"

namespace drydock {
namespace {

namespace fs = std::filesystem;

const fs::path top = DRYDOCK_SOURCE_DIR;

struct Room {
    std::set<std::string> may_include;
    std::set<std::string> third_parties;
};

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::istringstream stream(test::read(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// How the build calls a third party, how people do, and how its headers begin.
struct ThirdParty {
    std::string target;
    std::string name;
    std::string headers;
};
const std::vector<ThirdParty> third_parties{
    {"PkgConfig::NETTLE", "nettle", "nettle/"},
    {"PkgConfig::LIBGIT2", "libgit2", "git2"},
    {"dtl::dtl", "dtl", "dtl/"},
    {"PkgConfig::ZSTD", "libzstd", "zstd.h"},
    {"PkgConfig::YAML", "libyaml", "yaml.h"},
    {"nlohmann_json::nlohmann_json", "nlohmann-json", "nlohmann/"},
    {"dtl::dtl", "dtl", "dtl/"},
};
const std::set<std::string> anywhere{"fmt/", "tl/", "sys/", "linux/"};
const std::set<std::string> of_system{"dirent.h", "fcntl.h",   "grp.h",   "malloc.h", "netdb.h",
                                      "poll.h",   "pwd.h",     "sched.h", "signal.h", "spawn.h",
                                      "stdlib.h", "termios.h", "unistd.h"};

/// The table of tool/CMakeLists.txt, and cli, which may include all.
std::map<std::string, Room> rooms() {
    static const std::regex row(R"(^ *drydock_room\((\w+) *(?:ROOMS ([\w ]+?))? *(?:THIRD ([^)]+))?\)$)");
    std::map<std::string, Room> table;
    Room cli{{}, {"nlohmann-json"}};
    for (const std::string& line : lines_of(top / "tool/CMakeLists.txt")) {
        std::smatch match;
        if (!std::regex_match(line, match, row)) continue;
        Room room{words_of(match[2]), {}};
        for (const std::string& target : words_of(match[3])) {
            for (const ThirdParty& third : third_parties) {
                if (third.target == target) room.third_parties.insert(third.name);
            }
        }
        table[match[1]] = room;
        cli.may_include.insert(match[1]);
    }
    table["cli"] = cli;
    return table;
}

std::vector<fs::path> files_below(const fs::path& folder, const std::set<std::string>& extensions) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && extensions.contains(entry.path().extension()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string room_of(const fs::path& file) {
    return *file.lexically_relative(top / "tool").begin();
}

std::string shown(const fs::path& file) {
    return file.lexically_relative(top);
}

std::vector<fs::path> sources() {
    return files_below(top / "tool", {".cpp", ".hpp"});
}

/// Every `#include` below tool/: the file, the name, and whether it stands in quotes.
struct Include {
    fs::path file;
    std::string name;
    bool quoted{false};
};

std::vector<Include> includes() {
    static const std::regex directive(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
    std::vector<Include> found;
    for (const fs::path& file : sources()) {
        for (const std::string& line : lines_of(file)) {
            std::smatch match;
            if (std::regex_match(line, match, directive)) found.push_back({file, match[2], match[1] == "\""});
        }
    }
    return found;
}

bool begins_with_any(const std::string& text, const std::set<std::string>& beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&text](const std::string& beginning) { return text.starts_with(beginning); });
}

TEST(Layout, TheTableIsThere) {
    const std::map<std::string, Room> table = rooms();
    ASSERT_TRUE(table.contains("base"));
    EXPECT_EQ(table.at("base").may_include, std::set<std::string>());
    EXPECT_EQ(table.at("base").third_parties, std::set<std::string>{"nettle"});
    EXPECT_GT(table.at("cli").may_include.size(), 3U);
    for (const auto& entry : fs::directory_iterator(top / "tool")) {
        if (!entry.is_directory()) continue;
        EXPECT_TRUE(table.contains(entry.path().filename())) << entry.path();
    }
}

TEST(Layout, RoomsIncludeOnlyDownwards) {
    const std::map<std::string, Room> table = rooms();
    for (const auto& [name, room] : table) {
        for (const std::string& below : room.may_include) {
            ASSERT_TRUE(table.contains(below)) << name << " names " << below;
            EXPECT_FALSE(table.at(below).may_include.contains(name))
                << name << " and " << below << " go round";
        }
    }
    for (const Include& include : includes()) {
        if (!include.quoted) continue;
        const std::string room = room_of(include.file);
        const std::string to = *fs::path(include.name).begin();
        EXPECT_TRUE(to == room || table.at(room).may_include.contains(to))
            << shown(include.file) << ": \"" << include.name << "\": " << room << " may not include it";
        EXPECT_TRUE(fs::exists(top / "tool" / include.name))
            << shown(include.file) << ": \"" << include.name << "\" is not rooted in tool/";
    }
}

TEST(Layout, ThirdPartiesStayInTheSourcesOfTheirRoom) {
    const std::map<std::string, Room> table = rooms();
    std::map<std::string, std::set<std::string>> users;
    for (const Include& include : includes()) {
        if (include.quoted || begins_with_any(include.name, anywhere) || of_system.contains(include.name))
            continue;
        if (include.name.find_first_of("/.") == std::string::npos) continue;  // the standard library
        const auto third =
            std::find_if(third_parties.begin(), third_parties.end(),
                         [&include](const auto& one) { return include.name.starts_with(one.headers); });
        ASSERT_NE(third, third_parties.end())
            << shown(include.file) << ": <" << include.name << "> is not in this test's tables";
        EXPECT_TRUE(table.at(room_of(include.file)).third_parties.contains(third->name))
            << shown(include.file) << ": " << third->name << " belongs to another room";
        const bool declares_only = include.name.ends_with("_fwd.hpp");  // which costs its includers nothing
        EXPECT_TRUE(declares_only || include.file.extension() == ".cpp")
            << shown(include.file) << ": <" << include.name << "> in a header";
        users[third->name].insert(shown(include.file));
    }
    EXPECT_EQ(users["nettle"], std::set<std::string>{"tool/base/hash.cpp"});
    EXPECT_EQ(users["dtl"], std::set<std::string>{"tool/diff/small.cpp"});
}

TEST(Layout, OnlyCliPrintsOrExits) {
    static const std::regex telling(
        R"((^|[^\w.>])(std::)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fputc|perror|exit|_exit|quick_exit|abort|terminate)\s*\()"
        R"(|std::(cout|cerr|clog)|fmt::print|STDOUT_FILENO|STDERR_FILENO)");
    for (const fs::path& file : sources()) {
        if (room_of(file) == "cli") continue;
        std::size_t number = 0;
        for (const std::string& line : lines_of(file)) {
            ++number;
            const std::string code = line.substr(0, line.find("//"));
            EXPECT_FALSE(std::regex_search(code, telling)) << shown(file) << ":" << number << ": " << line;
        }
    }
}

/// The headers that other rooms include, and those of the same room that these include.
std::set<std::string> shared_headers() {
    std::set<std::string> shared;
    const std::vector<Include> all = includes();
    std::size_t before = 0;
    do {
        before = shared.size();
        for (const Include& include : all) {
            const bool own = *fs::path(include.name).begin() == room_of(include.file);
            const std::string includer = include.file.lexically_relative(top / "tool");
            if (include.quoted && (!own || shared.contains(includer))) shared.insert(include.name);
        }
    } while (shared.size() != before);
    return shared;
}

/// What a room does for others is tested in a file of its name, or in one that names it.
TEST(Layout, TestsMirrorTheRooms) {
    const std::set<std::string> shared = shared_headers();
    ASSERT_TRUE(shared.contains("base/result.hpp"));
    for (const fs::path& file : files_below(top / "tool", {".cpp"})) {
        const std::string room = room_of(file);
        const std::string stem = file.stem();
        const std::string header = room + "/" + stem + ".hpp";
        const bool inner = fs::exists(top / "tool" / header) && !shared.contains(header);
        if (room == "cli" || (inner && room != "base")) continue;
        bool tested = false;
        for (const fs::path& test : files_below(top / "tests", {".cpp"})) {
            if (test.parent_path().filename() != room) continue;
            tested = tested || test.stem() == stem + "_test" ||
                     test::read(test).find(room + "/" + stem + ".cpp") != std::string::npos;
        }
        EXPECT_TRUE(tested) << shown(file) << ": there is no tests/" << room << "/" << stem
                            << "_test.cpp, and no test there names " << room << "/" << stem << ".cpp";
    }
}

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" `");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" `") - begin + 1);
}

std::set<std::string> list_in(const std::string& cell) {
    std::set<std::string> items;
    std::istringstream stream(cell);
    for (std::string item; std::getline(stream, item, ',');) {
        if (trimmed(item) != "none") items.insert(trimmed(item));
    }
    return items;
}

TEST(Layout, TheReadmeShowsTheSameTable) {
    static const std::regex row(R"(^\| `(\w+)` \|([^|]+)\|([^|]+)\|[^|]+\|$)");
    const std::map<std::string, Room> table = rooms();
    std::set<std::string> seen;
    for (const std::string& line : lines_of(top / "README.md")) {
        std::smatch match;
        if (!std::regex_match(line, match, row)) continue;
        const std::string name = match[1];
        ASSERT_TRUE(table.contains(name)) << "README.md: there is no room " << name;
        EXPECT_TRUE(seen.insert(name).second) << name << " stands there twice";
        const std::set<std::string> includes_there = list_in(match[2]);
        if (name == "cli") {
            EXPECT_EQ(includes_there, std::set<std::string>{"all"});
        } else {
            EXPECT_EQ(includes_there, table.at(name).may_include) << name;
        }
        EXPECT_EQ(list_in(match[3]), table.at(name).third_parties) << name;
    }
    for (const auto& [name, room] : table) EXPECT_TRUE(seen.contains(name)) << "README.md lacks " << name;
}

bool is_ignored(const std::string& name) {
    return name == "build" || name.starts_with("build-") || name == "compile_commands.json";
}

TEST(Layout, TheTopLevelHoldsNothingElse) {
    const std::set<std::string> allowed{
        "CMakeLists.txt", "CMakePresets.json", "LICENSE",   "CHANGELOG.md", "README.md", "SECURITY.md",
        "tool",           "patches",           "manifests", "docker",       "tests",     "examples"};
    for (const auto& entry : fs::directory_iterator(top)) {
        const std::string name = entry.path().filename();
        if (name.starts_with('.') || is_ignored(name)) continue;
        EXPECT_TRUE(allowed.contains(name)) << name;
    }
}

/// A path counts where it begins: `$dir/root/x` is none of a machine's.
bool holds_path(const std::string& text, const std::string& path) {
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
        if (at == 0) return true;
        const char before = text[at - 1];
        const bool inside = (std::isalnum(static_cast<unsigned char>(before)) != 0) ||
                            std::string_view("_.-}$)").find(before) != std::string_view::npos;
        if (!inside) return true;
    }
    return false;
}

// The patterns are put together here, so that this file does not hold them.
TEST(Layout, NoFileNamesAMachineOrARegistry) {
    const std::string slash = "/";
    const std::vector<std::string> paths{slash + "work" + slash, slash + "root" + slash,
                                         slash + "Users" + slash};
    const std::vector<std::string> hosts{std::string("npm") + "js.",      std::string("npm") + "mirror",
                                         std::string("//reg") + "istry.", std::string("deb.") + "debian.org",
                                         std::string("pypi") + ".org",    std::string("docker") + ".io"};
    for (const auto& entry : fs::directory_iterator(top)) {
        const std::string name = entry.path().filename();
        if (name == ".git" || name == ".cache" || is_ignored(name)) continue;
        std::vector<fs::path> files;
        if (entry.is_regular_file()) files.push_back(entry.path());
        if (entry.is_directory()) {
            for (const auto& below : fs::recursive_directory_iterator(entry)) {
                if (below.is_regular_file() && !below.is_symlink()) files.push_back(below.path());
            }
        }
        for (const fs::path& file : files) {
            const std::string text = test::read(file);
            for (const std::string& path : paths)
                EXPECT_FALSE(holds_path(text, path)) << shown(file) << ": " << path;
            for (const std::string& host : hosts) {
                EXPECT_EQ(text.find(host), std::string::npos) << shown(file) << ": " << host;
            }
        }
    }
}

}  // namespace
}  // namespace drydock
