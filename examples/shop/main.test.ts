import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';
import { startOtlpReceiver } from './otlp-receiver.ts';
import { checkTocsin, readApiKey } from './tocsin.ts';

const PROGRAM = join(import.meta.dirname, 'main.ts');
const API_KEY = 'tcn_rw_secret';

let dataDir = '';

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'shop-'));
  await mkdir(join(dataDir, 'keys'));
  await writeFile(join(dataDir, 'keys', 'shop.key'), `${API_KEY}\n`);
});

afterEach(() => rm(dataDir, { recursive: true }));

function startProgram(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], { env: { DATA_DIR: dataDir, ...env } });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.kill('SIGKILL')) {
        await once(child, 'close');
      }
    },
    /** Resolves with the next line that matches. */
    async line(pattern: RegExp): Promise<string> {
      for await (const [line] of on(lines, 'line', { signal: AbortSignal.timeout(120_000) })) {
        if (pattern.test(String(line))) {
          return String(line);
        }
      }
      throw new Error('unreachable: the iterator ends by throwing');
    },
  };
}

/** Runs the program until it exits. */
async function runProgram(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM], { env: { DATA_DIR: dataDir, ...env } });
  child.stdin.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}

describe('npm run shop', () => {
  it('says what to do if Tocsin is not running', async () => {
    await using receiver = await startOtlpReceiver();
    await receiver[Symbol.asyncDispose]();

    const ended = await runProgram({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });

    expect(ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Tocsin does not respond at http:\S+: start Tocsin first with `npm start`.*\n$/),
    });
  });

  it('says what to do without a key', async () => {
    const key = readApiKey({ DATA_DIR: join(dataDir, 'empty') }, undefined);

    await expect(key).rejects.toThrow(/^There is no readable API key at \S+shop\.key: start Tocsin first/);
  });

  it('reports a refused key without showing it', async () => {
    await using receiver = await startOtlpReceiver();
    receiver.answerWith(401);

    const checked = checkTocsin(receiver.endpoint, API_KEY);

    await expect(checked).rejects.toThrow(/^Tocsin at \S+ refuses the shop's API key: /);
    await expect(checked).rejects.not.toThrow(API_KEY);
  });

  it('lists the faults with what Tocsin should do', () => {
    expect(readOptions(['--list']).printout?.match(/(root: \S+|no incident)$/gm)).toEqual([
      'root: payments',
      'root: orders-db',
      'root: inventory',
      'root: bank-gateway',
      'root: orders-db',
      'root: catalog',
      'root: card-network',
      'root: catalog',
      'no incident',
    ]);
  });

  it('breaks in several ways after a while', () => {
    expect(readOptions(['--break', 'inventory,payments', '--break-after', '0.1', '--for', '3'])).toMatchObject({
      faults: ['inventory', 'payments'],
      breakAfterSeconds: 0.1,
      forSeconds: 3,
    });
  });

  it.each([
    [['--break', 'payments,coffee'], /^There is no fault coffee; choose one of these:\n {2}payments /],
    [['--rate', 'fast'], /^--rate fast is invalid/],
    [['--brake', 'payments'], /^Unknown option '--brake'/],
  ])('rejects %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  it('breaks and fixes the shop as typed, and exits cleanly', async () => {
    await using receiver = await startOtlpReceiver();
    await using shop = startProgram({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
    await shop.line(/Type the name of a fault/);

    shop.child.stdin.write('coffee\n');
    await shop.line(/There is no fault coffee/);
    shop.child.stdin.write('payments\n');
    await shop.line(/Tocsin should name payments as the root/);
    await receiver.until(() => receiver.spans.some(({ isError, service }) => isError && service === 'payments'));
    shop.child.stdin.write('fix\n');
    await shop.line(/Fixed/);
    const closed = Promise.all([once(shop.child, 'close'), shop.line(/The shop is closed/)]);
    shop.child.kill('SIGTERM');
    const [exit] = await closed;

    expect(exit).toEqual([0, null]);
    expect([...receiver.senders][0]).toContain(`Bearer ${API_KEY} `);
  });
});
