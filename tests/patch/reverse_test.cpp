#include "patch/reverse.hpp"

#include <string>

#include <gtest/gtest.h>

#include "patch/parse.hpp"
#include "patch/print.hpp"

namespace drydock::patch {
namespace {

std::string reversed(const std::string& text) {
    const base::Result<Patch> patch = parse(text);
    if (!patch) {
        ADD_FAILURE() << base::describe(patch.error());
        return {};
    }
    return print(reverse(*patch));
}

TEST(Reverse, swaps_sides_modes_names_and_the_order_of_files) {
    const std::string text =
        "diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+a\n"
        "diff --git a/a b/b\nold mode 100644\nnew mode 100755\nrename from a\nrename to b\n--- a/a\n+++ b/b\n"
        "@@ -3,3 +3,4 @@\n 1\n-2\n+two\n+and\n 3\n@@ -9,2 +10,1 @@\n-8\n 9\n";
    const std::string back =
        "diff --git a/b b/a\nold mode 100755\nnew mode 100644\nrename from b\nrename to a\n--- a/b\n+++ b/a\n"
        "@@ -3,4 +3,3 @@\n 1\n-two\n-and\n+2\n 3\n@@ -10 +9,2 @@\n+8\n 9\n"
        "diff --git a/new b/new\ndeleted file mode 100755\n--- a/new\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    EXPECT_EQ(reversed(text), back);
}

TEST(Reverse, report_01_never_looks_at_a_stale_plus_line) {
    const std::string text =
        "--- a/f\n+++ b/f\n@@ -1 +1,3 @@\n-a\n+x\n+y\n+z\n@@ -5,0 +77 @@\n+new\n@@ -9 +88,0 @@\n-old\n";
    EXPECT_EQ(reversed(text),
              "--- a/f\n+++ b/f\n@@ -1,3 +1 @@\n-x\n-y\n-z\n+a\n@@ -8 +5,0 @@\n-new\n@@ -11,0 +9 @@\n+old\n");
}

TEST(Reverse, twice_gives_the_patch_again) {
    const std::string text =
        "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n 1\n-2\n+two\n+and\n 3\n@@ -9,2 +10 @@\n-8\n 9\n"
        "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
        "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";
    EXPECT_EQ(reversed(reversed(text)), text);
}

}  // namespace
}  // namespace drydock::patch
