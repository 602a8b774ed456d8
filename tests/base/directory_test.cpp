#include "base/directory.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/refuse.hpp"
#include "tests/support/support.hpp"

namespace drydock::base {
namespace {

template <class T>
int reason(const Sys<T>& result) {
    return result ? 0 : result.error().value;
}

TEST(SafeRelative, TakesPathsThatStayBelow) {
    for (const std::string_view path :
         {"a", "lib/index.js", "a/b/c", "..a", "a..", "...", ".a", "a b", "-"}) {
        EXPECT_TRUE(is_safe_relative(path)) << path;
    }
}

TEST(SafeRelative, RefusesTheRest) {
    using namespace std::string_view_literals;
    for (const std::string_view path : {""sv, "/"sv, "/a"sv, "a/"sv, "a//b"sv, "."sv, ".."sv, "./a"sv,
                                        "a/."sv, "../a"sv, "a/.."sv, "a/../b"sv, "a\0b"sv, "a/\0"sv}) {
        EXPECT_FALSE(is_safe_relative(path)) << path;
    }
}

TEST(SplitPath, GivesParentAndName) {
    EXPECT_EQ(split_path("lib/types/a.js"), std::pair(std::string("lib/types"), std::string("a.js")));
    EXPECT_EQ(split_path("a.js"), std::pair(std::string(), std::string("a.js")));
}

/// Every case is held to the same answers three ways: openat2, and the walk when that is refused with the
/// errno that is the parameter.
class Beneath : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        test::write(folder / "root/lib/index.js", "stock");
        test::write(folder / "root/lib/other.js", "other");
        test::write(folder / "outside/secret", "secret");
        std::filesystem::create_symlink("index.js", folder / "root/lib/file-link");
        std::filesystem::create_symlink("lib", folder / "root/lib-link");
        std::filesystem::create_symlink("../outside", folder / "root/out-link");
        std::filesystem::create_symlink(folder / "outside", folder / "root/absolute-link");
        std::filesystem::create_symlink("nowhere", folder / "root/dangling-link");
        std::filesystem::create_symlink("loop-link", folder / "root/loop-link");
        ASSERT_EQ(mkfifo((folder / "root/fifo").c_str(), 0600), 0);
    }

    /// In a child, with a handle on the root, openat2 refused as the parameter says.
    void each(const std::function<void(const Directory&)>& body) {
        test::in_child([this, &body] {
            if (GetParam() != 0) {
                test::refuse_system_calls({SYS_openat2}, GetParam());
                ASSERT_EQ(syscall(SYS_openat2, -1, "", nullptr, 0), -1);
                ASSERT_EQ(errno, GetParam());
            }
            const Sys<Directory> root = Directory::open(folder / "root");
            ASSERT_TRUE(root);
            body(*root);
        });
    }

    test::TemporaryDirectory folder;
};

TEST_P(Beneath, OpensFilesAndDirectories) {
    each([](const Directory& root) {
        const Sys<FileDescriptor> file = root.open_file("lib/index.js");
        ASSERT_TRUE(file);
        EXPECT_EQ(read_all(*file, 100).value(), "stock");
        const Sys<Directory> lib = root.open_directory("lib");
        ASSERT_TRUE(lib);
        EXPECT_EQ(read_all(lib->open_file("other.js").value(), 100).value(), "other");
        const Sys<Directory> itself = root.open_directory("");
        ASSERT_TRUE(itself);
        EXPECT_EQ(itself->info().value().identity, root.info().value().identity);
        EXPECT_NE(fcntl(file->get(), F_GETFD) & FD_CLOEXEC, 0);
        EXPECT_NE(fcntl(lib->fd(), F_GETFD) & FD_CLOEXEC, 0);
    });
}

TEST_P(Beneath, RefusesLinksWhereverTheyLead) {
    each([](const Directory& root) {
        for (const std::string_view path : {"lib/file-link", "lib-link", "lib-link/index.js", "out-link",
                                            "out-link/secret", "absolute-link", "absolute-link/secret",
                                            "dangling-link", "dangling-link/x", "loop-link", "loop-link/x"}) {
            EXPECT_EQ(reason(root.open_file(path)), ELOOP) << path;
            EXPECT_EQ(reason(root.open_directory(path)), ELOOP) << path;
        }
    });
}

TEST_P(Beneath, RefusesPathsThatAreNotSafe) {
    each([](const Directory& root) {
        for (const std::string_view path : {"..", "lib/..", "../outside/secret", "lib/../../outside/secret",
                                            "/etc/passwd", "lib//index.js", "lib/", "./lib"}) {
            EXPECT_EQ(reason(root.open_file(path)), EINVAL) << path;
            EXPECT_EQ(reason(root.open_directory(path)), EINVAL) << path;
            EXPECT_EQ(reason(root.info(path)), EINVAL) << path;
        }
        EXPECT_EQ(reason(root.info("")), EINVAL);
    });
}

TEST_P(Beneath, TellsMissingFromMisplaced) {
    each([](const Directory& root) {
        EXPECT_EQ(reason(root.open_file("lib/none")), ENOENT);
        EXPECT_EQ(reason(root.open_file("none/index.js")), ENOENT);
        EXPECT_EQ(reason(root.open_directory("none")), ENOENT);
        EXPECT_EQ(reason(root.open_file("lib/index.js/x")), ENOTDIR);
        EXPECT_EQ(reason(root.open_directory("lib/index.js")), ENOTDIR);
        EXPECT_EQ(reason(root.open_directory("lib/index.js/x")), ENOTDIR);
        EXPECT_EQ(reason(root.open_directory("fifo")), ENOTDIR);
        EXPECT_EQ(reason(root.open_file("fifo/x")), ENOTDIR);
        EXPECT_EQ(reason(root.open_file(std::string(NAME_MAX + 1, 'x'))), ENAMETOOLONG);
        EXPECT_EQ(reason(root.open_file("lib/" + std::string(NAME_MAX + 1, 'x') + "/a")), ENAMETOOLONG);
    });
}

TEST_P(Beneath, SaysPermissionDeniedWhenItIs) {
    ASSERT_EQ(chmod((folder / "root/lib/index.js").c_str(), 0), 0);
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    each([](const Directory& root) {
        if (geteuid() == 0) {
            ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
        }
        EXPECT_EQ(reason(root.open_file("lib/index.js")), EACCES);
    });
}

TEST_P(Beneath, DoesNotWaitForAFifo) {
    each([](const Directory& root) {
        alarm(20);  // opening it to read, and nobody writes: that would wait for ever
        const Sys<FileDescriptor> fifo = root.open_file("fifo");
        ASSERT_TRUE(fifo);
        EXPECT_EQ(info_of(*fifo).value().type, FileType::other);
    });
}

TEST_P(Beneath, TellsAboutTheEntryItself) {
    each([](const Directory& root) {
        const Sys<std::optional<FileInfo>> file = root.info("lib/index.js");
        ASSERT_TRUE(file && *file);
        EXPECT_EQ((*file)->type, FileType::regular);
        EXPECT_EQ((*file)->size, 5U);
        EXPECT_EQ((*file)->identity, info_of(root.open_file("lib/index.js").value()).value().identity);
        EXPECT_NE((*file)->identity, root.info("lib/other.js").value().value().identity);
        EXPECT_EQ(root.info("lib").value().value().type, FileType::directory);
        EXPECT_EQ(root.info("lib/file-link").value().value().type, FileType::link);
        EXPECT_EQ(root.info("dangling-link").value().value().type, FileType::link);
        EXPECT_EQ(root.info("none").value(), std::nullopt);
        EXPECT_EQ(root.info("none/none").value(), std::nullopt);
        EXPECT_EQ(reason(root.info("lib-link/index.js")), ELOOP);
        EXPECT_EQ(reason(root.info("lib/index.js/x")), ENOTDIR);
    });
}

TEST_P(Beneath, AHandleStaysOnItsDirectory) {
    each([this](const Directory& root) {
        const Directory lib = root.open_directory("lib").value();
        std::filesystem::rename(folder / "root/lib", folder / "root/moved");
        std::filesystem::create_directory_symlink(folder / "outside", folder / "root/lib");
        EXPECT_EQ(read_all(lib.open_file("index.js").value(), 100).value(), "stock");
        EXPECT_EQ(reason(root.open_file("lib/secret")), ELOOP);
    });
}

INSTANTIATE_TEST_SUITE_P(Directory, Beneath, testing::Values(0, EPERM, ENOSYS), [](const auto& parameter) {
    if (parameter.param == 0) return std::string("openat2");
    return std::string(parameter.param == EPERM ? "EPERM" : "ENOSYS");
});

TEST(Directory, GivesUpAfterManyRaces) {
    const test::TemporaryDirectory folder;
    test::in_child([&folder] {
        const Directory root = Directory::open(folder.path()).value();
        test::refuse_system_calls({SYS_openat2}, EAGAIN);
        EXPECT_EQ(reason(root.open_directory("")), EAGAIN);
    });
}

TEST(Directory, OpensWhatTheOperatorNamedThroughLinks) {
    const test::TemporaryDirectory folder;
    test::write(folder / "real/a", "a");
    std::filesystem::create_directory_symlink("real", folder / "link");
    EXPECT_TRUE(Directory::open(folder / "link"));
    EXPECT_EQ(reason(Directory::open(folder / "none")), ENOENT);
    EXPECT_EQ(reason(Directory::open(folder / "real/a")), ENOTDIR);
    EXPECT_EQ(real_path(folder / "link/./a").value(), real_path(folder.path()).value() + "/real/a");
    EXPECT_EQ(reason(real_path(folder / "none")), ENOENT);
}

TEST(Directory, FindsRealPathsAsTheStandardLibraryDoes) {
    namespace fs = std::filesystem;
    const test::TemporaryDirectory folder;
    const std::string top = fs::canonical(folder.path());
    test::write(top + "/a/b/c/file", "");
    test::write(top + "/d/file", "");
    const std::vector<std::pair<std::string, std::string>> links = {
        {"a/up", "../d"},
        {"a/b/up-up", "../../d"},
        {"absolute", top + "/a/b"},
        {"twice", "absolute"},
        {"through", "absolute/c"},
        {"bent", "a/b/../../d"},
        {"dot", "./d"},
        {"slash", "d/"},
        {"nowhere", "gone"},
        {"loop", "loop"},
        {"to-file", "d/file"},
        {"under-file", "d/file/x"},
        {"a/b/out", "../../../../../../../../../../.."},
        {"behind", "absolute/../b/c"},
    };
    for (const auto& [name, target] : links) fs::create_symlink(target, top + "/" + name);
    std::vector<std::string> paths = {"/", "/.", top, top + "/", top + "/a/../d", top + "/none", "relative"};
    for (const auto& [name, target] : links) {
        paths.push_back(top + "/" + name);
        paths.push_back(top + "/" + name + "/c");
        paths.push_back(top + "/" + name + "/../d");
    }
    for (const std::string& path : paths) {
        std::error_code error;
        const fs::path expected = fs::canonical(path, error);
        const Sys<std::string> found = real_path(path);
        EXPECT_EQ(found ? *found : errno_text(found.error().value),
                  error ? errno_text(error.value()) : expected.string())
            << path;
    }
}

TEST(Directory, OpenedForLookupsReadsWhatIsBeneathIt) {
    const test::TemporaryDirectory folder;
    test::write(folder / "a/file", "bytes");
    std::filesystem::create_directory_symlink("a", folder / "link");
    const Directory directory = Directory::open_for_lookups(folder / "link").value();
    EXPECT_EQ(directory.names().value(), std::vector<std::string>{"file"});
    EXPECT_EQ(directory.info().value().identity,
              Directory::open(folder / "a").value().info().value().identity);
    EXPECT_EQ(read_all(directory.open_file("file").value(), 100).value(), "bytes");
    EXPECT_EQ(reason(Directory::open_for_lookups(folder / "none")), ENOENT);
    EXPECT_EQ(reason(Directory::open_for_lookups(folder / "a/file")), ENOTDIR);
}

TEST(Directory, ListsADirectoryBeneathIt) {
    const test::TemporaryDirectory folder;
    test::write(folder / "a/b/one", "1");
    test::write(folder / "a/b/two", "");
    std::filesystem::create_directory_symlink("a", folder / "link");
    const Directory root = Directory::open(folder.path()).value();
    const auto listed = root.list("a/b");
    ASSERT_TRUE(listed);
    EXPECT_EQ(listed->second, (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(listed->first.info("one").value()->size, 1U);
    EXPECT_EQ(listed->first.names().value(), listed->second);
    EXPECT_EQ(root.list("").value().second, (std::vector<std::string>{"a", "link"}));
    EXPECT_EQ(reason(root.list("link")), ELOOP);
    EXPECT_EQ(reason(root.list("none")), ENOENT);
    EXPECT_EQ(reason(root.list("../a")), EINVAL);
}

TEST(Directory, GivesNamesSortedByBytes) {
    const test::TemporaryDirectory folder;
    for (const std::string_view name : {"b", "B", "a", ".hidden", "\xC3\xA4", "\xFF"})
        test::write(folder / name, "");
    std::filesystem::create_directory(folder / "c");
    const Directory directory = Directory::open(folder.path()).value();
    const std::vector<std::string> expected{".hidden", "B", "a", "b", "c", "\xC3\xA4", "\xFF"};
    EXPECT_EQ(directory.names().value(), expected);
    EXPECT_EQ(directory.names().value(), expected);  // again, from the start
    EXPECT_EQ(directory.duplicate().value().names().value(), expected);
}

TEST(Directory, TellsModeOwnerAndKind) {
    const test::TemporaryDirectory folder;
    test::write(folder / "file", "12345");
    ASSERT_EQ(chmod((folder / "file").c_str(), 04751), 0);
    const Directory directory = Directory::open(folder.path()).value();
    const FileInfo info = directory.info("file").value().value();
    EXPECT_EQ(info.mode, 04751U);
    EXPECT_EQ(info.uid, geteuid());
    EXPECT_EQ(info.gid, getegid());
    EXPECT_EQ(info.size, 5U);
    EXPECT_FALSE(info.frozen);
    EXPECT_EQ(directory.info().value().type, FileType::directory);
}

TEST(Directory, KnowsAFrozenFile) {
    const test::TemporaryDirectory folder;
    test::write(folder / "file", "");
    const std::string file = folder / "file";
    if (test::run({"chattr", "+i", file}).exit_code != 0) GTEST_SKIP() << "no chattr here";
    const bool frozen = Directory::open(folder.path()).value().info("file").value().value().frozen;
    test::run({"chattr", "-i", file});
    EXPECT_TRUE(frozen);
}

TEST(Directory, TellsTheSameWithoutStatx) {
    const test::TemporaryDirectory folder;
    test::write(folder / "lib/file", "12345");
    std::filesystem::create_symlink("file", folder / "lib/link");
    test::in_child([&folder] {
        const Directory directory = Directory::open(folder.path()).value();
        const auto all = [&directory] {
            std::vector<std::tuple<FileType, mode_t, uid_t, gid_t, std::uint64_t, Identity>> found;
            for (const std::string_view path : {"lib", "lib/file", "lib/link"}) {
                const FileInfo info = directory.info(path).value().value();
                found.emplace_back(info.type, info.mode, info.uid, info.gid, info.size, info.identity);
            }
            return found;
        };
        const auto with = all();
        test::refuse_system_calls({SYS_statx}, EPERM);
        EXPECT_EQ(all(), with);
    });
}

TEST(ReadAll, HoldsTheLimit) {
    const test::TemporaryDirectory folder;
    test::write(folder / "file", "12345");
    const Directory directory = Directory::open(folder.path()).value();
    EXPECT_EQ(read_all(directory.open_file("file").value(), 5).value(), "12345");
    EXPECT_EQ(reason(read_all(directory.open_file("file").value(), 4)), EFBIG);
    EXPECT_EQ(reason(read_all(directory.open_directory("").value().open_file("").value(), 4096)), EISDIR);
}

TEST(ReadAll, ReadsFilesThatSayTheyAreEmpty) {
    const Directory proc = Directory::open("/proc/self").value();
    const std::string status = read_all(proc.open_file("status").value(), 1U << 20U).value();
    EXPECT_EQ(status.substr(0, 6), "Name:\t");
    EXPECT_EQ(status.back(), '\n');
    EXPECT_EQ(reason(read_all(proc.open_file("status").value(), 10)), EFBIG);
}

TEST(ReadFile, NamesThePathInEveryError) {
    const test::TemporaryDirectory folder;
    test::write(folder / "file", "12345");
    std::filesystem::create_symlink("file", folder / "link");
    EXPECT_EQ(read_file(folder / "link", 5).value(), "12345");
    const auto message = [](const std::string& path) {
        const Result<std::string> failed = read_file(path, 4);
        return failed ? "read: " + *failed : describe(failed.error());
    };
    EXPECT_EQ(message(folder / "file"), "cannot read " + (folder / "file") + ": larger than 4 bytes");
    EXPECT_EQ(message(folder / "none"), "cannot read " + (folder / "none") + ": no such file or directory");
    EXPECT_EQ(message("/dev/zero"), "cannot read /dev/zero: larger than 4 bytes");
    EXPECT_EQ(message(folder.path()), "cannot read " + folder.path() + ": is a directory");
    EXPECT_EQ(read_file(folder / "none", 4).error().kind, ErrorKind::io);
}

TEST(FileDescriptor, ClosesOnce) {
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    {
        FileDescriptor first(fd);
        FileDescriptor second = std::move(first);
        EXPECT_EQ(second.get(), fd);
        EXPECT_NE(fcntl(fd, F_GETFD), -1);
        second = FileDescriptor();
        EXPECT_FALSE(second.valid());
        EXPECT_EQ(fcntl(fd, F_GETFD), -1);
    }
    EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace drydock::base
