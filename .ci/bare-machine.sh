#!/usr/bin/env bash
# Runs the README's commands on Debian's smallest system with Node 20 and npm and nothing else, on a copy of HEAD: once
# as root in /root, once as an ordinary user at home. Takes about 15 minutes; needs root, apt and Node 20.
#
#   .ci/bare-machine.sh                       npm ci && npm test
#   .ci/bare-machine.sh 'npm ci && npm run quick'
#
# The Debian mirror comes from this machine's apt, the npm registry from its npm.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly COMMAND=${1:-npm ci && npm test}
readonly TIME_LIMIT=45m # for each user

fail() {
  echo "$1" >&2
  exit 1
}

# The Node of the machine, not the one of node_modules that `npm run` puts first.
node=$(type -ap node | grep -v '/node_modules/' | head -n 1) || fail 'There is no Node on this machine.'
[[ $("$node" --version) == v20.* ]] || fail "$node is $("$node" --version); this script needs Node 20."
npm=$(type -ap npm | grep -v '/node_modules/\.bin/' | head -n 1) || fail 'There is no npm on this machine.'
npm_package=$(dirname "$(dirname "$(realpath "$npm")")")
[ "$(id -u)" = 0 ] || fail 'Only root can make a Debian system and enter it.'
command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap; }

codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Label: Debian' \
  | awk -v codename="$codename" '$1 == codename { print $2; exit }')
[ -n "$mirror" ] || fail "apt names no mirror of Debian $codename (run apt-get update)."
proxy=
eval "$(apt-config shell proxy Acquire::http::Proxy)"

system=$(mktemp -d)
trap 'rm -rf --one-file-system "$system"' EXIT
chmod 755 "$system"

make_system() {
  echo "Making Debian $codename in $system"
  http_proxy=${proxy:-${http_proxy:-}} debootstrap --variant=minbase "$codename" "$system" "$mirror" >"$system.log" 2>&1 \
    || { tail -n 20 "$system.log" >&2; rm -f "$system.log"; fail 'debootstrap failed.'; }
  rm -f "$system.log"
  install "$node" "$system/usr/local/bin/node"
  mkdir -p "$system/usr/local/lib/node_modules"
  cp -a "$npm_package" "$system/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$system/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$system/usr/local/bin/npx"
  cp /etc/resolv.conf /etc/hosts "$system/etc/"
  useradd --root "$system" --create-home --shell /bin/bash ordinary
}

# What this machine's npm needs to reach its registry: its settings, the certificates they name, and the proxies.
copy_npm_settings() {
  local setting file
  for setting in globalconfig cafile; do
    file=$("$node" "$npm" config get "$setting" 2>/dev/null)
    [ -f "$file" ] && install -D -m 644 "$file" "$system$file"
  done
  file=$("$node" "$npm" config get userconfig 2>/dev/null)
  [ -f "$file" ] && cp "$file" "$1/.npmrc"
  if [ -f "${NODE_EXTRA_CA_CERTS:-}" ]; then
    install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$system$NODE_EXTRA_CA_CERTS"
  fi
}

# In namespaces of its own: when the command ends or runs out of time, its mounts and processes are gone.
run_as() {
  local user=$1 home=$2 folder=$system$2/tocsin passed=() status=0
  mapfile -t passed < <(env | grep -iE '^((https?|no|all)_proxy|npm_config_(registry|.*proxy|cafile)|NODE_EXTRA_CA_CERTS)=')
  mkdir "$folder"
  git archive HEAD | tar -x -C "$folder"
  copy_npm_settings "$system$home"
  chroot "$system" chown -R "$user:" "$home"
  echo "As $user in $home: $COMMAND"
  SECONDS=0
  timeout --kill-after=30s "$TIME_LIMIT" unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$1/proc" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" \
      && exec chroot --userspec="$2:" "$1" env -i "${@:5}" PATH=/usr/local/bin:/usr/bin:/bin HOME="$3" USER="$2" \
        bash -c "cd ~/tocsin && $4"' \
    bare-machine "$system" "$user" "$home" "$COMMAND" "${passed[@]}" </dev/null || status=$?
  results+=("As $user: $([ $status = 0 ] && echo passed || echo "failed with $status") after $SECONDS s")
  failures=$((failures + (status > 0)))
  rm -rf --one-file-system "$folder"
}

results=()
failures=0
make_system
run_as root /root
run_as ordinary /home/ordinary
printf '%s\n' "${results[@]}"
exit "$failures"
