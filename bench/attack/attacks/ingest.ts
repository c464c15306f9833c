import { gzipSync } from 'node:zlib';
import { createIngestBombs, type IngestBomb } from '../../../test/support/attacks/ingest-bombs.ts';
import { type Attack, defineAttack } from '../attack.ts';
import type { Target } from '../target.ts';
import { readMemory } from './memory.ts';

const TIMES = 6;
const MAX_MEMORY_MB = 700;

/** Sends one bomb several times at once, and single events of another sender meanwhile. */
async function explode(target: Target, { path, headers, body }: IngestBomb) {
  const memory = readMemory(target);
  const other = await target.createKey('ingest');
  const startedAt = performance.now();
  const bombs = Array.from({ length: TIMES }, async () => {
    const { status } = await target.call('POST', path, { key: target.keys.ingest, headers, body });
    return status;
  });
  const event = await target.call('POST', '/v1/generic', {
    key: other,
    body: { service: 'quiet', summary: 'another sender', type: 'log' },
  });
  const statuses = await Promise.all(bombs);
  return { statuses, other: event.status, tookMs: performance.now() - startedAt, memoryMb: await memory.stop() };
}

/** Creating them takes seconds, so only a run that needs them does. */
export function createBombAttacks(): Attack[] {
  return createIngestBombs().map((bomb) =>
    defineAttack({
      name: `${TIMES} at once: ${bomb.name}`,
      isQuick: false,
      run: (target) => explode(target, bomb),
      describe: ({ statuses, other, tookMs, memoryMb }) =>
        `${[...new Set(statuses)].join(', ')} after ${tookMs.toFixed(0)} ms; another sender ${other}; ${memoryMb} MB`,
      isHeld: ({ statuses, other, memoryMb }) =>
        statuses.every((status) => status === bomb.status || status === 503) &&
        other === 200 &&
        memoryMb < MAX_MEMORY_MB,
    }),
  );
}

export const ingestAttacks: readonly Attack[] = [
  defineAttack({
    name: 'a body of the wrong length, encoding or type',
    isQuick: true,
    async run(target) {
      const send = (headers: Record<string, string>, body: Uint8Array<ArrayBuffer> | string) =>
        target.call('POST', '/v1/traces', { key: target.keys.ingest, headers, body });
      const answers = await Promise.all([
        send({ 'content-encoding': 'gzip' }, 'no gzip'),
        send({ 'content-encoding': 'br' }, '{}'),
        send({ 'content-encoding': 'gzip, gzip' }, Uint8Array.from(gzipSync(gzipSync('{}')))),
        send({ 'content-type': 'text/html' }, '{}'),
        send({ 'content-type': 'application/x-protobuf' }, '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'),
        target.call('POST', '/v1/integrations', { body: 'x'.repeat(300_000) }),
      ]);
      return answers.map(({ status }) => status);
    },
    describe: (statuses) => statuses.join(', '),
    isHeld: (statuses) => statuses.every((status) => status >= 400 && status < 500),
  }),
];
