import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from './free-port.ts';

export interface DebianServer extends AsyncDisposable {
  readonly port: number;
  /** For what it stores; other users may enter it. */
  readonly folder: string;
}

/**
 * Starts a server of a package of Debian on loopback, and waits until it takes connections. A package that is missing is an
 * error: the gate installs it.
 *
 * @param files what it is configured by, by name; null: a folder
 * @param args one that is the name of a file becomes its path, and `$folder` that of the folder
 * @param ready the file that it makes once it works; absent: it takes connections on the port
 */
export async function startDebianServer(given: {
  readonly binary: string;
  readonly package: string;
  readonly files: (port: number, folder: string) => Readonly<Record<string, string | null>>;
  readonly args: readonly string[];
  readonly ready?: string;
}): Promise<DebianServer> {
  await using scope = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), `${given.package}-`));
  scope.defer(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o777);
  const port = await freePort();
  const files = given.files(port, folder);
  for (const [name, text] of Object.entries(files)) {
    if (text === null) {
      await mkdir(join(folder, name));
      await chmod(join(folder, name), 0o777);
    } else {
      await writeFile(join(folder, name), text);
    }
  }
  const args = given.args.map((arg) => (arg in files ? join(folder, arg) : arg.replaceAll('$folder', folder)));
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
  const { ready } = given;
  const works = () => (ready === undefined ? takesConnections(port) : existsSync(join(folder, ready)));
  const isReady = vi.waitUntil(works, { timeout: 30_000 }).then(() => null);
  const why = await Promise.race([ended, isReady]);
  if (why !== null) {
    throw new Error(`${given.binary} ${why}`);
  }
  const owned = scope.move();
  return { port, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.end());
  });
}
