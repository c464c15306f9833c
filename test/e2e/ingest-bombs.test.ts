import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { createRawKey } from '../../src/service/store/keys/key-secret.ts';
import { createIngestBombs } from '../support/attacks/ingest-bombs.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTocsin, type TocsinProcess } from '../support/tocsin-process.ts';

const AT_ONCE = 6;
const POLL_MS = 20;
const LONGEST_BLOCK_MS = 1_000;
const MOST_MEMORY_KB = 700 * 1024;
/** The kernel counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Without keep-alive: an idle connection may be closed while the machine is busy. */
const dispatcher = new Agent({ pipelining: 0 });

it('refuses bombs of one sender while it stays alive, small and open to another', async () => {
  await using database = await createTestDatabase();
  const readWriteKey = createRawKey('read-write').rawKey;
  const settings = { DATABASE_URL: database.url, BOOTSTRAP_API_KEY: readWriteKey, RATE_LIMIT_PER_MINUTE: '0' };
  await using tocsin = await startTocsin(settings, ['service']);
  const [attackerKey, senderKey] = [
    await createIngestKey(tocsin.url, readWriteKey),
    await createIngestKey(tocsin.url, readWriteKey),
  ];
  const bombs = createIngestBombs();
  const waiting = [...bombs];
  const answers: Record<string, number> = {};
  const stop = new AbortController();

  const longestBlockMs = measureBlocking(tocsin, stop.signal);
  const events = sendEvents(tocsin.url, senderKey, stop.signal);
  const attackers = Array.from({ length: AT_ONCE }, async () => {
    for (let bomb = waiting.shift(); bomb !== undefined; bomb = waiting.shift()) {
      const headers = { ...bomb.headers, authorization: `Bearer ${attackerKey}` };
      const response = await fetch(`${tocsin.url}${bomb.path}`, {
        method: 'POST',
        headers,
        body: bomb.body,
        dispatcher,
      });
      await response.body?.cancel();
      answers[bomb.name] = response.status;
    }
  });
  await Promise.all(attackers);
  stop.abort();

  expect(answers).toEqual(Object.fromEntries(bombs.map(({ name, status }) => [name, status])));
  expect(await longestBlockMs).toBeLessThan(LONGEST_BLOCK_MS);
  expect(new Set(await events)).toEqual(new Set([200]));
  expect(await readPeakMemoryKb(tocsin.pid)).toBeLessThan(MOST_MEMORY_KB);
});

async function createIngestKey(url: string, readWriteKey: string): Promise<string> {
  const response = await fetch(`${url}/v1/integrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readWriteKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'otlp' }),
    dispatcher,
  });
  return Integration.parse(await response.json()).ingest_key ?? '';
}

/**
 * Asks whether the process is alive until stopped. What counts is how long it worked before it answered, because the time
 * on the clock depends on what else the machine does.
 *
 * @returns the most processor time that it used between a question and the answer, in milliseconds
 */
async function measureBlocking({ url, pid }: TocsinProcess, stop: AbortSignal): Promise<number> {
  let longestMs = 0;
  while (!stop.aborted) {
    const startedAt = await readProcessorMs(pid);
    await (await fetch(`${url}/healthz`, { dispatcher })).body?.cancel();
    longestMs = Math.max(longestMs, (await readProcessorMs(pid)) - startedAt);
    await pause(POLL_MS);
  }
  return longestMs;
}

/** Sends one event after the other until stopped. @returns the statuses */
async function sendEvents(url: string, key: string, stop: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  while (!stop.aborted) {
    const body = JSON.stringify({ service: 'backup', summary: 'the nightly backup failed' });
    const response = await fetch(`${url}/v1/generic`, { method: 'POST', headers, body, dispatcher });
    await response.body?.cancel();
    statuses.push(response.status);
    await pause(POLL_MS);
  }
  return statuses;
}

/** The processor time of all threads of a process (fields `utime` and `stime` of proc(5)). */
async function readProcessorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}

/** The most memory that the process has had in use, by the kernel. */
async function readPeakMemoryKb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/^VmHWM:\s+(\d+) kB$/m)?.[1]);
}
