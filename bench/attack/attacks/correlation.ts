import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createRawKey } from '../../../src/service/store/keys/key-secret.ts';
import { startTocsin, type TocsinProcess } from '../../../test/support/tocsin-process.ts';
import { type Attack, defineAttack, watchHealth } from '../attack.ts';
import { waitUntil } from '../target.ts';

/** Attacks on what correlation learns, by one sender within the limits of ingest. The service is then killed and restarted. */

/** On a quiet machine 250 ms; this leaves room for a busy one. */
const MAX_HEALTH_MS = 1_000;
/** Processor time of a step; on a quiet machine 1 s. */
const MAX_STEP_SECONDS = 2.5;
const MAX_RECOVERY_MS = 60_000;
/** It starts two services. */
const MAX_ASSAULT_MS = 300_000;
const WAVE_PAUSE_MS = 80_000;

/** A request as it is sent. */
interface Request {
  readonly path: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

interface Victim {
  readonly url: string;
  /** @returns the status */
  post(request: Request): Promise<number>;
  metric(name: string): Promise<number>;
  /** Whether an alert opens an incident. */
  works(name: string): Promise<boolean>;
}

interface Seen {
  readonly statuses: ReadonlySet<number>;
  readonly healthMs: number | null;
  readonly healthAfterRestartMs: number | null;
  readonly longestStepSeconds: number;
  readonly works: readonly boolean[];
}

/** @param prepare creates the waves, before anything is measured in this process */
async function assault(prepare: () => readonly (readonly Request[])[]): Promise<Seen> {
  const waves = prepare();
  const { rawKey: key } = createRawKey('read-write');
  const env = { BOOTSTRAP_API_KEY: key, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' };
  await using first = await startTocsin(env, ['service']);
  const victim = victimOf(first, key);
  const [statuses, healthMs] = await watched(victim, () => sendAll(victim, waves));
  const worksNow = await victim.works('during');
  const longestStepSeconds = await longestStep(victim);
  await first.stop('SIGKILL');
  await using second = await startTocsin({ ...env, DATA_DIR: first.dataDir }, ['service']);
  const again = victimOf(second, key);
  const [worksAgain, healthAfterRestartMs] = await watched(again, () => again.works('after'));
  const works = [worksNow, worksAgain];
  return { statuses: new Set(statuses), healthMs, healthAfterRestartMs, longestStepSeconds, works };
}

async function sendAll(victim: Victim, waves: readonly (readonly Request[])[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [index, wave] of waves.entries()) {
    await sleep(index === 0 ? 0 : WAVE_PAUSE_MS);
    for (const request of wave) {
      statuses.push(await victim.post(request));
    }
  }
  return statuses;
}

/** Until all is correlated. */
async function watched<Result>(victim: Victim, work: () => Promise<Result>): Promise<readonly [Result, number | null]> {
  const over = new AbortController();
  const health = watchHealth(victim, over.signal);
  const result = await work();
  await sleep(3_000); // a tick of the engine comes after its telemetry
  await waitUntil(MAX_RECOVERY_MS, async () => (await victim.metric('tocsin_correlation_lag_seconds')) === 0);
  over.abort();
  return [result, await health];
}

function victimOf({ url }: Pick<TocsinProcess, 'url'>, key: string): Victim {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const post: Victim['post'] = async ({ path, body }) => {
    const encoding = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: { ...headers, ...encoding }, body });
    await answer.body?.cancel();
    return answer.status;
  };
  return {
    url,
    post,
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    },
    async works(name) {
      const service = `honest-${name}`;
      await post(toGeneric({ service, summary: 'another sender' }));
      return waitUntil(MAX_RECOVERY_MS, async () => {
        const answer = await fetch(`${url}/v1/incidents?service=${service}`, { headers });
        return ((await answer.json()) as { total: number }).total > 0;
      });
    },
  };
}

/** @returns the upper bound of its bucket, Infinity beyond the last */
async function longestStep(victim: Victim): Promise<number> {
  const text = await (await fetch(`${victim.url}/metrics`)).text();
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
  return { path: '/v1/generic', body: JSON.stringify(body) };
}

function toTraces(spans: readonly object[]): Request {
  return compress('/v1/traces', { resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ spans }] }] });
}

function toLogs(logRecords: readonly object[]): Request {
  return compress('/v1/logs', { resourceLogs: [{ resource: RESOURCE, scopeLogs: [{ logRecords }] }] });
}

function compress(path: string, body: object): Request {
  return { path, body: Uint8Array.from(gzipSync(JSON.stringify(body))) };
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

function defineAssault(name: string, isQuick: boolean, prepare: () => readonly (readonly Request[])[]): Attack {
  return defineAttack({
    name: `correlation: ${name}, and a restart`,
    isQuick,
    maxMs: MAX_ASSAULT_MS,
    hasOwnServices: true,
    run: () => assault(prepare),
    describe: ({ statuses, healthMs, healthAfterRestartMs, longestStepSeconds, works }) =>
      `${[...statuses].join(', ')}; /healthz ${say(healthMs)}, after a restart ${say(healthAfterRestartMs)}; ` +
      `steps under ${longestStepSeconds} s; other senders ${works.every(Boolean) ? 'open' : 'DO NOT open'} incidents`,
    isHeld: ({ healthMs, healthAfterRestartMs, longestStepSeconds, works }) =>
      [healthMs, healthAfterRestartMs].every((ms) => ms !== null && ms < MAX_HEALTH_MS) &&
      longestStepSeconds <= MAX_STEP_SECONDS &&
      works.every(Boolean),
  });
}

function say(ms: number | null): string {
  return ms === null ? 'died' : `${ms.toFixed(0)} ms`;
}

export const correlationAttacks: readonly Attack[] = [
  defineAssault('two spans, of 1970 and of now', true, () => [[toTraces([spanOf({ at: 1_000 }), spanOf({})])]]),
  defineAssault('made-up steps of 100 operations', true, () => [madeUpSteps(100)]),
  defineAssault('made-up steps of 400 operations in two waves', false, () => [madeUpSteps(400), madeUpSteps(400)]),
  defineAssault('one trace of 20,000 failed spans', false, () => [[oneTrace()]]),
  defineAssault('100,000 different error lines', false, () => [errorLines()]),
  defineAssault('150,000 changes', false, () => [changes()]),
];
