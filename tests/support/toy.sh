# Makes the monorepo of tests/support/toy.hpp in the current folder.
git init -q .

package() {  # NAME
    mkdir -p "packages/$1/src"
    printf '{"name": "@toy/%s", "version": "1.0.0", "type": "module"}\n' "$1" >"packages/$1/package.json"
    for i in {1..40}; do echo "export const $1$i = $i;"; done >"packages/$1/src/index.ts"
}
package core
package provider
for i in {1..12}; do echo "export const util$i = $i;"; done >packages/core/src/util.ts
echo 'export const last = 1;' >packages/provider/src/last.ts
cat >build.sh <<'SH'
for package in "$@"; do
    mkdir -p $package/lib
    cat $package/src/*.ts >$package/lib/index.js
done
SH
echo toy >README
echo lib >.gitignore
git add .
git commit -qm toy
git tag v1.0.0

core=packages/core/src/index.ts
provider=packages/provider/src/index.ts
util=packages/core/src/util.ts
extra=packages/core/src/extra.ts
after_5='/core5 =/a export const ours5 = 5;'
line_30='s/core30 = 30/core30 = 3000/'
line_10='s/provider10 = 10/provider10 = 1000/'

from() {  # TAG: what follows is on top of it, and of the next version
    git checkout -q "$1"
    sed -i 's/"1.0.0"/"1.1.0"/' packages/*/package.json
}
tag() {  # TAG
    git add -A .
    git commit -q --allow-empty -m "$1"
    git tag "$1"
}

# What source.patch brings: two hunks, a new file, a hunk.
sed -i -e "$after_5" -e "$line_30" $core
echo 'export const extra = 1;' >$extra
sed -i "$line_10" $provider
tag ours

from v1.0.0; echo more >>README; sed -i 's/core20 = 20/core20 = 21/' $core; tag clean
from v1.0.0; sed -i '1i // one\n// two' $core; tag moved
from v1.0.0; git mv $core packages/core/src/main.ts; tag renamed
from v1.0.0; git rm -q $provider; tag deleted
from v1.0.0; sed -i "$after_5" $core; tag some
from ours; echo more >>README; tag all
from v1.0.0; sed -i 's/core30 = 30/core30 = 31/' $core; tag conflict
from v1.0.0; echo 'export const extra = 1;' >$extra; tag same-file
from v1.0.0; echo 'export const extra = 2;' >$extra; tag other-file
from v1.0.0; git mv packages/core packages/kernel; tag folder
from v1.0.0; sed -i "$line_10" $provider; tag provider
from v1.0.0; git mv packages/provider packages/other; sed -i 's/@toy.provider/@toy\/other/' packages/other/package.json
tag no-provider
from v1.0.0; rm $core; ln -s util.ts $core; tag link
from v1.0.0; echo 'exit 3' >>build.sh; tag broken
from conflict; git rm -q $provider; sed -i 's/= 12/= 13/' $util; tag three-conflicts

# Of a source.patch that deletes a file, makes one executable, and adds one that is.
from v1.0.0; git rm -q $util; chmod +x $core; echo 'export const tool = 1;' >packages/core/src/tool.ts
chmod +x packages/core/src/tool.ts; tag modes
from v1.0.0; chmod +x $core; tag mode-alone
from v1.0.0; git rm -q $util; tag util-gone
from v1.0.0; echo 'export const extra = 1;' >$extra; chmod +x $extra; tag executable-file
git checkout -q v1.0.0
