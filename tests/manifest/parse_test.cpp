#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/manifest.hpp"

namespace drydock::manifest {
namespace {

using testing::ElementsAre;

const std::string hash_a(64, 'a');
const std::string hash_b(64, 'b');

// Every key that a manifest can have, once.
const std::string whole = R"(schema: 1
set:
  name: example
  version: 1.10
  revision: 3
  status: active
source:
  tag: v1.10
  commit: 0123456789abcdef0123456789abcdef01234567
  patch:
    file: ../patches/source.patch
    sha256: 1111111111111111111111111111111111111111111111111111111111111111
roots:
  - name: image
    path: /srv/app
  - name: profile
    path: ${STAGE}/profiles/${PROFILE:-web}
    may-be-missing: [boot]
packages:
  - name: "@scope/core"
    root: image
    stages: [image]
    directory: packages/core
    why: >
      it drops
      what is needed
    resolves: nothing is dropped
    provides: 2
    patch:
      file: core.patch
      sha256: 2222222222222222222222222222222222222222222222222222222222222222
    files:
      - path: lib/index.js
        stock: 3333333333333333333333333333333333333333333333333333333333333333
        origin: published
        patched: 4444444444444444444444444444444444444444444444444444444444444444
        variants:
          - stock: 5555555555555555555555555555555555555555555555555555555555555555
            patched: 6666666666666666666666666666666666666666666666666666666666666666
            origin: built
            note: the second upload
        second-copies: [lib/types/index.js]
      - path: bin/run
        stock: 7777777777777777777777777777777777777777777777777777777777777777
        origin: built
        patched: 7777777777777777777777777777777777777777777777777777777777777777
        stock-mode: 100644
        patched-mode: 100755
      - path: lib/new.js
        stock: absent
        origin: published
        patched: 8888888888888888888888888888888888888888888888888888888888888888
    revisions:
      - revision: 2
        provides: 1
        patch:
          file: core.2.patch
          sha256: 9999999999999999999999999999999999999999999999999999999999999999
        files:
          - path: lib/index.js
            patched: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    predecessors:
      - label: the old tool
        patch:
          file: old.patch
          sha256: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
        files:
          - path: lib/index.js
            patched: cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  - name: plain
    root: profile
    at: [node_modules/plain, "vendor/*/plain"]
    stages: [image, boot]
    directory: packages/plain
    why: it is needed
    requires:
      core: 2
    patch:
      file: plain.patch
      sha256: dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd
    files:
      - path: index.js
        stock: eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
        origin: published
        patched: absent
build:
  - name: types
    command: [tsc, -b]
    directory: packages/core
    environment:
      FACE: host
harness:
  known-event-types: [turn/start, turn/end]
  fallback:
    folders: ["${STAGE}/profiles/node_modules"]
    root: image
)";

/// The text with one place changed; `from` must stand in it exactly once.
std::string with(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " stands there twice";
    return text.substr(0, at) + to + text.substr(at + from.size());
}

/// What parse says of a text that it refuses.
std::string refusal(const std::string& text) {
    const base::Result<Manifest> manifest = parse(text, "m.yaml");
    if (manifest) return "accepted";
    EXPECT_EQ(manifest.error().kind, base::ErrorKind::usage);
    return base::describe(manifest.error());
}

std::string refusal_with(const std::string& from, const std::string& to) {
    return refusal(with(whole, from, to));
}

std::string hex(const FileHash& hash) {
    return hash ? base::to_hex(*hash) : "absent";
}

TEST(Parse, ReadsTheSetAndItsSource) {
    const base::Result<Manifest> manifest = parse(whole, "sets/m.yaml");
    ASSERT_TRUE(manifest) << base::describe(manifest.error());
    EXPECT_EQ(manifest->file, "sets/m.yaml");
    EXPECT_EQ(manifest->folder, "sets");
    EXPECT_EQ(manifest->name, "example");
    EXPECT_EQ(manifest->version, "1.10");
    EXPECT_EQ(manifest->revision, 3U);
    EXPECT_EQ(manifest->status, Status::active);
    ASSERT_TRUE(manifest->source && manifest->source->patch);
    EXPECT_EQ(manifest->source->tag, "v1.10");
    EXPECT_EQ(manifest->source->commit, "0123456789abcdef0123456789abcdef01234567");
    EXPECT_EQ(manifest->source->patch->path, "../patches/source.patch");
    EXPECT_EQ(base::to_hex(manifest->source->patch->sha256), std::string(64, '1'));
    EXPECT_EQ(manifest->source->patch->line, 11U);
}

TEST(Parse, ReadsRoots) {
    const base::Result<Manifest> manifest = parse(whole, "m.yaml");
    ASSERT_TRUE(manifest);
    ASSERT_EQ(manifest->roots.size(), 2U);
    EXPECT_EQ(manifest->find_root("image"), manifest->roots.data());
    EXPECT_EQ(manifest->find_root("other"), nullptr);
    EXPECT_EQ(manifest->roots[0].path, "/srv/app");
    EXPECT_THAT(manifest->roots[0].may_be_missing, ElementsAre());
    EXPECT_EQ(manifest->roots[1].path, "${STAGE}/profiles/${PROFILE:-web}");
    EXPECT_THAT(manifest->roots[1].may_be_missing, ElementsAre("boot"));
    EXPECT_EQ(manifest->roots[1].line, 16U);
}

TEST(Parse, ReadsPackages) {
    const base::Result<Manifest> manifest = parse(whole, "m.yaml");
    ASSERT_TRUE(manifest);
    EXPECT_EQ(manifest->folder, ".");
    ASSERT_EQ(manifest->packages.size(), 2U);
    const Package& core = manifest->packages[0];
    EXPECT_EQ(manifest->find_package("@scope/core"), &core);
    EXPECT_EQ(manifest->find_package("core"), nullptr);
    EXPECT_EQ(core.root, "image");
    EXPECT_THAT(core.at,
                ElementsAre("node_modules/@scope/core", "node_modules/.pnpm/*/node_modules/@scope/core"));
    EXPECT_THAT(core.stages, ElementsAre("image"));
    EXPECT_EQ(core.source_directory, "packages/core");
    EXPECT_EQ(core.why, "it drops what is needed");
    EXPECT_EQ(core.resolves, "nothing is dropped");
    EXPECT_EQ(core.provides, 2U);
    EXPECT_TRUE(core.requirements.empty());
    EXPECT_EQ(core.patch.path, "core.patch");
    EXPECT_EQ(core.patch.line, 30U);
    EXPECT_EQ(core.line, 20U);

    const Package& plain = manifest->packages[1];
    EXPECT_THAT(plain.at, ElementsAre("node_modules/plain", "vendor/*/plain"));
    EXPECT_THAT(plain.stages, ElementsAre("image", "boot"));
    EXPECT_EQ(plain.resolves, "");
    EXPECT_EQ(plain.provides, 0U);
    ASSERT_EQ(plain.requirements.size(), 1U);
    EXPECT_EQ(plain.requirements[0].package, "@scope/core");
    EXPECT_EQ(plain.requirements[0].level, 2U);
    EXPECT_EQ(plain.requirements[0].line, 77U);
}

TEST(Parse, ReadsFiles) {
    const base::Result<Manifest> manifest = parse(whole, "m.yaml");
    ASSERT_TRUE(manifest);
    const std::vector<File>& files = manifest->packages[0].files;
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].path, "lib/index.js");
    EXPECT_EQ(hex(files[0].stock), std::string(64, '3'));
    EXPECT_EQ(hex(files[0].patched), std::string(64, '4'));
    EXPECT_EQ(files[0].origin, Origin::published);
    EXPECT_EQ(files[0].stock_executable, std::nullopt);
    EXPECT_THAT(files[0].second_copies, ElementsAre("lib/types/index.js"));
    ASSERT_EQ(files[0].variants.size(), 1U);
    EXPECT_EQ(hex(files[0].variants[0].stock), std::string(64, '5'));
    EXPECT_EQ(hex(files[0].variants[0].patched), std::string(64, '6'));
    EXPECT_EQ(files[0].variants[0].origin, Origin::built);
    EXPECT_EQ(files[0].variants[0].note, "the second upload");
    EXPECT_EQ(files[1].origin, Origin::built);
    EXPECT_EQ(files[1].stock_executable, false);
    EXPECT_EQ(files[1].patched_executable, true);
    EXPECT_EQ(hex(files[2].stock), "absent");
    EXPECT_EQ(files[2].line, 49U);
    EXPECT_EQ(hex(manifest->packages[1].files[0].patched), "absent");
}

TEST(Parse, ReadsOtherPatches) {
    const base::Result<Manifest> manifest = parse(whole, "m.yaml");
    ASSERT_TRUE(manifest);
    const std::vector<OtherPatch>& others = manifest->packages[0].others;
    ASSERT_EQ(others.size(), 2U);
    EXPECT_EQ(others[0].label, "revision 2");
    EXPECT_FALSE(others[0].predecessor);
    EXPECT_EQ(others[0].revision, 2U);
    EXPECT_EQ(others[0].provides, 1U);
    EXPECT_EQ(others[0].patch.path, "core.2.patch");
    ASSERT_EQ(others[0].files.size(), 1U);
    EXPECT_EQ(others[0].files[0].path, "lib/index.js");
    EXPECT_EQ(hex(others[0].files[0].patched), hash_a);
    EXPECT_EQ(others[1].label, "the old tool");
    EXPECT_TRUE(others[1].predecessor);
    EXPECT_EQ(others[1].revision, 0U);
    EXPECT_EQ(others[1].provides, 0U);
    EXPECT_EQ(others[1].line, 63U);
}

TEST(Parse, ReadsBuildAndHarness) {
    const base::Result<Manifest> manifest = parse(whole, "m.yaml");
    ASSERT_TRUE(manifest);
    ASSERT_EQ(manifest->build.size(), 1U);
    EXPECT_EQ(manifest->build[0].name, "types");
    EXPECT_THAT(manifest->build[0].command, ElementsAre("tsc", "-b"));
    EXPECT_EQ(manifest->build[0].directory, "packages/core");
    EXPECT_THAT(manifest->build[0].environment,
                ElementsAre(std::pair<std::string, std::string>("FACE", "host")));
    EXPECT_EQ(manifest->build[0].line, 87U);
    ASSERT_TRUE(manifest->harness);
    EXPECT_THAT(manifest->harness->known_event_types, ElementsAre("turn/start", "turn/end"));
    EXPECT_THAT(manifest->harness->fallback_folders, ElementsAre("${STAGE}/profiles/node_modules"));
    EXPECT_EQ(manifest->harness->fallback_root, "image");
}

TEST(Parse, AnAdoptedSetNeedsNoPackages) {
    const auto manifest =
        parse("schema: 1\nset: {name: a, version: 2, revision: 1, status: adopted}\n", "m.yaml");
    ASSERT_TRUE(manifest) << base::describe(manifest.error());
    EXPECT_EQ(manifest->status, Status::adopted);
    EXPECT_TRUE(manifest->packages.empty());
}

TEST(Parse, ReadsCrlf) {
    std::string text;
    for (const char character : whole)
        text += character == '\n' ? std::string("\r\n") : std::string(1, character);
    const base::Result<Manifest> manifest = parse(text, "m.yaml");
    ASSERT_TRUE(manifest) << base::describe(manifest.error());
    EXPECT_EQ(manifest->packages[0].why, "it drops what is needed");
    EXPECT_EQ(manifest->packages[1].line, 70U);
}

TEST(ParseRefuses, UnknownKeys) {
    EXPECT_EQ(refusal_with("\npackages:\n", "\npackges:\n"),
              "m.yaml:19: unknown key 'packges' (did you mean 'packages'?)");
    EXPECT_EQ(refusal_with("    why: it is needed", "    reason: it is needed"),
              "m.yaml:75: unknown key 'reason'; expected one of name, root, at, stages, directory, why, "
              "resolves, provides, "
              "requires, patch, files, revisions, predecessors");
    EXPECT_EQ(refusal_with("  tag: v1.10", "  tags: v1.10"),
              "m.yaml:8: unknown key 'tags' (did you mean 'tag'?)");
    EXPECT_EQ(refusal_with("            note: the", "            notes: the"),
              "m.yaml:41: unknown key 'notes' (did you mean 'note'?)");
}

TEST(ParseRefuses, WhatTheYamlMayNotHold) {
    EXPECT_EQ(refusal_with("  revision: 3", "  name: twice"),
              "m.yaml:5: duplicate key 'name', first on line 3");
    EXPECT_EQ(refusal("a: &x 1\nb: *x\n"), "m.yaml:1: anchor '&x'; anchors are not allowed");
    EXPECT_EQ(refusal("a: *x\n"), "m.yaml:1: aliases are not allowed");
    EXPECT_EQ(refusal("\na: !!str x\n"), "m.yaml:2: tags are not allowed");
    EXPECT_EQ(refusal("a: !own [x]\n"), "m.yaml:1: tags are not allowed");
    EXPECT_EQ(refusal("\xC3\xA9: \xC3\xA9\na: ! x\n"), "m.yaml:2: tags are not allowed");
    EXPECT_EQ(refusal(whole + "---\nschema: 1\n"), "m.yaml:97: a second document; expected one");
    EXPECT_EQ(refusal("? [a]\n: b\n"), "m.yaml:1: a key that is no text, or a bracket that is not closed");
    EXPECT_EQ(refusal("a: b: c\n"),
              "m.yaml:1: not readable as YAML: mapping values are not allowed in this context");
    EXPECT_EQ(refusal("a:\n  b: 1\n c: 2\n"),
              "m.yaml:3: not readable as YAML: did not find expected key while parsing a block mapping that "
              "begins on line 1");
    EXPECT_EQ(refusal("a: 'b\n\n"),
              "m.yaml:3: not readable as YAML: found unexpected end of stream while scanning a quoted scalar "
              "that begins on line 1");
    EXPECT_EQ(refusal("a:\n  b: 1\n \t\n  c: 2\n"),
              "m.yaml:3: a tab where a line begins; take it out, or use blanks");
    EXPECT_EQ(refusal("a: 1\n\tb: 2\n"), "m.yaml:2: a tab where a line begins; take it out, or use blanks");
    EXPECT_EQ(refusal("%YAML 1.1\n---\na: 1\n"), "m.yaml:1: directives are not allowed");
    EXPECT_EQ(refusal("a: 1\n...\n%TAG ! x\n---\na: 1\n"), "m.yaml:3: directives are not allowed");
    EXPECT_EQ(
        refusal(""),
        "m.yaml:1: the manifest is nothing; expected a mapping with the keys schema, set, source, roots, "
        "packages, build, harness");
    EXPECT_EQ(refusal("- a\n"),
              "m.yaml:1: the manifest is a list; expected a mapping with the keys schema, set, source, "
              "roots, packages, build, harness");
}

TEST(ParseRefuses, BytesThatAreNoText) {
    EXPECT_EQ(refusal(std::string("a: 1\nb: \0\n", 10)), "m.yaml:2: control byte 0x00");
    EXPECT_EQ(refusal("a: \x1B[2J\n"), "m.yaml:1: control byte 0x1b");
    EXPECT_EQ(refusal("a: \x7F\n"), "m.yaml:1: control byte 0x7f");
    EXPECT_EQ(refusal("a: 1\rb: 2\n"), "m.yaml:1: control byte 0x0d");
    EXPECT_EQ(refusal("a: \xC2\x9B\n"), "m.yaml:1: control character U+009B");
    EXPECT_EQ(refusal("a: b\nb: \xE2\x80\xA8\n"), "m.yaml:2: line separator U+2028");
    EXPECT_EQ(refusal("a: \xE2\x80\xA9\n"), "m.yaml:1: paragraph separator U+2029");
    EXPECT_EQ(refusal("a: 1\nb: \xEF\xBF\xBF\n"),
              "m.yaml:2: not readable as YAML: control characters are not allowed");
    EXPECT_EQ(refusal("a: \"\\0\"\n"), "m.yaml:1: control byte 0x00 made by an escape");
    EXPECT_EQ(refusal("a: \"\\e[2J\"\n"), "m.yaml:1: control byte 0x1b made by an escape");
    EXPECT_EQ(refusal("a: 1\nb: \xFF\n"), "m.yaml:2: invalid UTF-8 (byte 0xff)");
    EXPECT_EQ(refusal("a: \xC0\xAF\n"), "m.yaml:1: invalid UTF-8 (byte 0xc0)");
    EXPECT_EQ(refusal("a: \xED\xA0\x80\n"), "m.yaml:1: invalid UTF-8 (byte 0xed)");
    EXPECT_EQ(refusal("a: \xF4\x90\x80\x80\n"), "m.yaml:1: invalid UTF-8 (byte 0xf4)");
    EXPECT_EQ(refusal("a: \xE2\x82"), "m.yaml:1: invalid UTF-8 (byte 0xe2)");
    EXPECT_EQ(refusal("\xEF\xBB\xBF" + whole),
              "m.yaml:1: starts with a byte order mark; save it as UTF-8 without one");
    EXPECT_EQ(
        refusal("a: \xE2\x82\xAC \xF0\x9F\x98\x80\n"),
        "m.yaml:1: unknown key 'a'; expected one of schema, set, source, roots, packages, build, harness");
}

TEST(ParseRefuses, WhatIsTooLargeOrTooDeep) {
    EXPECT_EQ(refusal("a: " + std::string(largest_manifest, 'x')),
              "m.yaml: larger than 1048576 bytes; no manifest is");
    const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
        std::string text = "a: ";
        for (std::size_t level = 0; level < depth; ++level) text += open;
        for (std::size_t level = 0; level < depth; ++level) text += close;
        return text;
    };
    // The mapping of the document is the first level.
    EXPECT_EQ(
        refusal(nested(15, "[", "]")),
        "m.yaml:1: unknown key 'a'; expected one of schema, set, source, roots, packages, build, harness");
    EXPECT_EQ(refusal(nested(16, "[", "]")), "m.yaml:1: nested deeper than 16 levels");
    EXPECT_EQ(refusal(nested(100'000, "[", "]")), "m.yaml:1: nested deeper than 16 levels");
    EXPECT_EQ(refusal(nested(100'000, "{b: ", "}")), "m.yaml:1: nested deeper than 16 levels");
    EXPECT_EQ(refusal("a:\n" + nested(100'000, "- ", "").substr(3)),
              "m.yaml:2: nested deeper than 16 levels");
    EXPECT_EQ(refusal(std::string(100'000, '[')), "m.yaml:1: nested deeper than 16 levels");
}

TEST(ParseRefuses, EntitiesThatExpandWithoutEnd) {
    std::string text = "a0: &a0 [x, x]\n";
    for (int level = 1; level < 40; ++level) {
        text += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [*a" +
                std::to_string(level - 1) + ", *a" + std::to_string(level - 1) + "]\n";
    }
    EXPECT_EQ(refusal(text), "m.yaml:1: anchor '&a0'; anchors are not allowed");
}

TEST(ParseRefuses, ValuesOfTheWrongKind) {
    EXPECT_EQ(refusal_with("    stages: [image]\n", "    stages: image\n"),
              "m.yaml:22: 'stages' is a text; expected a list");
    EXPECT_EQ(refusal_with("  name: example", "  name:"), "m.yaml:3: 'name' is nothing; expected a text");
    EXPECT_EQ(refusal_with("  name: example", "  name: ~"), "m.yaml:3: 'name' is nothing; expected a text");
    EXPECT_EQ(refusal_with("  name: example", "  name: ''"), "m.yaml:3: 'name' is empty; expected a text");
    EXPECT_EQ(refusal_with("  name: example", "  name: \"a\\tb\""),
              "m.yaml:3: 'name' holds a tab or a line break; expected a text of one line");
    EXPECT_EQ(refusal_with("    requires:\n      core: 2", "    requires: [core]"),
              "m.yaml:76: 'requires' is a list; expected a mapping");
    EXPECT_EQ(refusal("schema: 1\nset: x\n"),
              "m.yaml:2: 'set' is a text; expected a mapping with the keys name, version, revision, status");
}

TEST(ParseRefuses, Numbers) {
    EXPECT_EQ(refusal_with("schema: 1", "schema: 2"), "m.yaml:1: schema '2'; this drydock reads schema 1");
    EXPECT_EQ(refusal_with("schema: 1\n", ""), "m.yaml:1: the manifest lacks the key 'schema'");
    for (const std::string bad :
         {"0", "-1", "+1", "1.0", "1e3", "0x1", "01", "1000000", "99999999999999999999", "one"}) {
        EXPECT_EQ(refusal_with("  revision: 3", "  revision: " + bad),
                  "m.yaml:5: 'revision' is '" + bad + "'; expected a number from 1 to 999999");
    }
    EXPECT_EQ(refusal_with("      core: 2", "      core: 0"),
              "m.yaml:77: 'core' is '0'; expected a number from 1 to 999999");
    EXPECT_EQ(refusal_with("    provides: 2", "    provides: 0"),
              "m.yaml:28: 'provides' is '0'; expected a number from 1 to 999999");
}

TEST(ParseRefuses, ASetThatCannotBe) {
    for (const std::string bad : {"a/b", "../1", ".1", "1 2", "1@2"}) {
        EXPECT_EQ(refusal_with("  version: 1.10", "  version: " + bad),
                  "m.yaml:4: version '" + bad + "'; expected letters, digits and any of . - + _");
    }
    EXPECT_EQ(refusal_with("  version: 1.10\n", ""), "m.yaml:3: 'set' lacks the key 'version'");
    EXPECT_EQ(refusal_with("status: active", "status: actve"),
              "m.yaml:6: 'status' is 'actve' (did you mean 'active'?)");
    EXPECT_EQ(refusal_with("status: active", "status: on"),
              "m.yaml:6: 'status' is 'on'; expected one of active, adopted");
    EXPECT_EQ(refusal_with("commit: 0123456789abcdef0123456789abcdef01234567", "commit: 0123456"),
              "m.yaml:9: commit '0123456'; expected all 40 lower-case hexadecimal digits");
    EXPECT_EQ(refusal("schema: 1\nset: {name: a, version: 2, revision: 1}\n"),
              "m.yaml:1: the manifest lacks the key 'packages'");
    EXPECT_EQ(refusal("schema: 1\nset: {name: a, version: 2, revision: 1}\npackages: []\n"),
              "m.yaml:3: 'packages' is empty; expected at least one entry");
}

TEST(ParseRefuses, PinsThatAreMissingOrNoPins) {
    EXPECT_EQ(refusal_with("      file: core.patch\n      sha256: " + std::string(64, '2'),
                           "      file: core.patch"),
              "m.yaml:30: 'patch' lacks the key 'sha256'");
    EXPECT_EQ(refusal_with("    sha256: " + std::string(64, '1') + "\n", ""),
              "m.yaml:11: 'patch' lacks the key 'sha256'");
    EXPECT_EQ(refusal_with("          sha256: " + std::string(64, '9') + "\n", ""),
              "m.yaml:57: 'patch' lacks the key 'sha256'");
    EXPECT_EQ(refusal_with("        stock: " + std::string(64, '3') + "\n", ""),
              "m.yaml:33: a file lacks the key 'stock'");
    EXPECT_EQ(refusal_with("            patched: " + hash_a, "            path2: x"),
              "m.yaml:61: unknown key 'path2' (did you mean 'path'?)");
    EXPECT_EQ(refusal_with("        origin: built\n        patched", "        patched"),
              "m.yaml:43: a file lacks the key 'origin'");
    EXPECT_EQ(refusal_with("sha256: " + std::string(64, '2'), "sha256: absent"),
              "m.yaml:31: 'sha256' is 'absent'; expected a sha256 of 64 lower-case hexadecimal digits");
    EXPECT_EQ(refusal_with("stock: " + std::string(64, '3'), "stock: " + std::string(63, '3')),
              "m.yaml:34: 'stock' is '" + std::string(63, '3') +
                  "'; expected a sha256 of 64 lower-case hexadecimal digits, or absent");
    EXPECT_EQ(refusal_with("stock: " + std::string(64, 'e'), "stock: " + std::string(64, 'E')),
              "m.yaml:83: 'stock' is '" + std::string(64, 'E') +
                  "'; expected a sha256 of 64 lower-case hexadecimal digits, or absent");
}

TEST(ParseRefuses, PathsThatLeave) {
    for (const std::string bad :
         {"../x", "/x", "lib/../../x", "lib//x", "./x", "lib/", "node_modules/other/x"}) {
        EXPECT_EQ(refusal_with("path: bin/run", "path: " + bad),
                  "m.yaml:43: path '" + bad +
                      "' leaves its package; expected a plain relative path below it, without '..' and "
                      "node_modules");
    }
    EXPECT_EQ(refusal_with("[lib/types/index.js]", "[../index.js]"),
              "m.yaml:42: path '../index.js' leaves its package; expected a plain relative path below it, "
              "without '..' and "
              "node_modules");
    EXPECT_EQ(refusal_with("at: [node_modules/plain,", "at: [../plain,"),
              "m.yaml:72: place '../plain' leaves its root; expected a plain relative path, without '..'");
    EXPECT_EQ(refusal_with("directory: packages/plain", "directory: ../plain"),
              "m.yaml:74: directory '../plain' leaves the repository; expected a plain relative path");
    EXPECT_EQ(
        refusal_with("file: core.patch", "file: /core.patch"),
        "m.yaml:30: patch file '/core.patch' is an absolute path; expected one from the manifest's folder");
}

TEST(ParseRefuses, RootsThatCannotBe) {
    EXPECT_EQ(refusal_with("  - name: profile", "  - name: image"),
              "m.yaml:16: root 'image' stands twice, first on line 14");
    EXPECT_EQ(refusal_with("    root: profile", "    root: profil"),
              "m.yaml:71: unknown root 'profil' (did you mean 'profile'?)");
    EXPECT_EQ(refusal_with("    root: profile", "    root: elsewhere"),
              "m.yaml:71: unknown root 'elsewhere'; expected one of image, profile");
    EXPECT_EQ(
        refusal_with("    path: /srv/app", "    path: srv/app"),
        "m.yaml:15: 'path' is 'srv/app'; expected an absolute path, or one that starts with a variable");
    EXPECT_EQ(refusal_with("${PROFILE:-web}", "${PROFILE:web}"),
              "m.yaml:17: '${STAGE}/profiles/${PROFILE:web}' holds a variable that cannot be read; expected "
              "${NAME} or "
              "${NAME:-default}");
    EXPECT_EQ(refusal_with("may-be-missing: [boot]", "may-be-missing: [bot]"),
              "m.yaml:18: unknown stage 'bot' (did you mean 'boot'?)");
    EXPECT_EQ(refusal_with("node_modules\"]\n    root: image", "node_modules\"]\n    root: imge"),
              "m.yaml:96: unknown root 'imge' (did you mean 'image'?)");
}

TEST(ParseRefuses, PackagesThatCannotBe) {
    EXPECT_EQ(refusal_with("    stages: [image]\n", "    stages: [build]\n"),
              "m.yaml:22: unknown stage 'build'; expected one of image, boot");
    EXPECT_EQ(refusal_with("    stages: [image]\n", "    stages: []\n"),
              "m.yaml:22: 'stages' is empty; expected at least one entry");
    EXPECT_EQ(refusal_with("[image, boot]", "[boot, boot]"), "m.yaml:73: 'boot' stands twice in 'stages'");
    EXPECT_EQ(
        refusal_with("  - name: plain\n    root: profile", "  - name: \"@scope/core\"\n    root: image"),
        "m.yaml:70: package '@scope/core' stands twice in root 'image', first on line 20");
    for (const std::string bad : {"'@scope'", "'@/x'", "'@a/b/c'", "a/b", "../x", ".x", "a*"}) {
        const std::string shown = bad.starts_with('\'') ? bad : "'" + bad + "'";
        EXPECT_EQ(refusal_with("  - name: plain", "  - name: " + bad),
                  "m.yaml:70: package name " + shown + "; expected an npm name");
    }
    EXPECT_EQ(refusal_with("    directory: packages/plain\n", ""),
              "m.yaml:70: a package lacks the key 'directory'; a set with a source needs it");
    EXPECT_EQ(refusal_with("    why: it is needed\n", ""), "m.yaml:70: a package lacks the key 'why'");
}

TEST(ParseRefuses, FilesThatCannotBe) {
    EXPECT_EQ(refusal_with("path: bin/run", "path: lib/index.js"),
              "m.yaml:43: file 'lib/index.js' stands twice, first on line 33");
    EXPECT_EQ(refusal_with("patched: " + std::string(64, '8'), "patched: absent"),
              "m.yaml:49: file 'lib/new.js' has the same stock and patched; expected a change");
    EXPECT_EQ(refusal_with("        stock-mode: 100644\n        patched-mode: 100755\n", ""),
              "m.yaml:43: file 'bin/run' has the same stock and patched; expected a change");
    EXPECT_EQ(refusal_with("        stock-mode: 100644\n", ""),
              "m.yaml:43: only one of stock-mode and patched-mode; expected both, or none");
    EXPECT_EQ(refusal_with("stock-mode: 100644", "stock-mode: 644"),
              "m.yaml:47: 'stock-mode' is '644'; expected one of 100644, 100755");
    EXPECT_EQ(refusal_with("[lib/types/index.js]", "[lib/new.js]"),
              "m.yaml:33: second copy 'lib/new.js' of 'lib/index.js' is listed as a file itself; a second "
              "copy stays stock");
    EXPECT_EQ(refusal_with("- stock: " + std::string(64, '5'), "- stock: " + std::string(64, '3')),
              "m.yaml:33: file 'lib/index.js' has a variant with a stock that stands there already");
    EXPECT_EQ(refusal_with("- stock: " + std::string(64, '5'), "- stock: " + std::string(64, '6')),
              "m.yaml:38: the variant's stock and patched are the same");
}

TEST(Parse, AFileThatOnlyAnotherPatchChangesBringsItsStockHash) {
    const std::string text = with(
        whole, "          - path: lib/index.js\n            patched: " + hash_a,
        "          - path: lib/other.js\n            stock: " + hash_b + "\n            patched: " + hash_a);
    const base::Result<Manifest> manifest = parse(text, "m.yaml");
    ASSERT_TRUE(manifest) << base::describe(manifest.error());
    const KnownFile& other = manifest->packages[0].others[0].files[0];
    EXPECT_EQ(other.path, "lib/other.js");
    EXPECT_EQ(hex(other.stock), hash_b);
    EXPECT_EQ(hex(other.patched), hash_a);
    EXPECT_EQ(hex(manifest->packages[0].others[1].files[0].stock), std::string(64, '3'));
}

TEST(ParseRefuses, OtherPatchesThatCannotBe) {
    EXPECT_EQ(refusal_with("      - revision: 2", "      - revision: 3"),
              "m.yaml:54: 'revision 3' is the set's own; expected earlier or later ones");
    EXPECT_EQ(refusal_with("label: the old tool", "label: revision 2"),
              "m.yaml:63: 'revision 2' stands twice");
    EXPECT_EQ(refusal_with("          - path: lib/index.js\n            patched: " + hash_a,
                           "          - path: lib/other.js\n            patched: " + hash_a),
              "m.yaml:60: 'lib/other.js' is not among the package's files; expected its stock hash here too");
    EXPECT_EQ(
        refusal_with("          - path: lib/index.js\n            patched: " + hash_a,
                     "          - path: lib/index.js\n            stock: " + hash_b +
                         "\n            patched: " + hash_a),
        "m.yaml:60: the stock hash of 'lib/index.js' stands with the package's files; leave it out here");
    EXPECT_EQ(refusal_with("            patched: " + hash_a, "            patched: " + std::string(64, '3')),
              "m.yaml:54: 'revision 2' leaves 'lib/index.js' stock; expected only the files that it changes");
    EXPECT_EQ(refusal_with("            patched: " + hash_a,
                           "            patched: " + hash_a +
                               "\n          - path: lib/index.js\n            patched: " + hash_b),
              "m.yaml:54: 'revision 2' has file 'lib/index.js' twice");
}

TEST(ParseRefuses, RequirementsThatCannotBeMet) {
    EXPECT_EQ(refusal_with("      core: 2", "      cor: 2"),
              "m.yaml:77: 'cor' is required, which is not in the set");
    EXPECT_EQ(refusal_with("      core: 2", "      \"@scope/cores\": 2"),
              "m.yaml:77: '@scope/cores' is required, which is not in the set (did you mean '@scope/core'?)");
    EXPECT_EQ(refusal_with("      core: 2", "      core: 3"),
              "m.yaml:77: level 3 of '@scope/core' is required, which provides 2");
    EXPECT_EQ(refusal_with("      core: 2", "      core: 2\n      \"@scope/core\": 1"),
              "m.yaml:78: '@scope/core' is required twice");
    EXPECT_EQ(refusal_with("    provides: 2", "    provides: 2\n    requires: {core: 1}"),
              "m.yaml:29: the requirements go in a circle: @scope/core -> @scope/core");
    EXPECT_EQ(refusal(with(with(whole, "    provides: 2", "    provides: 2\n    requires: {plain: 1}"),
                           "    requires:\n      core: 2", "    provides: 1\n    requires:\n      core: 2")),
              "m.yaml:79: the requirements go in a circle: @scope/core -> plain -> @scope/core");
    EXPECT_EQ(refusal_with("    provides: 2", "    requires: {plain: 1}"),
              "m.yaml:28: level 1 of 'plain' is required, which provides none");
}

TEST(ParseRefuses, AnUnscopedNameThatTwoPackagesHave) {
    const std::string two =
        with(with(whole, "  - name: plain", "  - name: \"@other/core\""), "core: 2", "\"@scope/core\": 2");
    EXPECT_TRUE(parse(two, "m.yaml"));
    EXPECT_EQ(refusal(with(two, "      \"@scope/core\": 2", "      core: 2")),
              "m.yaml:77: 'core' is required, which can mean @other/core or @scope/core");
}

TEST(ParseRefuses, BuildAndHarnessThatCannotBe) {
    EXPECT_EQ(refusal_with("command: [tsc, -b]", "command: []"),
              "m.yaml:88: 'command' is empty; expected at least one entry");
    EXPECT_EQ(refusal_with("      FACE: host", "      FACE=: host"),
              "m.yaml:91: 'FACE=' is no variable's name; expected letters, digits and _");
    EXPECT_EQ(refusal_with("[turn/start, turn/end]", "[turn/start, turn/start]"),
              "m.yaml:93: 'turn/start' stands twice in 'known-event-types'");
    EXPECT_EQ(refusal_with("    folders: [\"${STAGE}/profiles/node_modules\"]\n", ""),
              "m.yaml:95: 'fallback' lacks the key 'folders'");
}

// Whatever the bytes, parse comes back with an answer; one that refuses names the file.
TEST(Parse, SurvivesChangedBytes) {
    std::mt19937 random(20261130);
    const std::string specials = "[]{}:,-?&*!|>'\"%@`#\n \t\\~\r";
    std::size_t refused_count = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string text = whole;
        for (int change = 0; change < 1 + round % 5; ++change) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text[at] = specials[random() % specials.size()];
                    break;
                case 2:
                    text.erase(at, random() % 40);
                    break;
                default:
                    text.insert(at, text.substr(random() % text.size(), random() % 80));
                    break;
            }
        }
        const base::Result<Manifest> manifest = parse(text, "m.yaml");
        if (manifest) continue;
        ++refused_count;
        ASSERT_EQ(manifest.error().file, "m.yaml");
        ASSERT_FALSE(manifest.error().message.empty());
    }
    EXPECT_GT(refused_count, 2000U);
}

TEST(Parse, SurvivesRandomBytes) {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        std::string text(random() % 2000 + 1, '\0');
        for (char& byte : text) byte = static_cast<char>(round % 2 == 0 ? random() : 32 + random() % 95);
        ASSERT_FALSE(parse(text, "m.yaml")) << text;
    }
}

}  // namespace
}  // namespace drydock::manifest
