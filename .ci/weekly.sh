#!/usr/bin/env bash
# What is too long for the gate: other databases and their failures (.ci/clusters.sh), the image (.ci/image.sh), all chaos
# seeds, more faults, kills and restarts of real programs, a release and the package of local Slack. Takes an hour or more;
# needs root. Run it weekly and before a release: a green run is noted in .ci/weekly.passed, which is committed.
set -euo pipefail
cd "$(dirname "$0")/.."
.ci/clusters.sh
.ci/image.sh
npm exec -- vitest run --mode weekly test/e2e test/chaos test/contract/release packages/local-slack/test/package
{ date --iso-8601 && git rev-parse HEAD; } >.ci/weekly.passed
echo 'Commit .ci/weekly.passed.'
