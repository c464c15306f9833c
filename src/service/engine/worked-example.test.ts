import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { thresholdOf } from './accounts/verdicts.ts';
import { createEngineState } from './engine.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 20 * 60 * SECOND;

/** An order: web calls checkout, which writes to a database that sends no telemetry. */
function order(at: number, isFailed: boolean): SpanItem[] {
  const spans: SpanItem[] = [];
  const add = traceBuilder(spans, at);
  const web = add(null, { service: 'web', operation: 'POST /orders', durationMs: 60, isFailed });
  const call = add(web, { service: 'web', role: 'client', peer: 'checkout', durationMs: 40, isFailed });
  const checkout = add(call, { service: 'checkout', operation: 'POST /orders', durationMs: 35, isFailed });
  add(checkout, { service: 'checkout', role: 'client', peer: 'orders-db', durationMs: 10, isFailed });
  return spans;
}

it('computes the example of docs/engine.md', () => {
  const state = createEngineState();
  const times = Array.from({ length: 20 * 60 + 5 }, (_, index) => START + index * SECOND);
  const spans = times.flatMap((at) => order(at, at >= FAULT)).toSorted((a, b) => a.at - b.at);

  const [opened, ...further] = feedEngine(state, spans, FAULT + 5 * SECOND);

  expect([opened?.type, opened?.incident.root, opened?.at]).toEqual(['opened', 'orders-db', FAULT + 5 * SECOND]);
  expect(further).toEqual([]);
  expect(opened?.incident.confidence).toBeCloseTo(0.93, 2);
  const lost = [...(opened?.incident.members.values() ?? [])].map(({ evidence }) => evidence.lost).find(Boolean);
  expect(lost).toMatchObject({ requests: 5, total: 5 });
  expect(lost?.path.map(({ service }) => service)).toEqual(['orders-db', 'checkout', 'web']);
  const account = [...state.judge.accounts.byKey.values()].find(({ place }) => place === 'orders-db');
  expect(account?.streams.harmed.sums[0]).toBeCloseTo(17.2, 1);
  expect(account === undefined ? 0 : thresholdOf(account)).toBeCloseTo(17.2, 1);
});
