import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';
import { describeNode } from './node-config.ts';
import { childrenOf, endGroup, giveAway, isAlive, sendSignal, startProgram } from './programs.ts';
import { waitFor } from './wait-for.ts';

const NODES = 3;
const BINARIES = '/usr/lib/postgresql';
const START_MS = 120_000;
/** A server that was the primary rewinds its data first, or copies it anew. */
const WHOLE_MS = 300_000;
const LOG_CHARACTERS = 3_000;

/** A server of the cluster, with the Patroni that runs it. */
export interface Node {
  readonly name: string;
  /** Of the way that clients and the other servers take. */
  readonly port: number;
  /** The server itself. */
  readonly ownPort: number;
  isPrimary(): Promise<boolean>;
  /** Whether Patroni has it for the synchronous standby, which it may elect. It knows later than the primary does. */
  mayFollow(): Promise<boolean>;
  /** Kills Patroni, the server and all its processes at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
  freeze(): Promise<void>;
  /**
   * What a watchdog does to a frozen machine, as Patroni's manual asks for. A Patroni that merely goes on may still take
   * itself for the leader, and takes the lock from the new one.
   */
  reset(): Promise<void>;
  /** Cuts it off from clients, from the other servers and from etcd. */
  cut(): void;
  restore(): void;
  switchOver(): Promise<void>;
}

/** Three servers of Debian's PostgreSQL on loopback, run by Debian's Patroni and etcd, with synchronous replication. */
export interface PatroniCluster extends AsyncDisposable {
  readonly nodes: readonly Node[];
  /** For `DATABASE_URL`: names all servers. */
  readonly url: string;
  primary(): Promise<Node>;
  /** Waits until one primary has a synchronous standby, and all servers run. */
  whole(): Promise<Node>;
}

export async function startPatroniCluster(): Promise<PatroniCluster> {
  await using stack = new AsyncDisposableStack();
  let owner: AsyncDisposableStack = stack;
  endWhenInterrupted(() => owner.disposeAsync());
  const binaries = await findBinaries();
  const folder = await mkdtemp(join(await temporaryFolder(), 'tocsin-failover-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await giveAway(folder);
  const etcdPort = await startEtcd(folder, stack);
  const nodes: Node[] = [];
  for (let index = 0; index < NODES; index += 1) {
    const node = await startNode({ name: `node${index}`, folder, binaries, etcdPort, stack });
    nodes.push(node);
    if (index === 0) {
      await waitFor(() => node.isPrimary(), START_MS, 'the first primary').catch(tellLogs(folder, ['etcd', node.name]));
    }
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const primary = async (): Promise<Node> => {
    const found = await Promise.all(nodes.map(async (node) => ((await node.isPrimary()) ? node : null)));
    return found.find((node) => node !== null) ?? Promise.reject(new Error('no server accepts writes'));
  };
  const whole = () =>
    waitFor(
      async () => {
        const node = await primary().catch(() => null);
        const hasStandbys = node !== null && (await countStandbys(node)) === NODES - 1;
        return hasStandbys && (await Promise.all(nodes.map((each) => each.mayFollow()))).includes(true) ? node : null;
      },
      WHOLE_MS,
      'a primary with a synchronous standby',
    ).catch(
      tellLogs(
        folder,
        nodes.map(({ name }) => name),
      ),
    );
  const first = await whole();
  await query(first.ownPort, 'create database tocsin');
  const moved = stack.move();
  owner = moved;
  return {
    nodes,
    url: `postgres://postgres@${hosts}/tocsin?target_session_attrs=read-write`,
    primary,
    whole,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Adds to an error what the programs wrote last. */
function tellLogs(folder: string, programs: readonly string[]): (cause: unknown) => Promise<never> {
  return async (cause) => {
    const logs = programs.map(async (name) => {
      const text = await readFile(join(folder, name, 'log'), 'utf8').catch(String);
      return `--- ${name}\n${text.slice(-LOG_CHARACTERS)}`;
    });
    throw new Error(`${String(cause)}\n${(await Promise.all(logs)).join('\n')}`, { cause });
  };
}

/** The servers have process groups of their own, so a signal to this program does not end them. npm sends it twice. */
function endWhenInterrupted(end: () => Promise<void>): void {
  let isEnding = false;
  const endOnce = () => {
    if (!isEnding) {
      isEnding = true;
      void end().finally(() => process.exit(1));
    }
  };
  process.on('SIGINT', endOnce).on('SIGTERM', endOnce);
}

async function startEtcd(folder: string, stack: AsyncDisposableStack): Promise<number> {
  const [client, peer] = [await freePort(), await freePort()];
  const program = await startProgram('/usr/bin/etcd', join(folder, 'etcd'), [
    '--data-dir',
    join(folder, 'etcd', 'data'),
    '--listen-client-urls',
    `http://127.0.0.1:${client}`,
    '--advertise-client-urls',
    `http://127.0.0.1:${client}`,
    '--listen-peer-urls',
    `http://127.0.0.1:${peer}`,
    '--initial-advertise-peer-urls',
    `http://127.0.0.1:${peer}`,
    '--initial-cluster',
    `default=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
  ]);
  stack.defer(() => endGroup(program.pid));
  return client;
}

async function startNode(options: {
  readonly name: string;
  readonly folder: string;
  readonly binaries: string;
  readonly etcdPort: number;
  readonly stack: AsyncDisposableStack;
}): Promise<Node> {
  const { name, folder, binaries, etcdPort, stack } = options;
  const home = join(folder, name);
  const [ownPort, restPort] = [await freePort(), await freePort()];
  const proxies: readonly CuttableProxy[] = [
    stack.use(await startCuttableProxy(ownPort)),
    stack.use(await startCuttableProxy(etcdPort)),
    stack.use(await startCuttableProxy(restPort)),
  ];
  const [port, ownEtcdPort, restPeerPort] = proxies.map((proxy) => proxy.port);
  const configPath = join(home, 'patroni.json'); // YAML contains JSON
  await mkdir(home, { recursive: true });
  await giveAway(home);
  const config = describeNode({ name, home, binaries, ownPort, port, restPort, restPeerPort, etcdPort: ownEtcdPort });
  await writeFile(configPath, JSON.stringify(config));
  let patroni = 0;

  async function start(): Promise<void> {
    patroni = (await startProgram('/usr/bin/patroni', home, [configPath])).pid;
  }

  /** Patroni and the server, which has a process group of its own. */
  async function processes(): Promise<number[]> {
    const server = Number.parseInt(await readFile(join(home, 'data/postmaster.pid'), 'utf8').catch(() => ''), 10);
    return [patroni, ...(Number.isNaN(server) ? [] : [server, ...(await childrenOf(server))])];
  }

  const signal = async (name: NodeJS.Signals) => {
    const all = await processes();
    for (const pid of all) {
      sendSignal(pid, name);
    }
    return all;
  };

  async function kill(): Promise<void> {
    await signal('SIGSTOP'); // so that nothing is restarted meanwhile
    const all = await signal('SIGKILL');
    await waitFor(async () => all.every((pid) => !isAlive(pid)), 30_000, `the end of ${name}`);
  }

  await start();
  stack.defer(kill);
  return {
    name,
    port: port ?? 0,
    ownPort,
    isPrimary: () => isWritable(ownPort),
    async mayFollow() {
      const answer = await fetch(`http://127.0.0.1:${restPort}/synchronous`).catch(() => null);
      return answer?.ok === true;
    },
    kill,
    start,
    freeze: async () => void (await signal('SIGSTOP')),
    async reset() {
      await kill();
      await start();
    },
    cut() {
      for (const proxy of proxies) {
        proxy.cut();
      }
    },
    restore() {
      for (const proxy of proxies) {
        proxy.restore();
      }
    },
    async switchOver() {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ leader: name });
      const ask = async () =>
        (await fetch(`http://127.0.0.1:${restPort}/switchover`, { method: 'POST', headers, body })).ok;
      await waitFor(ask, 30_000, 'a switchover that Patroni accepts'); // it may not know the standby yet
    },
  };
}

async function isWritable(port: number): Promise<boolean> {
  const rows = await query<{ writable: boolean }>(
    port,
    `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable`,
  ).catch(() => []);
  return rows[0]?.writable === true;
}

/** Standbys that stream; 0 if none of them is synchronous. */
async function countStandbys({ ownPort }: Node): Promise<number> {
  const rows = await query<{ standbys: string }>(
    ownPort,
    `select count(*) filter (where state = 'streaming') * max((sync_state = 'sync')::integer) as standbys
     from pg_stat_replication`,
  ).catch(() => []);
  return Number(rows[0]?.standbys ?? 0);
}

async function query<Row extends object>(port: number, statement: string): Promise<Row[]> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 1_000,
    query_timeout: 2_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    void client.end().catch(() => undefined);
  }
}

async function findBinaries(): Promise<string> {
  const versions = await readdir(BINARIES).catch(() => []);
  const newest = versions.toSorted((one, other) => Number(one) - Number(other)).at(-1);
  const programs = ['/usr/bin/patroni', '/usr/bin/etcd'];
  const found = await Promise.all(
    programs.map((program) =>
      access(program).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (newest === undefined || found.includes(false)) {
    throw new Error("this needs Debian's packages postgresql, patroni and etcd-server (.ci/debian-packages.sh)");
  }
  return join(BINARIES, newest, 'bin');
}

/** Below the ports that the kernel gives to connections, which might take one before its program listens there. */
const PORTS = { from: 20_000, to: 32_767 };
const given = new Set<number>();

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to + 1);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) {
      server.close();
      await once(server, 'close');
    }
    if (isFree && !given.has(port)) {
      given.add(port);
      return port;
    }
  }
}

/** In memory: three servers on one slow disk would measure the disk. */
async function temporaryFolder(): Promise<string> {
  return access('/dev/shm').then(
    () => '/dev/shm',
    () => tmpdir(),
  );
}
