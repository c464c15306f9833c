#!/usr/bin/env bash
# Builds the image of the Dockerfile and runs the whole main job against it: an alert and a broken shop become cards in
# local Slack, as user `node` of the image. Prints how many MB the image has above its base, and fails above the limit.
#
# Without a registry of images: the base is a Debian made by debootstrap with the Node of this project and a user `node`,
# as in node:24-slim. Takes about ten minutes; needs root, apt and what `npm ci` has installed.
#
#   .ci/image.sh                             the main job
#   .ci/image.sh test/e2e/drain.test.ts      other tests that start Tocsin
#   DEBIAN=/var/tmp/debian .ci/image.sh      keeps what debootstrap makes, for the next time
set -euo pipefail
cd "$(dirname "$0")/.."

# Mounts of its own: they are gone when the script ends, however it ends.
[ -n "${HAS_OWN_MOUNTS:-}" ] || HAS_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"

readonly LIMIT_MB=90
readonly BASE=localhost/tocsin-base IMAGE=localhost/tocsin

fail() {
  echo "$1" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || fail 'Only root can make a Debian system and enter it.'
command -v buildah >/dev/null && command -v debootstrap >/dev/null || {
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends buildah debootstrap
}
npm=$(type -ap npm | grep -v '/node_modules/\.bin/' | head -n 1) || fail 'There is no npm on this machine.'
node=node_modules/node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')/bin/node

folder=$(mktemp -d "${TMPDIR:-/tmp}/tocsin-image-XXXXXX")
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
b() {
  buildah --root "$folder/storage" --runroot "$folder/run" "$@"
}
clean_up() {
  [ -z "${root:-}" ] || umount --recursive "$root/proc" "$root/dev" "$root/tmp" 2>/dev/null || true
  b rm --all >/dev/null 2>&1 || true
  rm -rf --one-file-system "$folder"
}
trap clean_up EXIT

make_debian() {
  local codename mirror proxy=
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Label: Debian' \
    | awk -v codename="$codename" '$1 == codename { print $2; exit }')
  [ -n "$mirror" ] || fail "apt names no mirror of Debian $codename (run apt-get update)."
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  http_proxy=${proxy:-${http_proxy:-}} debootstrap --variant=minbase "$codename" "$1" "$mirror" >"$folder/log" 2>&1 \
    || { tail -n 20 "$folder/log" >&2; rm -rf "$1"; fail 'debootstrap failed.'; }
  rm -rf "$1"/var/cache/apt/archives/*.deb "$1"/var/lib/apt/lists/*
}

make_base() {
  local container debian=${DEBIAN:-$folder/debian} system=$folder/base
  [ -d "$debian" ] || make_debian "$debian"
  cp -a "$debian" "$system"
  install "$node" "$system/usr/local/bin/node"
  mkdir -p "$system/usr/local/lib/node_modules"
  cp -a "$(dirname "$(dirname "$(realpath "$npm")")")" "$system/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$system/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$system/usr/local/bin/npx"
  useradd --root "$system" --create-home --uid 1000 --shell /bin/bash node
  container=$(b from scratch)
  b add --quiet "$container" "$system" / >/dev/null
  b config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  b commit --quiet --rm "$container" "$BASE" >/dev/null
  rm -rf "$system"
}

# What this machine's npm needs to reach its registry: its settings and the certificates they name, or those of Node.
npm_settings() {
  local setting file ca=${NODE_EXTRA_CA_CERTS:-}
  if [ -f "$ca" ] && [ ! -f "$("$npm" config get cafile)" ]; then
    file=$("$npm" config get userconfig)
    { [ ! -f "$file" ] || cat "$file"; echo "cafile=$ca"; } >"$folder/npmrc"
    printf -- '--volume=%s:ro\n' "$folder/npmrc:/root/.npmrc" "$ca:$ca"
    set -- globalconfig
  else
    set -- globalconfig userconfig cafile
  fi
  for setting in "$@"; do
    file=$("$npm" config get "$setting" 2>/dev/null)
    [ -f "$file" ] || continue
    [ "$setting" != userconfig ] || { echo "--volume=$file:/root/.npmrc:ro"; continue; }
    [ "$setting" != globalconfig ] || { echo "--volume=$file:/usr/local/etc/npmrc:ro"; continue; }
    echo "--volume=$file:$file:ro"
  done
}

size_mb() {
  local container
  container=$(b from --pull-never "$1")
  echo $(($(du --apparent-size --block-size=1 --summarize "$(b mount "$container")" | cut -f1) / 1000000))
  b rm "$container" >/dev/null
}

echo 'Making the base'
make_base

echo 'Building the image'
SECONDS=0
mapfile -t settings < <(npm_settings)
b bud --quiet --pull-never --format docker --build-arg "NODE_IMAGE=$BASE" --tag "$IMAGE" "${settings[@]}" . >"$folder/log" 2>&1 \
  || { tail -n 40 "$folder/log" >&2; fail 'The image cannot be built.'; }
built=$SECONDS
base_mb=$(size_mb "$BASE")
image_mb=$(size_mb "$IMAGE")

container=$(b from --pull-never "$IMAGE")
root=$(b mount "$container")
above_mb=$((image_mb - base_mb))
echo "Built in $built s. $above_mb MB above its base of $base_mb MB, of which:"
du --apparent-size --block-size=1MB --max-depth=2 "$root/app" | sort -rn | sed -n "2,8s#$root##p"
[ "$above_mb" -le "$LIMIT_MB" ] || fail "The image has more than $LIMIT_MB MB above its base."
unwanted=$(find "$root/app" \( -name '*.test.*' -o -name '*.ts' -o -name esbuild -o -name typescript -o -name vitest \) -print -quit)
[ -z "$unwanted" ] || fail "The image has compilers, sources or tests, such as ${unwanted#"$root"}."

# A program that starts the image as its configuration says, with the settings of a test, on the network and the temporary
# folders of this machine.
mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /tmp "$root/tmp"
config() {
  b inspect --type image --format "{{range .OCIv1.Config.$1}}{{printf \"%q \" .}}{{end}}" "$IMAGE"
}
cat >"$folder/tocsin" <<PROGRAM
#!/usr/bin/env bash
mapfile -t settings < <(env | grep -E '^[A-Z_]+=' | grep -vE '^(PATH|HOME|PWD|OLDPWD|SHLVL|_|TMPDIR|NODE_COMPILE_CACHE)=')
if [ -n "\${DATA_DIR:-}" ]; then # of a test, which runs as root
  mkdir -p "\$DATA_DIR" && chown -R --reference="$root/data" "\$DATA_DIR" && chmod o+x "\$(dirname "\$DATA_DIR")"
fi
exec chroot --userspec=node:node "$root" env --ignore-environment --chdir=/app $(config Env) "\${settings[@]}" $(config Cmd) "\$@"
PROGRAM
chmod 755 "$folder" "$folder/tocsin"

echo 'Its commands:'
chroot --userspec=node:node "$root" env --ignore-environment --chdir=/app PATH=/usr/local/bin:/usr/bin:/bin HOME=/tmp \
  npm start --silent -- --help | grep '^npm start' || fail '`npm start -- --help` does not work in the image.'
tests=("$@")
[ ${#tests[@]} != 0 ] || tests=(test/e2e/main-job.test.ts test/e2e/newcomer.test.ts)
TOCSIN_PROGRAM=$folder/tocsin npm exec -- vitest run --mode all --project e2e "${tests[@]}"
