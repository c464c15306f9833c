#!/usr/bin/env bash
# The database tests on Debian's PostgreSQL (another major version) and through PgBouncer, and one round of each failure of
# a primary under Patroni. Takes about ten minutes. Run it weekly and before a release: a green run is noted in
# .ci/clusters.passed, which is committed.
#
#   .ci/clusters.sh
#   .ci/clusters.sh --if-changed   only if what talks to the database has changed since the noted run, as the gate does
set -euo pipefail
cd "$(dirname "$0")/.."

readonly NOTED=.ci/clusters.passed

# What the committed folders contain, whatever commit they come from.
content() {
  for folder in src/database src/effects; do
    git rev-parse --quiet --verify "HEAD:$folder" || true
  done
}

if [ "${1:-}" = --if-changed ] && [ "$(content)" = "$(sed 1d "$NOTED" 2>/dev/null)" ]; then
  echo "The clusters passed on $(head -n 1 "$NOTED") with the same src/database and src/effects."
  exit 0
fi

.ci/debian-packages.sh
.ci/postgresql.sh
# These may hang where a server does, so each has a limit.
timeout --kill-after=30 15m .ci/pgbouncer.sh
timeout --kill-after=30 15m npm run bench:failover -- --times 1
{ date --iso-8601 && content; } >"$NOTED"
echo "Commit $NOTED."
