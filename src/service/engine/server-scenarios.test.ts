import { describe, expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';
import { fateSentences } from './sentences/reasons.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 10 * 60 * SECOND;
const END = FAULT + 3 * 60 * SECOND;

/** What each service uses that sends no telemetry. */
const USES: Readonly<Record<string, readonly string[]>> = {
  cart: ['kafka:orders', 'postgresql:db-1/cart'],
  billing: ['kafka:invoices', 'postgresql:db-1/billing'],
  search: ['kafka:clicks', 'postgresql:db-2/search'],
};

/** What becomes of a call from the fault on. */
type Outcome = 'well' | 'lost' | 'slow';

describe('a server that several services use', () => {
  it('is one incident if its broker is gone, with all of its queues', () => {
    const incidents = incidentsOf((_, peer) => (peer.startsWith('kafka') ? 'lost' : 'well'));

    expect(incidents.map(({ fate }) => fate?.value)).toEqual(['kafka']);
    expect(incidents.map(fateSentences)).toEqual([
      {
        headline: 'kafka: calls to 3 parts of it fail',
        reason: 'kafka:clicks, kafka:invoices and kafka:orders lose requests at once, and all are parts of kafka',
      },
    ]);
  });

  it('is one incident if it is slow', () => {
    const incidents = incidentsOf((_, peer) => (peer.startsWith('postgresql:db-1') ? 'slow' : 'well'));

    expect(incidents.map(({ fate }) => fate?.value)).toEqual(['postgresql:db-1']);
    expect(incidents.map(fateSentences)[0]?.headline).toBe('postgresql:db-1: calls to 2 parts of it are slow');
  });

  it('is not suspected if one part of it is at fault', () => {
    const incidents = incidentsOf((_, peer) => (peer === 'kafka:orders' ? 'lost' : 'well'));

    expect(incidents.map(({ root, fate }) => ({ root, fate }))).toEqual([{ root: 'kafka:orders', fate: null }]);
  });

  it('is not suspected if one service reaches nothing any more', () => {
    const incidents = incidentsOf((service) => (service === 'cart' ? 'lost' : 'well'));

    expect(incidents.map(({ root, fate }) => ({ root, fate }))).toEqual([{ root: 'cart', fate: null }]);
  });

  it('stays apart from another one that fails at the same time', () => {
    const incidents = incidentsOf((_, peer) => (peer.startsWith('kafka') || peer.includes('db-2') ? 'lost' : 'well'));

    expect(incidents.map(({ fate, root }) => fate?.value ?? root).toSorted()).toEqual([
      'kafka',
      'postgresql:db-2/search',
    ]);
  });
});

function incidentsOf(outcome: (service: string, peer: string) => Outcome): Incident[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 200, index += 1) {
    for (const [service, peers] of Object.entries(USES)) {
      const peer = peers[index % peers.length] ?? '';
      const result = at < FAULT ? 'well' : outcome(service, peer);
      const isFailed = result === 'lost';
      const durationMs = result === 'well' ? 8 + (index % 5) : 900;
      const add = traceBuilder(spans, at, spans.length);
      const entry = add(null, { service, operation: `use ${peer}`, durationMs: durationMs + 5, isFailed });
      add(entry, { service, role: 'client', operation: `call ${peer}`, peer, durationMs, isFailed });
    }
  }
  const state = createEngineState();
  feedEngine(
    state,
    spans.toSorted((a, b) => a.at - b.at),
    END,
  );
  return [...state.correlation.live.byNumber.values()].filter(({ mergedInto }) => mergedInto === null);
}
