#!/usr/bin/env bash
# Installs the Debian packages that the gate needs, unless they are there.
set -euo pipefail

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
command -v prometheus-alertmanager >/dev/null || missing+=(prometheus-alertmanager)
if [ ${#missing[@]} = 0 ]; then
  exit
fi
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" != 0 ]; then
  as_root=(sudo -n "${as_root[@]}")
fi
if ! { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; }; then
  echo "The gate needs the Debian packages ${missing[*]}, but apt-get cannot install them here: install them by hand." >&2
  exit 1
fi
