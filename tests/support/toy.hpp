#pragma once

#include <string>
#include <vector>

#include "tests/support/support.hpp"

namespace drydock::test {

/// A monorepo of two packages, `@toy/core` and `@toy/provider` (packages/<name>/src/*.ts, which build.sh puts
/// together as lib/index.js), with the tag `v1.0.0` and, each one commit on top of it, one tag for every case
/// of a bump (tests/support/toy.sh tells which). Made once per process.
const std::string& toy_repository();

/// The commit of a tag.
std::string toy_commit(const std::string& tag);

/// Runs commands in bash -eu, where git makes the same commits wherever it runs, and gives what they print
/// without the last newline; a test failure when they fail.
std::string shell(const std::string& directory, const std::string& commands);

/// What a set of the toy is made of, where a test wants it otherwise.
struct ToySet {
    std::string version{"1.0.0"};
    std::string tag{"v1.0.0"};
    std::string commit;                ///< empty: the tag's
    std::string patched{"ours"};       ///< source.patch is what leads from the tag to this one
    std::string source_patch{};        ///< its text; empty: made by git as above
    std::string files{};               ///< of the core, as flow mappings; empty: lib/index.js
    std::string provider{"yes"};       ///< `no`: the set has the core only
    std::string build{};               ///< the steps; empty: build.sh
    std::string patches{"toy-1.0.0"};  ///< the folder of its patches
    std::string origin{"built"};
};

/// Sets of the toy, in folders of their own: sets/<version>.yaml with hashes of zeros, and
/// patches/toy-<version>/source.patch.
class Toy {
  public:
    explicit Toy(const ToySet& set = {});

    [[nodiscard]] const std::string& path() const { return directory_.path(); }
    [[nodiscard]] std::string operator/(const std::string& name) const { return directory_ / name; }

    /// Replaces, in a text, this folder by `TOY`, the repository by `REPO`, and every tag's commit by its
    /// tag in `<>`.
    [[nodiscard]] std::string named(std::string text) const;

    /// Edits a file: every `from` becomes `to`; a test failure when there is none.
    void edit(const std::string& name, const std::string& from, const std::string& to) const;

    /// Every file here by path with its contents' hash, but for the folder `cache` and `build.log`;
    /// in `scratch`, whatever lies there.
    [[nodiscard]] std::string snapshot() const;

    /// Runs drydock here with `--harness REPO --manifest sets --scratch scratch --cache cache --published
    /// none` behind the words.
    base::ProcessOutcome drydock(std::vector<std::string> words) const;

    /// What it printed, named(): standard output, then standard error, then `exit N`. Times are `N s`.
    [[nodiscard]] std::string told(const std::vector<std::string>& words) const;

  private:
    TemporaryDirectory directory_;
};

}  // namespace drydock::test
