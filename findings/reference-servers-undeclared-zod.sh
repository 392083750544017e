#!/bin/sh
# @modelcontextprotocol/server-memory, server-filesystem and server-sequential-thinking 2026.8.31: whether they declare what they
# import. Seen: all three import zod, which none has in its dependencies. Under npm they find the copy of the SDK; with the default
# settings of Yarn 4 (`yarn dlx`), which gives a package what it declares and no more, they end with an error before `initialize`.
# Exits with 1 when that changes. Needs npm; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @yarnpkg/cli-dist@4.18.1 >/dev/null
mkdir work
echo '{ "private": true }' >work/package.json
export YARN_GLOBAL_FOLDER="$folder/yarn" YARN_ENABLE_TELEMETRY=false

seen=$(for name in memory filesystem sequential-thinking; do
  package=@modelcontextprotocol/server-$name
  declared=$(npm view "$package@2026.8.31" dependencies.zod)
  ended=$(cd work && node ../node_modules/@yarnpkg/cli-dist/bin/yarn.js dlx -q -p "$package@2026.8.31" "mcp-server-$name" . </dev/null 2>&1 |
    sed -n 's/^.*Error: .* tried to access \([a-z]*\), but it isn.t declared.*/\1 is not declared/p' | head -n 1)
  echo "$name: zod ${declared:-none}; $ended"
done)
echo "$seen"
expected='memory: zod none; zod is not declared
filesystem: zod none; zod is not declared
sequential-thinking: zod none; zod is not declared'
[ "$seen" = "$expected" ]
