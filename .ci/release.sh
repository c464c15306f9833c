#!/usr/bin/env bash
# Makes a release: npm run release -- 0.2.0
# Sets the version everywhere, dates the changelogs, and writes the list of packages (SBOM), the packed local Slack and their
# checksums to release/. Commits nothing: look at the changes, then do what it prints.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "$1" >&2
  exit 1
}

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'Name the version: npm run release -- 0.2.0'
for changelog in CHANGELOG.md packages/local-slack/CHANGELOG.md; do
  ! grep -qF "## $version " "$changelog" || fail "$changelog has $version already."
  grep -qx '## unreleased' "$changelog" || fail "$changelog has no section \"## unreleased\"."
done

node --input-type=module - "$version" <<'SCRIPT'
import { readFileSync, writeFileSync } from 'node:fs';

const version = process.argv[2];
const today = new Date().toISOString().slice(0, 10);
const change = (path, how) => writeFileSync(path, how(readFileSync(path, 'utf8')));
const changeJson = (path, how) =>
  change(path, (text) => {
    const content = JSON.parse(text);
    how(content);
    return `${JSON.stringify(content, null, 2)}\n`;
  });

for (const path of ['package.json', 'packages/local-slack/package.json']) {
  changeJson(path, (content) => {
    content.version = version;
  });
}
changeJson('package-lock.json', (lock) => {
  lock.version = version;
  lock.packages[''].version = version;
  lock.packages['packages/local-slack'].version = version;
});
for (const path of ['CHANGELOG.md', 'packages/local-slack/CHANGELOG.md']) {
  change(path, (text) => text.replace('## unreleased\n', `## unreleased\n\n## ${version} (${today})\n`));
}
change('deploy/helm/tocsin/Chart.yaml', (text) =>
  text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
);
change('deploy/kubernetes/tocsin.yaml', (text) => text.replace(/image: "tocsin:.*"/g, `image: "tocsin:${version}"`));
SCRIPT

rm -rf release && mkdir release
node .ci/sbom.mjs >"release/tocsin-$version.cdx.json"
npm pack --silent --workspace=local-slack --pack-destination=release >/dev/null
(cd release && sha256sum -- * >SHA256SUMS)

echo "release/ has:"
ls release
echo "Next: RELEASE=$version npx vitest run test/contract/released-schemas.test.ts (keeps the schemas for later upgrades),"
echo "git add --all, git commit --all --message 'chore: release $version', git tag v$version, docker build --tag tocsin:$version ."
