import { join } from 'node:path';

/** What Patroni is told about a server. */
export function describeNode(node: {
  readonly name: string;
  readonly home: string;
  readonly binaries: string;
  readonly ownPort: number;
  readonly port: number | undefined;
  readonly restPort: number;
  readonly restPeerPort: number | undefined;
  readonly etcdPort: number | undefined;
}) {
  const { name, home, binaries, ownPort, port, restPort, restPeerPort, etcdPort } = node;
  const trust = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return {
    scope: 'tocsin',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPeerPort}` },
    // Otherwise it asks etcd for its addresses and goes around the proxy.
    etcd3: { hosts: [`127.0.0.1:${etcdPort}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: 20, // the least that Patroni takes
        loop_wait: 1,
        retry_timeout: 3,
        primary_start_timeout: 0,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 200,
            wal_log_hints: 'on',
            // A standby that was away needs it from a primary that has no slot for it yet.
            wal_keep_size: '2GB',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: `127.0.0.1:${ownPort}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: join(home, 'data'),
      bin_dir: binaries,
      pgpass: join(home, 'pgpass'),
      pg_hba: trust,
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'postgres' },
        rewind: { username: 'postgres' },
      },
      parameters: { unix_socket_directories: home, wal_receiver_timeout: '5s', wal_sender_timeout: '5s' },
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  };
}
