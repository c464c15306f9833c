import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

export interface DebianServer extends AsyncDisposable {
  readonly port: number;
  /** For what it stores; other users may enter it. */
  readonly folder: string;
}

/**
 * Starts a server of a package of Debian on loopback, and waits until it takes connections. A package that is missing is an
 * error: the gate installs it.
 *
 * @param files what it is configured by, by name
 * @param args one that is the name of a file becomes its path
 */
export async function startDebianServer(given: {
  readonly binary: string;
  readonly package: string;
  readonly files: (port: number, folder: string) => Readonly<Record<string, string>>;
  readonly args: readonly string[];
}): Promise<DebianServer> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), `${given.package}-`));
  scope.defer(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o777);
  const port = await freePort();
  const files = given.files(port, folder);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
  }
  const args = given.args.map((arg) => (arg in files ? join(folder, arg) : arg));
  const child = spawn(given.binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.once('error', () => resolve(`is missing: install Debian's ${given.package} (.ci/debian-packages.sh does)`));
    child.once('close', (code) => resolve(`has ended with ${code}: ${said}`));
  });
  scope.defer(async () => {
    child.kill();
    await ended;
  });
  const isListening = vi.waitUntil(() => takesConnections(port), { timeout: 30_000 }).then(() => null);
  const why = await Promise.race([ended, isListening]);
  if (why !== null) {
    throw new Error(`${given.binary} ${why}`);
  }
  const owned = scope.move();
  return { port, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.end());
  });
}
