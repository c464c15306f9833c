import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CHANNEL, incident, LATER, NOW, present, withStore } from '../../../test/support/bot-store.ts';
import { STORM_RULES } from '../domain/storm.ts';
import { type Facts, factsOf } from '../views/what-changed.ts';
import { LANES } from './lanes.ts';
import type { Store } from './store.ts';

const withSignals = (signals: number) => incident('inc', { signal_count: signals });

/** As the database gives them back. */
function facts(signals: number): Facts {
  return JSON.parse(JSON.stringify(factsOf(withSignals(signals), NOW)));
}

/** A store with one card, and a way to say what it shows. */
function withCard(
  run: (store: Store, show: (ts: string, revision: number, tellAt?: Date) => Promise<void>) => Promise<void>,
): Promise<void> {
  return withStore(async (store) => {
    await store.incidents.observe(withSignals(1), { lane: LANES.opened, asOf: NOW });
    await run(store, async (ts, revision, tellAt = NOW) => {
      await store.incidents.touch('inc');
      const card = present(await store.cards.claim(CHANNEL, NOW));
      const shown = { ts, digest: 'd', revision: String(revision), facts: facts(revision), tellAt };
      await store.cards.markShown(card, shown);
    });
  });
}

describe('the thread of a card', () => {
  it('begins with what the card shows at first, and is due with what it shows next', () =>
    withCard(async (store, show) => {
      await show('1.1', 1);
      const atFirst = await store.threads.claim(CHANNEL, LATER, []);
      await show('1.1', 2);

      expect(atFirst).toBeNull();
      expect(await store.threads.claim(CHANNEL, LATER, [])).toMatchObject({
        cardTs: '1.1',
        told: facts(1),
        shown: facts(2),
        attempt: null,
      });
    }));

  it('settles from its first change, not from its last', () =>
    withCard(async (store, show) => {
      await show('1.1', 1);
      await show('1.1', 2, NOW);
      await show('1.1', 3, LATER);

      expect(await store.threads.claim(CHANNEL, NOW, [])).toMatchObject({ told: facts(1), shown: facts(3) });
    }));

  it('goes to one process, and to another one with the attempt when that process died', () =>
    withCard(async (store, show) => {
      await show('1.1', 1);
      await show('1.1', 2);
      const claims = await Promise.all([1, 2, 3].map(() => store.threads.claim(CHANNEL, NOW, [])));
      const [held, ...others] = claims.filter((claim) => claim !== null);
      const attempt = { id: randomUUID(), at: NOW, lastAt: LATER, facts: facts(2) };
      const isBegun = await store.threads.beginAttempt(present(held), attempt);
      await show('1.1', 3);

      expect(others).toEqual([]);
      expect(await store.threads.claim(CHANNEL, LATER, ['conversations.replies'])).toBeNull();
      const taken = await store.threads.claim(CHANNEL, LATER, []);
      expect(taken).toMatchObject({ told: facts(1), shown: facts(3), attempt });
      expect([isBegun, await store.threads.beginAttempt(present(held), attempt)]).toEqual([true, false]);
    }));

  it('begins anew with another message, whatever was left to tell in the old one', () =>
    withCard(async (store, show) => {
      await show('1.1', 1);
      await show('1.1', 2);
      const old = await store.threads.claim(CHANNEL, NOW, []);
      await show('1.2', 3);
      await store.threads.markTold(present(old), facts(2), '2');
      await show('1.2', 4);

      expect(await store.threads.claim(CHANNEL, NOW, [])).toMatchObject({ cardTs: '1.2', told: facts(3) });
      expect(await store.threads.claim(CHANNEL, LATER, ['chat.postMessage'])).toBeNull();
    }));

  it('is left alone once all is told', () =>
    withCard(async (store, show) => {
      await show('1.1', 1);
      await show('1.1', 2);
      const due = await store.dueChannels(LATER, STORM_RULES);
      const thread = await store.threads.claim(CHANNEL, NOW, []);
      await store.threads.markTold(present(thread), facts(2), '2');

      expect(due).toMatchObject([{ channelId: CHANNEL, hasThreads: true }]);
      expect(await store.dueChannels(LATER, STORM_RULES)).toMatchObject([{ hasThreads: false }]);
      expect(await store.threads.claim(CHANNEL, LATER, [])).toBeNull();
    }));
});
