import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { seededRandom } from '../../../test/support/seeded-random.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';
import { headlineOf } from './sentences/reasons.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 10 * MINUTE;
const END = FAULT + 4 * MINUTE;
const SEEDS = [1, 2, 3, 4, 5, 6];

/** What a call meets; nothing: it works. */
interface Trouble {
  readonly isFailed?: boolean;
  readonly lateMs?: number;
}

/** A call of one of several services to what they share. */
interface Call {
  readonly caller: string;
  readonly callers: readonly string[];
  readonly at: number;
  readonly random: () => number;
}

interface World {
  /** Whether what is shared sends spans of its own; otherwise it is known from its callers alone. */
  readonly reports: boolean;
  readonly meets: (call: Call) => Trouble;
  /** Whether the services between the entry and the callers tell failures. */
  readonly relayTells?: boolean;
  /** Whether a caller gets over the failures of what is shared. Absent: none does. */
  readonly getsOver?: (caller: string) => boolean;
}

describe.each(SEEDS)('a generated system (%i), and what its services share', (seed) => {
  it.each([
    ['fails without a span of its own', { isFailed: true }, 1],
    ['fails half of the calls', { isFailed: true }, 0.5],
    ['is slow without a span of its own', { lateMs: 900 }, 1],
  ])('is the root of one incident if it %s', (_, trouble, share) => {
    const meets = ({ random }: Call) => (random() < share ? trouble : {});

    expect(rootsOf(seed, { reports: false, meets })).toEqual(['shared']);
  });

  it.each([
    ['that reports, and the calls of one service to it never arrive', true, { isFailed: true }],
    ['that does not report, and only one service fails to use it', false, { isFailed: true }],
    ['that reports, and the way from one service to it is slow', true, { lateMs: 900 }],
    ['that does not report, and the way from one service to it is slow', false, { lateMs: 900 }],
  ])('is not the root, but the service is, if it is a place %s', (_, reports, trouble) => {
    const meets = ({ caller, callers }: Call) => (caller === callers[0] ? trouble : {});

    expect(rootsOf(seed, { reports, meets })).toEqual(['caller-0']);
  });

  it('is named as what the root calls in vain, if only one service loses requests there', () => {
    const meets = ({ caller, callers }: Call) => (caller === callers[0] ? { isFailed: true } : {});

    const told = incidentsOf(seed, { reports: true, meets }).flatMap(({ members }) => [...members.values()]);

    const lost = told.flatMap(({ evidence }) => (evidence.lost === undefined ? [] : [headlineOf(evidence)]));
    expect(lost).toContain('its calls to shared fail');
  });

  it('is the root if one of them loses its requests, and the others get over the same failures', () => {
    const meets = ({ random }: Call) => (random() < 0.6 ? { isFailed: true } : {});

    expect(rootsOf(seed, { reports: false, meets, getsOver: (caller) => caller !== 'caller-0' })).toEqual(['shared']);
  });

  it('is the root if it fails every other half minute, and one of them gets over that', () => {
    const meets = ({ at, random }: Call) => (at % MINUTE < 30 * SECOND && random() < 0.4 ? { isFailed: true } : {});

    expect(rootsOf(seed, { reports: true, meets, getsOver: (caller) => caller === 'caller-0' })).toEqual(['shared']);
  });

  it('is the root if services in between pass its failures on, and have none of their own', () => {
    const meets = ({ random }: Call) => (random() < 0.6 ? { isFailed: true } : {});

    expect(rootsOf(seed, { reports: false, meets, relayTells: false })).toEqual(['shared']);
  });
});

/** Roots of the incidents that open in a system whose sizes, shares and times are drawn. */
function rootsOf(seed: number, world: World): string[] {
  return incidentsOf(seed, world).map(({ root }) => root);
}

function incidentsOf(seed: number, world: World): Incident[] {
  const events = feedEngine(createEngineState(), spansOf(seed, world), END + 30 * SECOND);
  return incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
}

/** Requests go from `web` by a relay to one of several callers, which call what they share. In order of time. */
function spansOf(seed: number, { reports, meets, relayTells = true, getsOver = () => false }: World): SpanItem[] {
  const random = seededRandom(seed);
  const callers = Array.from({ length: 3 + Math.floor(3 * random()) }, (_, index) => `caller-${index}`);
  const everyMs = 300 + 500 * random();
  const usualMs = 5 + 40 * random();
  const noise = 0.01 * random();
  const spans: SpanItem[] = [];
  for (let at = START; at < END; at += everyMs * (0.5 + random())) {
    const caller = callers[Math.floor(callers.length * random())] ?? '';
    const trouble = at >= FAULT ? meets({ caller, callers, at, random }) : {};
    const isOwnFailure = random() < noise;
    const isFailed = trouble.isFailed === true;
    const fails = (isFailed && !getsOver(caller)) || isOwnFailure;
    const workMs = usualMs * (0.7 + 0.6 * random());
    const waitMs = 2 + workMs + (trouble.lateMs ?? 0);
    const add = traceBuilder(spans, at, spans.length);
    const web = add(null, { service: 'web', operation: 'GET /', durationMs: waitMs + 12, isFailed: fails });
    const client = { role: 'client', operation: 'POST' } as const;
    const toRelay = { ...client, service: 'web', peer: 'relay', durationMs: waitMs + 10, isFailed: fails };
    const relayed = { service: 'relay', operation: 'route', durationMs: waitMs + 8, isFailed: fails && relayTells };
    const relay = add(add(web, toRelay), relayed);
    const toCaller = { ...client, service: 'relay', peer: caller, durationMs: waitMs + 6, isFailed: fails };
    const work = { service: caller, operation: `run ${caller}`, durationMs: waitMs + 4, isFailed: fails };
    const run = add(add(relay, toCaller), work);
    const use = add(run, { ...client, service: caller, peer: 'shared', durationMs: waitMs, isFailed });
    if (reports && !isFailed) {
      add(use, { service: 'shared', operation: 'serve', durationMs: workMs });
    }
  }
  return spans.toSorted((a, b) => a.at - b.at);
}
