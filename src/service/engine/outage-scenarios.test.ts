import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { CorrelationEvent } from './grouping/correlation-state.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 15 * MINUTE;
const SERVICES = ['orders', 'stock', 'users'] as const;

/** A run of a service that `web` calls, which asks its own database. */
interface Run {
  readonly at: number;
  readonly service: (typeof SERVICES)[number];
  readonly host: string;
  /** 0 to 1, evenly. */
  readonly chance: number;
}

interface Outcome {
  /** The database does not answer. */
  readonly isCutOff?: boolean;
  /** `web` does not reach the service. */
  readonly isRefused?: boolean;
  readonly queries?: number;
  readonly extraMs?: number;
  /** Name of the call of `web` and of what answers it. */
  readonly call?: string;
}

it('names the host whose services reach nothing any more, though what they call answers others', () => {
  const opened = openedBy(5, ({ host }) => ({ isCutOff: host === 'node-2' }));

  expect(opened.map(({ incident }) => incident.fate?.value)).toEqual(['node-2']);
});

it('names the service if only one reaches nothing any more from there', () => {
  const opened = openedBy(5, ({ host, service }) => ({ isCutOff: host === 'node-2' && service === 'stock' }));

  expect(opened.map(({ incident }) => incident.fate)).toEqual([null]);
});

it('blames a service that repeats a call, each of which is as fast as ever', () => {
  const opened = openedBy(4, ({ service }) => ({ queries: service === 'orders' ? 80 : 1 }));

  expect(opened.map(({ incident }) => incident.root)).toEqual(['orders']);
});

it('takes a service that leaks and is restarted every ten minutes for one incident, though it is slow before anybody waits', () => {
  const isLeaking = ({ at, service }: Run) => service === 'stock' && at >= FAULT;
  const share = ({ at }: Run) => ((at - FAULT) % (10 * MINUTE)) / (10 * MINUTE);
  const opened = openedBy(20, (run) => ({ extraMs: isLeaking(run) ? 900 * share(run) ** 3 : 0 }));

  expect(opened.map(({ incident }) => [incident.root, incident.number])).toEqual([['stock', 1]]);
});

it('opens for a service that three requests in a hundred do not reach, within five minutes', () => {
  const opened = openedBy(5, ({ service, chance }) => ({ isRefused: service === 'users' && chance < 0.03 }));

  expect(opened.map(({ incident }) => incident.root)).toEqual(['users']);
});

it('takes calls that a new version names otherwise for no stopped step', () => {
  expect(openedBy(8, ({ service }) => (service === 'stock' ? { call: 'GET /v2/stock' } : {}))).toEqual([]);
});

/** Incidents that open for a fault of some minutes, without those that became part of another. */
function openedBy(minutes: number, fault: (run: Run) => Outcome): CorrelationEvent[] {
  const end = FAULT + minutes * MINUTE;
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < end; at += 150, index += 1) {
    const service = SERVICES[index % 3] ?? 'users';
    const run = { at, service, host: `node-${1 + (Math.floor(index / 3) % 3)}`, chance: (index * 0.618_034) % 1 };
    addRequest(spans, run, at < FAULT ? {} : fault(run));
  }
  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  const opened = feedEngine(createEngineState(), inOrder, end + MINUTE).filter(({ type }) => type === 'opened');
  return opened.filter(({ incident }) => incident.mergedInto === null);
}

function addRequest(
  spans: SpanItem[],
  { at, service, host, chance }: Run,
  { isCutOff = false, isRefused = false, queries = 1, extraMs = 0, call: operation = `GET /${service}` }: Outcome,
): void {
  const queryMs = isCutOff ? 2 : 5 + Math.round(3 * chance);
  const ms = isRefused ? 2 : queries * queryMs + 6 + extraMs;
  const isFailed = isCutOff || isRefused;
  const add = traceBuilder(spans, at, spans.length);
  const page = add(null, { service: 'web', operation: `GET /pages/${service}`, durationMs: ms + 300, isFailed });
  const call = { service: 'web', role: 'client', operation, peer: service, isFailed } as const;
  const called = add(page, { ...call, durationMs: ms + 2 });
  if (isRefused) {
    return;
  }
  const ranAt = { instance: `${service} on ${host}`, attributes: { host } };
  const answer = add(called, { service, operation, durationMs: ms, isFailed, ...ranAt });
  const query = { service, role: 'client', operation: 'SELECT', peer: `postgresql:${service}-db`, isFailed } as const;
  for (let each = 1; each <= queries; each += 1) {
    add(answer, { ...query, durationMs: queryMs, at: at + 3 + each * queryMs, ...ranAt });
  }
}
