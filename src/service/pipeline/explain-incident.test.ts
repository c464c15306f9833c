import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { END, spansOf } from '../../../test/support/hosted-shop.ts';
import { spanItem } from '../../../test/support/span-item.ts';
import { storedFacts } from '../../../test/support/stored-facts.ts';
import { advance, createEngineState, observe } from '../engine/engine.ts';
import { explainIncident } from './explain-incident.ts';

it('calls an incident by the host that its services share', () => {
  const state = createEngineState();
  feedEngine(
    state,
    spansOf(({ host }) => (host === 'node-2' ? 'fails' : 'well')),
    END,
  );
  const [incident] = state.correlation.live.byNumber.values();

  const explained = incident === undefined ? null : explainIncident(incident, state, FACTS, null, [], new Map());

  expect(explained?.title).toBe('node-2: 5 services lose requests there only');
  expect(explained?.correlation.evidence[0]).toBe('cart, orders, prices and 2 more lose requests on host node-2 only');
});

it('counts what people lost in all regions, each of which reports with a key of its own', () => {
  const state = createEngineState();
  const start = Date.parse('2026-01-01T00:00:00Z');
  for (let at = start; at < start + 11 * 60_000; at += 1_000) {
    const isFailed = at >= start + 10 * 60_000;
    for (const key of ['eu', 'us', 'ap']) {
      const entry = spanItem({ service: 'web', at, isFailed });
      const about = { traceId: entry.traceId, parentSpanId: entry.spanId, service: 'web', operation: 'POST' };
      observe(state, entry, key);
      observe(state, spanItem({ ...about, role: 'client', peer: 'orders', at: at - 1, isFailed }), key);
    }
    advance(state, at);
  }
  const [incident] = state.correlation.live.byNumber.values();

  const explained = incident === undefined ? null : explainIncident(incident, state, FACTS, null, [], new Map());

  expect(explained?.correlation.harm).toMatchObject({ requests: 165, total: 165, failed: 165, per_minute: 165 });
  expect(explained?.correlation.evidence.filter((text) => text.includes('requests failed'))).toEqual([
    'orders: 165 of 165 requests failed in calls from web in 1 min',
  ]);
  expect(explained?.correlation.path).toEqual([
    { service: 'orders', requests: 165 },
    { service: 'web', requests: 165 },
  ]);
});

it('says that no request comes any more, which is an error though none is lost', () => {
  const state = createEngineState();
  const start = Date.parse('2026-01-01T00:00:00Z');
  const stop = start + 20 * 60_000;
  for (let at = start; at < stop + 5 * 60_000; at += 2_000) {
    if (at < stop) {
      observe(state, spanItem({ service: 'shop', at }));
    }
    advance(state, at);
  }
  const [incident] = state.correlation.live.byNumber.values();

  const explained = incident === undefined ? null : explainIncident(incident, state, FACTS, null, [], new Map());

  expect(explained?.title).toBe(
    'shop: no request is reported any more, usually 30 a minute, nor anything else: perhaps its telemetry does not arrive',
  );
  expect(explained?.severity).toBe('error');
});

const FACTS = storedFacts(new Date(END));
