#!/bin/sh
# npm 11.19.0: whether `npm exec` (npx) takes a package from its cache that it has just put there, by how the package is written.
# Seen: with an exact version and with a tag it does; with a range (`mime@^3.0.0`) it never does. Asked not to install
# (`--yes=false`), it calls the very version that it has in the cache missing, and so installs it anew at each start.
# Exits with 1 when that changes. Needs npm; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tool" "$folder/work"
cd "$folder/tool"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error npm@11.19.0 >/dev/null
cd "$folder/work"
echo '{ "private": true }' >package.json

export npm_config_cache="$folder/cache" npm_config_userconfig=/dev/null npm_config_update_notifier=false npm_config_loglevel=error
run() { node ../tool/node_modules/npm/bin/npm-cli.js exec "$@" a.css </dev/null 2>&1 | head -n 1; }

seen=$(for package in mime@3.0.0 mime@latest 'mime@^3.0.0'; do
  echo "$package: $(run --yes -- "$package"), again: $(run --yes=false -- "$package")"
done)
echo "$seen"
expected='mime@3.0.0: text/css, again: text/css
mime@latest: text/css, again: text/css
mime@^3.0.0: text/css, again: npm error npx canceled due to missing packages and no YES option: ["mime@3.0.0"]'
[ "$seen" = "$expected" ]
