import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { HANG_MS } from './hang.ts';

const BINARY = '/usr/sbin/nats-server';

export const HAS_NATS = existsSync(BINARY);

/** A server of NATS with JetStream on loopback, or one of a cluster. */
export interface NatsNode {
  /** Starts it, on what it stored before. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Keeps it from answering. */
  stop(): Promise<void>;
  goOn(): void;
  pid(): number;
}

export interface NatsServer extends AsyncDisposable {
  readonly url: string;
  readonly nodes: readonly [NatsNode, ...NatsNode[]];
}

/** @param count more than one: a cluster */
export async function startNats(count = 1): Promise<NatsServer> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'nats-'));
  scope.defer(() => rm(folder, { recursive: true }));
  const ports = await Promise.all(Array.from({ length: count }, () => Promise.all([freePort(), freePort()])));
  const routes = ports.map(([, route]) => `nats://127.0.0.1:${route}`).join(',');
  const nodes = ports.map(([port, route], index) => {
    const cluster = ['--cluster_name', 'test', '--cluster', `nats://127.0.0.1:${route}`, '--routes', routes];
    const args = ['-a', '127.0.0.1', '-p', `${port}`, '-n', `n${index}`, '-js', '-sd', join(folder, `${index}`)];
    return createNode(port, [...args, ...(count > 1 ? cluster : [])]);
  });
  for (const node of nodes) {
    scope.defer(() => node.kill());
  }
  await Promise.all(nodes.map((node) => node.start()));
  const [first, ...others] = nodes;
  if (first === undefined) {
    throw new Error('a cluster has nodes');
  }
  const owned = scope.move();
  return {
    url: `nats://${ports.map(([port]) => `127.0.0.1:${port}`).join(',')}`,
    nodes: [first, ...others],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function createNode(port: number, args: readonly string[]): NatsNode {
  let child: ChildProcess | null = null;
  return {
    async start() {
      child = spawn(BINARY, args, { stdio: 'ignore' });
      await until(() => takesConnections(port));
    },
    async kill() {
      if (child !== null && child.exitCode === null && child.signalCode === null) {
        const closed = once(child, 'close');
        child.kill('SIGKILL');
        await closed;
      }
    },
    async stop() {
      child?.kill('SIGSTOP');
      await until(async () => / T /.test(await readFile(`/proc/${child?.pid}/stat`, 'utf8')));
    },
    goOn: () => child?.kill('SIGCONT'),
    pid: () => child?.pid ?? 0,
  };
}

/** Also for programs without vitest. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + HANG_MS;
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) {
      throw new Error('nats-server does not start or stop');
    }
    await delay(50);
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.end());
  });
}
