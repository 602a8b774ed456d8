#include "base/result.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace drydock::base {
namespace {

TEST(Describe, NamesWhatItKnows) {
    Error error;
    error.message = "drifted: neither stock nor patched";
    EXPECT_EQ(describe(error), "drifted: neither stock nor patched");
    error.line = 7;  // of no file: not shown
    EXPECT_EQ(describe(error), "drifted: neither stock nor patched");
    error.file = "lib/index.js";
    EXPECT_EQ(describe(error), "lib/index.js:7: drifted: neither stock nor patched");
    error.package = "dsh-session";
    EXPECT_EQ(describe(error), "dsh-session: lib/index.js:7: drifted: neither stock nor patched");
    error.line = 0;
    EXPECT_EQ(describe(error), "dsh-session: lib/index.js: drifted: neither stock nor patched");
    error.file.clear();
    EXPECT_EQ(describe(error), "dsh-session: drifted: neither stock nor patched");
}

TEST(Fail, CarriesKindAndMessage) {
    const Result<int> failed = fail(ErrorKind::busy, "another drydock works here");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::busy);
    EXPECT_EQ(failed.error().message, "another drydock works here");
}

TEST(ErrnoText, IsLowerCaseWithoutTheNumber) {
    EXPECT_EQ(errno_text(EACCES), "permission denied");
    EXPECT_EQ(errno_text(ENOENT), "no such file or directory");
    EXPECT_EQ(errno_text(ERFKILL), "operation not possible due to RF-kill");
    EXPECT_EQ(errno_text(ESRMNT), "srmount error");
    EXPECT_EQ(errno_text(EDOTDOT), "RFS specific error");  // an abbreviation stays one
    EXPECT_EQ(errno_text(99999), "error 99999");
}

TEST(IoError, SaysWhatAndWhy) {
    const Error error = io_error(Errno{EROFS}, "cannot write lib/index.js");
    EXPECT_EQ(error.kind, ErrorKind::io);
    EXPECT_EQ(describe(error), "cannot write lib/index.js: read-only file system");
}

TEST(ErrnoNow, IsTheLastCalls) {
    errno = ENOTDIR;
    const Sys<int> failed = errno_now();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().value, ENOTDIR);
}

}  // namespace
}  // namespace drydock::base
