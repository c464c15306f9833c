#!/usr/bin/env bash
# Runs the tests of the database, the service and the bot through Debian's PgBouncer in transaction mode, over Debian's
# PostgreSQL: both in a temporary folder, on unix sockets only, removed afterwards.
#
#   .ci/pgbouncer.sh                             the stores, and what depends on sessions, locks and notifications: 2 minutes
#   .ci/pgbouncer.sh --all                       all tests of the service and the bot: 10 minutes or more
#   .ci/pgbouncer.sh test/contract/service-keys  other files
set -euo pipefail
cd "$(dirname "$0")/.."

binaries=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1) || {
  echo "There is no /usr/lib/postgresql/*/bin: install Debian's postgresql (.ci/debian-packages.sh does)." >&2
  exit 1
}
pgbouncer=$(PATH=$PATH:/usr/sbin command -v pgbouncer) || {
  echo "There is no pgbouncer: install Debian's pgbouncer (.ci/debian-packages.sh does)." >&2
  exit 1
}

parent=${TMPDIR:-/tmp}
if [ "$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1)" -ge 4 ] 2>/dev/null; then
  parent=/dev/shm
fi
folder=$(mktemp -d "$parent/tocsin-pgbouncer-XXXXXX")
as_owner=()
if [ "$(id -u)" = 0 ]; then # neither runs as root
  chown nobody "$folder"
  as_owner=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
mkdir "$folder/server" "$folder/pooler"
[ "$(id -u)" != 0 ] || chown nobody "$folder/server" "$folder/pooler"

pg() {
  (cd "$folder" && "${as_owner[@]}" "$binaries/$1" --pgdata="$folder/data" "${@:2}")
}
pooler_pid=
stop() {
  [ -z "$pooler_pid" ] || kill "$pooler_pid" 2>/dev/null || true
  if [ -f "$folder/data/postmaster.pid" ]; then
    pg pg_ctl stop --mode=immediate --silent || true
  fi
  rm -rf "$folder"
}
trap stop EXIT

pg initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
pg pg_ctl start --log="$folder/log" --silent --wait \
  --options="-c listen_addresses= -c unix_socket_directories=$folder/server -c max_connections=300 -c fsync=off -c autovacuum=off"

# A test creates a database of its own and drops it: the pooler must not keep connections to it for long.
cat >"$folder/pgbouncer.ini" <<INI
[databases]
* = host=$folder/server port=5432 user=postgres

[pgbouncer]
pool_mode = transaction
listen_port = 5432
unix_socket_dir = $folder/pooler
auth_type = any
logfile = $folder/pgbouncer.log
pidfile = $folder/pgbouncer.pid
max_client_conn = 1000
default_pool_size = 8
server_idle_timeout = 5
autodb_idle_timeout = 10
INI
"${as_owner[@]}" "$pgbouncer" --quiet "$folder/pgbouncer.ini" &
pooler_pid=$!
for _ in $(seq 100); do
  [ -S "$folder/pooler/.s.PGSQL.5432" ] && break
  sleep 0.1
done

tests=("$@")
mapfile -t statements < <(grep -rl --include="*.test.ts" support/bot-store.ts src/bot) # tests of the bot's statements
case "${1:-}" in
  '')
    tests=(src/database src/service/store "${statements[@]}" test/contract/service-events test/contract/service-keys
      test/hardship/service-concurrency test/hardship/bot-delivery test/hardship/bot-kept)
    ;;
  --all) tests=(src/database src/service/store "${statements[@]}" test/contract/service- test/contract/bot- test/hardship) ;;
esac
echo "Through $("$pgbouncer" --version | head -n 1) in transaction mode:"
DATABASE_URL="postgres://postgres@${folder//\//%2F}%2Fserver/postgres" \
  POOLER_HOST="$folder/pooler" npm exec -- vitest run --mode all --project unit --project contract --project hardship "${tests[@]}"
