import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../numbers.ts';
import { type Attack, defineAttack } from '../attack.ts';
import type { Target } from '../target.ts';
import { spansOf } from './telemetry.ts';

const PEERS = 80_000;
const SPANS_PER_REQUEST = 5_000;
/** One integration may not open more than this with 10,000 different failures. */
const MAX_INCIDENTS = 500;

/** The median time of an event of another failure each time, sent alone. Each one is correlated. */
async function timeEvents(target: Target): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 15; index += 1) {
    const startedAt = performance.now();
    const body = { service: 'quiet', summary: 'a single event', dedup_key: randomUUID() };
    await (await target.call('POST', '/v1/generic', { body })).body?.cancel();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

async function countIncidents(target: Target): Promise<number> {
  const { total } = (await (await target.call('GET', '/v1/incidents?limit=1')).json()) as { total: number };
  return total;
}

/** Waits until no incident was opened for a while. @returns how many there are */
async function settledIncidents(target: Target): Promise<number> {
  let before = -1;
  let count = await countIncidents(target);
  while (count !== before) {
    before = count;
    await sleep(8_000); // longer than a group of signals waits
    count = await countIncidents(target);
  }
  return count;
}

export const floodAttacks: readonly Attack[] = [
  defineAttack({
    name: `${PEERS.toLocaleString('en')} made-up peer services by one ingest key`,
    isQuick: false,
    settings: {},
    async run(target) {
      const beforeMs = await timeEvents(target);
      for (let sent = 0; sent < PEERS; sent += SPANS_PER_REQUEST) {
        const body = spansOf('liar', SPANS_PER_REQUEST, { peer: (index) => `made-up-${sent + index}` });
        await (await target.call('POST', '/v1/traces', { key: target.keys.ingest, body })).body?.cancel();
      }
      return { beforeMs, afterMs: await timeEvents(target) };
    },
    describe: ({ beforeMs, afterMs }) => `one event takes ${afterMs.toFixed(1)} ms, before ${beforeMs.toFixed(1)} ms`,
    isHeld: ({ beforeMs, afterMs }) => afterMs < Math.max(2 * beforeMs, 20),
  }),
  defineAttack({
    name: '10,000 different failures by one ingest key',
    isQuick: false,
    settings: {},
    async run(target) {
      for (let request = 0; request < 10; request += 1) {
        const body = Array.from({ length: 1_000 }, (_, index) => ({
          service: `made-up-${request}-${index}`,
          summary: `failure number ${request * 1_000 + index} of its own kind`,
          dedup_key: `${request}-${index}`,
        }));
        await (await target.call('POST', '/v1/generic', { key: target.keys.ingest, body })).body?.cancel();
      }
      const opened = await settledIncidents(target);
      await target.call('POST', '/v1/generic', { body: { service: 'honest', summary: 'another sender' } });
      return { opened, others: (await settledIncidents(target)) - opened };
    },
    describe: ({ opened, others }) =>
      `${opened} incidents; another sender ${others === 1 ? 'opens its own' : 'opens none'}`,
    isHeld: ({ opened, others }) => opened <= MAX_INCIDENTS && others === 1,
  }),
  defineAttack({
    name: 'a webhook with 14,000 event types',
    isQuick: false,
    async run(target) {
      const events = Array.from({ length: 14_000 }, () => 'incident.opened');
      const body = { type: 'webhook', config: { url: 'https://192.0.33.8/hooks', events } };
      const { status } = await target.call('POST', '/v1/integrations', { body });
      const list = await (await target.call('GET', '/v1/integrations')).text();
      return { status, bytes: list.length };
    },
    describe: ({ status, bytes }) => `${status}; the list has ${bytes.toLocaleString('en')} bytes`,
    isHeld: ({ status, bytes }) => status === 422 && bytes < 100_000,
  }),
];
