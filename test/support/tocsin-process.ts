import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Readiness } from '../../src/contract/health.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The words of the `npm start` script, without its `exec`. */
export const START_COMMAND: readonly string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  .scripts.start.replace(/^exec /, '')
  .split(' ');

/** Lines before the banner begin with it: what is done next. */
export const STEP = 'Starting ';

/** A process that runs Tocsin as `npm start` does, on free ports, with its own data folder. */
export interface TocsinProcess extends AsyncDisposable {
  readonly url: string;
  readonly localSlackUrl: string | null;
  readonly dataDir: string;
  readonly pid: number;
  /** The lines of its banner. */
  readonly banner: readonly string[];
  /** Standard error so far. */
  log(): string;
  readiness(): Promise<Readiness>;
  /** Sends the signal and waits. @returns the exit code, null if the signal ended the process */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * @param env settings; a given `DATA_DIR` is not removed at the end
 * @param args the part to run alone, if any
 * @param root folder of another version
 */
export async function startTocsin(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  root = ROOT,
): Promise<TocsinProcess> {
  await using scope = new AsyncDisposableStack();
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'tocsin-e2e-')));
  if (env.DATA_DIR === undefined) {
    scope.defer(() => rm(dataDir, { recursive: true, force: true }));
  }
  const settings = { DATA_DIR: dataDir, PORT: '0', LOCAL_SLACK_PORT: '0', POLL_SECONDS: '1', ...env };
  const child = spawnTocsin(settings, args, root);
  const exited = once(child, 'exit');
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  scope.defer(async () => void (await stop()));
  const errors: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const log = () => errors.join('');
  const banner = await readBanner(child, exited, log);
  const url = [/(\S+)\/readyz/, /(\S+)\/dashboard/]
    .map((address) => banner.join('\n').match(address)?.[1])
    .find(Boolean);
  if (url === undefined) {
    throw new Error(`no address in the banner:\n${banner.join('\n')}`);
  }
  const resources = scope.move();
  return {
    url,
    localSlackUrl: banner[0]?.match(/http:\/\/\S+/)?.[0] ?? null,
    dataDir,
    pid: child.pid ?? 0,
    banner,
    log,
    readiness: async () => Readiness.parse(await (await fetch(`${url}/readyz`)).json()),
    stop,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Runs one part of Tocsin until disposed of. */
export async function startPart(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly banner: readonly string[] }> {
  const child = spawnTocsin({ LOCAL_SLACK_PORT: '0', ...env }, args);
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const banner = await readBanner(child, exited, () => errors);
  return {
    banner,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Runs Tocsin until it exits by itself. */
export async function runTocsin(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawnTocsin(env, args);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** Starts Tocsin through npm, as an operator does. */
export function spawnNpmStart(env: Readonly<Record<string, string>>): ReturnType<typeof spawnHere> {
  return spawnHere('npm', ['start', '--silent'], env);
}

/** `TOCSIN_PROGRAM` starts an image instead (`.ci/image.sh`). */
function spawnTocsin(env: Readonly<Record<string, string>>, args: readonly string[] = [], root = ROOT): ChildProcess {
  const program = process.env.TOCSIN_PROGRAM;
  return program === undefined
    ? spawnHere(process.execPath, [...START_COMMAND.slice(1), ...args], env, root)
    : spawnHere(program, args, env);
}

/**
 * Passes on only what a fresh machine has in its environment, a cache of compiled code, and the given settings. Processes
 * stop without draining unless `DRAIN_SECONDS` is given.
 */
export function spawnHere(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = ROOT,
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(command, args, { cwd, env: { ...surroundings(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The same for a line that somebody types into a terminal. Ctrl-C goes to all its processes: `process.kill(-pid)`. */
export function spawnLine(
  line: string,
  env: Readonly<Record<string, string>>,
): ChildProcessByStdio<Writable, Readable, Readable> {
  const options = { cwd: ROOT, env: { ...surroundings(), ...env }, detached: true } as const;
  return spawn('sh', ['-c', line], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
}

function surroundings(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '', TMPDIR = tmpdir(), NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, DRAIN_SECONDS: '0' };
}

async function readBanner(child: ChildProcess, exited: Promise<unknown>, log: () => string): Promise<string[]> {
  if (child.stdout === null) {
    throw new Error('no standard output');
  }
  const lines: string[] = [];
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith(STEP) && lines.push(line) === 3) {
      resolve();
    }
  });
  await Promise.race([complete, exited]);
  if (child.exitCode !== null) {
    throw new Error(`Tocsin ended with code ${child.exitCode}:\n${log()}`);
  }
  return lines;
}
