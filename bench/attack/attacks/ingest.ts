import { gzipSync } from 'node:zlib';
import { type Attack, defineAttack } from '../attack.ts';
import type { Target } from '../target.ts';
import { readMemory } from './memory.ts';

const MIB = 1024 * 1024;
const MAX_MEMORY_MB = 700;

interface Bomb {
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

function createBomb(path: string, type: string, before: string, piece: string, after: string, size = 64 * MIB): Bomb {
  const times = Math.floor((size - before.length - after.length) / piece.length);
  const text = Buffer.concat([
    Buffer.from(before, 'latin1'),
    Buffer.alloc(times * piece.length, piece, 'latin1'),
    Buffer.from(after, 'latin1'),
  ]);
  return { path, type, body: Uint8Array.from(gzipSync(text)) };
}

const JSON_TYPE = 'application/json';

const BOMBS: Readonly<Record<string, () => Bomb>> = {
  '22 million empty log records (JSON)': () =>
    createBomb('/v1/logs', JSON_TYPE, '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}', ',{}', ']}]}]}'),
  '22 million empty spans (JSON)': () =>
    createBomb('/v1/traces', JSON_TYPE, '{"resourceSpans":[{"scopeSpans":[{"spans":[{}', ',{}', ']}]}]}'),
  '33 million empty resources (protobuf)': () => createBomb('/v1/logs', 'application/x-protobuf', '', '\n\0', ''),
  'a log record nested millions of times (JSON)': () => createBomb('/v1/logs', JSON_TYPE, '{"a":', '[', ''),
  '1 GB of zeros': () => createBomb('/v1/traces', JSON_TYPE, '', '0', '', 1_024 * MIB),
};

/** Sends one bomb several times at once, and single events of another sender meanwhile. */
async function explode(target: Target, { path, type, body }: Bomb, times: number) {
  const memory = readMemory(target);
  const other = await target.createKey('ingest');
  const startedAt = performance.now();
  const bombs = Array.from({ length: times }, async () => {
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
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

const bombAttacks = Object.entries(BOMBS).map(([name, create]) =>
  defineAttack({
    name: `six at once: ${name}`,
    isQuick: false,
    run: (target) => explode(target, create(), 6),
    describe: ({ statuses, other, tookMs, memoryMb }) =>
      `${[...new Set(statuses)].join(', ')} after ${tookMs.toFixed(0)} ms; another sender ${other}; ${memoryMb} MB`,
    isHeld: ({ statuses, other, memoryMb }) =>
      statuses.every((status) => status >= 400) && !statuses.includes(500) && other === 200 && memoryMb < MAX_MEMORY_MB,
  }),
);

export const ingestAttacks: readonly Attack[] = [
  ...bombAttacks,
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
