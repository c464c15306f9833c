#!/usr/bin/env bash
# Installs the Debian packages that the gate needs, if they are missing.
set -euo pipefail

# Run level 1: installing a server does not start it.
as_root=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
if [ "$(id -u)" != 0 ]; then
  as_root=(sudo -n "${as_root[@]}")
fi

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
compgen -G '/usr/sbin/pgbouncer' >/dev/null || missing+=(pgbouncer)
compgen -G '/usr/sbin/haproxy' >/dev/null || missing+=(haproxy)
compgen -G '/usr/bin/patroni' >/dev/null || missing+=(patroni)
compgen -G '/usr/bin/etcd' >/dev/null || missing+=(etcd-server)
command -v prometheus-alertmanager >/dev/null || missing+=(prometheus-alertmanager)
command -v prometheus >/dev/null || missing+=(prometheus)
compgen -G '/usr/sbin/nats-server' >/dev/null || missing+=(nats-server)
compgen -G '/usr/sbin/smtpd' >/dev/null || missing+=(opensmtpd)
command -v radicale >/dev/null || missing+=(radicale)
compgen -G '/usr/sbin/rsyslogd' >/dev/null || missing+=(rsyslog)
compgen -G '/usr/sbin/collectd' >/dev/null || missing+=(collectd-core libmicrohttpd12 libprotobuf-c1 libyajl2 libcurl3-gnutls)
compgen -G '/usr/sbin/icinga2' >/dev/null || missing+=(icinga2-bin icinga2-common)
compgen -G '/usr/sbin/nagios4' >/dev/null || missing+=(nagios4-core)
compgen -G '/usr/lib/nagios/plugins/check_tcp' >/dev/null || missing+=(monitoring-plugins-basic)
compgen -G '/usr/sbin/zabbix_server' >/dev/null || missing+=(zabbix-server-pgsql)
if [ ${#missing[@]} != 0 ] &&
  ! { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; }; then
  echo "The gate needs the Debian packages ${missing[*]}, but apt-get cannot install them here: install them by hand." >&2
  exit 1
fi

# Optional: a test of local Slack with Slack's Python SDK. Not every release of Debian has this package.
if ! /usr/bin/python3 -c 'import slack_sdk' 2>/dev/null && apt-cache show python3-slack-sdk >/dev/null 2>&1; then
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends python3-slack-sdk || true
fi
