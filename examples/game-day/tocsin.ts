import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { type Gate, openGate } from './gate.ts';

/** A Tocsin for the game day: service and bot are processes, with a gate between them. */
export interface Tocsin extends AsyncDisposable {
  readonly serviceUrl: string;
  readonly slackUrl: string;
  readonly gate: Gate;
  /** API key of the service. */
  readonly apiKey: string;
  /** Folder of its data and logs. */
  readonly folder: string;
  /** Keeps the folder after disposing. */
  keepFolder(): void;
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const START_MS = 120_000;

/** Starts Tocsin on free ports in a temporary folder. @throws Error with the log when a part does not start */
export async function startTocsin(): Promise<Tocsin> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-game-day-'));
  let isKept = false;
  started.defer(() => (isKept ? undefined : rm(folder, { recursive: true, force: true })));
  const settings = { DATA_DIR: folder, PORT: '0', LOCAL_SLACK_PORT: '0', POLL_SECONDS: '2' };
  const service = started.use(await startPart('service', folder, settings, /^Dashboard\s+(\S+?)\/dashboard\b/));
  const gate = started.use(await openGate(service.address));
  const [botKey, shopKey] = await Promise.all(
    ['bot', 'shop'].map(async (holder) => (await readFile(join(folder, `keys/${holder}.key`), 'utf8')).trim()),
  );
  const bot = started.use(
    await startPart(
      null,
      folder,
      { ...settings, INCIDENTS_BASE_URL: `${gate.url}/v1`, INCIDENTS_API_KEY: botKey ?? '' },
      /^Slack\s+(http\S+)/,
    ),
  );
  const owned = started.move();
  return {
    serviceUrl: service.address,
    slackUrl: bot.address,
    gate,
    apiKey: shopKey ?? '',
    folder,
    keepFolder() {
      isKept = true;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @param part null: all parts that the settings call for. @param address pattern of the address in the banner */
async function startPart(
  part: string | null,
  folder: string,
  settings: Readonly<Record<string, string>>,
  address: RegExp,
): Promise<AsyncDisposable & { readonly address: string }> {
  const logPath = join(folder, `${part ?? 'bot'}.log`);
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
  const child = spawn(process.execPath, [...process.execArgv, MAIN, ...(part === null ? [] : [part])], {
    env: { PATH, HOME, TMPDIR, DRAIN_SECONDS: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logPath);
  child.stderr.pipe(log);
  const stop = async (): Promise<void> => {
    await end(child);
    await finished(log);
  };
  try {
    return { address: await readAddress(child, address), [Symbol.asyncDispose]: stop };
  } catch (cause) {
    await stop();
    throw new Error(`the ${part ?? 'bot'} did not start:\n${await readFile(logPath, 'utf8')}`, { cause });
  }
}

async function readAddress(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) {
    throw new Error('no standard output');
  }
  const { promise: found, resolve, reject } = Promise.withResolvers<string>();
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      const address = line.match(pattern)?.[1];
      if (address !== undefined) {
        resolve(address);
      }
    })
    .once('close', () => reject(new Error('the process exited')));
  const timeout = setTimeout(() => reject(new Error(`no banner within ${START_MS / 1_000} s`)), START_MS);
  return await found.finally(() => clearTimeout(timeout));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}
