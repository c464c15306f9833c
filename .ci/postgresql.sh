#!/usr/bin/env bash
# Runs the tests of the database, the service and the bot's store on Debian's PostgreSQL: a cluster in a temporary folder,
# on a unix socket only, removed afterwards.
#
#   .ci/postgresql.sh                             all of them
#   .ci/postgresql.sh test/contract/service-keys  other files
set -euo pipefail
cd "$(dirname "$0")/.."

binaries=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1) || {
  echo "There is no /usr/lib/postgresql/*/bin: install Debian's postgresql (.ci/debian-packages.sh does)." >&2
  exit 1
}

# In memory where it has 4 GiB to spare: creating a database on a disk takes ten times as long.
parent=${TMPDIR:-/tmp}
if [ "$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)" -ge 4 ] 2>/dev/null; then
  parent=/dev/shm
fi
folder=$(mktemp -d "$parent/tocsin-postgresql-XXXXXX")
as_owner=()
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
  chown nobody "$folder"
  as_owner=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi

pg() {
  (cd "$folder" && "${as_owner[@]}" "$binaries/$1" --pgdata="$folder/data" "${@:2}")
}
stop() {
  if [ -f "$folder/data/postmaster.pid" ]; then
    pg pg_ctl stop --mode=immediate --silent || true
  fi
  rm -rf "$folder"
}
trap stop EXIT

pg initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
pg pg_ctl start --log="$folder/log" --silent --wait \
  --options="-c listen_addresses= -c unix_socket_directories=$folder -c max_connections=200 -c fsync=off -c autovacuum=off"

tests=("$@")
mapfile -t statements < <(grep -rl --include="*.test.ts" support/bot-store.ts src/bot) # tests of the bot's statements
[ $# != 0 ] || tests=(src/database src/service/store "${statements[@]}" test/contract/service- test/hardship/service-)
echo "On $("$binaries/postgres" --version):"
DATABASE_URL="postgres://postgres@${folder//\//%2F}/postgres" npm exec -- vitest run --mode all --project unit --project contract --project hardship "${tests[@]}"
