import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.ts';
import { type Target, waitUntil } from '../target.ts';

/** Attacks on what correlation learns, by one sender within the limits of ingest. The service is then killed and restarted. */

/** Processor time of a step; on a quiet machine 1 s. */
const MAX_STEP_SECONDS = 2.5;
const MAX_RECOVERY_MS = 60_000;
const WAVE_PAUSE_MS = 80_000;

/** A request as it is sent. */
interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

async function sendAll(target: Target, waves: readonly (readonly Request[])[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [index, wave] of waves.entries()) {
    await sleep(index === 0 ? 0 : WAVE_PAUSE_MS);
    for (const { path, ...request } of wave) {
      const answer = await target.call('POST', path, request);
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
  }
  await sleep(3_000); // a tick of the engine comes after its telemetry
  await waitUntil(MAX_RECOVERY_MS, async () => (await target.metric('tocsin_correlation_lag_seconds')) === 0);
  return statuses;
}

/** Whether an alert of another sender opens an incident. */
async function works(target: Target, name: string): Promise<boolean> {
  const service = `honest-${name}`;
  const { path, body } = toGeneric({ service, summary: 'another sender' });
  await (await target.call('POST', path, { body })).body?.cancel();
  return waitUntil(MAX_RECOVERY_MS, async () => {
    const answer = await target.call('GET', `/v1/incidents?service=${service}`);
    return ((await answer.json()) as { total: number }).total > 0;
  });
}

/** @returns the upper bound of its bucket, Infinity beyond the last */
async function longestStep(target: Target): Promise<number> {
  const text = await (await target.call('GET', '/metrics')).text();
  const buckets = [...text.matchAll(/^tocsin_correlation_step_cpu_seconds_bucket{le="([^"]+)"} (\d+)$/gm)];
  const all = Number(buckets.at(-1)?.[2] ?? 0);
  const [, bound] = buckets.find(([, , count]) => Number(count) === all) ?? [];
  return bound === undefined || bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
}

interface SpanFields {
  readonly at?: number;
  readonly name?: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly hasFailed?: boolean;
}

function spanOf({ at = Date.now(), name = 'GET /', hasFailed = false, ...ids }: SpanFields): object {
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    ...ids,
    name,
    kind: 2,
    startTimeUnixNano: `${Math.max(0, at - 20)}000000`,
    endTimeUnixNano: `${at}000000`,
    status: { code: hasFailed ? 2 : 1 },
  };
}

const RESOURCE = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] };

function toGeneric(body: object): Request {
  return { path: '/v1/generic', body };
}

function toTraces(spans: readonly object[]): Request {
  return compress('/v1/traces', { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }] });
}

function toLogs(logRecords: readonly object[]): Request {
  return compress('/v1/logs', { resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords }] }] });
}

function compress(path: string, body: object): Request {
  return { path, headers: { 'content-encoding': 'gzip' }, body: Uint8Array.from(gzipSync(JSON.stringify(body))) };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Operations with long names, each with 13 runs of 15 steps with names of their own. */
function madeUpSteps(operations: number): Request[] {
  const perRequest = 50;
  return range(operations / perRequest).map((request) =>
    toTraces(
      range(perRequest).flatMap((index) => {
        const operation = `operation ${request * perRequest + index}`.padEnd(100, 'x');
        return range(13).flatMap(() => {
          const traceId = randomBytes(16).toString('hex');
          const root = randomBytes(8).toString('hex');
          const steps = range(15).map(() => {
            const name = randomBytes(50).toString('hex').replaceAll(/\d/g, 'x');
            return spanOf({ traceId, parentSpanId: root, name });
          });
          return [spanOf({ traceId, spanId: root, name: operation }), ...steps];
        });
      }),
    ),
  );
}

function errorLines(): Request[] {
  return range(10).map(() =>
    toLogs(
      range(10_000).map(() => ({
        timeUnixNano: `${Date.now()}000000`,
        severityNumber: 17,
        body: { stringValue: `${randomBytes(30).toString('hex').replaceAll(/\d/g, ' ')} is gone` },
      })),
    ),
  );
}

function changes(): Request[] {
  return range(150).map((request) =>
    toGeneric(
      range(1_000).map((index) => ({ type: 'deploy', service: `made-up-${index}`, summary: `${request}.${index}` })),
    ),
  );
}

function oneTrace(): Request {
  const traceId = randomBytes(16).toString('hex');
  const idOf = (index: number) => (index + 1).toString(16).padStart(16, '0');
  return toTraces(
    range(20_000).map((index) =>
      spanOf({ traceId, spanId: idOf(index), ...(index > 0 && { parentSpanId: idOf(index - 1) }), hasFailed: true }),
    ),
  );
}

function assault(name: string, isQuick: boolean, prepare: () => readonly (readonly Request[])[]): Attack {
  return {
    name: `correlation: ${name}, and a restart`,
    isQuick,
    isAlone: true,
    async run(target) {
      const statuses = await sendAll(target, prepare());
      const isOpened = await works(target, 'during');
      const stepSeconds = await longestStep(target);
      return {
        text: `${[...new Set(statuses)].join(', ')}; steps under ${stepSeconds} s; other senders ${isOpened ? 'open' : 'DO NOT open'} incidents`,
        isHeld: isOpened && stepSeconds <= MAX_STEP_SECONDS,
      };
    },
    worksAgain: (restarted) => works(restarted, 'after'),
  };
}

export const correlationAttacks: readonly Attack[] = [
  assault('two spans, of 1970 and of now', true, () => [[toTraces([spanOf({ at: 1_000 }), spanOf({})])]]),
  assault('made-up steps of 100 operations', true, () => [madeUpSteps(100)]),
  assault('made-up steps of 400 operations in two waves', false, () => [madeUpSteps(400), madeUpSteps(400)]),
  assault('one trace of 20,000 failed spans', false, () => [[oneTrace()]]),
  assault('100,000 different error lines', false, () => [errorLines()]),
  assault('150,000 changes', false, () => [changes()]),
];
