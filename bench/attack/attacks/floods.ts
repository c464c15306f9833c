import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../numbers.ts';
import type { Attack } from '../attack.ts';
import type { Target } from '../target.ts';

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
  {
    name: `${PEERS.toLocaleString('en')} made-up peer services by one ingest key`,
    isQuick: false,
    isAlone: true,
    async run(target) {
      const beforeMs = await timeEvents(target);
      for (let sent = 0; sent < PEERS; sent += SPANS_PER_REQUEST) {
        const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => callTo(`made-up-${sent + index}`));
        const body = { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }] };
        await (await target.call('POST', '/v1/traces', { key: target.ingestKey, body })).body?.cancel();
      }
      const afterMs = await timeEvents(target);
      return {
        text: `one event takes ${afterMs.toFixed(1)} ms, before ${beforeMs.toFixed(1)} ms`,
        isHeld: afterMs < Math.max(2 * beforeMs, 20),
      };
    },
  },
  {
    name: '10,000 different failures by one ingest key',
    isQuick: false,
    isAlone: true,
    async run(target) {
      for (let request = 0; request < 10; request += 1) {
        const body = Array.from({ length: 1_000 }, (_, index) => ({
          service: `made-up-${request}-${index}`,
          summary: `failure number ${request * 1_000 + index} of its own kind`,
          dedup_key: `${request}-${index}`,
        }));
        await (await target.call('POST', '/v1/generic', { key: target.ingestKey, body })).body?.cancel();
      }
      const opened = await settledIncidents(target);
      await target.call('POST', '/v1/generic', { body: { service: 'honest', summary: 'another sender' } });
      const others = (await settledIncidents(target)) - opened;
      return {
        text: `${opened} incidents; another sender ${others === 1 ? 'opens its own' : 'opens none'}`,
        isHeld: opened <= MAX_INCIDENTS && others === 1,
      };
    },
  },
];

const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'liar' } }] };

function callTo(peer: string): object {
  const atMs = Date.now();
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'GET /',
    kind: 3,
    startTimeUnixNano: `${atMs - 20}000000`,
    endTimeUnixNano: `${atMs}000000`,
    attributes: [{ key: 'peer.service', value: { stringValue: peer } }],
    status: { code: 1 },
  };
}
