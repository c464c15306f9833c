import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import type { Episode } from './accounts/episode.ts';
import { createEngineState, type EngineState } from './engine.ts';
import { completeState, fromSnapshot, toSnapshot } from './engine-state.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 600 * SECOND;

it('goes on from the snapshot of an earlier release in the midst of a failure, with all that it had learnt', () => {
  const spans = spansUntil(FAULT + 60 * SECOND);
  const cut = spans.findIndex(({ at }) => at >= FAULT + 3 * SECOND);
  const state = createEngineState();
  feedEngine(state, spans.slice(0, cut));
  const stored = fromSnapshot<EngineState>(toSnapshot(asStoredBefore(state)));

  const events = feedEngine(completeState(stored), spans.slice(cut));

  expect(events.filter(({ type }) => type === 'opened').map(({ incident }) => incident.root)).toEqual(['stock']);
  const account = [...stored.judge.accounts.byKey.values()].find(({ place }) => place === 'stock');
  expect(account?.requests).toBeGreaterThan(1_000); // those before the upgrade too
});

it('changes nothing in a state of this release', () => {
  const state = createEngineState();
  feedEngine(state, spansUntil(FAULT + 3 * SECOND));
  const before = toSnapshot(state);

  expect(toSnapshot(completeState(state))).toEqual(before);
});

/** Without members that were added since, and with one that is gone. */
function asStoredBefore(state: EngineState): object {
  const { arrivals: _, ...judge } = state.judge;
  const byKey = new Map(
    [...judge.accounts.byKey].map(([key, { instances: __, servedPace: ___, ...account }]) => [
      key,
      { ...account, episodes: new Map([...account.episodes].map(([kind, episode]) => [kind, asBefore(episode)])) },
    ]),
  );
  return { ...state, judge: { ...judge, accounts: { ...judge.accounts, byKey } } };
}

function asBefore({ runs: __, ...episode }: Episode): object {
  return { ...episode, suspects: new Map([['stock', 1]]) };
}

/** `web` calls `stock`, which fails from `FAULT` on. */
function spansUntil(until: number): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < until; at += 500, index += 1) {
    const isFailed = at >= FAULT;
    const add = traceBuilder(spans, at);
    const web = add(null, { service: 'web', durationMs: 20 + (index % 5), isFailed });
    const call = add(web, { service: 'web', role: 'client', peer: 'stock', durationMs: 15, isFailed });
    add(call, { service: 'stock', durationMs: 10, isFailed });
  }
  return spans.toSorted((a, b) => a.at - b.at);
}
