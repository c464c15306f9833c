import { describe, expect, it } from 'vitest';
import { feedEngine } from '../../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../../test/support/span-item.ts';
import type { SpanItem } from '../../core/telemetry-item.ts';
import { createEngineState } from '../engine.ts';
import { locate } from './explain.ts';
import { contrast } from './likelihood.ts';
import { judgeAccounts } from './verdicts.ts';

const SECOND = 1_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 600 * SECOND;
const END = FAULT + 20 * SECOND;

describe('a verdict about calls that are not answered', () => {
  it('blames the callee if all callers lose theirs', () => {
    expect(locatedIn(() => true)).toEqual([{ at: 'stock', place: 'stock', explains: [] }]);
  });

  it('blames the one caller that loses them, and explains the callee', () => {
    expect(locatedIn((caller) => caller === 'web')).toEqual([{ at: 'stock', place: 'web', explains: ['stock'] }]);
  });
});

describe('a contrast', () => {
  it('grows with what is lost with something and well without it', () => {
    const few = contrast({ lost: 3, well: 0 }, { lost: 0, well: 3 });
    const many = contrast({ lost: 30, well: 0 }, { lost: 0, well: 30 });

    expect(few).toBeGreaterThan(0);
    expect(many).toBeGreaterThan(4 * few);
  });

  it('speaks against what is lost without it as well, and says nothing where there is nothing without it', () => {
    expect(contrast({ lost: 10, well: 10 }, { lost: 10, well: 10 })).toBeLessThan(-5);
    expect(contrast({ lost: 10, well: 3 }, { lost: 0, well: 0 })).toBeCloseTo(0);
  });
});

/** `web` and `admin` call `stock`. What the accounts say 20 seconds after calls began to stay without an answer. */
function locatedIn(isLostFor: (caller: string) => boolean) {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END; at += 250, index += 1) {
    const service = index % 2 === 0 ? 'web' : 'admin';
    const isFailed = at >= FAULT && isLostFor(service);
    const add = traceBuilder(spans, at, spans.length);
    const entry = add(null, { service, durationMs: 20 + (index % 5), isFailed });
    const call = add(entry, { service, role: 'client', peer: 'stock', durationMs: 15, isFailed });
    if (!isFailed) {
      add(call, { service: 'stock', durationMs: 10 });
    }
  }
  const state = createEngineState();
  feedEngine(
    state,
    spans.toSorted((a, b) => a.at - b.at),
    END,
  );
  const { accounts } = state.judge;
  const found = locate(judgeAccounts(accounts, 0, END), accounts).filter(({ verdict }) => verdict.kind === 'harmed');
  return found.map(({ verdict, place, explains }) => ({ at: verdict.account.place, place, explains }));
}
