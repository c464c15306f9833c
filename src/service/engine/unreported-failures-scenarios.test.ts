import { describe, expect, it } from 'vitest';
import { feedEngine, incidentsIn } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 10 * MINUTE;
const END = FAULT + 2 * MINUTE;

/** The call below `caller` in one trace; from the fault on, `isOut`. */
type Build = (add: ReturnType<typeof traceBuilder>, isOut: boolean) => void;

describe('a call whose span does not tell that it failed', () => {
  it('is a request that people lost, if a script made it and its server failed', () => {
    const [incident] = incidentsOf((add, isOut) => {
      const script = add(null, { service: 'script', role: 'client', operation: 'buy', durationMs: 20 });
      const shop = add(script, { service: 'shop', durationMs: 18, isFailed: isOut });
      const call = add(shop, { service: 'shop', role: 'client', operation: 'pay', durationMs: 10, isFailed: isOut });
      add(call, { service: 'payments', durationMs: 8, isFailed: isOut });
    });

    const harm = [...(incident?.members.values() ?? [])].find(
      ({ evidence: { family } }) => family === 'harmed_requests',
    );
    expect(incident?.root).toBe('payments');
    expect(harm?.evidence.lost?.path.map(({ service }) => service)).toEqual(['payments', 'shop', 'script']);
  });

  it('is followed to its server, if that failed with a status that blames the caller', () => {
    const incidents = incidentsOf((add, isOut) => {
      const shop = add(null, { service: 'shop', durationMs: 18, isFailed: isOut });
      const rejected = isOut ? ({ isRejected: true } as const) : {};
      const call = add(shop, { service: 'shop', role: 'client', operation: 'find', durationMs: 10, ...rejected });
      const catalog = add(call, { service: 'catalog', durationMs: 8, isFailed: isOut });
      const query = { service: 'catalog', role: 'client', operation: 'SELECT', peer: 'postgresql:db-1' } as const;
      add(catalog, { ...query, durationMs: 5, isFailed: isOut });
    });

    expect(incidents.map(({ root }) => root)).toEqual(['postgresql:db-1']);
  });

  it('went well, if it was tried again within the span', () => {
    const incidents = incidentsOf((add, isOut) => {
      const script = add(null, { service: 'script', role: 'client', operation: 'buy', durationMs: 20 });
      const attempts = isOut ? [true, false] : [false];
      for (const [index, isFailed] of attempts.entries()) {
        const durationMs = 4 + 6 * index;
        add(script, { service: 'shop', durationMs: 4, isFailed, at: script.at - 20 + durationMs });
      }
    });

    const families = incidents.flatMap(({ members }) => [...members.values()].map(({ evidence }) => evidence.family));
    expect(families).not.toContain('harmed_requests');
  });
});

function incidentsOf(build: Build) {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 900 + (index % 5) * 40, index += 1) {
    build(traceBuilder(spans, at), at >= FAULT);
  }
  const events = feedEngine(
    createEngineState(),
    spans.toSorted((a, b) => a.at - b.at),
    END + 10_000,
  );
  return incidentsIn(events).filter(({ mergedInto }) => mergedInto === null);
}
